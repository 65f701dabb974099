package mapping

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// reading is what one row says about a field of the record.
type reading struct {
	said
	row   int
	value []byte // nil if omitted
}

// agreed reads the field from every row. If rows differ, it adds one reason that lists them all.
func (m *Mapper) agreed(dst []byte, f *boundField) ([]byte, result) {
	var readings []reading
	bad := false
	m.quiet = m.mapping.rules.Fill
	for i := range m.rows {
		m.row = &m.rows[i]
		value, r := m.value(nil, f)
		bad = bad || r == failed
		if r != written {
			value = nil
		}
		if !m.quiet || f.given {
			readings = append(readings, reading{f.said, m.row.Number, value})
		}
	}
	m.quiet = false
	switch {
	case bad:
		return dst, failed
	case len(readings) == 0: // every row leaves it blank
		m.row = &m.rows[0]
		return m.value(dst, f)
	}
	for _, r := range readings[1:] {
		if !bytes.Equal(r.value, readings[0].value) {
			m.disagree(f, readings)
			return dst, failed
		}
	}
	// The checks look at the value that the rows agree on, not at the blank of the last row.
	f.said = readings[0].said
	if readings[0].value == nil {
		return dst, omitted
	}
	return append(dst, readings[0].value...), written
}

func (m *Mapper) disagree(f *boundField, readings []reading) {
	type side struct {
		source string
		value  []byte
		rows   []int
	}
	var sides []side
	for _, r := range readings {
		i := slices.IndexFunc(sides, func(s side) bool { return bytes.Equal(s.value, r.value) })
		if i < 0 {
			i = len(sides)
			sides = append(sides, side{source: r.source, value: r.value})
		}
		sides[i].rows = append(sides[i].rows, r.row)
	}
	var values []string
	for _, s := range sides[:min(len(sides), mostSides)] {
		what := "empty"
		if s.source != "" {
			what = reason.Quote(s.source)
		}
		values = append(values, what+" in "+table.RowList(s.rows[:min(len(s.rows), mostRows)], len(s.rows)))
	}
	if more := len(sides) - mostSides; more > 0 {
		values = append(values, fmt.Sprintf("and %d other values", more))
	}
	why := reason.RowsDisagree
	if f.Target.Name == "client_id" {
		why = reason.DisagreeClient
	} else if !m.mapping.rules.Fill && slices.ContainsFunc(readings, func(r reading) bool { return !r.given }) {
		why = reason.DisagreeBlank
	}
	m.row = &m.rows[0]
	m.fail(f, f.column, "", reason.New(why, f.Target.Name, strings.Join(values, "; ")))
	m.reasons[len(m.reasons)-1].Cell = ""
}

// The maximum number of values in one reason, and of rows for each value: a folder may have thousands of rows.
const (
	mostSides = 10
	mostRows  = 100
)
