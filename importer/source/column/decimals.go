package column

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// Identifiers such as 3.0030 (client and matter) lose their last zeros when a cell stores them as numbers, and nothing
// in the cell tells, nor in the text file that was exported from it; nor that 1234567890123450 ended in other digits. The column does: most of its numbers have four decimals, some have fewer.
const (
	fewestDecimals  = 3  // amounts have two, and nobody misses a zero there
	mostDecimals    = 6  // measurements have more
	fewestSuspected = 10 // numbers in a column before it is judged
	usualShare      = 75 // per cent of a column's numbers that must have its usual decimals
	longestNumber   = 30 // characters of a number in a text file
)

// ZerosLost is the code of a warning of a column whose numbers have probably lost zeros.
const ZerosLost = "zeros_lost"

// decimalCounts counts the numbers of a column by their decimals, and remembers the first rows of each.
type decimalCounts [mostDecimals + 1]format.Warning

// Decimals watches the numbers of all columns of a table for zeros that were lost at their ends, or took the place of other digits.
type Decimals struct {
	columns map[int]*decimalCounts
	beyond  map[int]bool // columns with more decimals than identifiers have
	long    map[int]*longNumbers
	point0  map[int]int // numbers of a column of a text file that end in .0
}

// A spreadsheet keeps keptDigits of a number and shows zeros for the rest. A longer number may well end so, but not several in a column
// without any that ends otherwise.
const (
	keptDigits = 15
	fewestCut  = 3
)

// longNumbers are the numbers of a column of a text file that are longer than a spreadsheet keeps.
type longNumbers struct {
	format.Warning        // while all may have been cut
	first          string // of them
	differ, whole  bool   // there are others; there is one that was not cut
}

func (n *longNumbers) add(row int, text string) {
	if n.Count == 0 {
		n.first = strings.Clone(text)
	}
	n.AddRow(row)
	n.differ = n.differ || text != n.first
	n.whole = n.whole || strings.Trim(text[keptDigits:], "0") != ""
}

// AddNumber counts a number of a workbook, as its text shows it.
func (d *Decimals) AddNumber(row, column int, text string) {
	if d.beyond[column] {
		return
	}
	decimals := 0
	if point := strings.IndexByte(text, '.'); point >= 0 {
		decimals = len(text) - point - 1
	}
	d.count(row, column, decimals)
}

// AddText counts a cell of a text file if it is a number.
func (d *Decimals) AddText(row, column int, text string) {
	if text == "" || !format.IsDigit(text[0]) {
		return // as most are
	}
	if len(text) > keptDigits && text[0] != '0' && format.AllDigits(text) {
		if d.long == nil {
			d.long = map[int]*longNumbers{}
		}
		if d.long[column] == nil {
			d.long[column] = &longNumbers{}
		}
		d.long[column].add(row, text)
	}
	whole, fraction, point := strings.Cut(text, ".")
	if len(text) <= longestNumber && format.AllDigits(whole) && format.AllDigits(fraction) && (fraction != "" || !point) && !d.beyond[column] {
		if d.count(row, column, len(fraction)); fraction == "0" {
			if d.point0 == nil {
				d.point0 = map[int]int{}
			}
			d.point0[column]++
		}
	}
}

func (d *Decimals) count(row, column, decimals int) {
	if d.columns == nil {
		d.columns, d.beyond = map[int]*decimalCounts{}, map[int]bool{}
	}
	if decimals > mostDecimals {
		d.beyond[column] = true
		delete(d.columns, column)
		return
	}
	counts := d.columns[column]
	if counts == nil {
		counts = &decimalCounts{}
		d.columns[column] = counts
	}
	counts[decimals].AddRow(row)
}

const hintZeros = "If these are identifiers, export the column as text: a mapping that finds things by them is refused unless its field has rounded: keep."

// Warnings tells, column by column, which numbers have fewer decimals than the column has as a rule, or seem to end in zeros for other digits.
func (d *Decimals) Warnings(sheet string, columns int) []format.Warning {
	var all []format.Warning
	for column := range columns {
		if n := d.long[column]; n != nil && n.Count >= fewestCut && n.differ && !n.whole {
			w := n.Warning
			w.Code, w.Sheet, w.Column = ZerosLost, sheet, column
			w.Message = fmt.Sprintf("column %s: all numbers of more than %d digits have zeros behind these: a spreadsheet may have put them in place of other digits",
				table.ColumnLetter(column), keptDigits)
			w.Hint = hintZeros
			all = append(all, w)
		}
		counts := d.columns[column]
		if counts == nil {
			continue
		}
		usual, fewer := counts.judge()
		if w := counts[1]; usual == 1 && counts[0].Count == 0 && w.Count == d.point0[column] && w.Count >= fewestCut {
			w.Code, w.Sheet, w.Column, w.Hint = ZerosLost, sheet, column, hintZeros
			w.Message = fmt.Sprintf("column %s: all numbers end in .0, as programs write references that they took for amounts", table.ColumnLetter(column))
			all = append(all, w)
		}
		if fewer.Count > 0 {
			fewer.Code, fewer.Sheet, fewer.Column = ZerosLost, sheet, column
			if counts[0].Count == fewer.Count {
				fewer.Column = -1 // of lost zeros most would leave some decimals; whole numbers alone may be meant
			}
			fewer.Message = fmt.Sprintf("column %s: most numbers have %d decimals, and these have fewer: zeros at their ends may have been lost", table.ColumnLetter(column), usual)
			fewer.Hint = hintZeros
			all = append(all, fewer)
		}
	}
	return all
}

// judge returns the usual number of decimals and the numbers that have fewer, none when nothing is suspicious.
func (c *decimalCounts) judge() (usual int, fewer format.Warning) {
	total := 0
	for decimals := range c {
		total += c[decimals].Count
		if c[decimals].Count > 0 {
			usual = decimals
		}
	}
	if usual < fewestDecimals || total < fewestSuspected || c[usual].Count*100 < total*usualShare {
		return usual, format.Warning{}
	}
	for decimals := usual - 1; decimals >= 0; decimals-- {
		fewer.Count += c[decimals].Count
		fewer.Rows = append(fewer.Rows, c[decimals].Rows...)
	}
	slices.Sort(fewer.Rows)
	fewer.Rows = fewer.Rows[:min(len(fewer.Rows), format.WarningRows)]
	return usual, fewer
}
