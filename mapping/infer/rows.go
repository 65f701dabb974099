package infer

import (
	"fmt"
	"hash/maphash"
	"iter"
	"strings"

	"docketsync/mapping/table"
)

// survey is what one pass over the rows has found.
type survey struct {
	header   table.Header
	columns  []*column
	rows     int // rows that are data
	counted  int // how many of these are counted in the columns
	skips    []skip
	keep     bool // rows that look like totals are records
	totals   []total
	bands    []band
	tail     []lone
	lettered bool // there is no header: the names are letters
	sample   []sampled
}

// sampled is a row by the hashes of its folded cells.
type sampled struct {
	cells []uint64
	whole uint64
}

// maxSampled is how many cells of the first rows are kept as hashes.
const maxSampled = 100_000

var seed = maphash.MakeSeed()

// keepSample samples a row.
func (t *survey) keepSample(row table.Row) {
	if (len(t.sample)+1)*len(t.header.Names) > maxSampled {
		return
	}
	s := sampled{cells: make([]uint64, len(t.header.Names))}
	for i := range s.cells {
		s.cells[i] = maphash.String(seed, table.Fold(table.Trim(row.Cell(i).Text)))
		s.whole = maphash.Comparable(seed, [2]uint64{s.whole, s.cells[i]})
	}
	t.sample = append(t.sample, s)
}

// tellsApart reports whether rows with the same value in one column stand for several things, each with its own value
// in the other column. Then a row with both values occurs only once, or is repeated as a whole.
func (t *survey) tellsApart(column, other int) bool {
	rows, things, repeated := map[[2]uint64]uint64{}, map[uint64]uint64{}, false
	for _, s := range t.sample {
		both := [2]uint64{s.cells[column], s.cells[other]}
		if whole, known := rows[both]; known && whole != s.whole {
			return false
		}
		first, known := things[s.cells[column]]
		if rows[both] = s.whole; !known {
			things[s.cells[column]] = s.cells[other]
		}
		repeated = repeated || known && first != s.cells[other]
	}
	return repeated
}

// skip is a kind of rows that are not data, the expression that leaves them out, and its name in reports.
type skip struct {
	name  string
	expr  string
	why   string
	count int
}

// band is a kind of rows with a single cell, with # for digits: "Record ID:#".
type band struct {
	column int
	shape  string
	first  string
	count  int
}

// maxBands limits the kinds of rows with a single cell. If there are more, they are not headings between rows.
const maxBands = 20

// surveyRows reads the rows; keep says that rows that look like totals are records.
func surveyRows(header table.Header, rows iter.Seq2[table.Row, error], keep bool) (*survey, error) {
	t := &survey{header: header, columns: columnsOf(header), lettered: header.Lettered(), keep: keep}
	began := false
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		if row.Skip != "" {
			continue
		}
		if !t.noData(row, !began) {
			for _, l := range t.tail { // rows with a single cell are data after all, because others follow
				t.settle(l)
			}
			t.tail = t.tail[:0]
			t.count(row)
		}
		began = true
	}
	t.keepTotals()
	t.keepBands()
	t.keepFooters()
	t.keepBlanks()
	for _, c := range t.columns {
		c.verdict = c.dates.Verdict()
	}
	return t, nil
}

func (t *survey) count(row table.Row) {
	t.rows++
	t.counted++
	t.keepSample(row)
	for _, c := range t.columns {
		cell := row.Cell(c.at[0])
		if len(c.at) > 1 {
			cell = joined(row, c.at)
		}
		if cell.Kind != table.Error && table.Trim(cell.Text) != "" {
			c.take(row.Number, cell)
		}
	}
}

// joined returns the text of several cells, joined as columns: does.
func joined(row table.Row, at []int) table.Cell {
	var parts []string
	for _, i := range at {
		if text := table.Trim(row.Cell(i).Text); text != "" {
			parts = append(parts, text)
		}
	}
	return table.Cell{Kind: table.Text, Text: strings.Join(parts, " ")}
}

// noData recognizes rows that are not records and remembers how to leave them out: totals, a second line of the header,
// headings between the rows, and lines below them.
func (t *survey) noData(row table.Row, first bool) bool {
	filled, at, noted := 0, -1, true
	for i, cell := range row.Cells {
		if text := table.Trim(cell.Text); text != "" {
			if filled++; at < 0 {
				at = i
			}
			noted = noted && strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")")
		}
	}
	if filled == 0 || at >= len(t.header.Names) {
		return false
	}
	text := table.Trim(row.Cells[at].Text)
	switch {
	case first && noted:
		t.skips = append(t.skips, skip{"second line of the header", fmt.Sprintf("row[%s] == %s", quoted(t.ref(at)), quoted(text)), "", 1})
		return true
	case !t.keep && 2*filled <= len(row.Cells)+1 && len(text) <= 60 && t.total(at, text, row):
		return true
	case filled == 1 && len(t.header.Names) >= 4:
		if len(t.tail) == longestTail {
			t.settle(t.tail[0])
			t.tail = t.tail[1:]
		}
		t.tail = append(t.tail, lone{at, row.Number, strings.Clone(text), row.Cells[at].Kind, t.band(at, text), t.filled(row)})
		return true
	}
	return false
}

// band counts a row with a single cell by its shape. If there are too many shapes, the row is data after all.
func (t *survey) band(at int, text string) bool {
	shape := digits.ReplaceAllString(text, "#")
	for i := range t.bands {
		if t.bands[i].column == at && t.bands[i].shape == shape {
			t.bands[i].count++
			return true
		}
	}
	if len(t.bands) >= maxBands || !strings.Contains(shape, "#") || strings.Trim(shape, "#") == "" {
		return false
	}
	t.bands = append(t.bands, band{at, shape, strings.Clone(text), 1})
	return true
}

// isHeading reports whether the rows of a shape are headings: there are several of them, and they have words before the
// number.
func (b band) isHeading() bool {
	before, _, _ := strings.Cut(b.shape, "#")
	return b.count > 1 && len(strings.TrimSpace(before)) > 1
}

// keepBands turns headings between rows, if several have the same shape, into skips.
func (t *survey) keepBands() {
	for _, b := range t.bands {
		if b.isHeading() {
			t.skips = append(t.skips, skip{"headings between the rows", t.textExpr(b.column, b.first), "such as " + shown(b.first), b.count})
		} else {
			t.rows += b.count
		}
	}
}

// quoted writes a text within an expression.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

func (t *survey) ref(at int) string { return t.columns[at].ref }
