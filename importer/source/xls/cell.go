package xls

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/mapping/table"
)

// The first of the eight bytes of a formula's result, if the last two say that it is not a number.
const (
	resultText    = 0
	resultError   = 2
	resultNothing = 3
)

// biffErrors are the errors of cells.
var biffErrors = map[byte]string{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0f: "#VALUE!", 0x17: "#REF!", 0x1d: "#NAME?", 0x24: "#NUM!", 0x2a: "#N/A"}

// cell reads the cells of the current record.
func (r *sheetReader) cell() error {
	rec := r.records
	column, style := rec.word(2), rec.word(4)
	if column >= maxColumns || len(rec.data) < 6 {
		return errBIFF
	}
	switch rec.id {
	case biffManyNumbers:
		return r.numbers(column)
	case biffFormula:
		return r.formula(column, style)
	case biffShared:
		text, err := r.book.strings.At(int(rec.long(6)))
		if errors.Is(err, sheet.ErrNoText) {
			err = &format.Error{What: fmt.Sprintf("a cell refers to the shared string %d, which the workbook does not have", rec.long(6)), Column: column + 1, Hint: format.HintRepair, Err: err}
		}
		if err != nil {
			return err
		}
		return r.Put(column, 1, sheet.Text(text))
	case biffText, biffRichText:
		return r.text(column, 6)
	case biffSmallNumber:
		return r.putNumber(column, style, smallNumber(rec.long(6)), len(rec.data) < 10)
	case biffNumber:
		return r.putNumber(column, style, rec.double(6), len(rec.data) < 14)
	case biffBoolean:
		if len(rec.data) < 8 {
			return errBIFF
		}
		return r.Put(column, 1, truthOrError(rec.data[6], rec.data[7] != 0))
	}
	return nil
}

// text reads the text that begins at that byte of the record.
func (r *sheetReader) text(column, at int) error {
	r.records.next = at
	text, err := r.records.text(2)
	if err != nil {
		return err
	}
	return r.Put(column, 1, sheet.Text(text))
}

// numbers reads a record of several numbers: a style and a number for each, then the last column.
func (r *sheetReader) numbers(column int) error {
	rec := r.records
	for at := 4; at+8 <= len(rec.data); at += 6 {
		if err := r.putNumber(column, rec.word(at), smallNumber(rec.long(at+2)), column >= maxColumns); err != nil {
			return err
		}
		column++
	}
	return nil
}

// smallNumber reads a number of 30 bits: a whole number or the upper part of a double, optionally divided by a hundred.
func smallNumber(bits uint32) float64 {
	n := math.Float64frombits(uint64(bits&^3) << 32)
	if bits&2 != 0 {
		n = float64(int32(bits) >> 2)
	}
	if bits&1 != 0 {
		n /= 100
	}
	return n
}

func (r *sheetReader) putNumber(column, style int, n float64, short bool) error {
	if short || math.IsNaN(n) || math.IsInf(n, 0) {
		return errBIFF
	}
	return r.PutNumber(column, strconv.AppendFloat(nil, n, 'g', -1, 64), style)
}

func truthOrError(value byte, isError bool) table.Cell {
	if isError {
		return table.Cell{Kind: table.Error, Text: cmp.Or(biffErrors[value], sheet.UnnamedError)}
	}
	return sheet.Bool(value != 0)
}

// formula reads the result of a formula. Libraries that do not calculate write nothing as the result of all formulas,
// or 0.
func (r *sheetReader) formula(column, style int) error {
	rec := r.records
	if len(rec.data) < 14 {
		return errBIFF
	}
	kind, isNumber := rec.data[6], rec.word(12) != 0xffff
	switch {
	case r.index.stale, !r.index.results, isNumber && rec.double(6) == 0 && !r.book.zeros:
		r.waiting = column + 1
		return r.uncalculated()
	case isNumber:
		return r.putNumber(column, style, rec.double(6), false)
	case kind == resultText:
		r.waiting = column + 1
		return nil
	case kind == resultNothing:
		return nil
	}
	return r.Put(column, 1, truthOrError(rec.data[8], kind == resultError))
}

// uncalculated adds the cell of a formula without a result.
func (r *sheetReader) uncalculated() error {
	column := r.waiting - 1
	r.waiting = 0
	return r.Put(column, 1, sheet.Uncalculated())
}
