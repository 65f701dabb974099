// Package report tells what became of a run, to a person and to programs. It is a fold over the ledger: it reads a run's
// records and attempts, changes nothing, and can be done again for any run that the ledger remembers.
//
// The life of its data: Build goes through the run once and makes a Summary, whose size is bounded however long the run
// was. The forms are then written in a second pass, record by record, so that memory does not grow with the run:
//
//	report.html   for the person who comes in in the morning
//	report.json   for programs: everything that is known
//	report.csv    a line for every row of the source that stands in a record listed
//	rejects.xlsx  the rows to correct and import again
//
// Unchanged records of which there is nothing more to say are listed up to 10,000; when there are more, as on most nights of a
// large export, all forms give their number alone, and list the others.
//
// A check is about what is to be mended: its page and JSON list the first 10,000 records that would not go in and the first
// 1,000 of the others that have a note, and there is no CSV; the workbook has all rejects, and the counts are of everything.
//
// # Counts
//
// Every count is made twice, from different ends: the run's own account of its rows against the rows that stand in its
// records, the records that went by against the ledger's tally, the phase of the run against the states of its records;
// and a row may stand in one record only. What contradicts is named in Summary.Discrepancies and at the top of the page.
//
// # Causes
//
// A cause is what a person mends once: outcome, code and field; for lookups and lists of values also the value; for the
// service's refusals its words, without the ids and numbers in them. At most 1,000 are told apart. A problem is the next
// larger thing, what a person is told once: all the causes of one code and field, with the values that are at fault.
//
// # The page
//
// report.html is one file that needs nothing else, so that it can be mailed, and opened without a network: its policy
// forbids every request, and every script and style but its own two, known by their digests. Without scripts it shows the
// verdict, the counts, the charts, the causes and the first rejected rows. The table of all records is data for its
// script, in blocks of deflated JSON in base64: a page of 100,000 records is ten times smaller so, no text in it can be
// taken for markup, and the browser unpacks at first only what the table shows — the text to search in follows when
// somebody searches, the cells, payload and attempts of a record when somebody opens it. Values of payloads go to the page
// as texts made here, because a browser's JSON would round their numbers. Of 100,000 records of 12 cells, the page is 11 MB;
// on two cores, its table can be used 0.5 s after it is opened; a filter takes 15 ms, a search 25 ms, the first one 45 ms,
// sorting by name 0.2 s (go test ./importer/report -run '^$' -bench Open -benchtime 5x).
//
// # What was corrected
//
// A record that went in and that an earlier run rejected was corrected: in rejects.xlsx, in the firm's own system, or in a
// lookup. A row of rejects.xlsx says by docketsync's own column which record it was; another is known by its key, among what
// the last run of a whole export rejected and the runs of corrected rows since have not sent.
//
// # JSON
//
// The JSON form is an object on several lines:
//
//	{"form": "docketsync-report/1",
//	 "summary": {…},
//	 "records": [
//	{…},
//	{…}
//	]}
//
// summary has the members run (as the ledger keeps it, with its id and its short name), verdict, adds_up, discrepancies, partial, rows {read, in_records,
// skipped: [{reason, rows}]}, records {total, by_outcome: [{outcome, records, rows}]}, causes and notes [{outcome, by, code,
// field, column, value, message, hint, rows, records, example: {file, sheet, row, cell, value, key}}], records_listed (of a
// check), unchanged_unlisted (how many unchanged records are not among records), requests {total, repeated, first, last,
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
// # Rejects
//
// The first sheet, Causes, is for the person who opens the workbook: what is wrong, grouped, and how to go on. The sheet
// Rejects has its header in row 1: docketsync's own columns, then those of the source, with their names, order and kinds of
// cells. A mapping takes columns by name, so that the same mapping imports the corrected sheet; package source knows the sheet
// by its first column, whatever sheet, header and footer the job's own source has. Sources with the
// same columns share a sheet, since the rows of one record may stand in several files and have to be imported together;
// others have sheets of their own. All rows of a rejected record are there, also those with nothing wrong in them. What
// failed or is held is not: the next run takes it up. What is in doubt is not either: imported again, it might be made
// twice. A record that a worksheet cannot hold without changing it (a cell too long, a control character) is named on the
// sheet of causes instead.
//
// The cells that a reason points at are named, coloured and have a note. Of the service's words these are the cells from which
// the fields were read with whose names the words begin ("client_id: is not known"), as the run's origins have it.
//
// # A process that is killed
//
// Files of a report get their names when all of them are whole. From the beginning of a run until then, a hidden file beside the
// folders of reports says that its report is owed (Owed); the next start writes what a killed process owed, and removes what it
// had begun, with the rows of a workbook that did not fit in memory and wait beside it (excelize-*).
//
// # Values that would do something
//
// Cells and answers come from anywhere. In HTML they are text by html/template or by the script's text nodes; in XLSX they
// are inline strings, never formulas; in CSV what a spreadsheet of any
// country would take for a formula has an apostrophe in front, which is taken away again where docketsync reads its own files.
package report
