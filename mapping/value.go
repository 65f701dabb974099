package mapping

import (
	"bytes"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// convertCell converts the content of a cell, which a spreadsheet may have rounded. Constants of the mapping do not
// come here: a person wrote them.
func (f *boundField) convertCell(dst []byte, t found) (rule.Converted, *reason.Problem) {
	if fail := f.Rounded(t.text, t.kind); fail != nil {
		return rule.Converted{}, fail
	}
	return f.Convert(dst, f.table, t.text, t.kind)
}

// found is a text on its way from a row to a field; column is -1 if it does not come from a single cell.
type found struct {
	text   string
	kind   table.Kind
	column int
}

// value writes the field's value for the current row.
func (m *Mapper) value(dst []byte, f *boundField) ([]byte, result) {
	f.said = said{column: -1}
	switch {
	case f.Origin == rule.FromConstant && f.lacking != nil:
		return m.lack(dst, f)
	case f.Origin == rule.FromConstant:
		f.given = !bytes.Equal(f.always, []byte("null"))
		return append(dst, f.always...), written
	case f.Origin == rule.FromComponents:
		return m.components(dst, f)
	case f.Origin == rule.FromNowhere:
		return m.emptyValue(dst, f, -1)
	case f.Target.Type == payload.TypeGUIDs:
		return m.guids(dst, f)
	}
	t, ok := m.text(f)
	if !ok {
		return dst, failed
	}
	f.column = t.column
	return m.finish(dst, f, t)
}

// finish takes a text through the steps of the field.
func (m *Mapper) finish(dst []byte, f *boundField, t found) ([]byte, result) {
	raw := t.text
	t, stop := m.prepared(f, t)
	if stop {
		return m.unknownWord(dst, f, t)
	}
	if t.text == "" || f.KeepTrim && table.Trim(t.text) == "" {
		return m.emptyValue(dst, f, t.column)
	}
	f.given, f.source = true, t.text
	is, fail := f.convertCell(dst, t)
	f.readings.Add(is.Reading, m.row, t.text)
	f.readings.Dates.Add(is.Moment.Text, m.row.Source, m.row.Number, t.text)
	if fail.Is(reason.Boolean) && f.Unknown != rule.UnknownReject {
		return m.unknownWord(dst, f, t)
	}
	if fail != nil {
		if fail.Is(reason.LookupUnknown) || fail.Is(reason.LookupUnfilled) {
			raw = t.text // the name that is missing from the lookup
		}
		m.fail(f, t.column, raw, fail)
		return dst, failed
	}
	if f.table != nil {
		m.respell(f.table, t.text)
	} else if f.Target.Type == payload.TypeText {
		m.checkDamage(f, t.text)
	}
	if f.moment = is.Moment; is.Note != nil {
		m.doubt(f, t.column, raw, is.Note)
	}
	return is.JSON, written
}

// prepared applies trim, blanks and values to a text. stop means that the field's values do not list it.
func (m *Mapper) prepared(f *boundField, t found) (_ found, stop bool) {
	if !f.KeepTrim {
		t.text = table.Trim(t.text)
	}
	if f.Blanks.Has(t.text) {
		t.text = ""
	}
	if f.Values != nil {
		return m.mapped(f, t)
	}
	return t, false
}

// mapped replaces a word with what the field's values say. stop means that they do not list it.
func (m *Mapper) mapped(f *boundField, t found) (_ found, stop bool) {
	becomes, known := f.Values.Find(t.text)
	switch {
	case known && becomes.Empty:
		t.text = ""
	case known:
		t.text, t.kind = becomes.Text, table.Text
	case t.text != "" && f.Unknown != rule.UnknownKeep:
		return t, true
	}
	return t, false
}

// unknownWord does what the mapping says about words that it does not list.
func (m *Mapper) unknownWord(dst []byte, f *boundField, t found) ([]byte, result) {
	switch f.Unknown {
	case rule.UnknownDefault:
		if f.lacking != nil {
			return m.lack(dst, f)
		}
		f.given, f.source = true, t.text
		m.respellAs(Respelling{Lookup: f.Path, Written: t.text, Defaulted: true}, strings.Trim(string(f.instead), `"`))
		return append(dst, f.instead...), written
	case rule.UnknownEmpty:
		return m.emptyValue(dst, f, t.column)
	}
	if f.Values == nil {
		m.fail(f, t.column, t.text, value.UnknownBoolean(t.text))
	} else {
		m.fail(f, t.column, t.text, f.Values.Unknown(t.text))
	}
	return dst, failed
}

// emptyValue does what the mapping says about an empty value.
func (m *Mapper) emptyValue(dst []byte, f *boundField, column int) ([]byte, result) {
	f.given, f.source = false, ""
	switch {
	case m.quiet:
		return dst, omitted
	case f.lacking != nil:
		return m.lack(dst, f)
	case f.instead != nil:
		return append(dst, f.instead...), written
	case f.Empty == rule.EmptyOmit:
		return dst, omitted
	case f.Empty == rule.EmptyNull:
		return append(dst, "null"...), written
	case f.Empty == rule.EmptyKeep && f.Target.Type == payload.TypeGUIDs:
		return append(dst, "[]"...), written
	case f.Empty == rule.EmptyKeep:
		return append(dst, `""`...), written
	}
	if column >= 0 {
		m.fail(f, column, "", reason.New(reason.EmptyColumn, m.name(column), f.Target.Name))
	} else {
		m.fail(f, column, "", reason.New(reason.Empty, f.Target.Name))
	}
	return dst, failed
}

// lack rejects a value that needs a constant which has no id yet. A record gets this reason once, however many entries
// need the constant.
func (m *Mapper) lack(dst []byte, f *boundField) ([]byte, result) {
	if !slices.ContainsFunc(m.reasons, func(r reason.Reason) bool { return r.Code == f.lacking.Fail.Code && r.Field == f.Path && r.Cell == "" }) {
		m.fail(f, -1, f.lacking.Text, f.lacking.Fail)
	}
	return dst, failed
}

// text finds the field's text in the row. It returns false if it added a reason.
func (m *Mapper) text(f *boundField) (found, bool) {
	switch {
	case f.Origin == rule.FromExpression:
		out, column, ok := m.run(f, f.program)
		if !ok {
			return found{}, false
		}
		text, fail := expr.TextOf(out)
		if fail != nil {
			m.fail(f, column, "", fail)
			return found{}, false
		}
		return found{text, expressionKind(f, text), column}, true
	case f.Origin == rule.FromPart && f.Part == rule.PartClass:
		return found{m.entry.class, table.Text, m.entry.classColumn}, true
	case f.Origin == rule.FromPart:
		return found{m.entry.text, table.Text, m.entry.textColumn}, true
	case len(f.at) == 1:
		return m.cell(f, f.at[0])
	}
	return m.joined(f)
}

// ZerosLost returns the faults of importing a column of numbers that have probably lost their last digits, which words
// describes: one for each field that identifies something by the column and does not accept such numbers.
func (m *Mapper) ZerosLost(column int, words string) diagnostic.Faults {
	return m.foundBy(column, words, "Export the column as text, as what was lost stands nowhere in this file; if every number is complete, set rounded: keep for %s.",
		func(f *boundField) bool { return f.KeepRounded })
}

// Bared returns the faults of identifying something by a column whose whole numbers are read without the decimals that
// the sheet shows.
func (m *Mapper) Bared(column int, words string) diagnostic.Faults {
	return m.foundBy(column, words, "Store the column as text, as the sheet shows it; if the whole numbers have no decimals, set rounded: keep for %s.",
		func(f *boundField) bool {
			amount := f.Component && f.Lookup == ""
			return amount || f.KeepRounded || f.DigitsAlone
		})
}

// CountsRows returns the faults of identifying something by a column that counts the rows of the export: once a row is
// inserted, each number below it belongs to another record.
func (m *Mapper) CountsRows(column int, words string) diagnostic.Faults {
	return m.foundBy(column, words, "Use a column that belongs to the record, such as its reference. If the numbers are those of the records, give their column a name in the file.",
		func(*boundField) bool { return false })
}

// foundBy returns a fault for each field that identifies something by the column, except for the fields that takes
// accepts.
func (m *Mapper) foundBy(column int, words, hint string, takes func(*boundField) bool) (faults diagnostic.Faults) {
	for _, f := range append([]*boundField{m.key}, m.every...) {
		if f.CanBeRounded() && slices.Contains(f.reads(), column) && !takes(f) {
			faults = append(faults, f.Place.Fault(words, strings.Replace(hint, "%s", f.Path, 1)))
		}
	}
	return faults
}

// joined joins the texts of several columns, leaving out empty ones.
func (m *Mapper) joined(f *boundField) (found, bool) {
	var parts []string
	all := true
	for _, column := range f.at {
		t, ok := m.cell(f, column)
		all = all && ok
		text := table.Trim(t.text)
		if text == "" || f.Blanks.Has(text) {
			continue
		}
		if fail := f.Rounded(text, t.kind); fail != nil {
			m.fail(f, column, text, fail)
			all = false
		}
		parts = append(parts, text)
	}
	return found{strings.Join(parts, f.Join), table.Text, -1}, all
}

// cell reads a cell for a field.
func (m *Mapper) cell(f *boundField, column int) (found, bool) {
	cell := m.row.Cell(column)
	if cell.Shown != nil && f.TakesShown() && !cell.Partial() {
		return m.shown(f, column, cell)
	}
	if cell.Note != "" {
		m.doubt(f, column, cell.Text, reason.New(reason.Source, cell.Note))
	}
	switch {
	case cell.Kind == table.Empty:
		return found{"", table.Empty, column}, true
	case cell.Kind == table.Error:
		m.fail(f, column, cell.Text, cellError(cell))
		return found{column: column}, false
	case cell.Kind == table.Date && f.Target.Type != payload.TypeDate:
		return m.dateInText(f, column, cell)
	case cell.Kind == table.Date:
		m.checkPartial(f, column, cell)
	}
	return found{cell.Text, cell.Kind, column}, true
}

// cellError returns what is wrong with a cell that holds an error: the error that the spreadsheet shows, or a day that
// cannot be relied on.
func cellError(cell table.Cell) *reason.Problem {
	if cell.Note == "" {
		return reason.New(reason.CellError, cell.Text)
	}
	return reason.New(reason.CellErrorDoubt, cell.Text, cell.Note)
}

// dateInText handles a date cell where another type is wanted. Spreadsheets turn references such as 3-4 into dates, so
// the cell is accepted only if the mapping says how to write it.
func (m *Mapper) dateInText(f *boundField, column int, cell table.Cell) (found, bool) {
	if f.DateAs != nil {
		if moment, err := date.ParseISO(cell.Text); err == nil {
			m.checkPartial(f, column, cell)
			return found{f.DateAs.Format(moment), table.Text, column}, true
		}
	}
	why := reason.DateInText
	if f.Target.Type != payload.TypeText && f.Target.Type != payload.TypeNumber {
		why = reason.DateInOther
	}
	m.fail(f, column, cell.Text, reason.New(why, cell.Text, f.Target.Type))
	return found{column: column}, false
}

// shown takes a number cell as its sheet shows it.
func (m *Mapper) shown(f *boundField, column int, cell table.Cell) (found, bool) {
	if cell.Shown.Text != "" {
		return found{cell.Shown.Text, table.Text, column}, true
	}
	m.fail(f, column, cell.Text, reason.New(reason.Shown, cell.Text, cell.Shown.Format))
	return found{column: column}, false
}
