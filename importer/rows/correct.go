package rows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/decisions"
	"docketsync/importer/moment"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// correcting applies the corrections that people made to the rows of a walk, before anything else looks at them.
//
// The rows of a record of several may move, and most of them look alike, so a row is recognised by its content (Mark). If a correction no longer finds its row, the whole record is rejected. If a key has only one
// row, that is the row, whatever its other cells say by now.
type correcting struct {
	cells   map[string][]ledger.CellCorrection // by key
	grouped bool
	seen    map[string]int // how many rows of these keys were seen
	twins   map[twin]int   // how many rows with the same content were seen
	met     map[found]bool // corrections whose row was there
	dates   map[*Table][]bool
}

// twin is the content of rows of a key, except for some columns.
type twin struct {
	key, corrected string
	spelled        bool
	mark           int
}

// found is a row that has corrections.
type found struct {
	key string
	nth int
}

func newCorrecting(cells map[string][]ledger.CellCorrection, grouped bool) *correcting {
	return &correcting{cells, grouped, map[string]int{}, map[twin]int{}, map[found]bool{}, map[*Table][]bool{}}
}

// row returns a row with its corrections. If a cell no longer says what was corrected, it is left as it is and the row
// gets a fault, because whoever corrected it has not seen the new value.
func (c *correcting) row(t *Table, row table.Row) table.Row {
	if len(c.cells) == 0 || t.Mapper == nil || row.Skip != "" {
		return row
	}
	key, skip, _ := t.Mapper.Key(row)
	list := c.cells[key]
	if skip != "" || key == "" || len(list) == 0 {
		return row
	}
	if list = c.of(t, key, row, list); len(list) == 0 {
		return row
	}
	before := row
	row.Cells = slices.Clone(row.Cells)
	for _, one := range list {
		column := ColumnNamed(t.Header().Names, one.Column)
		if column < 0 {
			row.Faults = append(slices.Clone(row.Faults), outdated(one, table.WholeRow, "the file has no such column", toSave+" to discard the correction, or with the value in the column that replaced it."))
			continue
		}
		if said := row.Cell(column).Text; said == one.New {
			continue // the source has been corrected too
		} else if said != one.Old {
			row.Faults = append(slices.Clone(row.Faults), outdated(one, column, fmt.Sprintf("the cell now has %q", said), toSave+" to accept what the source says, or with another value."))
			continue
		}
		for len(row.Cells) <= column {
			row.Cells = append(row.Cells, table.Cell{})
		}
		row.Cells[column] = c.cell(t, column, row.Cells[column].Kind, one.New)
		row.Faults = slices.DeleteFunc(slices.Clone(row.Faults), func(f table.Fault) bool { return f.Column == column && !f.Onward })
	}
	if now, _, _ := t.Mapper.Key(row); now != key {
		before.Faults = append(slices.Clone(before.Faults), outdated(list[0], table.WholeRow, fmt.Sprintf("it would make the key %q of %q", now, key), "Correct a key in the source, or in rejects.xlsx."))
		return before
	}
	return row
}

const toSave = "Save the record on its page in the console: as it is"

// ColumnNamed returns the column with a name, which the header may spell another way, as for the mapping. It is -1 if
// there is none, or several.
func ColumnNamed(header []string, name string) int {
	if column := slices.Index(header, name); column >= 0 {
		return column
	}
	folded := table.FoldName(name)
	same := func(other string) bool { return table.FoldName(other) == folded }
	first := slices.IndexFunc(header, same)
	if first >= 0 && slices.ContainsFunc(header[first+1:], same) {
		return -1
	}
	return first
}

// Spellings are both ways to make a mark, the one in use first; see Mark.
var Spellings = []bool{false, true}

