package mapping

import (
	"bytes"
	"encoding/json"

	"docketsync/apiclient/jsontext"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// result says what became of a field.
type result uint8

const (
	written result = iota
	omitted
	failed // with a reason
)

// passed remembers the last row that the filters let through, so that Map need not run them again.
type passed struct {
	source, number int
	cells          *table.Cell
}

// noRow equals the passed of no row.
var noRow = passed{number: -1}

func passOf(row *table.Row) passed {
	p := passed{source: row.Source, number: row.Number}
	if len(row.Cells) > 0 {
		p.cells = &row.Cells[0]
	}
	return p
}

// Key returns the key of the record that the row belongs to. If the mapping leaves the row out, skip says why and the
// key is empty. If there are reasons, the row cannot go into any record.
func (m *Mapper) Key(row table.Row) (key string, skip string, reasons []reason.Reason) {
	m.begin(nil)
	m.asked = row
	m.row = &m.asked
	if m.misled(row) {
		skip = m.belowTable(row)
	} else {
		skip = m.filterFilled()
	}
	if skip != "" {
		return "", skip, nil
	}
	m.passed, m.passedKey = passOf(&row), ""
	if len(m.reasons) > 0 {
		m.passed = noRow
	}
	key = m.keyText()
	if len(m.reasons)+len(m.notes) == 0 {
		m.passedKey = key // otherwise Map must work it out again, to report its reasons and notes
	}
	if len(m.reasons) > 0 {
		m.faulty(row)
	}
	return key, "", m.reasons
}

// Map makes a record from its rows: one row, or all rows of one key if the mapping is grouped. It returns the record,
// or every reason of every row why there is none; the key is set in both cases. The caller owns the result.
func (m *Mapper) Map(rows []table.Row) (Record, []reason.Reason) {
	record, reasons := m.MapInPlace(rows)
	record.Payload = bytes.Clone(record.Payload)
	return record, reasons
}

// MapInPlace is like Map, for callers that look at most payloads and keep few: the Payload is valid only until the
// mapper's next call.
func (m *Mapper) MapInPlace(rows []table.Row) (Record, []reason.Reason) {
	m.begin(rows)
	if len(rows) == 0 {
		return Record{}, nil
	}
	m.row = &rows[0]
	record := Record{Key: m.passedKey}
	if m.passed != passOf(m.row) {
		m.filter()
		record.Key = ""
	}
	if record.Key == "" {
		record.Key = m.keyText()
	}
	if m.faulty(rows...) {
		return record, m.reasons
	}
	m.row = &rows[0]
	m.out = append(m.out[:0], '{')
	for _, f := range m.fields {
		f.start, f.end = len(m.out), len(m.out) // until the member is written: entries read the members before theirs
		m.out = m.member(m.out, f, m.recordValue)
		f.end = len(m.out)
	}
	m.out = append(m.out, '}')
	record.Rank = m.rank()
	m.check()
	record.Traits = m.traits(record.Key)
	if len(m.reasons) > 0 {
		return record, m.reasons
	}
	record.Payload, record.Notes = m.out, m.notes
	return record, nil
}

func (m *Mapper) begin(rows []table.Row) {
	m.rows, m.row, m.reasons, m.notes, m.quiet = rows, nil, nil, nil, false
	m.fileSums, m.respelled.counted = m.fileSums[:0], m.respelled.counted[:0]
}

// filter runs the filters on the row and returns why the row is left out, or "".
func (m *Mapper) filter() string {
	for _, f := range m.skip {
		if m.truth(f) {
			return f.reason
		}
	}
	for _, f := range m.only {
		if !m.truth(f) && len(m.reasons) == 0 {
			return f.reason
		}
	}
	return ""
}

// rowsField stands for rows: in the reasons of filters.
var rowsField = &boundField{Field: &rule.Field{Path: "rows"}}

func (m *Mapper) truth(f *boundFilter) bool {
	out, column, ok := m.run(rowsField, f.program)
	if !ok {
		return false
	}
	value, isBool := out.(bool)
	if !isBool {
		m.fail(rowsField, column, "", reason.New(reason.ExpressionFilter, f.Text))
	}
	return value
}

// keyText works out the row's key. It returns "" and adds a reason if the row has none.
func (m *Mapper) keyText() string {
	k := m.key
	if len(k.at) > 1 {
		for _, column := range k.at {
			if cell := m.row.Cell(column); table.Trim(cell.Text) == "" || k.Blanks.Has(table.Trim(cell.Text)) {
				m.fail(k, column, "", reason.New(reason.KeyEmptyColumn, m.name(column)))
				return ""
			}
		}
	}
	found, ok := m.text(k)
	if !ok {
		return ""
	}
	text := table.Trim(found.text)
	if text == "" || k.Blanks.Has(text) {
		m.fail(k, found.column, found.text, reason.New(reason.KeyEmpty))
		return ""
	}
	fail := k.Rounded(text, found.kind)
	if fail == nil {
		fail = value.CheckText(text)
	}
	if fail != nil {
		m.fail(k, found.column, "", fail)
		return ""
	}
	k.column = found.column
	m.checkDamage(k, text)
	return table.SameKey(text)
}

// member writes a member of an object, or nothing if the value is omitted.
func (m *Mapper) member(dst []byte, f *boundField, value func([]byte, *boundField) ([]byte, result)) []byte {
	before := len(dst)
	dst, r := value(jsontext.AppendName(dst, f.Target.Name), f)
	if r != written {
		return dst[:before]
	}
	return dst
}

// recordValue writes the value of a field of the record itself, on which all its rows must agree.
func (m *Mapper) recordValue(dst []byte, f *boundField) ([]byte, result) {
	switch {
	case f.Origin == rule.FromItems:
		return m.items(dst, f)
	case len(m.rows) == 1 || f.Origin == rule.FromConstant:
		m.row = &m.rows[0]
		return m.value(dst, f)
	}
	return m.agreed(dst, f)
}

// Record is one payload for one operation, made of one row or several. Payload is canonical JSON, so that equal
// payloads are equal bytes: members in the order of the interface document, no white space, and numbers with the digits
// of the source.
type Record struct {
	Key     string
	Payload json.RawMessage
	// Notes are doubts that do not keep the record from being sent.
	Notes []reason.Reason
	// Traits are compared with those of other records. A rejected record has them too.
	Traits []Trait
	// Rank is the record's place in the order of its plan: the smaller, the earlier it is sent. It is RankLast if the
	// record has no date and 0 if the mapping has no order.
	Rank int64
}
