package column

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// Identifiers such as 3.0030 (client and matter) lose their trailing zeros if a cell stores them as numbers. Nothing in
// the cell shows that, nor in a text file exported from it; nor does anything show that 1234567890123450 ended in other
// digits. But the column shows it: most of its numbers have four decimals, some have fewer.
const (
	fewestDecimals  = 3  // amounts have two, and nobody misses a zero there
	mostDecimals    = 6  // measurements have more
	fewestSuspected = 10 // numbers in a column before it is judged
	usualShare      = 75 // per cent of a column's numbers that must have its usual decimals
	longestNumber   = 30 // characters of a number in a text file
)

// ZerosLost is the code of the warning about a column whose numbers have probably lost zeros.
const ZerosLost = "zeros_lost"

// Decimals watches the numbers of all columns of a table for trailing zeros that were lost, or that replaced other
// digits.
type Decimals struct{ columns map[int]*numbers }

// numbers are those of one column.
type numbers struct {
	counts [mostDecimals + 1]format.Warning // by number of decimals, with the first rows of each
	beyond bool                             // some have more decimals than identifiers have
	long   longNumbers                      // in a text file
	point0 int                              // in a text file: how many end in .0
}

// A spreadsheet keeps keptDigits of a number and shows zeros for the rest. One longer number may well end in zeros, but
// hardly several in a column without any that ends otherwise.
const (
	keptDigits = 15
	fewestCut  = 3
)

// longNumbers are the numbers of a column of a text file that are longer than a spreadsheet keeps.
type longNumbers struct {
	format.Warning        // as long as all may have been cut
	first          string // the first of them
	differ, whole  bool   // differ: they are not all equal; whole: one was not cut
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
	_, fraction, _ := strings.Cut(text, ".")
	d.column(column).count(row, len(fraction))
}

// AddText counts a cell of a text file if it is a number.
func (d *Decimals) AddText(row, column int, text string) {
	if text == "" || !format.IsDigit(text[0]) {
		return // the usual case
	}
	if len(text) > keptDigits && text[0] != '0' && format.AllDigits(text) {
		d.column(column).long.add(row, text)
	}
	whole, fraction, point := strings.Cut(text, ".")
	if len(text) <= longestNumber && format.AllDigits(whole) && format.AllDigits(fraction) && (fraction != "" || !point) {
		n := d.column(column)
		if n.count(row, len(fraction)); fraction == "0" {
			n.point0++
		}
	}
}

func (d *Decimals) column(n int) *numbers {
	if d.columns == nil {
		d.columns = map[int]*numbers{}
	}
	if d.columns[n] == nil {
		d.columns[n] = &numbers{}
	}
	return d.columns[n]
}

func (n *numbers) count(row, decimals int) {
	if n.beyond = n.beyond || decimals > mostDecimals; !n.beyond {
		n.counts[decimals].AddRow(row)
	}
}

const hintZeros = "If these are identifiers, export the column as text: a mapping that finds things by them is refused unless its field has rounded: keep."

// Warnings reports, column by column, the numbers that have fewer decimals than usual in the column, or that seem to
// have zeros in place of other digits.
func (d *Decimals) Warnings(sheet string) (all []format.Warning) {
	for _, column := range slices.Sorted(maps.Keys(d.columns)) {
		n := d.columns[column]
		tell := func(w format.Warning, at int, message string) {
			w.Code, w.Sheet, w.Column, w.Hint = ZerosLost, sheet, at, hintZeros
			w.Message = "column " + table.ColumnLetter(column) + ": " + message
			all = append(all, w)
		}
		if n.long.Count >= fewestCut && n.long.differ && !n.long.whole {
			tell(n.long.Warning, column, fmt.Sprintf("all numbers of more than %d digits have zeros behind these: a spreadsheet may have put them in place of other digits", keptDigits))
		}
		if n.beyond {
			continue
		}
		usual, fewer := n.judge()
		if w := n.counts[1]; usual == 1 && n.counts[0].Count == 0 && w.Count == n.point0 && w.Count >= fewestCut {
			tell(w, column, "all numbers end in .0, as programs write references that they took for amounts")
		}
		if fewer.Count > 0 {
			at := column
			if n.counts[0].Count == fewer.Count {
				at = -1 // if zeros were lost, most numbers would keep some decimals; these may just be whole numbers
			}
			tell(fewer, at, fmt.Sprintf("most numbers have %d decimals, and these have fewer: zeros at their ends may have been lost", usual))
		}
	}
	return all
}

// judge returns the usual number of decimals and the numbers that have fewer. fewer is empty if nothing is suspicious.
func (n *numbers) judge() (usual int, fewer format.Warning) {
	total := 0
	for decimals := range n.counts {
		total += n.counts[decimals].Count
		if n.counts[decimals].Count > 0 {
			usual = decimals
		}
	}
	if usual < fewestDecimals || total < fewestSuspected || n.counts[usual].Count*100 < total*usualShare {
		return usual, format.Warning{}
	}
	for decimals := usual - 1; decimals >= 0; decimals-- {
		fewer.Count += n.counts[decimals].Count
		fewer.Rows = append(fewer.Rows, n.counts[decimals].Rows...)
	}
	slices.Sort(fewer.Rows)
	fewer.Rows = fewer.Rows[:min(len(fewer.Rows), format.WarningRows)]
	return usual, fewer
}
