package wording

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
)

// SourceOf is a source of a run by its number; one without anything where the run has none of that number.
func SourceOf(run ledger.Run, source int) ledger.Source {
	if source < 0 || source >= len(run.Sources) {
		return ledger.Source{}
	}
	return run.Sources[source]
}

// SourceName is how a person knows a source: the file's name without its folders, and the sheet.
func SourceName(run ledger.Run, source int) string {
	s := SourceOf(run, source)
	if s.File == "" {
		return "an unknown file"
	}
	if s.Sheet == "" {
		return BaseName(s.File)
	}
	return BaseName(s.File) + ", " + s.Sheet
}

// BaseName is the last part of a path of any system.
func BaseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// Positions says where rows are: "row 17", "rows 3, 4 and 9"; with the file where the run has several.
func Positions(run ledger.Run, rows []ledger.Row) string {
	last := -1
	return listed(rows, func(row ledger.Row) string {
		text := strconv.Itoa(row.Number)
		if len(run.Sources) > 1 && row.Source != last {
			text = SourceName(run, row.Source) + " " + text
		}
		last = row.Source
		return text
	})
}

// Places says where rows are, file by file: "matters.xlsx, Matters, row 17".
func Places(run ledger.Run, rows []ledger.Row) string {
	if len(rows) == 0 {
		return noRow
	}
	var parts []string
	for first, n := 0, 1; n <= len(rows); n++ {
		if n == len(rows) || rows[n].Source != rows[first].Source {
			parts = append(parts, SourceName(run, rows[first].Source)+", "+listed(rows[first:n], func(row ledger.Row) string { return strconv.Itoa(row.Number) }))
			first = n
		}
	}
	return strings.Join(parts, "; ")
}

const noRow = "no row"

// listed names rows, up to seven of them, or six and how many more.
func listed(rows []ledger.Row, name func(ledger.Row) string) string {
	const shown = 6
	var parts []string
	for n, row := range rows {
		if n == shown && len(rows) > shown+1 {
			parts = append(parts, fmt.Sprintf("%d more", len(rows)-shown))
			break
		}
		parts = append(parts, name(row))
	}
	switch len(parts) {
	case 0:
		return noRow
	case 1:
		return "row " + parts[0]
	}
	return "rows " + strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
