package mapping

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/mapping/table"
)

// columnRef is a column as a mapping names it, and where.
type columnRef struct {
	name  string
	place place
}

// place is where something stands in the mapping file, for the faults that show only beside a source.
type place diagnostic.Fault

func (p place) fault(message, hint string) diagnostic.Fault {
	p.Message, p.Hint = message, hint
	return diagnostic.Fault(p)
}

// columns finds the columns of one header.
type columns struct {
	*table.Columns
	header table.Header
	read   []bool // by column: whether anything is made of it
	// strange tells that the mapping names no column of it. It may be anything then, and is not repeated: faults go into logs, mails
	// and notes beside the file.
	strange bool
}

func newColumns(h table.Header) *columns {
	return &columns{Columns: table.NewColumns(h), header: h, read: make([]bool, len(h.Names))}
}

// resolve returns the position of a column, or the fault of naming it.
func (c *columns) resolve(ref columnRef) (int, *diagnostic.Fault) {
	at := c.Find(ref.name)
	switch {
	case len(at) == 1:
		return at[0], nil
	case len(at) > 1:
		fault := ref.place.fault(fmt.Sprintf("%q is the name of %d columns: %s", ref.name, len(at), letters(at)),
			fmt.Sprintf("use %q for the first, %q for the second, or %q for the column of that letter",
				c.Numbered(at[0]), c.Numbered(at[1]), "@"+table.ColumnLetter(at[0])))
		return 0, &fault
	}
	fault := ref.place.fault(fmt.Sprintf("the file has no column %q", ref.name), c.suggest(ref.name))
	return 0, &fault
}

func letters(at []int) string {
	list := make([]string, len(at))
	for i, column := range at {
		list[i] = table.ColumnLetter(column)
	}
	return strings.Join(list, ", ")
}

func (c *columns) suggest(name string) string {
	if _, ok := table.ColumnNumber(strings.TrimPrefix(name, "@")); ok && name != "" && name[0] == '@' && len(c.header.Names) > 0 {
		return "its last column is @" + table.ColumnLetter(len(c.header.Names)-1)
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
	if c.strange {
		return "the file has none of the columns that the mapping names: check that it is the right file ('docketsync rows FILE' shows it)"
	}
	if column, ok := table.ColumnNumber(name); ok && column < len(c.header.Names) {
		return fmt.Sprintf("the file was read with a header, where @%s is the column of that letter, %q; if it has none, set no_header: true in the source",
			table.ColumnLetter(column), table.Trim(c.header.Names[column]))
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
