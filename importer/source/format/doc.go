// Package format is the contract between Open, which a caller knows, and the readers of the file formats, which it does
// not: text, xlsx, xls and ods.
//
// A reader gives tables (Table): the physical rows of one sheet or one text file, from the top. It knows where every row
// stands and nothing of headers, of what a row means, or of the other formats. Finding the header, skipping and counting
// happen above it, the same way for all of them. A table starts from the top each time it is asked for rows, so that the
// header can be looked for first without holding a buffer, and so that a source may be read more than once.
//
// What goes wrong is said in two ways: an Error, which ends the reading and names the place and what to do, and a Warning, a
// doubt that does not. Limits are what a file may make a reader hold; beyond them it is refused, never truncated.
//
// The package imports nothing of docketsync but the row and the cell.
package format
