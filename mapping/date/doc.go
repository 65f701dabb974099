// Package date reads dates as people and programs write them, and writes them as the service wants them.
//
// A Pattern is a way to write dates in the words of a mapping file, DD/MM/YYYY; match.go reads a text by one. A Reader has the patterns of
// a field, its pivot and its zone, and gives a Moment or the problem. A Column gathers what all cells of a column say together about the
// order of day and month, so that a mapping may leave it to the file (dates: proven); Columns are those of a job, by the field's path.
//
// Two promises: a date is never guessed, and a day never moves. A text that two patterns read as different days is a problem, also when
// one of them is likelier; a time that would put a date on another day in UTC is left out, with a note. A Column keeps a bounded number
// of cells as evidence, however long the file is.
//
// The package imports reason and table. It knows nothing of fields or mapping files: who infers the patterns of a field words what is
// missing at its place in the file.
package date
