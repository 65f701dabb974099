package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"docketsync/mapping/table"
)

// total is the rows that begin or end with one text such as "Total: 12" or "Acme total".
type total struct {
	column int
	text   string
	word   string // that tells it
	ends   bool   // with the word
	count  int
}

// maxTotals bounds the texts of totals that are told apart; what comes after them counts as the last.
const maxTotals = 1000

// total takes in a row that adds others up; false when it does not look like one. One that ends with the word, as spreadsheet
// programs write below a group, has to have the group's name before it.
func (t *survey) total(at int, text string) bool {
	word, ends := totalWord(text), false
	if word == "" {
		before, last := cutLastWord(text)
		if ends = totalWords[totalFold(last)] && t.columns[at].values[table.Fold(before)] != nil; !ends {
			return false
		}
		word = " " + last
	}
	for i := range t.totals {
		if t.totals[i].column == at && (t.totals[i].text == text || i == maxTotals-1) {
			t.totals[i].count++
			return true
		}
	}
	t.totals = append(t.totals, total{at, strings.Clone(text), strings.Clone(word), ends, 1})
	return true
}

// totalWord is what begins a text and says that it is a total, "" for nothing.
func totalWord(text string) string {
	folded := table.Fold(text)
	for _, phrase := range totalPhrases {
		if strings.HasPrefix(folded, phrase) && len(text) >= len(phrase) && table.Fold(text[:len(phrase)]) == phrase {
			return text[:len(phrase)]
		}
	}
	if first, _, _ := strings.Cut(text, " "); totalWords[totalFold(first)] {
		return first
	}
	return ""
}

// totalFold is a word as totalWords has it, without the signs around it.
func totalFold(word string) string { return strings.Trim(table.Fold(word), ".:") }

func cutLastWord(text string) (before, last string) {
	if at := strings.LastIndexByte(text, ' '); at > 0 {
		return text[:at], text[at+1:]
	}
	return "", text
}

// keepTotals makes skips of the totals: of all that begin or end with one word, or of each text alone where a record does so
// too, as those of Total Energies do. Rows that are called as a record is are left to be rejected.
func (t *survey) keepTotals() {
	for _, found := range t.totals {
		if t.columns[found.column].values[table.Fold(found.text)] != nil {
			t.rows += found.count // a record is called so, from which they cannot be told
			continue
		}
		verb, side := "startsWith", "begins"
		if found.ends {
			verb, side = "endsWith", "ends"
		}
		expr, why := fmt.Sprintf("row[%s] %s %s", quoted(t.ref(found.column)), verb, quoted(found.word)), ""
		if t.columns[found.column].hasTotal(found) {
			expr = fmt.Sprintf("row[%s] == %s", quoted(t.ref(found.column)), quoted(found.text))
			why = fmt.Sprintf("this text alone, because there are records whose %s %s with %s", t.ref(found.column), side, strings.TrimSpace(found.word))
		}
		t.skip(skip{"totals", expr, why, found.count})
	}
}

// skip leaves rows out, together with those of the same expression.
func (t *survey) skip(s skip) {
	if at := slices.IndexFunc(t.skips, func(known skip) bool { return known.expr == s.expr }); at >= 0 {
		t.skips[at].count += s.count
		return
	}
	t.skips = append(t.skips, s)
}

// noteTotal remembers how the values of records begin and end that look like totals.
func (c *column) noteTotal(text string) {
	if word := totalWord(text); word != "" {
		c.begins[table.Fold(word)] = true
	}
	if _, last := cutLastWord(text); totalWords[totalFold(last)] {
		c.ends[table.Fold(" "+last)] = true
	}
}

// hasTotal tells whether a record's value begins, or ends, as a total does.
func (c *column) hasTotal(found total) bool {
	known, has := c.begins, strings.HasPrefix
	if found.ends {
		known, has = c.ends, strings.HasSuffix
	}
	word := table.Fold(found.word)
	for value := range known {
		if has(value, word) {
			return true
		}
	}
	return false
}

// lone is a row with a single cell that nothing but others like it has followed yet.
type lone struct {
	column, row int
	text        string
	kind        table.Kind
	band        bool // counted as a heading between the rows
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

// keepFooters makes skips of the rows below the table.
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