// Mark is decisions.RowMark of a row, with the names of its columns as the mapping reads them: the mark stays when the
// header is spelled in another way. Names that are then the same are told apart by how they are spelled. The marks of
// earlier releases have all names as they are spelled.
func Mark(header, texts, corrected []string, twin int, only, spelled bool) int {
	if !spelled {
		names, alike := make([]string, len(header)), map[string]int{}
		for n, name := range header {
			names[n] = table.FoldName(name)
			alike[names[n]]++
		}
		for n, name := range header {
			if alike[names[n]] > 1 {
				names[n] = name
			}
		}
		corrected = slices.Clone(corrected)
		for n, name := range corrected {
			if column := ColumnNamed(header, name); column >= 0 {
				corrected[n] = names[column]
			}
		}
		header = names
	}
	return decisions.RowMark(header, texts, corrected, twin, only)
}

// of returns the corrections of a row, among those of its key.
func (c *correcting) of(t *Table, key string, row table.Row, list []ledger.CellCorrection) (its []ledger.CellCorrection) {
	nth := c.seen[key]
	c.seen[key]++
	header := t.Header().Names
	texts := make([]string, len(header))
	for n, name := range header {
		if texts[n] = row.Cell(n).Text; table.IsOwnColumn(name) {
			texts[n] = ""
		}
	}
	counted := map[twin]bool{}
	for n := 0; n < len(list); {
		of := list[n]
		var columns []string
		last := n
		for ; last < len(list) && list[last].Nth == of.Nth; last++ { // they are sorted by Nth
			columns = append(columns, list[last].Column)
		}
		is := of.Nth == nth
		switch {
		case !of.Marked():
		case of.OnlyRow() && !c.grouped:
			is = nth == 0
		default:
			is = false
			for _, spelled := range Spellings {
				same := twin{key, strings.Join(columns, "\x00"), spelled, Mark(header, texts, columns, 0, false, spelled)}
				is = is || !c.met[found{key, of.Nth}] && Mark(header, texts, columns, c.twins[same], false, spelled) == of.Mark()
				counted[same] = true
			}
		}
		if is {
			its = append(its, list[n:last]...)
			c.met[found{key, of.Nth}] = true
		}
		n = last
	}
	for same := range counted {
		c.twins[same]++
	}
	return its
}

// missed returns the fault of a record if a row that was corrected is no longer there as it was, or nil.
func (c *correcting) missed(key string) *table.Fault {
	for _, one := range c.cells[key] {
		if one.Marked() && !c.met[found{key, one.Nth}] {
			fault := outdated(one, table.WholeRow, "the record no longer has a row with the content of the corrected row", toSave+" to accept what the source says, or with other values.")
			return &fault
		}
	}
	return nil
}

// cell returns a corrected cell. A number or a date written as docketsync shows it keeps its kind, so that nobody has
// to write it the way the mapping reads texts of the column.
func (c *correcting) cell(t *Table, column int, was table.Kind, text string) table.Cell {
	switch {
	case text == "":
		return table.Cell{}
	case (was == table.Date || c.isDate(t, column)) && IsDay(text):
		return table.Cell{Kind: table.Date, Text: text}
	case was == table.Number && payload.IsNumeral(text):
		return table.Cell{Kind: table.Number, Text: text}
	}
	return table.Cell{Kind: table.Text, Text: text}
}

// isDate reports whether a column is only read as dates.
func (c *correcting) isDate(t *Table, column int) bool {
	if c.dates[t] == nil {
		origins := t.Mapper.Origins()
		c.dates[t] = make([]bool, len(t.Header().Names))
		for n := range c.dates[t] {
			c.dates[t][n] = DateColumn(origins, n)
		}
	}
	return column < len(c.dates[t]) && c.dates[t][column]
}

// DateColumn reports whether only date fields are read from a column, and directly.
func DateColumn(origins []ledger.Origin, column int) (is bool) {
	for _, o := range origins {
		if !slices.Contains(o.Columns, column) {
			continue
		}
		if o.Type != string(payload.TypeDate) || o.From != "column" {
			return false
		}
		is = true
	}
	return is
}

// IsDay reports whether a text is a day, or a day and time, in the form of a date cell.
func IsDay(text string) bool {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

// outdated returns the fault of a row whose correction does not apply.
func outdated(c ledger.CellCorrection, column int, why, hint string) table.Fault {
	return table.Fault{Problem: *reason.New(reason.Outdated, c.Column, c.Old, c.New, c.Who, moment.Day(c.At), why, hint), Column: column}
}
