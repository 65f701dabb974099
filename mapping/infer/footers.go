package infer

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"docketsync/mapping/table"
)

// lone is a row with a single cell that nothing but others like it has followed yet.
type lone struct {
	column, row int
	text        string
	kind        table.Kind
	band        bool // counted as a heading between the rows
}

// longestTail is how many rows at the end of a file may be no data.
const longestTail = 10

// alone takes in a row with a single cell, which may stand below the table.
func (t *survey) alone(l lone) {
	if len(t.tail) == longestTail {
		t.settle(t.tail[0])
		t.tail = t.tail[1:]
	}
	t.tail = append(t.tail, l)
}

// endTail takes rows with a single cell as data after all, as other rows follow.
func (t *survey) endTail() {
	for _, l := range t.tail {
		t.settle(l)
	}
	t.tail = t.tail[:0]
}

// settle counts a row with a single cell as data, unless it is a heading.
func (t *survey) settle(l lone) {
	if !l.band {
		cells := make([]table.Cell, l.column+1)
		cells[l.column] = table.Cell{Kind: l.kind, Text: l.text}
		t.count(table.Row{Number: l.row, Cells: cells})
	}
}

// keepFooters makes skips of the rows below the table.
func (t *survey) keepFooters() {
	for _, l := range t.tail {
		switch {
		case t.heading(l):
			continue
		case !t.footer(l):
			t.settle(l)
			continue
		case l.band:
			t.rows-- // counted as no heading
		}
		t.skip(skip{"footer", t.footerExpr(l), "below the table: " + shown(l.text), 1})
	}
}

// footer tells whether a row says something about the table: by its first word, or as words in a column of numbers.
func (t *survey) footer(l lone) bool {
	c := t.columns[l.column]
	if c.values[table.Fold(l.text)] != nil {
		return false
	}
	words := strings.FieldsFunc(table.Fold(l.text), func(r rune) bool { return unicode.IsSpace(r) || r == ':' || r == '.' || r == ',' })
	for len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
		words = words[1:]
	}
	return len(words) > 0 && footerWords[words[0]] || len(words) >= 3 && c.filled > 0 && c.share(c.codes) >= .9
}

// footerExpr leaves a footer out also when the numbers in it are others, and no record.
func (t *survey) footerExpr(l lone) string {
	ref := quoted(t.ref(l.column))
	digit := strings.IndexFunc(l.text, unicode.IsDigit)
	if digit < 0 {
		return fmt.Sprintf("row[%s] == %s", ref, quoted(l.text))
	}
	if before := l.text[:digit]; len(strings.TrimSpace(before)) >= 3 && !t.columns[l.column].begin(before) {
		return fmt.Sprintf("row[%s] startsWith %s", ref, quoted(before))
	}
	shape := digits.ReplaceAllString(regexp.QuoteMeta(l.text), "[0-9]+")
	return fmt.Sprintf("row[%s] matches %s", ref, quoted("^"+shape+"$"))
}

var digits = regexp.MustCompile(`[0-9]+`)

// begin tells whether a record's value begins so.
func (c *column) begin(text string) bool {
	for _, v := range c.values {
		if strings.HasPrefix(v.text, text) {
			return true
		}
	}
	return c.more
}
