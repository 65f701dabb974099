// Package xlsx reads workbooks of Excel since 2007 (.xlsx, .xlsm), including encrypted ones.
//
// A workbook is a zip archive of XML parts. This package reads them itself instead of using excelize, the usual
// library, for two reasons. The library's row iterator streams values without their type and style, so that a date is a
// number like any other, and its calls that return a cell's type load the whole sheet. And it decodes each cell by
// reflection, which costs several times as much as reading the text. What the cell reader needs from the other parts
// (tabs, date system, number formats, shared texts) takes fewer lines to read than to pass to the library safely.
// excelize only decrypts; it gets a file that has been proved sound.
//
// So memory does not grow with a workbook. At any time there is one row, a window of the unpacked XML (64 KiB, at most
// 4 MiB for an absurd cell), up to 48 MiB of shared strings or a temporary file, and the number format of each style.
// Everything beyond the stated limits is refused before it is unpacked. Encrypted workbooks are the exception: they are
// decrypted in memory, up to 64 MiB.
//
// A part is read to its end even when the rows are over, because only then is its checksum known to be right.
package xlsx
