// Package xlsx reads workbooks of Excel since 2007 (.xlsx, .xlsm), also encrypted ones.
//
// A workbook is a zip archive of XML parts. They are read here and not by excelize, the library for them, for two reasons.
// Its row iterator streams values without their type and style, so that a date is a number like any other, and its calls that
// tell a cell's type load the whole sheet. And it decodes each cell by reflection, which costs several times what reading the
// text does. What the reader of cells needs of the other parts (tabs, date system, number formats, shared texts) takes fewer
// lines to read than to hand to the library safely. excelize decrypts; it gets a file that has proved to be sound.
//
// So memory does not grow with a workbook: at any time there is one row, a window of the unpacked XML (64 KiB, at most 4 MiB
// for an absurd cell), up to 48 MiB of shared strings, the rest of them in a temporary file, and the number format of each
// style. Everything beyond the stated limits is refused before it is unpacked. An encrypted workbook is the exception: it is
// decrypted in memory, up to 64 MiB of it.
//
// A part is read to its end even when the rows are over, because only then is its checksum known to be right.
package xlsx
