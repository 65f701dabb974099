package rows

import (
	"fmt"
	"path/filepath"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
)

// turnedDates are the columns of an input that the mapping reads dates from, and whose date cells a spreadsheet program has
// probably turned around: nobody can tell from a wrong date that it is one, so nothing of the input may be sent.
func turnedDates(t *Table) diagnostic.Faults {
	var faults diagnostic.Faults
	for _, w := range t.Detected().Warnings {
		if w.Code != column.DatesTurned {
			continue
		}
		where := filepath.Base(t.Path)
		if w.Sheet != "" {
			where += ", sheet " + w.Sheet
		}
		if fault := t.Mapper.DatesTurned(w.Column, fmt.Sprintf("%s, %s; the date cells stand in %s", where, w.Message, firstRows(w))); fault != nil {
			faults = append(faults, *fault)
		}
	}
	return faults
}

// firstRows names the first rows of a warning: "rows 2, 3, 4 and 30 more".
func firstRows(w format.Warning) string {
	const shown = 3
	if w.Count == 1 {
		return fmt.Sprintf("row %d", w.Rows[0])
	}
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(w.Rows[:min(len(w.Rows), shown)]), " ", ", "), "[]")
	if more := w.Count - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "rows " + list
}
