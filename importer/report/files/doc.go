// Package files writes the files of a report into their folder, and removes them when they are old.
//
//	report.html   for the person who comes in in the morning (package page)
//	report.json   for programs: the account, and the records that the page lists
//	report.csv    a line for every row of the source that is in a record; report.csv.gz if there are many
//	rejects.xlsx  the rows to correct and import again (package rejects)
//	vanished.csv  what is no longer in the export
//	stays.csv     what stays in the service though it is no longer in the export
//	differs.csv   what the service stored with a different value than was sent
//
// # JSON
//
// The JSON form is an object on several lines:
//
//	{"form": "docketsync-report/2",
//	 "summary": {…},
//	 "records": [
//	{…},
//	{…}
//	],
//	 "records_too_large": 3}
//
// summary has the members run (as the ledger keeps it, with its id and its short name), verdict, adds_up,
// discrepancies, partial, rows {read, in_records, skipped: [{reason, rows}]}, records {total, by_outcome: [{outcome,
// records, rows}]}, causes and notes [{outcome, by, code, field, column, value, message, hint, rows, records, example:
// {file, sheet, row, cell, value, key}}], records_listed (how many are in records, if that is not all), full_list (the
// command that prints all, in that case), problems_unlisted (how many of the others have something to report),
// unchanged_unlisted (how many of them are unchanged with nothing more to report), requests {total, repeated, first,
// last, median_ms, slowest_ms, by_status, step_ms, series}, corrected {records, rows, again, list: [{seq, key, run,
// since, was, cells: [{column, cell, before, now}], note}]}, whose list has the first 1,000, and last_runs [{id,
// started, stop_code, records: by outcome}].
//
// A record has seq, key, outcome (created, updated, unchanged, rejected, failed, in_doubt, held; planned and sending if
// a run has not ended), action, by (who rejected it), rows [{source, row, cells}] where source is an index into
// run.sources, payload, body, previous, service_id, status, message, reasons, notes, repeatable, attempts [{number,
// started, duration_ms, status, verdict, error, answer}] and settled. If the rows of a record come from several
// sources, a reason that names a row has the source_number, counted from 1.
//
// Empty members are left out; times are RFC 3339 in UTC. Cells are null, a text, or an object that says the kind:
// {"n": number}, {"d": date}, {"t": time of day}, {"b": boolean}, {"e": error}.
//
// The number of records listed is limited, see package report. records_too_large, which is rare, is how many records
// would have been listed but would have made the report too large. 'docketsync report RUN --json --all' prints every
// record of a run, each as one of these objects on a line of its own.
//
// # A process that is killed
//
// The files of a report get their names once all of them are complete. From the start of the run until then, a hidden
// file beside the folders of reports says that its report is owed (Owed). The next start writes what a killed process
// owed. It also removes what that process had begun, including the rows of a workbook that did not fit in memory
// (excelize-*).
package files
