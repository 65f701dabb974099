package proposal

import (
	"fmt"
	"iter"
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
	bands    []band
	lettered bool // no header: the names are letters
}

// skip is a kind of rows that are no data, and the expression that leaves them out.
type skip struct {
	expr  string
	why   string
	count int
}

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
	word, _, _ := strings.Cut(mapping.Fold(text), " ")
	switch {
	case first && noted:
		t.skips = append(t.skips, skip{fmt.Sprintf("row[%s] == %s", quoted(t.ref(at)), quoted(text)), "the second line of the header", 1})
		return true
	case 2*filled <= len(row.Cells)+1 && totalWords[strings.Trim(word, ".:")] && len(text) <= 60:
		t.skip(fmt.Sprintf("row[%s] startsWith %s", quoted(t.ref(at)), quoted(firstWord(text))), "totals")
		return true
	case filled == 1 && len(t.header.Names) >= 4:
		return t.band(at, text)
	}
	return false
}

func (t *table) skip(expr, why string) {
	for i := range t.skips {
		if t.skips[i].expr == expr {
			t.skips[i].count++
			return
		}
	}
	t.skips = append(t.skips, skip{expr, why, 1})
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
			t.skips = append(t.skips, skip{fmt.Sprintf("row[%s] startsWith %s", quoted(t.ref(b.column)), quoted(before)),
				"headings between the rows, such as " + shown(b.first), b.count})
		}
	}
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// quoted is a text within an expression.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

func (t *table) ref(at int) string { return t.columns[at].ref }

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
