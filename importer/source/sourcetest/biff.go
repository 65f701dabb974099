package sourcetest

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// The records of .xls workbooks that the builders write.
const (
	biffFormula  = 0x0006
	biffEOF      = 0x000a
	biffContinue = 0x003c
	biffSheet    = 0x0085
	biffStrings  = 0x00fc
	biffShared   = 0x00fd
	biffNumber   = 0x0203
	biffText     = 0x0204
	biffBOF      = 0x0809
	biffHeader   = 4 // bytes before a record's content
	biffVersion  = 0x0600
)

// BIFF is one record.
func BIFF(id uint16, content ...any) string {
	data := Packed(content...)
	return Packed(id, uint16(len(data))) + data
}

// Packed writes numbers with the lowest byte first, and texts as they are.
func Packed(values ...any) string {
	var b bytes.Buffer
	for _, value := range values {
		if text, ok := value.(string); ok {
			value = []byte(text)
		}
		if err := binary.Write(&b, binary.LittleEndian, value); err != nil {
			panic(err)
		}
	}
	return b.String()
}

// The beginnings and ends of what a workbook stream is made of.
var (
	ExcelBuild = uint16(0x15f2)
	XLSGlobals = XLSBegin(5, ExcelBuild)
	XLSEnd     = BIFF(biffEOF)
)

// XLSBegin begins the records of a sheet or of the workbook.
func XLSBegin(kind, build uint16) string {
	return BIFF(biffBOF, uint16(biffVersion), kind, build, uint16(1996), uint32(0), uint32(6))
}

// Latin is a text of one byte a character.
func Latin(text string) string { return Packed(uint16(len(text)), uint8(0), text) }

// WideText is a text of two bytes a character.
func WideText(text string) string {
	return Packed(uint16(len(utf16.Encode([]rune(text)))), uint8(1), Wide(text))
}

// Wide is the characters of a text, of two bytes each.
func Wide(text string) string { return Packed(utf16.Encode([]rune(text))) }

// CellAt is where a cell is; its style is the given one.
func CellAt(row, column, style uint16) string { return Packed(row, column, style) }

// FormulaAt is a formula with the result of these eight bytes.
func FormulaAt(row, column uint16, result string) string {
	return BIFF(biffFormula, CellAt(row, column, 0), result, uint16(0), uint32(0), uint16(0))
}

// ResultOf is the result of a formula that is no number.
func ResultOf(kind, value byte) string {
	return Packed(kind, uint8(0), value, "\x00\x00\x00", uint16(0xffff))
}

// XLSStream is a workbook stream without a container: what is said of the workbook, and the records of its sheets, which
// are named A, B and so on.
func XLSStream(globals string, sheets ...string) []byte {
	return XLSStreamOf(XLSGlobals+globals, sheets...)
}

// XLSStreamOf is such a stream that begins in another way.
func XLSStreamOf(beginning string, sheets ...string) []byte {
	const bound = biffHeader + 9
	at := len(beginning) + len(sheets)*bound + len(XLSEnd)
	stream, bodies := beginning, ""
	for i, records := range sheets {
		stream += BIFF(biffSheet, uint32(at+len(bodies)), uint8(0), uint8(0), uint8(1), uint8(0), string(rune('A'+i)))
		bodies += XLSBegin(0x10, ExcelBuild) + records + XLSEnd
	}
	return []byte(stream + XLSEnd + bodies)
}

// XLSCells is a sheet with a text and a number in two rows.
var XLSCells = BIFF(biffText, CellAt(0, 0, 0), Latin("Ref")) + BIFF(biffText, CellAt(0, 1, 0), Latin("Name")) +
	BIFF(biffNumber, CellAt(1, 0, 0), math.Float64bits(1)) + BIFF(biffText, CellAt(1, 1, 0), Latin("N 1"))

// SharedText is a table of these texts, in the records it takes.
func SharedText(parts ...string) string {
	table := BIFF(biffStrings, uint32(1), uint32(1), parts[0])
	for _, part := range parts[1:] {
		table += BIFF(biffContinue, part)
	}
	return table
}

// SharedAt is a cell that shows the shared text of that number.
func SharedAt(row, column uint16, index uint32) string {
	return BIFF(biffShared, CellAt(row, column, 0), index)
}
