// Package header finds the header of a table: the row, or the few rows, that name its columns.
//
// What is set decides (Options); then the columns that a mapping asks for; then looks: below titles, which are rows of few
// cells, the first row that is as wide as the table and holds nothing but names. A header may take several lines (merged
// cells, groups over names, notes in brackets beneath them). As a row of data taken for one of them would be a record that is
// never sent, the signs have to be strong, and where looks alone decide, the layout is Doubtful: a guess. A table
// whose first row holds a value has no header; its columns are named by letter.
//
// It reads a table from its top and holds its first rows only.
package header
