package xls

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// biff is one record.
func biff(id uint16, content ...any) string {
	data := packed(content...)
	return packed(id, uint16(len(data))) + data
}

// packed writes numbers with the lowest byte first, and texts as they are.
func packed(values ...any) string {
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
	excelBuild = uint16(0x15f2)
	xlsGlobals = xlsBegin(5, excelBuild)
	xlsEnd     = biff(biffEOF)
)

// xlsBegin begins the records of a sheet or of the workbook.
func xlsBegin(kind, build uint16) string {
	return biff(biffBOF, uint16(biffVersion), kind, build, uint16(1996), uint32(0), uint32(6))
}

// latin is a text of one byte a character.
func latin(text string) string { return packed(uint16(len(text)), uint8(0), text) }

// wideText is a text of two bytes a character.
func wideText(text string) string {
	return packed(uint16(len(utf16.Encode([]rune(text)))), uint8(1), wide(text))
}

// wide is the characters of a text, of two bytes each.
func wide(text string) string { return packed(utf16.Encode([]rune(text))) }

// cellAt is where a cell is; its style is the given one.
func cellAt(row, column, style uint16) string { return packed(row, column, style) }

// formulaAt is a formula with the result of these eight bytes.
func formulaAt(row, column uint16, result string) string {
	return biff(biffFormula, cellAt(row, column, 0), result, uint16(0), uint32(0), uint16(0))
}

// resultOf is the result of a formula that is no number.
func resultOf(kind, value byte) string {
	return packed(kind, uint8(0), value, "\x00\x00\x00", uint16(0xffff))
}

// xlsStream is a workbook stream without a container: what is said of the workbook, and the records of its sheets, which
// are named A, B and so on.
func xlsStream(globals string, sheets ...string) []byte {
	return xlsStreamOf(xlsGlobals+globals, sheets...)
}

// xlsStreamOf is such a stream that begins in another way.
func xlsStreamOf(beginning string, sheets ...string) []byte {
	const bound = biffHeader + 9
	at := len(beginning) + len(sheets)*bound + len(xlsEnd)
	stream, bodies := beginning, ""
	for i, records := range sheets {
		stream += biff(biffSheet, uint32(at+len(bodies)), uint8(0), uint8(0), uint8(1), uint8(0), string(rune('A'+i)))
		bodies += xlsBegin(0x10, excelBuild) + records + xlsEnd
	}
	return []byte(stream + xlsEnd + bodies)
}

// xlsCells is a sheet with a text and a number in two rows.
var xlsCells = biff(biffText, cellAt(0, 0, 0), latin("Ref")) + biff(biffText, cellAt(0, 1, 0), latin("Name")) +
	biff(biffNumber, cellAt(1, 0, 0), math.Float64bits(1)) + biff(biffText, cellAt(1, 1, 0), latin("N 1"))

// sharedText is a table of these texts, in the records it takes.
func sharedText(parts ...string) string {
	table := biff(biffStrings, uint32(1), uint32(1), parts[0])
	for _, part := range parts[1:] {
		table += biff(biffContinue, part)
	}
	return table
}

// sharedAt is a cell that shows the shared text of that number.
func sharedAt(row, column uint16, index uint32) string {
	return biff(biffShared, cellAt(row, column, 0), index)
}
