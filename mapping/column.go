package mapping

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/config/document"
)

// columnRef is a column as a mapping names it, and where.
type columnRef struct {
	name   string
	node   *document.Node
	offset int  // characters into the node's text
	dated  bool // it stands in date()
}

// columns finds the columns of one header.
type columns struct {
	header Header
	exact  map[string][]int
	folded map[string][]int
	read   []bool // by column: whether anything is made of it
	// strange tells that the mapping names no column of it. It may be anything then, and is not repeated: faults go into logs, mails
	// and notes beside the file.
	strange bool
}

func newColumns(h Header) *columns {
	c := &columns{header: h, exact: map[string][]int{}, folded: map[string][]int{}, read: make([]bool, len(h.Names))}
	for i, name := range h.Names {
		if name = trim(name); name == "" {
			continue
		}
		c.exact[name] = append(c.exact[name], i)
		key := FoldName(name)
		c.folded[key] = append(c.folded[key], i)
	}
	return c
}

// find returns the positions a name may stand for: one when all is well, none when there is no such column. "@C" is a
// column by its letters, "Name#2" the second of that name.
func (c *columns) find(name string) []int {
	name = trim(name)
	if at := c.exact[name]; len(at) > 0 {
		return at
	}
	if letters, ok := strings.CutPrefix(name, "@"); ok {
		if i, ok := columnNumber(letters); ok && i < len(c.header.Names) {
			return []int{i}
		}
	}
	if base, number, ok := cutLast(name, "#"); ok && isDigits(number) {
		return nth(c.same(trim(base)), number)
	}
	return c.folded[FoldName(name)]
}

// Find returns the columns, from 0, that a name of a mapping may stand for: one when all is well, none when there is no such
// column.
func (h Header) Find(name string) []int { return newColumns(h).find(name) }

// same returns the columns of a name, exactly so spelled if there are any.
func (c *columns) same(name string) []int {
	if at := c.exact[name]; len(at) > 0 {
		return at
	}
	return c.folded[FoldName(name)]
}

func nth(at []int, number string) []int {
	if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= len(at) {
		return at[n-1 : n]
	}
	return nil
}

func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}

// columnNumber reads a column's letters: "A" is 0, "AA" 26.
func columnNumber(letters string) (int, bool) {
	n := 0
	for _, r := range strings.ToUpper(letters) {
		if r < 'A' || r > 'Z' || n > 1<<20 {
			return 0, false
		}
		n = n*26 + int(r-'A') + 1
	}
	return n - 1, n > 0
}

// resolve returns the position of a column, or the fault of naming it.
func (c *columns) resolve(f *document.File, ref columnRef) (int, *document.Fault) {
	at := c.find(ref.name)
	switch {
	case len(at) == 1:
		return at[0], nil
	case len(at) > 1:
		fault := f.AtOffset(ref.node, ref.offset, fmt.Sprintf("%q stands over %d columns: %s", ref.name, len(at), letters(at)),
			fmt.Sprintf("write %q for the first, %q for the second, or %q for the column of that letter",
				c.numbered(at[0]), c.numbered(at[1]), "@"+ColumnLetter(at[0])))
		return 0, &fault
	}
	fault := f.AtOffset(ref.node, ref.offset, fmt.Sprintf("the file has no column %q", ref.name), c.suggest(ref.name))
	return 0, &fault
}

// numbered is the name of a column among others of that name.
func (c *columns) numbered(column int) string {
	name := trim(c.header.Names[column])
	alike := c.exact[name]
	if len(alike) == 1 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, slices.Index(alike, column)+1)
}

func letters(at []int) string {
	list := make([]string, len(at))
	for i, column := range at {
		list[i] = ColumnLetter(column)
	}
	return strings.Join(list, ", ")
}

func (c *columns) suggest(name string) string {
	if _, ok := columnNumber(strings.TrimPrefix(name, "@")); ok && name != "" && name[0] == '@' && len(c.header.Names) > 0 {
		return "its last column is @" + ColumnLetter(len(c.header.Names)-1)
	}
	if c.lettered() {
		return fmt.Sprintf("the file was read as one without a header, so its columns are %s; if it has one, set header: to the number of its row in the source", c.span())
	}
	var known []string
	for _, header := range c.header.Names {
		if header = trim(header); header != "" && !slices.Contains(known, header) {
			known = append(known, header)
		}
	}
	if near := document.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if c.strange {
		return "the file has none of the columns that the mapping names: check that it is the file that was meant ('docketsync rows FILE' shows it)"
	}
	if column, ok := columnNumber(name); ok && column < len(c.header.Names) {
		return fmt.Sprintf("the file was read with a header, where @%s is the column of that letter, %q; if it has none, set no_header: true in the source",
			ColumnLetter(column), trim(c.header.Names[column]))
	}
	if len(known) == 0 {
		return "the file has no header: name columns by their letters, @A, @B …"
	}
	return "its columns are: " + quoteSome(known, 12)
}

// lettered tells that the columns go by their letters, as they do in a file without a header.
func (c *columns) lettered() bool {
	for i, name := range c.header.Names {
		if name != ColumnLetter(i) {
			return false
		}
	}
	return len(c.header.Names) > 0
}

// span names the first column and the last.
func (c *columns) span() string {
	first, last := ColumnLetter(0), ColumnLetter(len(c.header.Names)-1)
	if first == last {
		return first + " alone"
	}
	return first + " to " + last
}

func quoteSome(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" … (%d in all)", len(list))
}

// series finds columns that a template with # counts: "Class #" is Class 1, Class 2 …, or Class 01, 1st Class for
// "# Class", or the columns that are all called Class. The result has an entry for each number from 1 on while there is
// a column.
func (c *columns) series(template string) []int {
	var found []int
	for n := 1; n <= len(c.header.Names); n++ {
		at := c.numberedBy(template, n)
		if at < 0 {
			break
		}
		found = append(found, at)
	}
	return found
}

func (c *columns) numberedBy(template string, n int) int {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]
		if suffix == "" {
			suffix = "th"
		}
	}
	for _, number := range []string{strconv.Itoa(n), fmt.Sprintf("%02d", n), strconv.Itoa(n) + suffix} {
		if at := c.folded[FoldName(strings.ReplaceAll(template, "#", number))]; len(at) == 1 {
			return at[0]
		}
	}
	if alike := c.same(trim(strings.ReplaceAll(template, "#", ""))); n <= len(alike) {
		return alike[n-1]
	}
	return -1
}
