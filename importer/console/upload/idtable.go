package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer/report/csvfile"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// IDTable is a table of names and ids that somebody keeps elsewhere.
type IDTable struct {
	Pairs []Pair
	// Faults are the lines that cannot be used, in order. They do not affect the other lines.
	Faults []LineFault
}

// Pair is one line of it.
type Pair struct{ Name, ID string }

// LineFault is a line that cannot be used: its number as an editor or a spreadsheet shows it, its text, and the reason.
type LineFault struct {
	Line    int
	Text    string
	Message string
}

// maxPairs limits the lines of a table of ids.
const maxPairs = 200_000

// PastedIDs reads a table that somebody pasted: on each line a name and an id in either order, with a tab, a semicolon
// or a comma between them. It needs no header.
func PastedIDs(ctx context.Context, text string) (IDTable, error) {
	return readIDs(ctx, "the pasted table", strings.NewReader(text), source.Options{Format: "csv", Encoding: "utf-8", Delimiter: delimiterOf(text)})
}

// UploadedIDs reads a table from a file of any kind that a source can have. If it cannot be read, the error is a
// *format.Error.
func UploadedIDs(ctx context.Context, name string, r io.Reader) (IDTable, error) {
	return readIDs(ctx, name, r, source.Options{})
}

// delimiterOf finds the delimiter between names and ids: a name may contain commas, an id does not.
func delimiterOf(text string) string {
	if strings.Contains(text, "\t") {
		return "tab"
	}
	count := map[rune]int{}
	for line := range strings.Lines(text) {
		for _, d := range ";," {
			cells := strings.Split(strings.TrimSpace(line), string(d))
			if isID(cells[0]) || isID(cells[len(cells)-1]) {
				count[d]++
			}
		}
	}
	switch {
	case count[';'] > count[','] || count[','] == 0 && strings.Contains(text, ";"):
		return "semicolon"
	case count[','] > 0 || strings.Contains(text, ","):
		return "comma"
	}
	return "none"
}

func isID(text string) bool {
	_, ok := value.GUID(strings.Trim(table.Trim(text), `"`))
	return ok
}

// readIDs reads a table by way of a temporary file, because reading a workbook needs random access.
func readIDs(ctx context.Context, name string, r io.Reader, o source.Options) (t IDTable, err error) {
	dir, err := os.MkdirTemp("", "docketsync-ids-*")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "ids"+strings.ToLower(filepath.Ext(name)))
	text, err := io.ReadAll(r)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return t, err
	}
	o.NoHeader, o.Ragged, o.Cut, o.Totals, o.Hidden, o.Lenient = true, "keep", "keep", "keep", "keep", true
	rows, err := rowsOf(ctx, path, o)
	if err != nil {
		return t, named(err, name)
	}
	return idTableOf(name, rows)
}

func rowsOf(ctx context.Context, path string, o source.Options) (rows []table.Row, err error) {
	from, err := source.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	for row, err := range from.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		row.Cells = slices.Clone(row.Cells)
		for len(row.Cells) > 0 && row.Cells[len(row.Cells)-1].Seen() == "" {
			row.Cells = row.Cells[:len(row.Cells)-1]
		}
		if len(row.Cells) == 0 {
			continue
		}
		if len(rows) == maxPairs {
			return nil, &format.Error{File: path, What: fmt.Sprintf("there are more than %d lines", maxPairs), Hint: "Split it and give the parts one after the other."}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// idTableOf finds the columns and reads the rows.
func idTableOf(name string, rows []table.Row) (t IDTable, err error) {
	names, ids, headed, err := columnsOf(name, rows)
	if err != nil {
		return t, err
	}
	if headed {
		rows = rows[1:]
	}
	first := map[string]int{} // the line that has a name
	known := map[string]string{}
	for _, row := range rows {
		pair := Pair{Name: table.Trim(csvfile.Plain(row.Cell(names).Seen())), ID: table.Trim(row.Cell(ids).Text)}
		line := cmp.Or(row.Line, row.Number)
		id, valid := value.GUID(pair.ID)
		fault := ""
		switch key := table.Fold(pair.Name); {
		case pair.ID == "" && len(row.Cells) < 2 && !headed:
			fault = "there is one cell in this line: a name and an id are needed"
		case pair.ID == "":
			continue
		case !headed && len(row.Cells) > 2:
			fault = fmt.Sprintf("there are %d cells in this line, not two: put a name with commas into quotes, or separate by tabs", len(row.Cells))
		case !valid:
			fault = pair.ID + " is not an id: an id has 36 characters, such as 2b1f6c9e-0d5a-4f27-9a51-6f0d3a7f1c20"
		case pair.Name == "":
			fault = "there is an id and no name"
		case first[key] > 0 && known[key] != id:
			fault = fmt.Sprintf("%s has another id in line %d", pair.Name, first[key])
		default:
			first[key], known[key] = line, id
			t.Pairs = append(t.Pairs, Pair{pair.Name, id})
			continue
		}
		t.Faults = append(t.Faults, LineFault{line, textOf(row), fault})
	}
	return t, nil
}

// textOf returns a row in a form that can be pasted again.
func textOf(row table.Row) string {
	cells := make([]string, len(row.Cells))
	for n, cell := range row.Cells {
		cells[n] = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(cell.Seen())
	}
	return strings.Join(cells, "\t")
}

// columnsOf finds the columns of names and ids. headed says that the first row is a header: it has no id, and unless it
// names the id column, no digit there either, so that a line with a mistyped id is not taken for a header.
func columnsOf(name string, rows []table.Row) (names, ids int, headed bool, err error) {
	if len(rows) == 0 {
		return 0, 0, false, &format.Error{File: name, What: "there are no lines in it", Hint: "A line has a name and its id."}
	}
	var header table.Header
	width, inFirst := 0, 0 // cells of the widest row; rows with an id in their first cell
	for _, row := range rows {
		width = max(width, len(row.Cells))
		if isID(row.Cell(0).Text) {
			inFirst++
		}
	}
	for _, cell := range rows[0].Cells {
		header.Names = append(header.Names, cell.Seen())
		headed = headed || isID(cell.Text)
	}
	headed = !headed
	if headed && len(header.Names) > 1 {
		if names, ids, err = (mapping.LookupSpec{}).Columns(header); err == nil && slices.ContainsFunc([]string{"id", "guid", "uuid"}, func(word string) bool {
			return strings.Contains(table.Fold(header.Names[ids]), word)
		}) && !strings.ContainsAny(header.Names[ids], "0123456789") {
			return names, ids, true, nil
		}
	}
	if inFirst*2 > len(rows) {
		names, ids = 1, 0
	} else {
		names, ids = 0, 1
	}
	headed = headed && len(header.Names) == 2 && !strings.ContainsAny(header.Names[ids], "0123456789")
	if headed && width > 2 {
		return 0, 0, false, &format.Error{File: name, What: fmt.Sprintf("it has %d columns, and none is called id", width), Hint: "Leave the columns of the names and the ids, or call them name and id in the first line."}
	}
	return names, ids, headed, nil
}
