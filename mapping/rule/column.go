package rule

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/mapping/table"
)

// Column is a column as a mapping names it, with its place in the file.
type Column struct {
	Name  string
	Place Place
}

// Place is a place in the mapping file, for faults that show only against a source.
type Place diagnostic.Fault

// Fault returns a fault at the place.
func (p Place) Fault(message, hint string) diagnostic.Fault {
	p.Message, p.Hint = message, hint
	return diagnostic.Fault(p)
}

// Columns finds the columns of one header.
type Columns struct {
	*table.Columns
	header table.Header
	Read   []bool // by column: whether the mapping reads it
	// Strange is set if the mapping names no column of the header. The header may then be anything, and messages do not
	// repeat it: faults go into logs, mails and notes beside the file.
	Strange bool
}

// NewColumns indexes the columns of a header.
func NewColumns(h table.Header) *Columns {
	return &Columns{Columns: table.NewColumns(h), header: h, Read: make([]bool, len(h.Names))}
}

// Resolve returns the position of a column, or a fault if there is not exactly one.
func (c *Columns) Resolve(ref Column) (int, *diagnostic.Fault) {
	at := c.Find(ref.Name)
	switch {
	case len(at) == 1:
		return at[0], nil
	case len(at) > 1:
		fault := ref.Place.Fault(fmt.Sprintf("%q is the name of %d columns: %s", ref.Name, len(at), letters(at)),
			fmt.Sprintf("use %q for the first, %q for the second, or %q for the column of that letter",
				c.Numbered(at[0]), c.Numbered(at[1]), c.header.Letters(at[0])))
		return 0, &fault
	}
	hint := c.Suggest(ref.Name)
	if c.Rejects() {
		hint = "these rows were rejected when the file had other columns: if one was renamed to this since, rename it in row 1 of this file too; " + hint
	}
	fault := ref.Place.Fault(fmt.Sprintf("the file has no column %q", ref.Name), hint)
	return 0, &fault
}

// Rejects reports whether the header is that of a sheet of rejected rows.
func (c *Columns) Rejects() bool {
	return len(c.header.Names) > 0 && table.Trim(c.header.Names[0]) == table.OwnColumn("reasons")
}

func letters(at []int) string {
	list := make([]string, len(at))
	for i, column := range at {
		list[i] = table.ColumnLetter(column)
	}
	return strings.Join(list, ", ")
}

// Suggest returns the hint for a column that the file does not have: the nearest one, or how its columns are named.
func (c *Columns) Suggest(name string) string {
	if _, ok := table.ColumnNumber(strings.TrimPrefix(name, "@")); ok && name != "" && name[0] == '@' && len(c.header.Names) > 0 {
		return "its last column is " + c.header.Letters(len(c.header.Names)-1)
	}
	if c.header.Lettered() {
		span := "A alone"
		if n := len(c.header.Names); n > 1 {
			span = "A to " + table.ColumnLetter(n-1)
		}
		return fmt.Sprintf("the file was read without a header, so its columns are %s; if it has one, set header: to the number of its row in the source", span)
	}
	var known []string
	for _, header := range c.header.Names {
		if header = table.Trim(header); header != "" && !slices.Contains(known, header) {
			known = append(known, header)
		}
	}
	if near := diagnostic.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if c.Strange {
		return "the file has none of the columns that the mapping names: check that it is the right file ('docketsync rows FILE' shows it)"
	}
	if at := c.Find("@" + name); len(at) == 1 {
		return fmt.Sprintf("the file was read with a header, where @%s is the column of that letter, %q; if it has none, set no_header: true in the source",
			strings.ToUpper(name), table.Trim(c.header.Names[at[0]]))
	}
	if len(known) == 0 {
		return "the file has no header: name columns by their letters, @A, @B …"
	}
	const most = 12
	if len(known) > most {
		return fmt.Sprintf("its columns are: %s … (%d in all)", strings.Join(known[:most], ", "), len(known))
	}
	return "its columns are: " + strings.Join(known, ", ")
}
