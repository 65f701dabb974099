package file

import (
	"fmt"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

var levelWords = map[string]rule.Level{"off": rule.LevelOff, "warn": rule.LevelWarn, "error": rule.LevelError}

// readChecks compiles checks:, which is one level for all checks, or a block with levels by the names of checks and
// conditions by the names of the firm's own checks.
func (c *compiler) readChecks(op payload.Operation) (levels rule.Levels, own []rule.OwnCheck) {
	levels = rule.Levels{}
	var known []string
	for _, check := range rule.Checks(op) {
		levels[check.Name] = levelWords[check.Default]
		known = append(known, check.Name)
	}
	n := c.form.Checks
	switch {
	case n == nil || document.IsNull(n):
	case n.Kind == document.Scalar:
		for _, name := range known {
			levels[name] = c.level(n)
		}
	case n.Kind == document.Block:
		for key, value := range document.Pairs(n) {
			_, level := levelWords[value.Value]
			switch {
			case slices.Contains(known, key.Value):
				levels[key.Value] = c.level(value)
			case level || document.IsNull(value) || table.Trim(key.Value) == "":
				c.fault(key, fmt.Sprintf("%s has no check %q", c.form.Operation.Text, key.Value), diagnostic.Suggest(key.Value, known))
			default:
				if check, ok := c.ownCheck(key.Value, value); ok {
					own = append(own, check)
				}
			}
		}
	default:
		c.faults = append(c.faults, c.file.Expected(n, "a block of checks"))
	}
	return levels, own
}

func (c *compiler) level(n *document.Node) rule.Level {
	found, ok := levelWords[n.Value]
	if !ok || n.Kind != document.Scalar {
		c.fault(n, fmt.Sprintf("unknown level %s", reason.Quote(n.Value)), "use error, warn or off")
	}
	return found
}

// ownCheckForm is the long form of a firm's own check. The short form, a text alone, is its condition.
type ownCheckForm struct {
	Expr  rule.Word      `yaml:"expr" jsonschema:"required" jsonschema_description:"The condition under which a row is wrong."`
	Level *document.Node `yaml:"level" jsonschema_description:"What the check does: error (the default), warn or off."`
}

// ownCheck compiles a firm's own check; its reasons will have the name.
func (c *compiler) ownCheck(name string, n *document.Node) (rule.OwnCheck, bool) {
	check, form := rule.OwnCheck{Name: table.Trim(name), Level: rule.LevelError}, ownCheckForm{}
	if n.Kind == document.Scalar {
		form.Expr = rule.Word{Text: n.Value, Node: n}
	} else if !c.decode(n, &form) {
		return check, false
	}
	if form.Level != nil {
		check.Level = c.level(form.Level)
	}
	if !form.Expr.Given() {
		c.fault(n, fmt.Sprintf("the check %q has no condition", check.Name), "add expr: with the condition under which a row is wrong")
		return check, false
	}
	if check.Formula = c.expression(form.Expr, false); check.Formula == nil {
		return check, false
	}
	check.Asks = true
	c.mustBe(check.Formula, "a check must be true or false", "bool")
	return check, true
}
