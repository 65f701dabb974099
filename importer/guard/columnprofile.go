package guard

import (
	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// ColumnProfile counts what the columns of an export hold while its rows go by, over all its files: columns of the same name are
// one. It knows nothing of the mapping, as a column may go wrong that no field of a record shows.
type ColumnProfile struct {
	rows    int
	Columns []ledger.Column
	at      []int // where the columns of the file in hand stand in columns
}

// Begin takes up the columns of the next file.
func (p *ColumnProfile) Begin(header table.Header) {
	known := map[string]int{}
	for n, name := range names(p.Columns).unique() {
		known[name] = n
	}
	fresh := make([]ledger.Column, len(header.Names))
	for n, name := range header.Names {
		fresh[n].Name = name
	}
	p.at = p.at[:0]
	for n, name := range names(fresh).unique() {
		place, ok := known[name]
		if !ok {
			place = len(p.Columns)
			p.Columns = append(p.Columns, fresh[n])
		}
		p.at = append(p.at, place)
	}
}

func (p *ColumnProfile) Add(row table.Row) {
	p.rows++
	for n := range min(len(row.Cells), len(p.at)) {
		count(&p.Columns[p.at[n]], row.Cells[n])
	}
}

// count adds a cell to its column.
func count(c *ledger.Column, cell table.Cell) {
	kind := cell.Kind
	if kind == table.Text {
		kind = textKind(cell.Text)
	}
	switch kind {
	case table.Empty:
		return
	case table.Date, table.Clock:
		c.Dates++
	case table.Number:
		c.Numbers++
	case table.Bool:
		c.Words++
	case kindID:
		c.IDs++
	case kindWords:
		c.Words++
	default:
		c.Codes++
	}
	c.Filled++
}

// Kinds of text beside those of a source.
const (
	kindID table.Kind = iota + 100
	kindWords
	kindCodes
)

// The kinds of characters that textKind counts.
const (
	blankChar = iota
	digitChar
	markChar
	letterChar
	otherChar
	charKinds
)

// charKind is the kind of each byte of a text. A table, because every character of an export is looked at every night.
var charKind = func() (kinds [256]uint8) {
	for n := range kinds {
		switch c := byte(n); {
		case c >= '0' && c <= '9':
			kinds[n] = digitChar
		case c == '-' || c == '/' || c == '.':
			kinds[n] = markChar
		case c <= ' ':
			kinds[n] = blankChar
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			kinds[n] = letterChar
		default:
			kinds[n] = otherChar
		}
	}
	return kinds
}()

// textKind says what a text looks like, by its characters alone: it need not be right about a cell, only say the same of the
// same kind of cells every night.
func textKind(text string) table.Kind {
	var counts [charKinds]int
	for n := range len(text) {
		counts[charKind[text[n]]]++
	}
	digits, letters, marks, others := counts[digitChar], counts[letterChar], counts[markChar], counts[otherChar]
	switch {
	case digits+letters+marks+others == 0:
		return table.Empty
	case len(text) == 36 && marks == 4 && others == 0 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-':
		return kindID
	case digits == 0:
		return kindWords
	case letters <= 1 && marks == 2 && digits >= 3 && (digits <= 8 && others == 0 || others >= 1 && digits >= 8 && others <= 4):
		return table.Date // 3/1/2024, 2024-03-01T13:30:00
	case letters == 0 && others <= 3:
		return table.Number
	}
	return kindCodes
}

// ExportProfile is what an export is like as a whole, by its columns and its records; what is to be sent of it, what vanished and
// when its files were written is the caller's to add.
func ExportProfile(c *ColumnProfile, r *RecordProfile) *ledger.Export {
	days, shifted := r.commonest()
	return &ledger.Export{
		Rows: c.rows, Records: r.records, Stale: r.stale, Rejected: r.Rejected, Waiting: r.waiting, Keyless: r.keyless,
		Keys: r.sum(), Shift: days, Shifted: shifted, Swapped: r.swapped, Columns: c.Columns,
	}
}
