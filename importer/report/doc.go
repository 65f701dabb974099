// Package report tells what became of a run. Build is a fold over the ledger: it reads a run's records and attempts, changes nothing, and
// can be done again for any run that the ledger remembers.
//
// The life of its data: Build goes through the run once and makes a Summary, whose size is bounded however long the run
// was. The forms are then written in a second pass (WriteForms), record by record, so that memory does not grow with the run.
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
// Unchanged records of which there is nothing more to say are listed up to 10,000; when there are more, as on most nights of a
// large export, all forms give their number alone, and list the others.
//
// A check is about what is to be corrected: its page and JSON list the first 10,000 records that would not go in and the first
// 1,000 of the others that have a note, and there is no CSV; the workbook has all rejects, and the counts are of everything.
//
// # Counts
//
// Every count is made twice, from different ends: the run's own account of its rows against the rows that stand in its
// records, the records that went by against the ledger's tally, the phase of the run against the states of its records;
// and a row may stand in one record only. What contradicts is named in Summary.Discrepancies and at the top of the page.
package report
