// Package date reads dates as people and programs write them, and writes them as the service wants them.
//
// A Pattern is a date format in the notation of mapping files, such as DD/MM/YYYY; match.go reads a text by one. A
// Reader has the patterns of a field, its pivot and its zone; it returns a Moment or the problem. A Column collects
// what all cells of a column together show about the order of day and month, so that a mapping can leave the format to
// the file (dates: proven). Columns holds the Column of each field of a job, by the field's path.
//
// Two promises: a date is never guessed, and a day never moves. A text that two patterns read as different days is a
// problem, even if one of them is more likely. A time that would put a date on another day in UTC is left out, with a
// note. A Column keeps a limited number of cells as evidence, however long the file is.
//
// The package imports reason and table. It knows nothing of fields or mapping files: whoever infers the patterns of a
// field reports what is missing, at the field's place in the file.
package date
