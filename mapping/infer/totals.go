package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"docketsync/mapping/table"
)

// total is the rows that begin or end with the same text, such as "Total: 12" or "Acme total".
type total struct {
	column int
	text   string
	word   string // the part of the text that means total
	ends   bool   // the text ends with the word
	count  int
	filled []bool // by column: whether any of the rows has something there
}

// maxTotals limits how many texts of totals are kept apart; later ones count as the last.
const maxTotals = 1000

// total takes in a row that adds others up. It returns false if the row does not look like one. A text that ends with
// the word, as spreadsheet programs write below a group, must begin with the group's name.
func (t *survey) total(at int, text string, row table.Row) bool {
	word, ends := table.TotalWord(text), false
	if word == "" {
		before, last := cutLastWord(text)
		if ends = table.IsTotalWord(last) && t.columns[at].values[table.Fold(before)] != nil; !ends {
			return false
		}
		word = " " + last
	}
	n := slices.IndexFunc(t.totals, func(known total) bool { return known.column == at && known.text == text })
	if n < 0 && len(t.totals) == maxTotals {
		n = maxTotals - 1
	} else if n < 0 {
		n = len(t.totals)
		t.totals = append(t.totals, total{at, strings.Clone(text), strings.Clone(word), ends, 0, make([]bool, len(t.columns))})
	}
	found := &t.totals[n]
	found.count++
	for i, is := range t.filled(row) {
		found.filled[i] = found.filled[i] || is
	}
	return true
}

// filled says for each column whether the row has something there. If the source cannot vouch for that, for example
// because a line of a text file is too short, the column is marked as doubted, and no rule may use it.
func (t *survey) filled(row table.Row) []bool {
	filled := make([]bool, len(t.columns))
	for i, c := range t.columns {
		filled[i] = table.Trim(row.Cell(i).Text) != ""
		c.doubted = c.doubted || slices.ContainsFunc(row.Faults, func(f table.Fault) bool { return f.Column == i || f.Whole() && i >= f.Column })
	}
	return filled
}

func cutLastWord(text string) (before, last string) {
	if at := strings.LastIndexByte(text, ' '); at > 0 {
		return text[:at], text[at+1:]
	}
	return "", text
}

// keepTotals turns totals into skips: of all rows that begin or end with the word and lack something that every record
// has, so that the matters of Total Energies stay, in later files as well; or else of each text alone. If a record has
// the same text, the rows are left to be rejected.
func (t *survey) keepTotals() {
	for _, found := range t.totals {
		if t.columns[found.column].values[table.Fold(found.text)] != nil {
			t.rows += found.count // a record has the same text, so they cannot be told apart
			continue
		}
		verb := "startsWith"
		if found.ends {
			verb = "endsWith"
		}
		expr, why := t.textExpr(found.column, found.text), "this text alone, as records might begin or end like it"
		if lacks := t.lacks(found.filled); lacks != "" {
			expr, why = fmt.Sprintf("row[%s] %s %s%s", quoted(t.ref(found.column)), verb, quoted(found.word), lacks), ""
		}
		t.skip(skip{"totals", expr, why, found.count})
	}
}

// lacks returns a condition that tells rows that are not records from records that begin like them and may come
// tomorrow: a column is empty that every record fills. It returns "" if there is no such column.
func (t *survey) lacks(filled []bool) string {
	n := slices.IndexFunc(t.columns, func(c *column) bool { return len(c.at) == 1 && c.filled == t.counted && !c.doubted && !filled[c.at[0]] })
	if n < 0 {
		return ""
	}
	return fmt.Sprintf(` and row[%s] == ""`, quoted(t.ref(n)))
}

// textExpr returns an expression that leaves out a text, whatever numbers it contains.
func (t *survey) textExpr(column int, text string) string {
	ref := quoted(t.ref(column))
	if !digits.MatchString(text) {
		return fmt.Sprintf("row[%s] == %s", ref, quoted(text))
	}
	return fmt.Sprintf("row[%s] matches %s", ref, quoted("^"+digits.ReplaceAllString(regexp.QuoteMeta(text), "[0-9]+")+"$"))
}

// skip adds a skip, or adds its count to one with the same expression.
func (t *survey) skip(s skip) {
	if at := slices.IndexFunc(t.skips, func(known skip) bool { return known.expr == s.expr }); at >= 0 {
		t.skips[at].count += s.count
		return
	}
	t.skips = append(t.skips, s)
}

// lone is a row with a single cell that only rows like it have followed so far.
type lone struct {
	column, row int
	text        string
	kind        table.Kind
	band        bool // counted as a heading between the rows
	filled      []bool
}

// longestTail is how many rows at the end of a file may be no data.
const longestTail = 10

// settle counts a row with a single cell as data, unless it is a heading.
func (t *survey) settle(l lone) {
	if !l.band {
		cells := make([]table.Cell, l.column+1)
		cells[l.column] = table.Cell{Kind: l.kind, Text: l.text}
		t.count(table.Row{Number: l.row, Cells: cells})
	}
}

// keepFooters turns the rows below the table into skips.
func (t *survey) keepFooters() {
	for _, l := range t.tail {
		shape := digits.ReplaceAllString(l.text, "#")
		switch {
		case slices.ContainsFunc(t.bands, func(b band) bool { return b.column == l.column && b.shape == shape && b.isHeading() }):
			continue
		case !t.footer(l):
			t.settle(l)
			continue
		case l.band:
			t.rows-- // it was counted as not being a heading
		}
		t.skip(skip{"footer", t.footerExpr(l), "below the table: " + shown(l.text), 1})
	}
}

// footer reports whether a row says something about the table: by its first word, or because it has words in a column
// of numbers.
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

// footerExpr returns an expression that leaves out a footer, whatever numbers it contains, and also whatever follows
// the number if the row cannot be a record.
func (t *survey) footerExpr(l lone) string {
	digit := strings.IndexFunc(l.text, unicode.IsDigit)
	lacks := t.lacks(l.filled)
	if digit < 0 || lacks == "" || len(strings.TrimSpace(l.text[:digit])) < 3 {
		return t.textExpr(l.column, l.text)
	}
	return fmt.Sprintf("row[%s] startsWith %s%s", quoted(t.ref(l.column)), quoted(l.text[:digit]), lacks)
}

var digits = regexp.MustCompile(`[0-9]+`)
