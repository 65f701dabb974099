// Package report says what became of a run. Build is a fold over the ledger: it reads a run's records and attempts,
// changes nothing, and can be repeated for any run that the ledger remembers.
//
// The life of its data: Build goes through the run once, in brief, and makes a Summary, whose size is bounded however
// long the run was. The Summary is enough for the verdict. The files are written afterwards, in concurrent passes over
// the ledger, record by record (package files), so that memory does not grow with the run. The packages around it, each
// above those that it uses:
//
//	wording, outcome   numbers and places in words; the ends of a record
//	cause              why records did not go in, grouped
//	corrected          what an earlier run rejected and this one did not
//	reading            what the readers noted about the files
//	report             the fold, its counts and its verdict
//	page, rejects      report.html and rejects.xlsx
//	csvfile, workbook  CSV that no spreadsheet takes for formulas; workbooks, sheet by sheet
//	files              the folder of a report and everything in it
//
// # What is listed
//
// A report may be mailed, and is written after every run while somebody waits, so its size is bounded. The exception is
// the workbook of rejects: it is imported again, and so has all of them. The page and the JSON form list up to 10,000
// records that were rejected or are in doubt, 3,000 that failed or are held, 1,000 of the others with a note, and the
// first 1,000 of those without a problem; fewer if they have many rows each. Both say what they leave out and where it
// is: report.csv has a line for every row, and is compressed if it is long; the console shows any record of any run.
//
// Unchanged records without a note are listed if they are few. If there are more, as on most nights of a large export,
// all forms give only their number. A check is about what to correct: a record that would go in is listed only if it
// has a note, and there is no CSV. The counts include everything.
//
// # Counts
//
// Every count is made twice, from different ends: the run's own account of its rows against the rows in its records,
// the records that went by against the ledger's tally, the phase of the run against the states of its records. A row
// may be in only one record. Contradictions are named in Summary.Discrepancies and at the top of the page.
package report
