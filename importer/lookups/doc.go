// Package lookups makes the tables in which a mapping looks up names: from files (CSV or workbook), from lists of the service,
// from the mapping itself, and from the ids that the ledger knows of earlier runs.
//
// Tables are whole before the first row is read, except that of the ledger, which is asked. Every faulty line of every file is
// reported at once. A name that stands in a file without an id is awaited: rows that need it are rejected with the line to fill
// in. A file is refused where a source would be, since its rows are sent as ids: one that could only be read by a guess,
// and a workbook of several sheets with its columns of which none is named. Hidden rows are taken: a name that is not shown stands for its id, too. It has none of the settings of a source, so the advice is about the file.
package lookups
