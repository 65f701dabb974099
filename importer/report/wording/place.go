package wording

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
)

// SourceName is how a person knows a source: the file's name without its folders, and the sheet.
func SourceName(run ledger.Run, source int) string {
	if source < 0 || source >= len(run.Sources) {
		return "an unknown file"
	}
	s := run.Sources[source]
	if s.Sheet == "" {
		return BaseName(s.File)
	}
	return BaseName(s.File) + ", " + s.Sheet
}

// BaseName is the last part of a path of any system.
func BaseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// Positions says where rows are: "row 17", "rows 3, 4 and 9"; with the file where the run has several.
func Positions(run ledger.Run, rows []ledger.Row) string {
	const shown = 6
	var parts []string
	last := -1
	for n, row := range rows {
		if n == shown && len(rows) > shown+1 {
			parts = append(parts, fmt.Sprintf("%d more", len(rows)-shown))
			break
		}
		part := strconv.Itoa(row.Number)
		if len(run.Sources) > 1 && row.Source != last {
			part = SourceName(run, row.Source) + " " + part
		}
		last = row.Source
		parts = append(parts, part)
	}
	switch len(parts) {
	case 0:
		return "no row"
	case 1:
		return "row " + parts[0]
	}
	return "rows " + strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
