package ods

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/numfmt"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
	"docketsync/mapping/table"
)

// readCell reads one cell element, which may stand for several equal cells, and returns the column after it. Cells that
// a merged range covers are not shown and not read.
func (r *sheetReader) readCell(column int, covered bool) (int, error) {
	said, err := r.xml.Decoded("value-type", "calcext:value-type", "value", "date-value", "time-value", "boolean-value", "string-value", "formula",
		"number-columns-repeated", "number-rows-spanned", "number-columns-spanned")
	if err != nil {
		return 0, err
	}
	repeat, err := r.repeats(said, "number-columns-repeated")
	if err != nil {
		return 0, err
	}
	if r.text, err = r.paragraphs(r.text[:0]); err != nil || covered {
		return column + repeat, err
	}
	spanned := func(name string) int { return max(sheetxml.Digits([]byte(said[name])), 1) }
	if rows, columns := spanned("number-rows-spanned"), spanned("number-columns-spanned"); rows > 1 || columns > 1 {
		r.Merge(format.Range{Top: r.Number, Bottom: r.Number + rows - 1, Left: column, Right: min(column+columns, format.SheetColumns) - 1})
	}
	cell := value(said).cell(string(r.text))
	if cell.Kind == table.Empty {
		return column + repeat, nil
	}
	return column + repeat, r.Put(column, repeat, cell)
}

// value is what the start tag of a cell says: its attributes.
type value map[string]string

func (v value) failed() bool { return v["calcext:value-type"] == "error" }

func (v value) isFormula() bool {
	_, is := v["formula"]
	return is
}

// cell makes a cell of what was stored. A typed cell without a value is what it shows.
func (v value) cell(shown string) table.Cell {
	cell := v.typed(shown)
	switch {
	case cell.Kind == table.Error && v.failed():
		cell.Text = cmp.Or(cell.Text, sheet.UnnamedError)
	case cell.Kind == table.Error && cell.Text == "":
		return sheet.Text(shown)
	}
	return cell
}

// typed makes a cell of a typed value. The shown text is used only for text and errors.
func (v value) typed(shown string) table.Cell {
	if v.failed() || v.isFormula() && (strings.HasPrefix(shown, "Err:") || strings.HasPrefix(shown, "#")) && v["value-type"] != "string" {
		return table.Cell{Kind: table.Error, Text: shown}
	}
	switch v["value-type"] {
	case "float", "currency", "percentage":
		return v.number(shown)
	case "date":
		return numfmt.ISOCell(strings.TrimSpace(v["date-value"]))
	case "time":
		return clock(strings.TrimSpace(v["time-value"]), shown)
	case "boolean":
		is := v["boolean-value"]
		if is == "true" || is == "false" {
			return sheet.Bool(is == "true")
		}
		return table.Cell{Kind: table.Error, Text: is}
	}
	if v.isFormula() && v["value-type"] == "" && shown == "" {
		return sheet.Uncalculated()
	}
	return sheet.Text(cmp.Or(v["string-value"], shown))
}

// number makes a cell of a number. The zeros that its format adds are taken from the text that the sheet shows. A truth
// value from a formula is stored as a number and shown as the word.
func (v value) number(shown string) table.Cell {
	n, ok := numfmt.ParseNumeral(strings.TrimSpace(v["value"]))
	if !ok {
		return table.Cell{Kind: table.Error, Text: v["value"], Note: numfmt.NoteUnreadable}
	}
	if shown == "TRUE" || shown == "FALSE" {
		return sheet.Bool(shown == "TRUE")
	}
	zeros, decimals := 0, 0
	whole, fraction, _ := strings.Cut(strings.Replace(strings.TrimLeft(shown, "-+"), ",", ".", 1), ".")
	padded, ok := numfmt.ParseNumeral(whole + "." + fraction)
	if ok && n.SameDigits(padded) {
		zeros, decimals = len(whole), len(fraction)
	}
	cell := n.Cell(v["value-type"] == "percentage", zeros, decimals)
	digits := strings.ContainsAny(shown, "0123456789")
	if signs := strings.Trim(shown, numeralMarks); (strings.Trim(signs, "#") != "" || hyphened(shown)) && (v["value-type"] == "float" || !digits) {
		if _, exponent := numfmt.ParseNumeral(strings.Replace(shown, ",", ".", 1)); !exponent {
			cell.Shown = &table.Shown{Text: shown}
		}
	}
	return cell
}

// hyphened matches a hyphen between digits, which is not a minus sign.
var hyphened = regexp.MustCompile(`[0-9]-[0-9]`).MatchString

// numeralMarks are the characters of numerals in all countries, besides letters: French separates groups with narrow
// spaces, Swiss with apostrophes of both kinds, and some programs write a true minus.
const numeralMarks = " \u00a0\u2009\u202f-\u2212+()%.,'\u20190123456789"

// clock reads a duration as XML Schema writes it, "PT13H30M00S". If a time of day is in a cell that also holds a day,
// hidden by its format, the duration counts all hours since 1899; the sheet shows only those of the day.
func clock(text, shown string) table.Cell {
	rest, negative := strings.CutPrefix(text, "-")
	serial, ok := duration(rest)
	if !ok {
		return table.Cell{Kind: table.Error, Text: text, Note: numfmt.NoteNoISODate}
	}
	if negative {
		serial = -serial
	}
	cell, ofDay := numfmt.DurationCell(serial), numfmt.ClockCell(serial)
	hours, _, _ := strings.Cut(cell.Text, ":")
	minutes := ofDay.Text[:min(len(ofDay.Text), len("13:30"))]
	if serial >= 1 && !strings.HasPrefix(shown, hours+":") && (serial >= longestDuration || strings.HasPrefix(shown, minutes) || strings.HasPrefix("0"+shown, minutes)) {
		return ofDay
	}
	return cell
}

// longestDuration is the maximum number of days of a duration whose hours the sheet does not show.
const longestDuration = 1000

// span matches a duration in days, hours, minutes and seconds.
var span = regexp.MustCompile(`^P(?:(\d+)D)?T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?$`)

// duration returns a duration in days.
func duration(text string) (days float64, ok bool) {
	found := span.FindStringSubmatch(text)
	if found == nil {
		return 0, false
	}
	for n, inDay := range [...]float64{1, 24, 24 * 60, 24 * 60 * 60} {
		amount, err := strconv.ParseFloat(cmp.Or(found[n+1], "0"), 64)
		if err != nil || amount > 1e9 {
			return 0, false
		}
		days += amount / inDay
	}
	return days, true
}
