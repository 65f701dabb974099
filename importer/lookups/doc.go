// Package lookups makes the tables in which a mapping looks up names: from files (CSV or workbook), from lists of the service,
// from the mapping itself, and from the ids that the ledger knows of earlier runs.
//
// Tables are whole before the first row is read, except that of the ledger, which is asked. Every faulty line of every file is
// reported at once. A name that stands in a file without an id is awaited: rows that need it are rejected with the line to fill
// in. A workbook of several sheets with its columns, of which none is named, is refused: the same name may have another id there. An encoding may be guessed,
// as a name that is read otherwise is not found, and a name that is not shown stands for its id, too. A lookup has none of the settings of a source, so the
// advice is about the file.
package lookups
