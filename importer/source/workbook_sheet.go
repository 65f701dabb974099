package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"docketsync/mapping"
)

// The size of a sheet in every spreadsheet program.
const (
	maxSheetRows    = 1_048_576
	maxSheetColumns = 16_384
)

// sheet is one worksheet of an .xlsx or .xlsm, read from its part as a stream.
type sheet struct {
	book   *workbook
	info   sheetInfo
	why    string // how the sheet was chosen
	merged string // Options.Merged
	limits Limits

	merges        []mergedRange // read ahead of the rows when they are to be filled
	mergeCount    int
	hiddenColumns []columnRange
	uncalculated  Warning
	decimals      decimalDoubts
	turned        turnedDoubts
	columns       int // of the widest row
}

func (s *sheet) sheet() string { return s.info.name }

// close releases the workbook when it is the last of its sheets.
func (s *sheet) close() error { return s.book.close() }

func (s *sheet) describe(d *Detected) {
	d.Format, d.DateSystem = "xlsx", s.book.cover.dates.String()
	d.Sheet, d.SheetWhy, d.Sheets = s.info.name, s.why, s.book.sheetNames()
	warnHiddenColumns(d, s.info.name, s.hiddenColumns, s.columns)
	if s.mergeCount > 0 && s.merged == "" {
		d.warn(Warning{Code: "merged_cells", Sheet: s.info.name, Message: fmt.Sprintf("%d merged ranges; each has its value in its top left cell only", s.mergeCount),
			Hint: "Set merged: down, right or all to repeat the value."})
	}
	if s.uncalculated.Count > 0 {
		d.warn(s.uncalculated)
	}
	d.Warnings = append(d.Warnings, s.decimals.warnings(s.info.name, s.columns)...)
	d.Warnings = append(d.Warnings, s.turned.warnings(s.info.name)...)
	if s.info.hidden {
		d.warn(Warning{Code: "hidden_sheet", Sheet: s.info.name, Message: "this sheet is hidden in the workbook"})
	}
	d.Warnings = append(d.Warnings, s.book.warnings...)
}

// columnRange are neighbouring columns, counted from 1.
type columnRange struct {
	first, last int
}

// warnHiddenColumns names the hidden columns among those with content: "B", "D–F". Many sheets hide all that is to the
// right of their table, which is nothing to speak of.
func warnHiddenColumns(d *Detected, sheet string, hidden []columnRange, columns int) {
	var labels []string
	for _, c := range hidden {
		last := min(c.last, columns)
		if c.first > last {
			continue
		}
		label := mapping.ColumnLetter(c.first - 1)
		if last > c.first {
			label += "–" + mapping.ColumnLetter(last-1)
		}
		labels = append(labels, label)
	}
	if len(labels) > 0 {
		d.warn(Warning{Code: "hidden_columns", Sheet: sheet, Message: "hidden columns are read like any other: " + strings.Join(labels, ", ")})
	}
}

// rows yields the rows that the sheet stores, from the top. Blank rows after the last one with content are none: many
// programs store a million of them because somebody once formatted a column.
func (s *sheet) rows(ctx context.Context) iter.Seq2[mapping.Row, error] {
	return func(yield func(mapping.Row, error) bool) {
		s.decimals, s.turned, s.columns = decimalDoubts{}, nil, 0
		s.uncalculated = Warning{Code: "formula_without_value", Sheet: s.info.name, Message: notCalculatedMessage, Hint: notCalculatedHint}
		if err := s.readMerges(); err != nil {
			yield(mapping.Row{}, s.book.fault(err, s.info.part))
			return
		}
		r, err := s.open()
		if err != nil {
			yield(mapping.Row{}, s.book.fault(err, s.info.part))
			return
		}
		defer r.close()
		var blanks heldRows
		for {
			row, err := r.next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(mapping.Row{}, s.book.fault(err, s.info.part))
				return
			}
			if len(row.Cells) == 0 {
				blanks.add(row)
				continue
			}
			if !blanks.release(yield) || !yield(row, nil) {
				return
			}
		}
	}
}
