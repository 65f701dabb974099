// Package column watches the values of a column for what no single cell shows: that numbers have lost their last digits
// (Decimals), that a spreadsheet program has exchanged day and month (TurnedDates), that the first column counts the
// rows (RowNumbers), and what a complete last cell looks like (Ending).
//
// Each watcher receives the rows one by one while they are read, keeps a limited number of counts and examples, and
// reports its doubts afterwards as warnings. None of them changes a cell.
package column
