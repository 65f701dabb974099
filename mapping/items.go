package mapping

import (
	"bytes"
	"strconv"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// entry holds the class and text of the current entry, taken from a cell, a pair of columns or a flag.
type entry struct {
	class, text             string
	classColumn, textColumn int
}

// items writes the list of entries of a record.
func (m *Mapper) items(dst []byte, f *boundField) ([]byte, result) {
	before, reasons := len(dst), len(m.reasons)
	w := &itemWriter{mapper: m, field: f, dst: append(dst, '[')}
	for i := range m.rows {
		m.row, w.row = &m.rows[i], i
		switch f.Items.Mode {
		case rule.ItemsRows:
			w.fromRow()
		case rule.ItemsSplit:
			w.fromCell()
		case rule.ItemsPairs:
			w.fromPairs()
		case rule.ItemsFlags:
			w.fromFlags()
		}
	}
	m.row, m.entry = &m.rows[0], entry{}
	f.given, f.column = len(w.ends) > 0, -1
	dst = w.dst
	switch {
	case len(m.reasons) > reasons:
		return dst[:before], failed
	case f.given || f.Empty == rule.EmptyKeep:
		return append(dst, ']'), written
	case f.Empty == rule.EmptyReject:
		m.fail(f, -1, "", reason.New(reason.EmptyEntries, f.Path))
		return dst[:before], failed
	}
	return dst[:before], omitted
}

// itemWriter writes the entries of one record.
type itemWriter struct {
	mapper  *Mapper
	field   *boundField
	dst     []byte
	ends    [][2]int // the position of each entry in dst
	rows    []int    // the row of each entry
	row     int
	numbers map[string]int // the row of each file number in a folder
}

// fromRow makes one entry from a row, or none if every column of the entry is empty.
func (w *itemWriter) fromRow() {
	m := w.mapper
	empty := len(w.field.list.sources) > 0
	for _, column := range w.field.list.sources {
		empty = empty && table.Trim(m.row.Cell(column).Text) == ""
	}
	if !empty {
		w.add()
	}
}

// fromCell splits a cell into entries: "9: software; hardware; 35: advertising".
func (w *itemWriter) fromCell() {
	m, plan := w.mapper, w.field.list
	t, ok := m.cell(w.field, plan.split)
	text := table.Trim(t.text)
	if !ok || text == "" || w.field.Blanks.Has(text) {
		return
	}
	parts, fail := value.SplitGoods(text, w.field.Items.Entries, w.field.Items.Class)
	if fail != nil {
		m.fail(w.field, plan.split, text, fail)
		return
	}
	for _, part := range parts {
		m.entry = entry{part.Class, part.Text, plan.split, plan.split}
		w.add()
	}
}

// fromPairs makes an entry from each pair of columns that is not empty.
func (w *itemWriter) fromPairs() {
	m, plan := w.mapper, w.field.list
	for i, column := range plan.classes {
		class, ok := m.cell(w.field, column)
		text := found{column: column}
		if len(plan.texts) > 0 {
			var fine bool
			text, fine = m.cell(w.field, plan.texts[i])
			ok = ok && fine
		}
		if ok && (table.Trim(class.text) != "" || table.Trim(text.text) != "") {
			m.entry = entry{class.text, text.text, column, text.column}
			w.add()
		}
	}
}

// fromFlags makes an entry for each class whose column is marked.
func (w *itemWriter) fromFlags() {
	m, plan := w.mapper, w.field.list
	for i, column := range plan.classes {
		t, ok := m.cell(w.field, column)
		text := table.Trim(t.text)
		if !ok || text == "" || w.field.Blanks.Has(text) {
			continue
		}
		marked, known := w.field.Booleans.Read(text)
		if !known {
			m.fail(w.field, column, text, value.UnknownBoolean(text))
		}
		if marked {
			m.entry = entry{strconv.Itoa(plan.numbers[i]), "", column, column}
			w.add()
		}
	}
}

// add writes the current entry. It does not write a second copy of an entry of goods and services: without an id that
// would create a second entry in the service.
func (w *itemWriter) add() {
	m := w.mapper
	mark := len(w.dst)
	if len(w.ends) > 0 {
		w.dst = append(w.dst, ',')
	}
	start := len(w.dst)
	w.dst = append(w.dst, '{')
	for _, f := range w.field.inner {
		before, reasons := len(w.dst), len(m.reasons)
		w.dst = m.member(w.dst, f, m.value)
		if m.trace != nil {
			_, written, _ := bytes.Cut(w.dst[before:], []byte(":")) // behind the name
			m.trace(f, written, m.reasons[reasons:])
		}
		switch {
		case f.Target.Name == "search_class_id":
			m.checkClass(f)
		case f.Target.Name == "text" && f.given && f.Origin != rule.FromExpression:
			if class := value.OwnClass(f.source); class != "" {
				m.fail(f, f.column, f.source, reason.New(reason.GoodsOwn, class))
			}
		case f.Target.Name == "number":
			w.checkNumber(f)
		}
	}
	w.dst = append(w.dst, '}')
	if w.field.Target.Name == payload.Goods && w.repeated(w.dst[start:]) {
		w.dst = w.dst[:mark]
		return
	}
	w.ends = append(w.ends, [2]int{start, len(w.dst)})
	w.rows = append(w.rows, w.row)
}

func (w *itemWriter) repeated(this []byte) bool {
	for i, at := range w.ends {
		if at[1]-at[0] == len(this) && bytes.Equal(w.dst[at[0]:at[1]], this) {
			if w.rows[i] == w.row || w.field.Items.Mode == rule.ItemsRows {
				w.mapper.doubt(w.field, -1, w.mapper.entry.text, reason.New(reason.Repeated))
			}
			return true
		}
	}
	return false
}

// checkNumber looks for a second file with the same number in this folder. It also adds the sum by which folders are
// compared with each other.
func (w *itemWriter) checkNumber(f *boundField) {
	m := w.mapper
	if !f.given {
		return
	}
	if first, twice := w.numbers[f.source]; twice {
		m.judge(f, f.source, reason.New("file_number_repeated", first, f.source))
		return
	}
	if w.numbers == nil {
		w.numbers = map[string]int{}
	}
	w.numbers[f.source] = m.row.Number
	if m.checks.levels[rule.FileInTwoFolders] != rule.LevelOff || m.checks.levels[reason.FileCreated] != rule.LevelOff {
		m.fileSums = append(m.fileSums, sumOf(m.written(m.checks.fields["client_id"]), []byte(f.source)))
	}
}
