// Package guard compares an export with the last one of its job and says whether somebody has to look at it before anything is
// sent: half of the rows are gone, a column went blank, all dates moved by a day.
//
// What an export is like as a whole is its profile (ledger.Export): ColumnProfile counts what the columns hold while the rows go
// by, RecordProfile how the records differ from what the service is known to hold. Limits.Fire compares the profile with that
// of the last finished run, or before there is one of the newest that was begun (Limits.Unfinished), and is pure: the same two exports fire
// the same guards with the same numbers, which is what lets a person accept exactly what they have seen. Whether a run that fired guards may go on is the importer's to decide.
package guard
