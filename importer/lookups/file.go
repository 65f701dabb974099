package lookups

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"docketsync/config/diagnostic"
	"docketsync/importer/report/csvfile"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// LookupPath returns the path of a lookup's file.
func (s Sources) LookupPath(spec mapping.LookupSpec) string {
	if filepath.IsAbs(spec.File) {
		return spec.File
	}
	return filepath.Join(s.MappingDir, filepath.FromSlash(spec.File))
}

// LookupHeader reads the header of a lookup's file and returns which of its columns holds the names.
func (s Sources) LookupHeader(ctx context.Context, spec mapping.LookupSpec) (header table.Header, name int, err error) {
	table, name, _, err := s.openLookup(ctx, spec)
	if err != nil {
		return header, 0, err
	}
	return table.Header(), name, table.Close()
}

// openLookup opens a lookup's file and finds the columns of its names and ids. The columns that the mapping names tell
// the header from a title above it.
func (s Sources) openLookup(ctx context.Context, spec mapping.LookupSpec) (table *source.Source, name, id int, err error) {
	// A name may be anything, even one that looks like a total, and counts in a hidden row too.
	options := source.Options{Sheet: spec.Sheet, Totals: "keep", Hidden: "keep", Columns: []string{cmp.Or(spec.NameColumn, "name"), cmp.Or(spec.IDColumn, "id")}}
	if table, err = source.Open(ctx, s.LookupPath(spec), options); err != nil {
		return nil, 0, 0, err
	}
	if name, id, err = spec.Columns(table.Header()); err != nil {
		_ = table.Close() // nothing was read that could be lost
		return nil, 0, 0, &format.Error{What: err.Error(), File: s.LookupPath(spec), Sheet: spec.Sheet, Row: table.Detected().HeaderRow,
			Hint: "Name the columns in the mapping: lookups: {" + spec.Name + ": {file: …, name: …, id: …}}. The file has: " + strings.TrimSuffix(strings.Join(table.Header().Names, ", ")+"; "+table.Detected().Elsewhere(), "; ")}
	}
	return table, name, id, nil
}

// fileLookup reads a table of names and ids from a CSV file or a workbook. It reports every faulty line at once.
func (s Sources) fileLookup(ctx context.Context, spec mapping.LookupSpec) (*lookup.Table, error) {
	table, name, id, err := s.openLookup(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	table.LeftOut = byItself
	r := lookupReader{path: s.LookupPath(spec), name: name, id: id, lookup: lookup.New(spec.Name), first: map[string]int{}}
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		if row.Skip == "" {
			r.row(row)
		}
	}
	for _, w := range table.Detected().Warnings {
		if w.Code == "several_sheets" && s.others(ctx, spec, table.Detected()) {
			r.faults = append(r.faults, unreadableLookup(spec, &format.Error{What: w.Message, File: r.path, Sheet: w.Sheet, Row: 1,
				Hint: "Name the right one in the mapping: lookups: {" + spec.Name + ": {file: …, sheet: …}}."}))
		}
	}
	return r.lookup, r.faults.Err()
}

// others reports whether another sheet of the workbook has the columns of the lookup too.
func (s Sources) others(ctx context.Context, spec mapping.LookupSpec, d source.Detected) bool {
	return slices.ContainsFunc(d.Sheets, func(sheet string) bool {
		if sheet == d.Sheet {
			return false
		}
		spec.Sheet = sheet
		other, _, _, err := s.openLookup(ctx, spec)
		if err == nil {
			_ = other.Close() // nothing was read that could be lost
		}
		return err == nil
	})
}

// byItself says that a short row is not a piece of the rows beside it: a name without an id may be a line by itself.
func byItself(table.Row) bool { return true }

// lookupReader reads the rows of a lookup file into a lookup.
type lookupReader struct {
	path     string
	name, id int // columns
	lookup   *lookup.Table
	first    map[string]int // the first row of each name
	faults   diagnostic.Faults
}

func (r *lookupReader) row(row table.Row) {
	for _, fault := range row.Faults {
		if !fault.Onward { // a short row has no id, and blocks the rows that need it
			r.faults = append(r.faults, lookupFault(r.path, row, max(fault.Column, 0), fault.Message))
			return
		}
	}
	name, id := strings.TrimSpace(csvfile.Plain(row.Cell(r.name).Seen())), strings.TrimSpace(row.Cell(r.id).Text)
	// A name without an id has not been filled in yet: the rows that use it say so.
	if id == "" {
		r.lookup.Await(name, r.path, lineOf(row))
		return
	}
	if err := r.lookup.Add(name, id); err != nil {
		message, at := err.Error(), r.id
		if name == "" {
			at = r.name
		}
		if earlier := r.first[name]; earlier > 0 {
			message += fmt.Sprintf("; it stands first in row %d", earlier)
		}
		r.faults = append(r.faults, lookupFault(r.path, row, at, message))
		return
	}
	if r.first[name] == 0 {
		r.first[name] = row.Number
	}
}

// lineOf returns the line of a text file in which a row begins, or the row of a workbook.
func lineOf(row table.Row) int { return cmp.Or(row.Line, row.Number) }

// lookupFault returns a fault in a cell. The line shown is the row's cells with commas between them: that is the line
// itself in a plain CSV file and close to it in a workbook.
func lookupFault(path string, row table.Row, column int, message string) diagnostic.Fault {
	line, at := lineOf(row), 1
	texts := make([]string, len(row.Cells))
	for n, cell := range row.Cells {
		texts[n] = strings.ReplaceAll(cell.Text, "\n", " ")
		if n < column {
			at += utf8.RuneCountInString(texts[n]) + 1
		}
	}
	return diagnostic.Fault{File: path, Line: line, Column: at, Message: message, Hint: "Correct this line of the lookup file (cell " + table.CellName(column, row.Number) + ").",
		Excerpt: diagnostic.Excerpt(strings.Join(texts, ","), at)}
}

// sourceSetting matches where a hint goes on to settings that a source has but a lookup does not.
var sourceSetting = regexp.MustCompile(`(?i)(^|[;.] )[^;.]*\bset (its|the|source|lenient|another|quote|delimiter|encoding|header|ragged)\b`)

// unreadableLookup returns the fault of a lookup file that cannot be read, to be reported with those of the others.
func unreadableLookup(spec mapping.LookupSpec, e *format.Error) diagnostic.Fault {
	f := diagnostic.Fault{File: e.File, Line: max(cmp.Or(e.Line, e.Row), 1), Column: max(e.Column, 1), Message: fmt.Sprintf("lookup %s: %s", spec.Name, e.What),
		Hint: strings.NewReplacer("the configuration file", "the mapping file", "a job of its own", "a lookup of its own").Replace(e.Hint)}
	if _, one, several := strings.Cut(f.Hint, ". To read one of them, "); several {
		f.Hint = "To read one of them, " + one
	}
	if at := sourceSetting.FindStringIndex(f.Hint); at != nil {
		f.Hint = cmp.Or(f.Hint[:at[0]], "Save it in a spreadsheet program as .xlsx without a password, or as CSV UTF-8, with the column names in one row") + "."
	}
	if e.Sheet != "" {
		f.Message += fmt.Sprintf(" (sheet %s)", e.Sheet)
	}
	return f
}
