// Package csvfile writes CSV that any spreadsheet opens by a double click and that none of them runs, and reads it back.
//
// Files are RFC 4180 in UTF-8 with a byte order mark. A spreadsheet takes a cell for a formula by its first character, and splits
// lines where its country's separator is, whatever the file was written with: x;=1+1 is one cell where commas separate, and a formula
// where semicolons do. So an apostrophe is put wherever a cell may begin: at the beginning of a text, and after each separator and
// line break in it. What has apostrophes there already gets one more, so that removing one again (Plain) gives back exactly what
// was written. Read gives line breaks within a cell as line feeds.
//
// It imports nothing of ours.
package csvfile
