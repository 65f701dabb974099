// Package report tells what became of a run. Build is a fold over the ledger: it reads a run's records and attempts, changes nothing, and
// can be done again for any run that the ledger remembers.
//
// The life of its data: Build goes through the run once, in brief, and makes a Summary, whose size is bounded however long the run
// was. With it the verdict can be told. The files are written behind it, in passes over the ledger that go on side by side, each record
// by record (package files), so that memory does not grow with the run.
// The rooms around it, each above those that it uses:
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
// The report of a run may be mailed, and is written after every run while somebody waits. So but for the workbook of rejects, which is
// imported again and has all of them, its size is bounded. The page and the JSON form list up to 10,000 records that were rejected or
// are in doubt, 3,000 that failed or are held, 1,000 of the others with a note, and the first 1,000 of those that went as they should;
// fewer where they are of many rows each. Both say what they leave out and where it is: report.csv has a line for every row, and is compressed
// when it is long; the console shows any record of any run.
//
// Unchanged records of which there is nothing more to say are listed when they are few; when there are more, as on most nights of a
// large export, all forms give their number alone. A check is about what is to be corrected: what would go in is listed only where it has
// a note, and there is no CSV. The counts are of everything.
//
// # Counts
//
// Every count is made twice, from different ends: the run's own account of its rows against the rows that stand in its
// records, the records that went by against the ledger's tally, the phase of the run against the states of its records;
// and a row may stand in one record only. What contradicts is named in Summary.Discrepancies and at the top of the page.
package report
