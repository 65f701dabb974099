// Package xls reads workbooks of Excel 97 to 2003 (.xls): a stream of records (BIFF8, [MS-XLS]), mostly in a compound
// file.
//
// It reads only what says what a cell holds: sheets, shared texts, number formats, cells and merged ranges. The cells
// are then treated like those of an .xlsx. Formulas are not calculated, nothing is fetched, and no other program is
// started. That is why the reader exists: a converter such as LibreOffice follows the links in a workbook. Containing
// it (no network, an empty environment, limits, one process group) takes about as many lines as reading does, different
// ones on every system, and a program of a million lines that must be trusted and installed.
//
// In memory are the shared texts, as for an .xlsx, the formats, and where the cells of each row begin. Files of Excel
// 95 and earlier have another form and are refused.
package xls
