package rows

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"docketsync/config/diagnostic"
	"docketsync/importer/report/reading"
	"docketsync/importer/report/wording"
	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// mostRespelled is how many names of one lookup the notes of a run list.
const mostRespelled = 1000

// respelledNotes returns a run's notes about names that its rows spell differently than the lookups, and about words
// that became defaults. Those of the most rows come first.
func respelledNotes(mappers map[int]*mapping.Mapper) (notes []any) {
	for _, names := range respelledNames(mappers) {
		last := len(notes) - 1
		if last < 0 || notes[last].(reading.Respelled).Lookup != names.Lookup || notes[last].(reading.Respelled).Defaulted != names.Defaulted {
			notes = append(notes, reading.Respelled{Lookup: names.Lookup, Defaulted: names.Defaulted})
		}
		note := notes[len(notes)-1].(reading.Respelled)
		if note.Total++; note.Total <= mostRespelled {
			note.Names = append(note.Names, reading.Respelling{Written: names.Written, Found: names.Found, Rows: names.Rows})
		}
		notes[len(notes)-1] = note
	}
	return notes
}

// respelledNames returns the names of all files together, by lookup.
func respelledNames(mappers map[int]*mapping.Mapper) []mapping.Respelling {
	var list []mapping.Respelling
	at := map[mapping.Respelling]int{}
	for n := range len(mappers) {
		if n > 0 && mappers[n] == mappers[n-1] {
			continue // of another sheet of the same file
		}
		for _, r := range mappers[n].Respelled() {
			key := mapping.Respelling{Lookup: r.Lookup, Written: r.Written, Defaulted: r.Defaulted}
			if known, ok := at[key]; ok {
				list[known].Rows += r.Rows
				continue
			}
			at[key] = len(list)
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b mapping.Respelling) int {
		last := cmp.Compare(strconv.FormatBool(a.Defaulted), strconv.FormatBool(b.Defaulted))
		return cmp.Or(last, cmp.Compare(a.Lookup, b.Lookup), cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Written, b.Written))
	})
	return list
}

// wrongColumns returns faults for the columns of an input that the mapping reads and that are probably wrong: dates
// whose day and month a spreadsheet program has swapped, references whose last zeros it has cut off or only displays,
// and keys that are row numbers. No single value shows that it is wrong, so nothing of the input may be sent.
func wrongColumns(t *Table) diagnostic.Faults {
	var faults diagnostic.Faults
	for _, w := range t.Detected().Warnings {
		words := filepath.Base(t.Path) + wording.Prefixed(", sheet ", w.Sheet) + ", " + w.Message
		switch w.Code {
		case column.DatesTurned:
			faults = append(faults, t.Mapper.DatesTurned(w.Column, words+"; the date cells stand in "+firstRows(w))...)
		case column.ZerosLost:
			faults = append(faults, t.Mapper.ZerosLost(w.Column, words+"; the numbers stand in "+firstRows(w))...)
		case column.CountsRows:
			faults = append(faults, t.Mapper.CountsRows(w.Column, words)...)
		}
	}
	for _, w := range t.Bared() {
		faults = append(faults, t.Mapper.Bared(w.Column, fmt.Sprintf("%s, sheet %s, column %s: the sheet shows whole numbers with decimals, as 1.00 beside 1.01 and 1.10, and without them they are "+
			"other references; they stand in %s", filepath.Base(t.Path), w.Sheet, table.ColumnLetter(w.Column), firstRows(w)))...)
	}
	return faults
}

// firstRows names the first rows of a warning: "rows 2, 3, 4 and 30 more".
func firstRows(w format.Warning) string { return table.RowList(w.Rows[:min(len(w.Rows), 3)], w.Count) }
