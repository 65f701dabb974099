// Package header finds the header of a table: the row, or the few rows, that name its columns.
//
// The settings decide (Options); then the columns that a mapping needs; then looks: the first row, below titles with
// few cells, that is as wide as the table and holds only names. A header may take several lines (merged cells, groups
// above names, notes in brackets below them). A row of data taken for one of these lines would be a record that is
// never sent. So the evidence must be strong, and if only looks decide, the layout is Doubtful, a guess. A table whose
// first row holds a value has no header; its columns are named by letter.
//
// The package reads a table from the top and keeps only its first rows.
package header
