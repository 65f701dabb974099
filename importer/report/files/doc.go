// Package files writes the files of a report into their folder, and removes them when they are old.
//
//	report.html   for the person who comes in in the morning (package page)
//	report.json   for programs: the account, and the records that the page lists
//	report.csv    a line for every row of the source that stands in a record; report.csv.gz when there are many
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
// summary has the members run (as the ledger keeps it, with its id and its short name), verdict, adds_up, discrepancies, partial, rows {read, in_records,
// skipped: [{reason, rows}]}, records {total, by_outcome: [{outcome, records, rows}]}, causes and notes [{outcome, by, code,
// field, column, value, message, hint, rows, records, example: {file, sheet, row, cell, value, key}}], records_listed (how
// many stand in records, where that is fewer than all), full_list (the command that prints all, then), problems_unlisted (how many of the
// others have something to be said of them), unchanged_unlisted (how many of them are unchanged with nothing more to say), requests {total, repeated, first, last,
// median_ms, slowest_ms, by_status, step_ms, series}, corrected {records, rows, again, list: [{seq, key, run, since, was,
// cells: [{column, cell, before, now}], note}]}, of which the list has the first 1,000, and last_runs [{id, started, stop_code,
// records: by outcome}]. A record has seq, key, outcome (created, updated, unchanged, rejected, failed, in_doubt, held;
// planned and sending where a run has not ended), action, by (who
// rejected it), rows [{source, row, cells}] where source is an index into run.sources, payload, body, previous, service_id,
// status, message, reasons, notes, repeatable, attempts [{number, started, duration_ms, status, verdict, error, answer}] and
// settled. A reason that names a row has its source_number, counted from 1, where the rows of its record are of several sources.
// Empty members are left out; times are RFC 3339 in UTC. Cells are null, a text, or an object that says the kind:
// {"n": number}, {"d": date}, {"t": time of day}, {"b": boolean}, {"e": error}.
//
// What is listed is bounded, see package report; records_too_large, which is seldom there, is how many records were to be listed and would
// have made the report too large. 'docketsync report RUN --json --all' prints every record of a run, each as one of these
// objects on a line of its own.
//
// # A process that is killed
//
// Files of a report get their names when all of them are whole. From the beginning of a run until then, a hidden file beside the
// folders of reports says that its report is owed (Owed); the next start writes what a killed process owed, and removes what it
// had begun, with the rows of a workbook that did not fit in memory and wait beside it (excelize-*).
package files
