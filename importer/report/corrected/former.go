package corrected

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// Former is what earlier runs rejected: by key, and by the mark that a row of rejects.xlsx has. A record that goes in
// now and is among them was corrected in between.
//
// By key, the state before this run counts: the last run of a whole export, and the runs of corrected rows since. A
// mark itself says which record of which run it was, so a wrong or missing key may be corrected too.
type Former struct {
	runs  []ledger.Run
	keys  map[string]formerPlace
	marks map[Mark]formerPlace // of the runs that marks name
	run   ledger.Run           // the one that is reported on
}

type formerPlace struct {
	run int // index into runs
	seq int64
}

const (
	// mostFormer limits how many rejected records are remembered.
	mostFormer = 200_000
	// formerRuns is how many runs to look back for the last whole export.
	formerRuns = 50
)

// Recall finds what was rejected before a run.
func Recall(ctx context.Context, led *ledger.Reader, run ledger.Run) (Former, error) {
	f := Former{run: run, keys: map[string]formerPlace{}, marks: map[Mark]formerPlace{}}
	earlier, err := led.Runs(ctx, ledger.RunFilter{Job: run.Job, Before: run.Started, Limit: formerRuns})
	if err != nil {
		return f, fmt.Errorf("list the earlier runs of job %s: %w", run.Job, err)
	}
	earlier = slices.DeleteFunc(earlier, func(r ledger.Run) bool { return r.Scope != run.Scope })
	if err := f.recallKeys(ctx, led, before(run, earlier)); err != nil {
		return f, err
	}
	return f, f.recallMarks(ctx, led, run, earlier)
}

// before returns the runs whose rejects this run is compared with by key, newest first, as earlier is. A run that sends
// is compared with those that sent, if there are any; a plan or a check with the last run of any kind.
func before(run ledger.Run, earlier []ledger.Run) []ledger.Run {
	var chosen []ledger.Run
	if run.Kind == ledger.Push {
		for _, r := range earlier {
			if r.Kind != ledger.Push || r.Ended.IsZero() {
				continue
			}
			chosen = append(chosen, r)
			if r.Export != nil {
				break
			}
		}
	}
	if len(chosen) == 0 && len(earlier) > 0 {
		chosen = earlier[:1]
	}
	return chosen
}

func (f *Former) recallKeys(ctx context.Context, led *ledger.Reader, runs []ledger.Run) error {
	states := outcome.RejectedStates
	for _, run := range slices.Backward(runs) {
		f.runs = append(f.runs, run)
		for r, err := range led.Records(ctx, run.ID, ledger.RecordFilter{States: states, Remarkable: true, Brief: true}) {
			switch {
			case err != nil:
				return err
			case r.State == ledger.Accepted:
				delete(f.keys, r.Key)
			case r.Key != "" && len(f.keys) < mostFormer:
				f.keys[r.Key] = formerPlace{len(f.runs) - 1, r.Seq}
			}
		}
		states = slices.Concat(outcome.RejectedStates, []ledger.State{ledger.Accepted}) // what went in meanwhile is not corrected by a later run
	}
	return nil
}

// recallMarks reads the rejects of the runs that the marks of this run's rows name. Only rows of a workbook of rejects
// have marks.
func (f *Former) recallMarks(ctx context.Context, led *ledger.Reader, run ledger.Run, earlier []ledger.Run) error {
	if !Marked(run) {
		return nil
	}
	named := map[string]bool{} // by the ends of their ids
	for r, err := range led.Records(ctx, run.ID, ledger.RecordFilter{}) {
		if err != nil {
			return err
		}
		for _, row := range r.Rows {
			if m, ok := MarkOf(run, row); ok && len(named) < formerRuns {
				named[m.Run] = true
			}
		}
	}
	for _, r := range earlier {
		if !named[wording.Tail(r.ID)] {
			continue
		}
		f.runs = append(f.runs, r)
		for reject, err := range led.Records(ctx, r.ID, ledger.RecordFilter{States: outcome.RejectedStates, Remarkable: true, Brief: true}) {
			if err != nil {
				return err
			}
			if len(f.marks) < mostFormer {
				f.marks[NewMark(r.ID, reject.Seq)] = formerPlace{len(f.runs) - 1, reject.Seq}
			}
		}
	}
	return nil
}

// Of returns the record that was rejected before and that this one replaces.
func (f *Former) Of(r ledger.Record) (place formerPlace, ok bool) {
	for _, row := range r.Rows {
		if m, marked := MarkOf(f.run, row); marked {
			if place, ok = f.marks[m]; ok {
				return place, true
			}
		}
	}
	place, ok = f.keys[r.Key]
	return place, ok && r.Key != ""
}

// Columns precede the original columns. If a workbook that has them is rejected in part, they are not written a second
// time.
var Columns = []string{table.OwnColumn("reasons"), table.OwnColumn("row"), table.OwnColumn("cells"), table.OwnColumn("record")}

// Mark is the content of the last of Columns: the run and the record in which a row was rejected.
type Mark struct {
	Run string // the end of its id
	Seq int64
}

func (m Mark) String() string { return m.Run + "/" + strconv.FormatInt(m.Seq, 10) }

// NewMark returns the mark of a record.
func NewMark(run string, seq int64) Mark { return Mark{wording.Tail(run), seq} }

// markColumn returns the column of marks of a source, -1 for none.
func markColumn(source ledger.Source) int { return slices.Index(source.Header, Columns[3]) }

// Marked reports whether rows of a run can have marks in their cells.
func Marked(run ledger.Run) bool { return slices.ContainsFunc(run.Sources, MarkedSource) }

// MarkedSource reports the same of one source.
func MarkedSource(s ledger.Source) bool { return markColumn(s) >= 0 }

// MarkIn reads the mark of a row of a source; ok is false if it has none.
func MarkIn(source ledger.Source, row table.Row) (m Mark, ok bool) {
	tail, digits, ok := strings.Cut(strings.TrimSpace(row.Cell(markColumn(source)).Text), "/")
	seq, err := strconv.ParseInt(digits, 10, 64)
	return Mark{tail, seq}, ok && err == nil
}

// MarkOf is MarkIn for a row that a run has kept.
func MarkOf(run ledger.Run, row ledger.Row) (m Mark, ok bool) {
	if row.Source < 0 || row.Source >= len(run.Sources) || len(row.Cells) == 0 {
		return m, false
	}
	from := run.Sources[row.Source]
	if !MarkedSource(from) {
		return m, false
	}
	cells, err := table.StoredCells(row.Cells)
	if err != nil {
		return m, false
	}
	return MarkIn(from, table.Row{Cells: cells})
}

// Place says where a rejected row was, as in the column "docketsync: row" of rejects.xlsx. Rows of files with the same
// name can have the same place.
func Place(run ledger.Run, row ledger.Row) string {
	return fmt.Sprintf("%s row %d", wording.SourceName(run, row.Source), row.Number)
}
