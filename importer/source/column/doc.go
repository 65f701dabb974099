// Package column watches the values of a column for what no single cell tells: that numbers have lost the digits at their
// ends (Decimals), that a spreadsheet program has taken days for months (TurnedDates), that the first column counts the rows
// (RowNumbers), and what a last cell looks like that was not cut off (Ending).
//
// Each watcher is told of the rows one by one while they are read, holds a bounded number of counts and examples, and gives
// its doubts afterwards as warnings. None of them changes a cell.
package column
