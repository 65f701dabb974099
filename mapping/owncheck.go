package mapping

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// boundCheck is a check whose columns have positions.
type boundCheck struct {
	rule.OwnCheck
	field   *boundField // the field that its reasons name
	program *expr.Program
}

func (b *binder) ownChecks(checks []rule.OwnCheck) []boundCheck {
	var bound []boundCheck
	for _, c := range checks {
		if c.Level != rule.LevelOff {
			bound = append(bound, boundCheck{c, &boundField{Field: &rule.Field{Path: "checks." + c.Name}}, b.program(c.Formula)})
		}
	}
	return bound
}

// ownChecks runs the firm's own checks on each row of the current record. Rows with the same content in the columns of
// a check give one finding.
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
		m.fail(c.field, -1, "", reason.New(reason.ExpressionCheck, c.Name))
	case fires:
		m.found(c)
	}
	told := m.reasons[:reasons:reasons]
	m.reasons = append(told, slices.DeleteFunc(m.reasons[reasons:], func(r reason.Reason) bool { // the filters may have reported the same cell
		return slices.ContainsFunc(told, func(t reason.Reason) bool { return t.Code == r.Code && t.Row == r.Row && t.Message == r.Message })
	})...)
	if c.Level == rule.LevelWarn { // the findings of such a check, and its errors, do not reject the record
		m.notes = append(m.notes, m.reasons[reasons:]...)
		m.reasons = m.reasons[:reasons]
	}
}

// found adds the finding of a check, at the first of the cells that it reads.
func (m *Mapper) found(c *boundCheck) {
	column, why := -1, reason.New(reason.CheckRow, c.Name)
	if len(c.program.At) > 0 {
		var names []string
		for _, at := range c.program.At {
			names = append(names, reason.Quote(table.Trim(m.name(at))))
		}
		column, why = c.program.At[0], reason.New(reason.Check, c.Name, strings.Join(names, " or "))
	}
	if c.Level == rule.LevelWarn {
		why = reason.New(reason.CheckNoted, c.Name)
	}
	m.fail(c.field, column, m.checkedCells(c), why)
}

// checkedCells returns the cells of the row that a check reads, with the names of their columns if there are several.
func (m *Mapper) checkedCells(c *boundCheck) string {
	cells := make([]string, len(c.program.At))
	for n, column := range c.program.At {
		if cells[n] = table.Trim(m.row.Cell(column).Text); len(cells) > 1 {
			cells[n] = fmt.Sprintf("%s: %s", table.Trim(m.name(column)), cells[n])
		}
	}
	return strings.Join(cells, ", ")
}
