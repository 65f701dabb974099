// Package text reads delimited text files (.csv, .tsv, .txt) as tables.
//
// Open determines the encoding (package charset) and then the dialect: it reads the beginning of the text in every way
// that the options leave open, and takes the one in which the text is most regular. If another way fits nearly as well,
// that is a guess. A file that only an unset option would explain (single quotes, spaces between cells) is refused with
// the name of that option. Rows then reads record after record (package record), every cell as text, and counts what
// was odd.
//
// Two promises: whatever cannot be read with certainty is an error that names the row, and no cell loses a space, a
// zero or a line break.
package text
