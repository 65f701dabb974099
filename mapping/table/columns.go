package table

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ownColumn begins the names of docketsync's own columns.
const ownColumn = "docketsync: "

// OwnColumn returns the name of a column that docketsync adds before those of a source in a sheet of rejected rows.
// Mappings do not see these columns, because letters count without them (Header.Letters). A source recognizes such a
// sheet by the first of them, the reasons.
func OwnColumn(name string) string { return ownColumn + name }

// IsOwnColumn reports whether a column is one of docketsync's own.
func IsOwnColumn(header string) bool { return strings.HasPrefix(header, ownColumn) }

// Columns finds the columns of one header.
type Columns struct {
	header Header
	exact  map[string][]int
	folded map[string][]int
}

// NewColumns indexes the columns of a header.
func NewColumns(h Header) *Columns {
	c := &Columns{header: h, exact: map[string][]int{}, folded: map[string][]int{}}
	for i, name := range h.Names {
		if name = Trim(name); name == "" {
			continue
		}
		c.exact[name] = append(c.exact[name], i)
		key := FoldName(name)
		c.folded[key] = append(c.folded[key], i)
	}
	return c
}

// Letters returns a mapping's name for a column by its letters, such as "@C". docketsync's own columns do not count.
func (h Header) Letters(column int) string {
	own := 0
	for _, name := range h.Names[:column] {
		if IsOwnColumn(name) {
			own++
		}
	}
	return "@" + ColumnLetter(column-own)
}

// Find returns the positions that a name may stand for: normally one, or none if there is no such column. "@C" is a
// column by its letters, "Name#2" the second column of that name.
func (c *Columns) Find(name string) []int {
	name = Trim(name)
	if at := c.exact[name]; len(at) > 0 {
		return at
	}
	if letters, ok := strings.CutPrefix(name, "@"); ok {
		if n, ok := ColumnNumber(letters); ok {
			for i, name := range c.header.Names {
				switch {
				case IsOwnColumn(name):
				case n == 0:
					return []int{i}
				default:
					n--
				}
			}
		}
	}
	if at := strings.LastIndex(name, "#"); at >= 0 {
		if n, err := strconv.ParseUint(name[at+1:], 10, 31); err == nil {
			if same := c.same(Trim(name[:at])); n >= 1 && int(n) <= len(same) {
				return same[n-1 : n]
			}
			return nil
		}
	}
	return c.Alike(name)
}

// Alike returns the columns whose folded names equal that of name.
func (c *Columns) Alike(name string) []int { return c.folded[FoldName(name)] }

// same returns the columns with exactly this name if there are any, otherwise those that are alike.
func (c *Columns) same(name string) []int {
	if at := c.exact[name]; len(at) > 0 {
		return at
	}
	return c.Alike(name)
}

// ColumnNumber reads a column's letters: "A" is 0, "AA" 26.
func ColumnNumber(letters string) (int, bool) {
	n := 0
	for _, r := range strings.ToUpper(letters) {
		if r < 'A' || r > 'Z' || n > 1<<20 {
			return 0, false
		}
		n = n*26 + int(r-'A') + 1
	}
	return n - 1, n > 0
}

// Numbered returns the name of a column among others of the same name: "Class#2".
func (c *Columns) Numbered(column int) string {
	name := Trim(c.header.Names[column])
	alike := c.exact[name]
	if len(alike) == 1 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, slices.Index(alike, column)+1)
}

// Counted is a column whose name has a number where a template has #.
type Counted struct{ Number, Column int }

// Series finds the columns that match a template with #, in the order of their numbers, which may have gaps. "Class #"
// matches Class 1, Class 01, Class 2, Class 9 …; "# Class" matches 1st Class. Two columns may have the same number.
func (c *Columns) Series(template string) []Counted {
	before, after, _ := strings.Cut(template, "#")
	before, after = foldPart(before), foldPart(after)
	var found []Counted
	for name, at := range c.folded {
		digits, begins := strings.CutPrefix(name, before)
		digits, ends := strings.CutSuffix(digits, after)
		if !begins || !ends {
			continue
		}
		for _, ordinal := range []string{"st", "nd", "rd", "th"} {
			digits = strings.TrimSuffix(digits, ordinal)
		}
		if n, err := strconv.ParseUint(digits, 10, 31); err == nil {
			for _, column := range at {
				found = append(found, Counted{int(n), column})
			}
		}
	}
	slices.SortFunc(found, func(a, b Counted) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Column, b.Column))
	})
	return found
}

// Repeated adds to a series the columns that all have the template's name without a number. Each gets its position
// among them as its number, unless another column has that number.
func (c *Columns) Repeated(template string, series []Counted) []Counted {
	for i, column := range c.same(Trim(strings.ReplaceAll(template, "#", ""))) {
		at, taken := slices.BinarySearchFunc(series, i+1, func(s Counted, n int) int { return cmp.Compare(s.Number, n) })
		if !taken {
			series = slices.Insert(series, at, Counted{i + 1, column})
		}
	}
	return series
}

// foldPart is FoldName for a part of a name, which may consist of signs alone.
func foldPart(part string) string { return FoldName("x" + part)[1:] }
