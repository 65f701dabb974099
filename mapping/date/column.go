package date

import (
	"fmt"
	"maps"
	"slices"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// evidenceMost is how many rows of each kind are kept as examples.
const evidenceMost = 10

// Column collects what a whole column shows about how its dates are written. Its memory does not grow with the column.
// The zero value is an empty column.
//
// A column may use several formats at once, such as 2024-03-01 and 01/03/2024; each is judged by itself. Whether the
// day or the month comes first is one question for all dates of the column with the same separator, with or without a
// time.
type Column struct {
	dates, days, others int
	otherRows           []Evidence

	known    map[string]*shape // by signature; nil for a signature that no date has
	shapes   []*shape          // in the order of their first rows
	bySep    map[string]*orderCase
	turned   convertedCase
	texts    table.TextDates
	zoneless bool
	former   []string // see Formerly
	buffer   []byte
}

// Evidence is a cell of a Column and the ways to read it.
type Evidence struct {
	Source   int // as in Row.Source
	Row      int
	Text     string
	Patterns []string // the patterns that read it
	Days     []string // the day that each of them reads, "2024-03-01"
}

// Verdict is what a complete Column shows.
type Verdict struct {
	Dates     int        // cells that a known pattern reads, and date cells of a workbook
	DateCells int        // how many of these are date cells of a workbook
	Others    int        // cells that no known pattern reads, including days that do not exist
	OtherRows []Evidence // the first of these

	// Patterns read every textual date of the column. If several read the same date, they read the same day. They can
	// be used for dates: as they are. There are none if no date is text, or if the column does not prove them.
	Patterns []string
	// Ambiguous are patterns that no row decides between. Undecided are the first rows that they read as different
	// days.
	Ambiguous []string
	Undecided []Evidence
	// Mixed says that some rows can be read only in one way, and others with the same separator only in another.
	// Deciding then begins with a row for each way. Otherwise it holds the first rows that excluded other patterns.
	Mixed    bool
	Deciding []Evidence

	// Converted is not empty if a spreadsheet program may have taken the day for the month, so that the date cells are
	// of other days than was meant. It holds the first of these cells and, last, a text that the program left alone.
	Converted []Evidence
	Turning   table.Turning // the weighing behind Converted
	// TurnedTexts says the same of two forms of its texts, with rows; "" if it is not likely.
	TurnedTexts string

	TwoDigitYear bool // there are two-digit years, so a pivot must be set
	Zoneless     bool // there are times without a zone, so the zone must be set
}

// inferred reports whether the column proves how its dates are written.
func (v Verdict) inferred() bool { return !v.Mixed && len(v.Ambiguous) == 0 }

// Add counts a cell of the column. The row's number is kept as evidence.
func (c *Column) Add(row int, cell table.Cell) { c.AddFrom(0, row, cell.Text, cell.Kind) }

// Formerly says which patterns read the column in the file that its rows were taken from. The Verdict then says these,
// and the pattern of dates that everybody reads alike, whatever the cells show: a few rows of a file seldom prove
// anything, and a cell that somebody has corrected says nothing about the others. It may be called several times.
func (c *Column) Formerly(patterns []string) {
	for _, pattern := range patterns {
		if !slices.Contains(c.former, pattern) {
			c.former = append(c.former, pattern)
		}
	}
}

func (c *Column) AddFrom(source, row int, text string, kind table.Kind) {
	text = table.Trim(text)
	switch {
	case text == "":
		return
	case kind == table.Date:
		c.addDay(Evidence{Source: source, Row: row, Text: text})
		return
	case kind == table.Text || kind == table.Number:
		if c.addText(source, row, text) {
			return
		}
	}
	c.others++
	if len(c.otherRows) < evidenceMost {
		c.otherRows = append(c.otherRows, Evidence{Source: source, Row: row, Text: reason.Clip(text, 200)})
	}
}

func (c *Column) addDay(e Evidence) {
	c.dates++
	c.days++
	c.turned.addCell(e)
	if m, err := ParseISO(e.Text); err == nil {
		c.zoneless = c.zoneless || m.timed && !m.midnight()
	}
}

// addText counts a text that is a date. It returns false if it is not one.
func (c *Column) addText(source, row int, text string) bool {
	is := c.shape(text)
	if is == nil {
		return false
	}
	days, by := is.matchesOf(text)
	if by == 0 {
		return false
	}
	c.dates++
	first := days[by.first()]
	c.zoneless = c.zoneless || first.timed && !first.zoned && !first.midnight()
	if !slices.ContainsFunc(c.shapes, func(seen *shape) bool { return seen.name == is.name }) {
		c.shapes = append(c.shapes, is)
	}
	if is.separator == "" {
		c.texts.Add(table.TextDateOf(0, first.Day > 12), source, row, text)
		return true
	}
	if c.bySep == nil {
		c.bySep = map[string]*orderCase{}
	}
	if c.bySep[is.separator] == nil {
		c.bySep[is.separator] = &orderCase{left: allOrders}
	}
	e := Evidence{Source: source, Row: row, Text: text}
	c.bySep[is.separator].add(e, is, days, by)
	c.turned.addText(e, by)
	if day, month := by.has(dayFirst), by.has(monthFirst); day || month {
		c.texts.Add(table.TextDateOf(is.separator[0], !day || !month), source, row, text)
	}
	return true
}

// shape finds the shape of a text.
func (c *Column) shape(text string) *shape {
	signature, ok := signatureOf(c.buffer[:0], text)
	c.buffer = signature
	if !ok {
		return nil
	}
	if shape, known := c.known[string(signature)]; known {
		return shape
	}
	// Dates have few signatures. A column of other things may have many, so the cache is emptied now and then.
	if c.known == nil || len(c.known) >= 1000 {
		c.known = map[string]*shape{}
	}
	shape := shapeOf(string(signature))
	c.known[string(signature)] = shape
	return shape
}

// Verdict returns what the cells so far show. More cells may be added afterwards.
func (c *Column) Verdict() Verdict {
	v := Verdict{Dates: c.dates, DateCells: c.days, Others: c.others, OtherRows: slices.Clone(c.otherRows),
		Zoneless: c.zoneless, Converted: c.turned.evidence(), Turning: c.turned.Turning,
		TurnedTexts: c.texts.Turned(func(_, row int) string { return fmt.Sprintf("row %d", row) })}
	var patterns []string
	for _, shape := range c.shapes {
		left := orderSet(1)
		if shape.separator != "" {
			left = c.bySep[shape.separator].left
			if len(c.bySep[shape.separator].undecided()) > 0 {
				v.Ambiguous = append(v.Ambiguous, shape.texts(left)...)
			}
		}
		patterns = append(patterns, shape.texts(left)...)
		v.TwoDigitYear = v.TwoDigitYear || shape.twoDigitYear()
	}
	for _, separator := range slices.Sorted(maps.Keys(c.bySep)) {
		o := c.bySep[separator]
		v.Mixed = v.Mixed || o.left == 0
		v.Deciding = append(v.Deciding, o.deciding()...)
		v.Undecided = append(v.Undecided, o.undecided()...)
	}
	if v.Mixed {
		WaysFirst(v.Deciding)
	}
	if len(c.former) > 0 {
		v.Ambiguous, v.Mixed, patterns = nil, false, slices.Clone(c.former)
		if !slices.Contains(patterns, isoDay.text) {
			patterns = append(patterns, isoDay.text)
		}
	}
	if v.inferred() {
		v.Patterns = patterns
	}
	return v
}

func (s *shape) texts(set orderSet) []string {
	var list []string
	for order, pattern := range s.patterns {
		if pattern != nil && set.has(dayOrder(order)) {
			list = append(list, pattern.text)
		}
	}
	return list
}

func (s *shape) twoDigitYear() bool {
	return slices.ContainsFunc(s.patterns[:], func(p *Pattern) bool { return p != nil && p.TwoDigitYear() })
}

// day returns the calendar day for evidence. It leaves out the century of a two-digit year, which is not known.
func (s *shape) day(m Moment) string {
	if s.twoDigitYear() {
		return m.ISO()[2:]
	}
	return m.ISO()
}

// Columns collects what the rows of a job show about the date formats of each field, by the field's path, for mappings
// with dates: proven. Its memory does not grow with the rows.
type Columns map[string]*Column

// Column returns the Column of a field.
func (c Columns) Column(path string) *Column {
	if c[path] == nil {
		c[path] = &Column{}
	}
	return c[path]
}
