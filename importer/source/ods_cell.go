package source

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"docketsync/mapping/table"
)

// readCells reads the cells of the row element whose start tag was just read.
func (r *odsReader) readCells() error {
	r.cells, r.bytes, r.stored = r.cells[:0], 0, 0
	column := 0
	for depth := len(r.xml.openLength); ; {
		token, err := r.xml.next()
		if err != nil || token == xmlEnd && len(r.xml.openLength) < depth {
			return err
		}
		if token != xmlStart {
			continue
		}
		switch name := string(r.xml.name); name {
		case "table-cell", "covered-table-cell":
			column, err = r.readCell(column, name == "covered-table-cell")
		default:
			err = r.xml.skip()
		}
		if err != nil {
			return err
		}
	}
}

// readCell reads one cell element, which stands for several equal cells when it says so. It returns the column after it.
func (r *odsReader) readCell(column int, covered bool) (int, error) {
	repeat, err := r.repeats("number-columns-repeated")
	if err != nil {
		return 0, err
	}
	cell, err := r.cell(column, covered)
	if err != nil || cell.Kind == table.Empty && cell.Note == "" {
		return column + repeat, err
	}
	if columns := min(maxSheetColumns, r.sheet.limits.Columns); column+repeat > columns {
		return 0, &Error{What: fmt.Sprintf("the row has more than %d columns", columns), Hint: hintHostile}
	}
	if r.bytes += len(cell.Text) * repeat; r.bytes > r.sheet.limits.Record {
		return 0, &Error{What: fmt.Sprintf("the row holds more than %s of text", byteSize(uint64(r.sheet.limits.Record))), Hint: hintHostile}
	}
	cell = limited(cell)
	r.put(column, repeat, cell)
	r.sheet.notes.cell(r.number+1, column, repeat, cell)
	r.stored++
	return column + repeat, nil
}

func (r *odsReader) put(column, repeat int, cell table.Cell) {
	for len(r.cells) < column {
		r.cells = append(r.cells, table.Cell{})
	}
	for range repeat {
		r.cells = append(r.cells, cell)
	}
}

// odsValue is what the start tag of a cell says.
type odsValue struct {
	kind, value, date, time, boolean, text string
	error                                  bool
	formula                                bool
	rows, columns                          int
}

// cell reads the cell whose start tag was just read. What a merged range covers is not shown and not read.
func (r *odsReader) cell(column int, covered bool) (table.Cell, error) {
	tag, err := r.valueTag()
	if err != nil {
		return table.Cell{}, err
	}
	r.text = r.text[:0]
	if r.text, err = r.paragraphs(r.text); err != nil || covered {
		return table.Cell{}, err
	}
	cell := tag.cell(string(r.text))
	if tag.rows > 1 || tag.columns > 1 {
		r.merge(mergedRange{top: r.number + 1, bottom: r.number + max(tag.rows, 1),
			left: column, right: min(column+max(tag.columns, 1), maxSheetColumns) - 1})
	}
	return cell, nil
}

// merge takes note of a merged range.
func (r *odsReader) merge(m mergedRange) {
	r.sheet.notes.merges++
	r.sheet.latest = m
	if m.top <= headRowsAll && len(r.sheet.first) < maxMerges {
		r.sheet.first = append(r.sheet.first, m)
	}
	if r.merges.mode != "" {
		r.merges.waiting = append(r.merges.waiting, m)
	}
}

func (r *odsReader) valueTag() (odsValue, error) {
	var v odsValue
	for attrs := r.xml.attrs; ; {
		name, raw, rest, err := nextAttribute(attrs)
		if err != nil || name == nil {
			return v, err
		}
		attrs = rest
		decoded, err := appendCharacters(nil, raw)
		if err != nil {
			return v, err
		}
		text := string(decoded)
		switch string(localName(name)) {
		case "value-type":
			if strings.HasPrefix(string(name), "calcext") {
				v.error = text == "error"
			} else {
				v.kind = text
			}
		case "value":
			v.value = text
		case "date-value":
			v.date = text
		case "time-value":
			v.time = text
		case "boolean-value":
			v.boolean = text
		case "string-value":
			v.text = text
		case "formula":
			v.formula = true
		case "number-rows-spanned":
			v.rows = digitsValue(decoded)
		case "number-columns-spanned":
			v.columns = digitsValue(decoded)
		}
	}
}

