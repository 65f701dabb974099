package proposal

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"docketsync/mapping"
)

// table is what one pass over the rows has found.
type table struct {
	header   mapping.Header
	columns  []*column
	rows     int // that are data
	skips    []skip
	totals   []total
	bands    []band
	lettered bool // no header: the names are letters
}

// skip is a kind of rows that are no data, the expression that leaves them out, and what reports are to call it.
type skip struct {
	name  string
	expr  string
	why   string
	count int
}

// total is the rows that begin with one text such as "Total: 12".
type total struct {
	column int
	text   string
	count  int
}

// maxTotals bounds the texts of totals that are told apart; what comes after them counts as the last.
const maxTotals = 1000

// band is a kind of rows with a single cell, with digits left open: "Record ID:#".
type band struct {
	column int
	shape  string
	first  string
	count  int
}

// maxBands bounds the kinds of rows with a single cell; where there are more, they are no headings between rows.
const maxBands = 20

// survey reads the rows.
func survey(header mapping.Header, rows iter.Seq2[mapping.Row, error]) (*table, error) {
	t := &table{header: header, columns: columnsOf(header)}
	t.lettered = len(header.Names) > 0
	for i, name := range header.Names {
		t.lettered = t.lettered && name == mapping.ColumnLetter(i)
	}
	began := false
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		if row.Skip != "" {
			continue
		}
		if !t.noData(row, !began) {
			t.add(row)
		}
		began = true
	}
	t.keepTotals()
	t.keepBands()
	for _, c := range t.columns {
		c.verdict = c.dates.Verdict()
	}
	return t, nil
}

func (t *table) add(row mapping.Row) {
	t.rows++
	for _, c := range t.columns {
		cell := row.Cell(c.at[0])
		if len(c.at) > 1 {
			cell = joined(row, c.at)
		}
		switch {
		case cell.Kind == mapping.Error:
			c.errors++
		case bare(cell.Text) != "":
			c.add(row.Number, cell)
		}
	}
}

// joined is the text of several cells, as columns: joins them.
func joined(row mapping.Row, at []int) mapping.Cell {
	var parts []string
	for _, i := range at {
		if text := bare(row.Cell(i).Text); text != "" {
			parts = append(parts, text)
		}
	}
	return mapping.Cell{Kind: mapping.Text, Text: strings.Join(parts, " ")}
}

// noData tells rows that are no records and remembers how to leave them out: totals, a second line of the header, and
// headings between the rows.
func (t *table) noData(row mapping.Row, first bool) bool {
	filled, at, noted := 0, -1, true
	for i, cell := range row.Cells {
		if text := bare(cell.Text); text != "" {
			if filled++; at < 0 {
				at = i
			}
			noted = noted && strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")")
		}
	}
	if filled == 0 || at >= len(t.header.Names) {
		return false
	}
	text := bare(row.Cells[at].Text)
	switch {
	case first && noted:
		t.skips = append(t.skips, skip{"second line of the header", fmt.Sprintf("row[%s] == %s", quoted(t.ref(at)), quoted(text)), "", 1})
		return true
	case 2*filled <= len(row.Cells)+1 && totalWords[foldedWord(mapping.Fold(text))] && len(text) <= 60:
		t.total(at, text)
		return true
	case filled == 1 && len(t.header.Names) >= 4:
		return t.band(at, text)
	}
	return false
}

func (t *table) total(at int, text string) {
	for i := range t.totals {
		if t.totals[i].column == at && (t.totals[i].text == text || i == maxTotals-1) {
			t.totals[i].count++
			return
		}
	}
	t.totals = append(t.totals, total{at, text, 1})
}

// keepTotals makes skips of the totals: of all that begin with one word, or of each text alone where a record begins with that
// word too, as those of Total Energies do.
func (t *table) keepTotals() {
	for _, found := range t.totals {
		word := firstWord(found.text)
		expr, why := fmt.Sprintf("row[%s] startsWith %s", quoted(t.ref(found.column)), quoted(word)), ""
		if t.columns[found.column].beginsWith(mapping.Fold(word)) {
			expr = fmt.Sprintf("row[%s] == %s", quoted(t.ref(found.column)), quoted(found.text))
			why = fmt.Sprintf("this text alone, because there are records whose %s begins with %s", t.ref(found.column), word)
		}
		at := slices.IndexFunc(t.skips, func(s skip) bool { return s.expr == expr })
		if at < 0 {
			at = len(t.skips)
			t.skips = append(t.skips, skip{"totals", expr, why, 0})
		}
		t.skips[at].count += found.count
	}
}

