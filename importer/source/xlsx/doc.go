// Package xlsx reads workbooks of Excel since 2007 (.xlsx, .xlsm), also encrypted ones.
//
// A workbook is a zip archive of XML parts. excelize, the library for them, decodes what the parts around the cells say: the
// workbook's properties, its tabs, its styles; and it decrypts. The cells themselves come from a reader of our own over the
// sheet's part, for two reasons. excelize's row iterator streams values without their type and style, so that a date is a
// number like any other, and its calls that tell a cell's type load the whole sheet. And it decodes each cell by reflection,
// which costs several times what reading the text does.
//
// So memory does not grow with a workbook: at any time there is one row, a window of the unpacked XML (64 KiB, at most 4 MiB
// for an absurd cell), up to 48 MiB of shared strings, the rest of them in a temporary file, and 16 MiB of properties and
// styles at most. Everything beyond the stated limits is refused before it is unpacked. An encrypted workbook is the
// exception: it is decrypted in memory, up to 64 MiB of it.
//
// A part is read to its end even when the rows are over, because only then is its checksum known to be right.
//
// It is the only reader that uses excelize, and gives it nothing that has not proved to be small and well-formed.
package xlsx
