package rejects

import (
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/report/workbook"
)

// causesSheet is the first sheet of the workbook of rejects, for the person who opens it: what is wrong, grouped, and
// how to continue. The source that reads the workbook again recognises the sheets of rows by their first column.
const causesSheet = "Causes"

var causeColumns = []struct {
	name  string
	width float64
}{
	{"Rows", 9}, {"Records", 9}, {"Rejected by", 14}, {"What is wrong", 60}, {"What to do", 52}, {"Field", 24}, {"Column", 22}, {"Value", 26}, {"Example", 34},
}

// writeCauses writes that sheet after the others: only then is everything known that it says.
func (r *rejectsWriter) writeCauses() {
	widths := make([]float64, len(causeColumns))
	head := make([]any, len(causeColumns))
	for n, column := range causeColumns {
		widths[n], head[n] = column.width, column.name
	}
	sheet, text := r.book.Sheet(causesSheet, false, widths...), r.book.Style(workbook.Look{Format: formatText})
	title := r.book.Style(workbook.Look{Bold: true, Size: 16})
	if r.summary.Rehearsal != "" {
		sheet.Put(title, r.summary.Rehearsal)
	}
	sheet.Put(title, "Rejects of "+r.summary.Run.Job)
	for _, line := range r.advice() {
		sheet.Put(text, line)
	}
	sheet.Put(text)
	sheet.Put(r.book.Style(workbook.Look{Fill: fillOwn, Bold: true}), head...)
	wrapped, plain := r.book.Style(workbook.Look{Format: formatText, Wrap: true}), r.book.Style(workbook.Look{})
	for _, c := range r.summary.Causes {
		if c.Outcome != outcome.Rejected {
			continue
		}
		cells := []any{excelize.Cell{StyleID: plain, Value: c.Rows}, excelize.Cell{StyleID: plain, Value: c.Records}}
		for _, text := range []string{c.By, c.Message, c.Hint, c.Field, c.Column, c.Value, c.Example.Words()} {
			cells = append(cells, wording.Short(text, workbook.CellLength/4))
		}
		sheet.Put(wrapped, cells...)
	}
}

// advice says how to continue with the workbook, and what it leaves out on purpose.
func (r *rejectsWriter) advice() []string {
	s := r.summary
	list := []string{
		s.Verdict,
		"Correct the coloured cells on the sheet Rejects, then import this workbook with the same mapping: docketsync run " + s.Run.Job + " --file " + report.RejectsFile + ". Columns whose names begin with “docketsync:” are not read.",
		"A record is imported as a whole: all its rows are here, including those with nothing wrong. Leave them in place.",
	}
	for _, sheet := range r.sheets[1:] {
		list = append(list, fmt.Sprintf("The rows of %s have columns of their own and are on the sheet %s: import that sheet too, by its name: --sheet %[2]q.", strings.Join(sheet.files, "; "), sheet.Name))
	}
	say := func(o outcome.Outcome, one, many, text string) {
		if n := s.Count(o).Records; n > 0 {
			list = append(list, fmt.Sprintf("%s not in this workbook: %s", wording.Counted(n, one, many), text))
		}
	}
	later := "the next run sends them automatically."
	if s.Run.Apart() {
		later = "they are sent when this file is run again."
	}
	say(outcome.Failed, "failed record is", "failed records are", later)
	say(outcome.Held, "held record is", "held records are", later)
	say(outcome.InDoubt, "record in doubt is", "records in doubt are", "the service may already have them, and importing them again could create duplicates. Check in the service first.")
	if r.comments >= maxComments {
		list = append(list, fmt.Sprintf("The first %s wrong cells have a note that says what is wrong; all of them are coloured, and the reasons stand in front of every row.", wording.Thousands(maxComments)))
	}
	list = append(list, r.unfit...)
	if more := r.unfits - len(r.unfit); more > 0 {
		list = append(list, fmt.Sprintf("So are %s more.", wording.Thousands(more)))
	}
	return list
}
