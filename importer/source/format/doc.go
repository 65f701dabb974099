// Package format is the contract between Open, which callers know, and the readers of the file formats, which they do
// not: text, xlsx, xls and ods.
//
// A reader provides tables (Table): the physical rows of one sheet or one text file, from the top. It knows the
// position of every row, but nothing of headers, of what a row means, or of the other formats. Finding the header,
// skipping and counting happen above it, in the same way for all formats. A table starts from the top each time it is
// asked for rows, so that the header can be found first without a buffer, and a source can be read more than once.
//
// Problems are reported in two ways: an Error ends the reading and says where and what to do; a Warning is a doubt that
// does not. Limits are how much a file may make a reader hold. A file beyond them is refused, never truncated.
//
// The package imports nothing of docketsync except the row and the cell.
package format