// cell makes a cell of what was stored; a typed cell without its value is what it shows.
func (v odsValue) cell(shown string) table.Cell {
	cell := v.typed(shown)
	switch {
	case cell.Kind == table.Error && v.error:
		cell.Text = cmp.Or(cell.Text, unnamedError)
	case cell.Kind == table.Error && cell.Text == "":
		return textCell(shown)
	}
	return cell
}

// typed makes a cell of a typed value; the shown text counts for text and errors alone.
func (v odsValue) typed(shown string) table.Cell {
	if v.error || v.formula && (strings.HasPrefix(shown, "Err:") || strings.HasPrefix(shown, "#")) && v.kind != "string" {
		return table.Cell{Kind: table.Error, Text: shown}
	}
	switch v.kind {
	case "float", "currency", "percentage":
		return v.number(shown)
	case "date":
		return isoCell(strings.TrimSpace(v.date))
	case "time":
		return odsClock(strings.TrimSpace(v.time))
	case "boolean":
		if v.boolean == "true" || v.boolean == "false" {
			return table.Cell{Kind: table.Bool, Text: strings.ToUpper(v.boolean)}
		}
		return table.Cell{Kind: table.Error, Text: v.boolean}
	}
	if v.formula && v.kind == "" && shown == "" {
		return table.Cell{Kind: table.Error, Text: notCalculated, Note: notCalculatedMessage}
	}
	if v.text != "" {
		shown = v.text
	}
	return textCell(shown)
}

// number makes a cell of a number. The zeros that its format adds are taken from the text that the sheet shows; a truth
// value that a formula gave is stored as a number and shown as the word.
func (v odsValue) number(shown string) table.Cell {
	n, ok := parseNumeral(strings.TrimSpace(v.value))
	if !ok {
		return table.Cell{Kind: table.Error, Text: v.value, Note: noteUnreadable}
	}
	if shown == "TRUE" || shown == "FALSE" {
		return table.Cell{Kind: table.Bool, Text: shown}
	}
	format := formatSection{percent: v.kind == "percentage"}
	whole, fraction, _ := strings.Cut(strings.Replace(strings.TrimPrefix(shown, "-"), ",", ".", 1), ".")
	padded, ok := parseNumeral(whole + "." + fraction)
	if bare := n.settled(); ok && padded.point == bare.point && strings.TrimRight(padded.digits, "0") == strings.TrimRight(bare.digits, "0") {
		format.zeros, format.decimals = len(whole), len(fraction)
	}
	cell := numberCell(n, format)
	if signs := strings.Trim(shown, numeralMarks); signs != "" && v.kind == "float" && strings.ContainsAny(shown, "0123456789") {
		if _, exponent := parseNumeral(strings.Replace(shown, ",", ".", 1)); !exponent {
			cell.Shown = &table.Shown{Text: shown}
		}
	}
	return cell
}

// numeralMarks are what numerals of every country are made of, beside letters: French groups stand apart by narrow blanks, Swiss ones
// by apostrophes of both kinds, and some programs write a true minus.
const numeralMarks = " \u00a0\u2009\u202f-\u2212+()%.,'\u20190123456789"

// odsClock reads a duration as XML Schema writes it, "PT13H30M00S".
func odsClock(text string) table.Cell {
	rest, negative := strings.CutPrefix(text, "-")
	serial, ok := odsDuration(rest)
	if !ok {
		return table.Cell{Kind: table.Error, Text: text, Note: noteNoISODate}
	}
	if negative {
		serial = -serial
	}
	return durationCell(serial)
}

// odsDuration returns a duration in days.
func odsDuration(text string) (float64, bool) {
	date, clock, found := strings.Cut(text, "T")
	date, marked := strings.CutPrefix(date, "P")
	if !found || !marked {
		return 0, false
	}
	days := uint64(0)
	if date != "" {
		var err error
		if days, err = strconv.ParseUint(strings.TrimSuffix(date, "D"), 10, 24); err != nil {
			return 0, false
		}
	}
	seconds := 0.0
	for _, unit := range [...]struct {
		letter  string
		seconds float64
	}{{"H", 3600}, {"M", 60}, {"S", 1}} {
		amount, after, found := strings.Cut(clock, unit.letter)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(amount, 64)
		if err != nil || n < 0 || n > 1e9 {
			return 0, false
		}
		seconds += n * unit.seconds
		clock = after
	}
	return float64(days) + seconds/(24*60*60), clock == ""
}
