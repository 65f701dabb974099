// Package text reads delimited text files (.csv, .tsv, .txt) as tables.
//
// Open finds the encoding (package charset) and then the dialect: it reads the beginning of the text in every way that the
// options leave open, and takes the one in which it is most regular. A way that fits nearly as well makes that a guess; a file that
// only a setting nobody made would explain (single quotes, blanks between cells) is refused with the name of that setting.
// Rows then reads record after record (package record), every cell as text, and counts what was odd on the way.
//
// It promises that what it cannot read for certain is an error that names the row, and that no cell loses a blank, a zero or
// a line break.
package text