// band counts a row with a single cell by its shape. It is data after all when the shapes are many.
func (t *table) band(at int, text string) bool {
	shape := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, text)
	for strings.Contains(shape, "##") {
		shape = strings.ReplaceAll(shape, "##", "#")
	}
	for i := range t.bands {
		if t.bands[i].column == at && t.bands[i].shape == shape {
			t.bands[i].count++
			return true
		}
	}
	if len(t.bands) >= maxBands || !strings.Contains(shape, "#") || strings.Trim(shape, "#") == "" {
		return false
	}
	t.bands = append(t.bands, band{at, shape, text, 1})
	return true
}

// keepBands makes skips of the headings between rows that are several of one shape.
func (t *table) keepBands() {
	for _, b := range t.bands {
		before, _, _ := strings.Cut(b.shape, "#")
		if b.count > 1 && len(strings.TrimSpace(before)) > 1 {
			t.skips = append(t.skips, skip{"headings between the rows",
				fmt.Sprintf("row[%s] startsWith %s", quoted(t.ref(b.column)), quoted(before)), "such as " + shown(b.first), b.count})
		}
	}
}

// foldedWord is the first word of a text that is folded, without the signs around it.
func foldedWord(folded string) string { return strings.Trim(firstWord(folded), ".:") }

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// quoted is a text within an expression.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

func (t *table) ref(at int) string { return t.columns[at].ref }

// ColumnNames are the names by which a mapping calls the columns of a header: Name#2 for the second of one name, @C for one without.
func ColumnNames(h mapping.Header) []string {
	names := make([]string, len(h.Names))
	for i, c := range columnsOf(h)[:len(h.Names)] {
		names[i] = c.ref
	}
	return names
}

// columnsOf makes a column for each of the header, and one for the parts of each name that a header spreads over several.
func columnsOf(h mapping.Header) []*column {
	counts, nth := map[string]int{}, map[string]int{}
	for _, name := range h.Names {
		counts[bare(name)]++
	}
	var list []*column
	for i, name := range h.Names {
		name = bare(name)
		nth[name]++
		ref := name
		if counts[name] > 1 {
			ref = fmt.Sprintf("%s#%d", name, nth[name])
		}
		unclear := ref != name && counts[ref] > 0
		if name == "" || unclear || strings.IndexFunc(name, unseen) >= 0 {
			if ref = "@" + mapping.ColumnLetter(i); counts[ref] > 0 {
				ref = strings.ToLower(ref) // another column is called so
			}
		}
		list = append(list, newColumn(ref, name, i))
	}
	return append(list, spreadNames(list)...)
}

// bare is a text without what stands around it and is not seen, as a mapping finds columns and reads cells.
func bare(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' })
}

// unseen are characters that nobody could type into a mapping.
func unseen(r rune) bool { return !unicode.IsPrint(r) }

// spreadNames finds names in several columns: the company's, or a person's first and last. They are one name, whose columns
// are joined with a blank.
func spreadNames(list []*column) []*column {
	type parts struct{ company, first, last *column }
	found := map[string]*parts{}
	var order []string
	for _, c := range list {
		var rest []string
		part := ""
		for _, concept := range c.meaning.concepts {
			switch concept {
			case "company", "first", "last":
				part = concept
			case "name":
			default:
				rest = append(rest, concept)
			}
		}
		if part == "" || len(rest) > 1 || c.meaning.other || len(c.meaning.unknown) > 0 {
			continue
		}
		key := strings.Join(rest, " ")
		if found[key] == nil {
			found[key] = &parts{}
			order = append(order, key)
		}
		switch part {
		case "company":
			found[key].company = c
		case "first":
			found[key].first = c
		case "last":
			found[key].last = c
		}
	}
	var spread []*column
	for _, key := range order {
		p := found[key]
		if p.first == nil || p.last == nil || key == "" {
			continue
		}
		joined := newColumn("", key+" name")
		for _, c := range []*column{p.company, p.first, p.last} {
			if c != nil {
				joined.at, joined.parts = append(joined.at, c.at...), append(joined.parts, c.ref)
			}
		}
		joined.ref = strings.Join(joined.parts, " + ")
		spread = append(spread, joined)
	}
	return spread
}
