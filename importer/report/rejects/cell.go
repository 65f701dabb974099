package rejects

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/importer/report/workbook"
	"docketsync/mapping/table"
)

// cell returns the worksheet's cell for an original one, and keeps its kind: a date is a date, a text is a text (even
// one that looks like a number or a formula), and a number is a number as long as a spreadsheet keeps all its digits. A
// day is shown as the source shows the days of the column, if the source is a workbook that says so, and a number whose
// format adds characters in that format.
func (r *rejectsWriter) cell(sheet *rejectsSheet, column int, c table.Cell, days string, wrong bool) any {
	look := workbook.Look{}
	if wrong {
		look.Fill = "F8D9D2"
	}
	if c.Kind == table.Error {
		return excelize.Cell{StyleID: r.book.Style(look), Formula: errorFormula(c.Text)}
	}
	value, format := worksheetValue(c)
	if c.Kind == table.Empty {
		// What is typed in later gets the format that the column had last, so that leading zeros are kept.
		format = sheet.last[column]
		if format == formatGeneral && !wrong {
			return nil
		}
	} else {
		sheet.last[column] = format
	}
	look.Format = format
	switch {
	case formatted(c) && (format == formatInteger || c.Kind == table.Date): // a date keeps its format, so that it is rejected again until somebody has looked at it
		look.Format = c.Shown.Format
	case format == formatDate && days != "": // not with a time: it would be hidden, or one shown where the cell has none
		look.Format = days
	}
	return excelize.Cell{StyleID: r.book.Style(look), Value: value}
}

// worksheetValue returns the value and the format with which a worksheet holds a cell unchanged.
func worksheetValue(c table.Cell) (value any, format string) {
	switch c.Kind {
	case table.Empty:
		return nil, formatGeneral
	case table.Number:
		if c.Shown != nil && c.Shown.Format == "" && c.Shown.Text != "" {
			number, ok := exactNumber(c.Text)
			if !ok || strings.ContainsAny(c.Shown.Text, `"0123456789`) {
				return c.Shown.Text, formatText
			}
			words := `"` + c.Shown.Text + `"` // a number field reads the number, a text field the words shown
			return number, words + ";" + words + ";" + words
		}
		if number, ok := exactNumber(unpadded(c.Text)); ok && formatted(c) {
			return number, formatInteger
		}
		if number, ok := exactNumber(c.Text); ok {
			if strings.Contains(c.Text, ".") || len(c.Text) < 12 {
				return number, formatGeneral
			}
			return number, formatInteger
		}
		// A longer number stays a number, so that it is rejected again until somebody enters it as text.
		if number, err := strconv.ParseFloat(c.Text, 64); err == nil && number >= 1e15 && strconv.FormatFloat(number, 'f', -1, 64) == c.Text {
			return number, formatInteger
		}
	case table.Date:
		if at, f, ok := dateOf(c.Text); ok {
			return at, f
		}
	case table.Clock:
		if clock, err := time.Parse("15:04:05", c.Text); err == nil {
			return float64(clock.Sub(clock.Truncate(24*time.Hour))) / float64(24*time.Hour), formatClock
		}
	case table.Bool:
		if c.Text == "TRUE" || c.Text == "FALSE" {
			return c.Text == "TRUE", formatGeneral
		}
	}
	return c.Text, formatText
}

// formatted reports whether a number has a number format that adds characters.
func formatted(c table.Cell) bool { return c.Shown != nil && c.Shown.Format != "" }

// unpadded returns a number without the zeros that its number format adds.
func unpadded(digits string) string {
	whole, decimals, _ := strings.Cut(digits, ".")
	if decimals = strings.TrimRight(decimals, "0"); decimals != "" {
		decimals = "." + decimals
	}
	return cmp.Or(strings.TrimLeft(whole, "0"), "0") + decimals
}

// errorFormula gives a cell the spreadsheet error it had. As text, it would be imported as if somebody had written it;
// as a formula without a result, it stays an error until it is replaced.
func errorFormula(shown string) string {
	switch shown {
	case "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!":
		return shown
	}
	return "NA()"
}

// exactNumber reports whether a worksheet's number shows exactly these digits: at most 15 that count, and none that a
// number does not keep (leading zeros, zeros at the end of decimals).
func exactNumber(digits string) (float64, bool) {
	counted := strings.Trim(strings.Replace(strings.TrimLeft(digits, "+-"), ".", "", 1), "0")
	number, err := strconv.ParseFloat(digits, 64)
	if err != nil || len(counted) > 15 || strconv.FormatFloat(number, 'f', -1, 64) != digits || digits == "-0" {
		return 0, false
	}
	return number, true
}

// dateOf parses a day, or a day with a time. Spreadsheets do not agree on serial numbers before March 1900.
func dateOf(text string) (at time.Time, format string, ok bool) {
	at, err := time.Parse(time.DateOnly, text)
	if format = formatDate; err != nil {
		format = formatDateTime
		at, err = time.Parse("2006-01-02T15:04:05", text)
	}
	return at, format, err == nil && !at.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) && at.Year() <= 9999
}

// comment adds a note to a cell of the row that is written next; it shows when the pointer is over the cell.
func (r *rejectsWriter) comment(sheet *rejectsSheet, column int, record ledger.Record, reasons []int) {
	if r.comments >= maxComments {
		return
	}
	r.comments++
	var lines []string
	for _, n := range reasons {
		lines = append(lines, strings.TrimSpace(record.Reasons[n].Message+"\n"+record.Reasons[n].Hint))
	}
	r.book.Keep(r.book.File.AddComment(sheet.Name, excelize.Comment{
		Cell: table.CellName(column-1, sheet.Rows+1), Author: "docketsync", Width: 280, Height: 110,
		Paragraph: []excelize.RichTextRun{{Text: wording.Short(strings.Join(lines, "\n\n"), 4000)}},
	}))
}

// Number formats.
const (
	formatGeneral  = ""
	formatText     = "@"
	formatInteger  = "0"
	formatDate     = "yyyy-mm-dd"
	formatDateTime = "yyyy-mm-dd hh:mm:ss"
	formatClock    = "hh:mm:ss"
)

// fillOwn is the colour of docketsync's own columns.
const fillOwn = "F1EEE8"
