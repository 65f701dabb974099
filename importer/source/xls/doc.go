// Package xls reads workbooks of Excel 97 to 2003 (.xls): a stream of records (BIFF8, [MS-XLS]), mostly in a compound file.
//
// Only what says what a cell holds is read: sheets, shared texts, number formats, cells, merged ranges; the cells then go the
// way of those of an .xlsx. Formulas are not calculated, nothing is fetched, no other program is started. That is why it is
// done here: a converter such as LibreOffice follows the links in a workbook, and to hold it (no network, an empty
// environment, limits, one process group) takes about as many lines as reading does, different ones on every system, and a
// program of a million lines that has to be trusted and installed.
//
// Memory holds the shared texts as of an .xlsx, the formats, and where the cells of each row begin. Files of Excel 95 and
// before have another form; they are refused.
package xls
