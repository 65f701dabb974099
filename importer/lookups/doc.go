// Package lookups makes the tables in which a mapping looks up names: from files (CSV or workbook), from lists of the
// service, from the mapping itself, and from the ids that the ledger knows of earlier runs.
//
// Tables are complete before the first row is read, except that of the ledger, which is queried. Every faulty line of
// every file is reported at once. A name that is in a file without an id is awaited: rows that need it are rejected
// with the line to fill in.
//
// If several sheets of a workbook have the columns of a lookup and none is named, the workbook is refused, because the
// same name may have another id on another sheet. An encoding may be guessed, because a name that is read wrongly is
// not found. A name in a hidden row counts too. A lookup has none of the settings of a source, so the advice in its
// errors is about the file.
package lookups
