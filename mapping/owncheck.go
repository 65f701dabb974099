package mapping

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/config/document"
	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// ownCheck is a check that a firm writes itself: a condition on a row under which its record is wrong, or deserves a look.
type ownCheck struct {
	name  string
	level level
	*formula
}

// ownCheckForm is the long form of one. The short form, a text alone, is its condition.
type ownCheckForm struct {
	Expr  word           `yaml:"expr" jsonschema:"required" jsonschema_description:"The condition under which a row is wrong."`
	Level *document.Node `yaml:"level" jsonschema_description:"What the check does: error (the default), warn or off."`
}

// ownCheck compiles a check by the name that its reasons will have.
func (c *compiler) ownCheck(name string, n *document.Node) (ownCheck, bool) {
	check, form := ownCheck{name: table.Trim(name), level: levelError}, ownCheckForm{}
	if n.Kind == document.Scalar {
		form.Expr = word{n.Value, n}
	} else if !c.decode(n, &form) {
		return check, false
	}
	if form.Level != nil {
		check.level = c.level(form.Level)
	}
	if !form.Expr.given() {
		c.fault(n, fmt.Sprintf("the check %q has no condition", check.name), "add expr: with the condition under which a row is wrong")
		return check, false
	}
	if check.formula = c.expression(form.Expr, false); check.formula == nil {
		return check, false
	}
	check.Ordered = true
	c.mustBe(check.formula, "a check must be true or false", "bool")
	return check, true
}

// boundCheck is a check whose columns have positions.
type boundCheck struct {
	ownCheck
	field   *boundField // which its reasons name
	program *expr.Program
}

func (b *binder) ownChecks(checks []ownCheck) []boundCheck {
	var bound []boundCheck
	for _, c := range checks {
		if c.level != levelOff {
			bound = append(bound, boundCheck{c, &boundField{field: &field{path: "checks." + c.name}}, b.program(c.formula)})
		}
	}
	return bound
}

// ownChecks asks the firm's own checks about each row of the record in hand. Rows that have the same in the columns of a check are
// one finding.
func (m *Mapper) ownChecks() {
	for i := range m.checks.own {
		c := &m.checks.own[i]
		if len(m.rows) == 1 {
			m.ownCheck(c)
			continue
		}
		seen := map[string]bool{}
		for n := range m.rows {
			m.row = &m.rows[n]
			if cells := m.checkedCells(c); !seen[cells] {
				seen[cells] = true
				m.ownCheck(c)
			}
		}
		m.row = &m.rows[0]
	}
}

func (m *Mapper) ownCheck(c *boundCheck) {
	reasons := len(m.reasons)
	out, _, ok := m.run(c.field, c.program)
	fires, isBool := out.(bool)
	switch {
	case ok && !isBool:
		m.fail(c.field, -1, "", reason.New(reason.ExpressionCheck, c.name))
	case fires:
		m.found(c)
	}
	told := m.reasons[:reasons:reasons]
	m.reasons = append(told, slices.DeleteFunc(m.reasons[reasons:], func(r reason.Reason) bool { // as the filters met the same cell
		return slices.ContainsFunc(told, func(t reason.Reason) bool { return t.Code == r.Code && t.Row == r.Row && t.Message == r.Message })
	})...)
	if c.level == levelWarn { // what such a check finds, or why it cannot be asked, keeps nothing back
		m.notes = append(m.notes, m.reasons[reasons:]...)
		m.reasons = m.reasons[:reasons]
	}
}

// found adds the finding of a check. It points at the first of the cells.
func (m *Mapper) found(c *boundCheck) {
	column, why := -1, reason.New(reason.CheckRow, c.name)
	if len(c.program.At) > 0 {
		var names []string
		for _, at := range c.program.At {
			names = append(names, reason.Quote(table.Trim(m.name(at))))
		}
		column, why = c.program.At[0], reason.New(reason.Check, c.name, strings.Join(names, " or "))
	}
	if c.level == levelWarn {
		why = reason.New(reason.CheckNoted, c.name)
	}
	m.fail(c.field, column, m.checkedCells(c), why)
}

// checkedCells are the cells of the row that a check looks at, with their columns where they are several.
func (m *Mapper) checkedCells(c *boundCheck) string {
	cells := make([]string, len(c.program.At))
	for n, column := range c.program.At {
		if cells[n] = table.Trim(m.row.Cell(column).Text); len(cells) > 1 {
			cells[n] = fmt.Sprintf("%s: %s", table.Trim(m.name(column)), cells[n])
		}
	}
	return strings.Join(cells, ", ")
}
