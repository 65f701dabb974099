package certificate

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// typeDate is the type of a date field, as origins record it.
const typeDate = string(payload.TypeDate)

// controls gathers the control totals of the fields of one operation.
type controls struct {
	order    []string
	fields   map[string]*control
	compared Compared
	unmapped []Unmapped     // in the order of the header
	places   map[string]int // in unmapped, by column
}

// control accumulates the totals of one field.
type control struct {
	Control
	lost map[string]int
	// Sums: of everything sent, of what was sent for records that still have their cells, and of those cells.
	sent, beside, source *big.Rat
	decimals             int
	numbers              bool
	unread               int
	span                 Span
}

// mostLost limits how many different values are counted that the source has and the service does not.
const mostLost = 1000

// shownLost is how many of those values are shown.
const shownLost = 5

// learn records where a run read its fields from, so that fields appear in the order of the mapping.
func (c *controls) learn(run ledger.Run) {
	for s, source := range run.Sources {
		read := map[int]bool{}
		for _, o := range source.Origins {
			for _, column := range o.Columns {
				read[column] = true
			}
			if o.Field == "key" {
				continue
			}
			f := c.field(o.Field)
			f.Name, f.From, f.Type, f.Lookup = o.Name, o.From, o.Type, o.Lookup
			for _, column := range o.Columns {
				if name := columnName(&run, s, column); name != "" && !slices.Contains(f.Columns, name) {
					f.Columns = append(f.Columns, name)
				}
			}
		}
		for column, name := range source.Header {
			if len(source.Origins) > 0 && !read[column] && strings.TrimSpace(name) != "" && !table.IsOwnColumn(name) {
				if _, known := c.places[name]; !known {
					c.places[name] = len(c.unmapped)
					c.unmapped = append(c.unmapped, Unmapped{Column: name})
				}
			}
		}
	}
}

func (c *controls) field(path string) *control {
	f := c.fields[path]
	if f == nil {
		f = &control{Control: Control{Field: path}, lost: map[string]int{}, sent: new(big.Rat), beside: new(big.Rat), source: new(big.Rat)}
		if strings.HasSuffix(path, "_date") {
			f.Type = typeDate
		}
		c.fields[path] = f
		c.order = append(c.order, path)
	}
	return f
}

// add adds a record.
func (c *controls) add(f *fed) {
	c.compared.Records++
	if f.cells {
		c.compared.Cells++
	}
	if f.in() {
		c.compared.In++
		if f.payload {
			c.compared.Payloads++
		}
		if f.payload && f.cells {
			c.compared.Both++
		}
		c.readBack(f.record)
	}
	byField := map[string][]value{}
	for _, v := range f.values {
		c.field(v.field)
		if !v.empty {
			byField[v.field] = append(byField[v.field], v)
		}
	}
	for _, field := range c.order {
		c.fields[field].add(f, f.filledCells(field), byField[field])
	}
	for _, cell := range f.filledCells("") {
		if at, ok := c.places[columnName(f.run, f.record.Rows[cell.row].Source, cell.column)]; ok {
			c.unmapped[at].Filled++
		}
	}
}

// readBack counts the fields that the answer to a record showed, and those that differ from what was sent.
func (c *controls) readBack(r ledger.Record) {
	if len(r.ReadBack) > 0 {
		c.compared.ReadBack++
	}
	for _, path := range r.ReadBack {
		c.field(path).ReadBack++
	}
	differ := map[string]bool{}
	for _, note := range r.Notes {
		if field := payload.FieldOf(note.Field); note.Code == reason.Differs && !differ[field] {
			differ[field] = true
			c.field(field).Differing++
		}
	}
	if len(differ) > 0 {
		c.compared.Differing++
	}
}

func (c *control) add(f *fed, cells []filled, values []value) {
	if len(cells) > 0 {
		c.SourceFilled++
		if f.in() {
			c.InFilled++
		}
	}
	if !f.in() || !f.payload {
		return
	}
	if len(values) > 0 {
		c.SentFilled++
		c.Values += len(values)
	}
	c.total(f, cells, values)
	if !f.cells {
		return
	}
	switch {
	case len(cells) > 0 && len(values) == 0:
		c.Lost++
		if text := strings.TrimSpace(cells[0].Text); c.lost[text] > 0 || len(c.lost) < mostLost {
			c.lost[text]++
		}
	case len(cells) == 0 && len(values) > 0 && len(c.Columns) > 0:
		c.Added++
	}
	for n, cell := range f.beside(cells, values) {
		switch {
		case cell == nil:
		case cell.shows(values[n]):
			c.Same++
		default:
			c.Converted++
		}
	}
}

// total adds to the sums of numbers and the spans of dates.
func (c *control) total(f *fed, cells []filled, values []value) {
	for _, v := range values {
		if number, ok := exact(v.text); ok && v.number {
			c.numbers, c.decimals = true, max(c.decimals, decimals(v.text))
			c.sent.Add(c.sent, number)
			if f.cells {
				c.beside.Add(c.beside, number)
			}
		}
		if c.Type == typeDate {
			c.span.Dates++
			c.span.Earliest, c.span.Latest = spread(c.span.Earliest, c.span.Latest, v.text)
		}
	}
	if !f.cells {
		return
	}
	if one := f.beside(cells, values); len(one) == 1 && f.entries(values[0]) < 0 {
		cells = cells[:1] // the other rows repeat it
	}
	for _, cell := range cells {
		text := strings.TrimSpace(cell.Text)
		if number, ok := exact(text); ok {
			c.decimals = max(c.decimals, decimals(text))
			c.source.Add(c.source, number)
		} else {
			c.unread++
		}
		if c.Type == typeDate && (cell.Kind == table.Date || isDay(text)) {
			c.span.Cells++
			c.span.First, c.span.Last = spread(c.span.First, c.span.Last, text)
		}
	}
}

// spread widens a span to include a text; the texts must sort by date.
func spread(first, last, text string) (string, string) {
	if first == "" {
		return text, text
	}
	return min(first, text), max(last, text)
}

// exact parses a plain decimal number.
func exact(text string) (*big.Rat, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 100 || strings.Trim(digits, "0123456789.") != "" || strings.Count(digits, ".") > 1 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func decimals(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return len(fraction)
}

// isDay reports whether a text is a day such as 2024-03-01.
func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// close completes the totals.
func (c *control) close() Control {
	for text, records := range c.lost {
		c.Words = append(c.Words, tallied{text, records})
	}
	slices.SortFunc(c.Words, func(a, b tallied) int { return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Text, b.Text)) })
	c.Words = c.Words[:min(len(c.Words), shownLost)]
	if c.numbers {
		c.Sum = &Sum{Sent: c.sent.FloatString(c.decimals), Beside: c.beside.FloatString(c.decimals), Source: c.source.FloatString(c.decimals), Unread: c.unread}
		c.Sum.Differs = len(c.Columns) > 0 && c.beside.Cmp(c.source) != 0
	}
	if c.span.Dates > 0 {
		c.Span = &c.span
	}
	return c.Control
}
