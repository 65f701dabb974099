package rejects

import (
	"errors"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// causesSheet is the first sheet of the workbook of rejects, for the person who opens it: what is wrong, grouped, and how to
// go on. The source that reads the workbook again knows the sheets of rows by their first column.
const causesSheet = "Causes"

var causeColumns = []struct {
	name  string
	width float64
}{
	{"Rows", 9}, {"Records", 9}, {"Rejected by", 14}, {"What is wrong", 60}, {"What to do", 52}, {"Field", 24}, {"Column", 22}, {"Value", 26}, {"Example", 34},
}

func (r *rejectsWriter) writeCauses() error {
	if _, err := r.file.NewSheet(causesSheet); err != nil {
		return err
	}
	stream, err := r.file.NewStreamWriter(causesSheet)
	if err != nil {
		return err
	}
	for n, column := range causeColumns {
		if err := stream.SetColWidth(n+1, n+1, column.width); err != nil {
			return err
		}
	}
	line := 0
	put := func(cells ...any) error {
		line++
		return stream.SetRow(fmt.Sprintf("A%d", line), cells)
	}
	if err := errors.Join(r.putAdvice(put), r.putCauses(put)); err != nil {
		return err
	}
	if r.styles.err != nil {
		return r.styles.err
	}
	return stream.Flush()
}

func (r *rejectsWriter) putAdvice(put func(cells ...any) error) error {
	head := []string{"Rejects of " + r.summary.Run.Job}
	if r.summary.Rehearsal != "" {
		head = []string{r.summary.Rehearsal, head[0]}
	}
	for _, text := range head {
		if err := put(excelize.Cell{StyleID: r.styles.id(style{head: true}), Value: text}); err != nil {
			return err
		}
	}
	for _, text := range r.advice() {
		if err := put(excelize.Cell{StyleID: r.styles.id(style{format: formatText}), Value: text}); err != nil {
			return err
		}
	}
	return nil
}

func (r *rejectsWriter) putCauses(put func(cells ...any) error) error {
	head := make([]any, 0, len(causeColumns))
	for _, column := range causeColumns {
		head = append(head, excelize.Cell{StyleID: r.styles.id(style{own: true, bold: true}), Value: column.name})
	}
	if err := put(); err != nil {
		return err
	}
	if err := put(head...); err != nil {
		return err
	}
	wrapped := r.styles.id(style{format: formatText, wrap: true})
	plain := r.styles.id(style{})
	for _, c := range r.summary.Causes {
		if c.Outcome != outcome.Rejected {
			continue
		}
		cells := []any{excelize.Cell{StyleID: plain, Value: c.Rows}, excelize.Cell{StyleID: plain, Value: c.Records}}
		for _, text := range []string{c.By, c.Message, c.Hint, c.Field, c.Column, c.Value, c.Example.Words()} {
			cells = append(cells, excelize.Cell{StyleID: wrapped, Value: wording.Short(text, cellLength/4)})
		}
		if err := put(cells...); err != nil {
			return err
		}
	}
	return nil
}

// advice says how to go on with the workbook, and what is not in it on purpose.
func (r *rejectsWriter) advice() []string {
	s := r.summary
	list := []string{
		s.Verdict,
		"Correct the coloured cells on the sheet Rejects, then import this workbook with the same mapping: docketsync run " + s.Run.Job + " --file " + report.RejectsFile + ". Columns whose names begin with “docketsync:” are not read.",
		"A record is imported as a whole: all its rows are here, including those with nothing wrong. Leave them in place.",
	}
	for _, sheet := range r.sheets[1:] {
		list = append(list, fmt.Sprintf("The rows of %s have columns of their own and are on the sheet %s: import that sheet by its name.", strings.Join(sheet.files, "; "), sheet.name))
	}
	say := func(o outcome.Outcome, one, many, text string) {
		if n := s.Count(o).Records; n > 0 {
			list = append(list, fmt.Sprintf("%s not in this workbook: %s", wording.Counted(n, one, many), text))
		}
	}
	say(outcome.Failed, "failed record is", "failed records are", "the next run sends them automatically.")
	say(outcome.Held, "held record is", "held records are", "the next run sends them automatically.")
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
