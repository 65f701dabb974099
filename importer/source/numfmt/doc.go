// Package numfmt says what a stored number of a workbook is: a number, a day, a time of day, a duration, or nothing
// that is shown. A workbook stores all of them as numbers, and only the cell's number format (ECMA-376 part 1, 18.8.31)
// tells them apart.
//
// The entry point is Styles.Cell, with the number as stored and the number of its style. Digits pass through as text
// (numeral), never through a float, so that long numbers survive. Zeros that a format adds are kept, because the person
// who made the list sees and means them. Days are read by the workbook's date system (DateSystem). A day that programs
// disagree about gets a note, a day that does not exist is an error, and no day is moved. ISOCell and DurationCell read
// days and times that are stored as text.
//
// The package knows nothing of files, and imports nothing of docketsync except the cell.
package numfmt
