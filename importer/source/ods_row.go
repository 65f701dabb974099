package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/mapping/table"
)

// odsReader reads one sheet once.
type odsReader struct {
	sheet     *odsSheet
	xml       *xmlScanner
	number    int
	described int // columns whose elements were read
	cells     []table.Cell
	text      []byte
	bytes     int // text held by the current row
	merges    mergeFill
	held      heldRows
	stored    int // cell elements with content in the current row
	spread    spread
}

// toSheet goes to the sheet's table element.
func (r *odsReader) toSheet() error {
	for seen := 0; ; {
		token, err := r.xml.next()
		if err != nil {
			return err
		}
		if token == xmlEOF {
			return errPartMissing
		}
		if token != xmlStart || string(r.xml.name) != "table" {
			continue
		}
		if seen == r.sheet.index {
			return nil
		}
		seen++
		if err := r.xml.skip(); err != nil {
			return err
		}
	}
}

// read yields the rows of the table, also those in groups and header rows, and then reads to the end of the part, which
// proves its checksum.
func (r *odsReader) read(ctx context.Context, yield func(table.Row, error) bool) error {
	for depth := len(r.xml.openLength); ; {
		token, err := r.xml.next()
		if err != nil {
			return err
		}
		switch {
		case token == xmlEnd && len(r.xml.openLength) < depth:
			return r.toEnd()
		case token != xmlStart:
			continue
		}
		switch string(r.xml.name) {
		case "table-row":
			err = r.row(ctx, yield)
		case "table-column":
			err = r.column()
		case "table-row-group", "table-header-rows", "table-rows", "table-column-group", "table-header-columns", "table-columns":
		default:
			err = r.xml.skip()
		}
		if err != nil {
			return err
		}
	}
}

// column takes note of columns that are not shown. Their elements stand before the rows.
func (r *odsReader) column() error {
	repeat, err := r.repeats("number-columns-repeated")
	if err != nil {
		return err
	}
	visibility, err := r.xml.attribute("visibility")
	if visibility == "collapse" || visibility == "filter" {
		r.sheet.notes.hide(columnRange{r.described + 1, r.described + repeat})
	}
	r.described += repeat
	return err
}

func (r *odsReader) toEnd() error {
	for {
		if token, err := r.xml.next(); err != nil || token == xmlEOF {
			return err
		}
	}
}

// row reads one row element, which stands for several equal rows when it says so.
func (r *odsReader) row(ctx context.Context, yield func(table.Row, error) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	repeat, err := r.repeats("number-rows-repeated")
	if err != nil {
		return err
	}
	visibility, err := r.xml.attribute("visibility")
	if err != nil {
		return err
	}
	if err := r.readCells(); err != nil {
		return placed(err, r.number+1)
	}
	return r.emitAll(repeat, visibility == "collapse" || visibility == "filter", yield)
}

// emitAll yields the cells at hand as that many rows. Blank ones take no time, however many they are.
func (r *odsReader) emitAll(repeat int, hidden bool, yield func(table.Row, error) bool) error {
	filled := len(trimEmpty(r.cells)) > 0
	switch {
	case filled && repeat > maxRepeatedRows:
		return &Error{What: fmt.Sprintf("one row with content is repeated %d times", repeat), Row: r.number + 1, Hint: hintHostile}
	case r.number+repeat > maxSheetRows && (filled || repeat > maxSheetRows):
		return tooManyRows(r.number + repeat)
	case !filled && len(r.merges.active) == 0:
		r.held.runs = append(r.held.runs, rowRun{r.number + 1, r.number + repeat, hidden})
		r.number += repeat
		return nil
	}
	if err := r.spread.add(repeat*len(r.cells), r.stored, repeat*r.bytes); err != nil {
		return placed(err, r.number+1)
	}
	for range repeat {
		r.number++
		if err := r.emit(hidden, yield); err != nil {
			return placed(err, r.number)
		}
	}
	return nil
}

// emit yields the cells at hand as the row of the current number.
func (r *odsReader) emit(hidden bool, yield func(table.Row, error) bool) error {
	cells := r.cells
	if r.merges.mode != "" {
		cells = slices.Clone(cells)
		r.merges.apply(r.number, &cells)
		if err := r.spread.add(len(cells)+len(r.merges.active), 0, textOf(cells)); err != nil {
			return err
		}
	}
	row := table.Row{Number: r.number, Hidden: hidden, Cells: trimEmpty(cells)}
	if len(row.Cells) == 0 {
		r.held.add(row)
		return nil
	}
	if !r.held.release(yield) || !yield(row, nil) {
		return errStopped
	}
	return nil
}

func tooManyRows(n int) error {
	if n >= mostCounted {
		return &Error{What: fmt.Sprintf("the sheet has a row beyond the billionth; spreadsheets end at %d", maxSheetRows), Hint: hintHostile}
	}
	return &Error{What: fmt.Sprintf("the sheet has a row %d; spreadsheets end at %d", n, maxSheetRows), Row: n, Hint: hintHostile}
}

func (r *odsReader) repeats(attribute string) (int, error) {
	text, err := r.xml.attribute(attribute)
	if err != nil || text == "" {
		return 1, err
	}
	n := digitsValue([]byte(strings.TrimSpace(text)))
	if n < 1 {
		return 0, &Error{What: fmt.Sprintf("%s is %.20q", attribute, text), Row: r.number + 1, Hint: hintRepair}
	}
	return n, nil
}
