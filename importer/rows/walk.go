package rows

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"sync"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/importer/ledger"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/wording"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/date"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// Input is one file that a job reads.
type Input struct {
	Path    string
	Options source.Options
}

// Walk goes over the rows of a job: it opens one input after the other, binds the mapping to its header and yields its
// rows.
type Walk struct {
	Inputs []Input
	// Mapping and Lookups are what the inputs are bound to. Without a mapping the inputs are only opened.
	Mapping *mapping.Mapping
	Lookups map[string]*lookup.Table
	// Absent are columns that every header is assumed to have, empty, although no file has them.
	Absent []string
	// Corrected are the cells that people corrected, by the keys of their rows.
	Corrected map[string][]ledger.CellCorrection
	// Dates returns the patterns by which the run that rejected a row, named as in corrected.Mark, read the dates of its
	// columns (ledger.Source). It may be nil.
	Dates func(run string) (map[string][]string, error)
}

// Table is an open input: a text file, or the sheets of a workbook.
type Table struct {
	Input
	*source.Source
	// Mapper is the mapping bound to the header.
	Mapper *mapping.Mapper
	// First is the number of the input's first source (file or sheet) in the whole walk, counted from 0.
	First int

	correcting *correcting
}

// Each opens and binds every input in order, passes it to use and closes it. It stops at the first error. An input is
// open only while it is used.
func (w Walk) Each(ctx context.Context, use func(*Table) error) error {
	first, correcting := 0, newCorrecting(w.Corrected, w.Mapping != nil && w.Mapping.Grouped())
	for _, input := range w.Inputs {
		table, err := w.open(ctx, input, first)
		if err != nil {
			return err
		}
		first += len(table.Sources())
		table.correcting = correcting
		err = use(table)
		if closing := table.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w Walk) open(ctx context.Context, input Input, first int) (*Table, error) {
	opened, err := source.Open(ctx, input.Path, input.Options)
	if err != nil {
		return nil, err
	}
	t := &Table{Input: input, Source: opened, First: first}
	if w.Mapping == nil {
		return t, nil
	}
	header := opened.Header()
	if len(w.Absent) > 0 {
		header.Names = append(slices.Clone(header.Names), w.Absent...)
	}
	if t.Mapper, err = w.Mapping.Bind(header, w.Lookups); err != nil {
		_ = opened.Close() // nothing was read that could be lost
		if faults, are := errors.AsType[diagnostic.Faults](err); are && len(faults) > 0 && opened.Detected().Elsewhere() != "" {
			faults[0].Hint += "; " + opened.Detected().Elsewhere()
		}
		return nil, err
	}
	opened.LeftOut, opened.Heads = t.Mapper.LeavesOut, t.Mapper.Heads
	return t, nil
}

// Rows yields the rows, with their sources numbered as in the whole walk. The cells of a row belong to the source and
// are valid until the next row.
func (t *Table) Rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return t.numbered(t.Source.Rows(ctx))
}

// allRows is Rows for callers that want all of them: it reads the file in a goroutine of its own.
func (t *Table) allRows(ctx context.Context) iter.Seq2[table.Row, error] {
	return t.numbered(t.Source.AllRows(ctx))
}

func (t *Table) numbered(rows iter.Seq2[table.Row, error]) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		for row, err := range rows {
			row.Source += t.First
			if err == nil && t.correcting != nil {
				row = t.correcting.row(t, row)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// EndedBefore returns the walk with the information whether earlier inputs ended with a line break.
func (w Walk) EndedBefore(ended bool) Walk {
	w.Inputs = slices.Clone(w.Inputs)
	for n := range w.Inputs {
		w.Inputs[n].Options.Ended = ended
	}
	return w
}

// Unbound returns the errors of the mapping that only the header of an input shows, of the first input that has any. It
// skips inputs that cannot be opened.
func (w Walk) Unbound(ctx context.Context) (faults diagnostic.Faults) {
	for _, input := range w.Inputs {
		table, err := w.open(ctx, input, 0)
		if errors.As(err, &faults) {
			return faults
		}
		if err == nil {
			_ = table.Close()
		}
	}
	return nil
}

// Written returns when the oldest of the files was last written, or the zero time if that is not known of any.
func Written(inputs []Input) (oldest time.Time) {
	for _, input := range inputs {
		if info, err := os.Stat(input.Path); err == nil && (oldest.IsZero() || info.ModTime().Before(oldest)) {
			oldest = info.ModTime()
		}
	}
	return oldest.UTC()
}

// InferDates returns the mapping of a walk, ready to map. If the mapping says dates: proven, InferDates reads the rows
// of all inputs once to find out how the dates of each column are written. It returns any other mapping as it is and
// reads nothing. If a column does not show its format, the error is of type diagnostic.Faults. Rows of a workbook of
// rejects are read as the run that rejected them read them.
//
// The result follows from the files, the mapping, its lookups and those runs alone, so a resumed run has no need of it
// again.
func (w Walk) InferDates(ctx context.Context) (*mapping.Mapping, error) {
	if !w.Mapping.InfersDates() {
		return w.Mapping, nil
	}
	w.Corrected = nil // what somebody wrote in the console says nothing about how the file is written
	proof, names := date.Columns{}, []string(nil)
	err := w.Each(ctx, func(t *Table) error {
		from, asked := ledger.Source{Header: t.Header().Names}, map[string]bool{}
		marked := w.Dates != nil && corrected.MarkedSource(from)
		for row, err := range t.allRows(ctx) {
			if err != nil {
				return err
			}
			t.Mapper.InferDates(proof, row)
			if !marked {
				continue
			}
			if mark, ok := corrected.MarkIn(from, row); ok && !asked[mark.Run] {
				asked[mark.Run] = true
				former, err := w.Dates(mark.Run)
				if err != nil {
					return err
				}
				t.Mapper.FormerDates(proof, former)
			}
		}
		for _, part := range t.Sources() {
			names = append(names, part.File+wording.Prefixed(", sheet ", part.Sheet))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w.Mapping.Inferred(proof, func(source int) string { return names[source] })
}

// DatesOf returns what Walk.Dates asks of the runs of a job in a scope. It reads them when it is first asked. For a run
// that is gone, as a check is after the next one, all runs of the job answer: if their files were not written alike, a
// date that their patterns read differently is rejected.
func DatesOf(ctx context.Context, book *ledger.Reader, job, scope string) func(run string) (map[string][]string, error) {
	runs := sync.OnceValues(func() ([]ledger.Run, error) {
		list, err := book.Runs(ctx, ledger.RunFilter{Scope: scope})
		return slices.DeleteFunc(list, func(r ledger.Run) bool { return len(r.Sources) == 0 || len(r.Sources[0].Dates) == 0 }), err
	})
	return func(name string) (map[string][]string, error) {
		list, err := runs()
		n := slices.IndexFunc(list, func(r ledger.Run) bool { return corrected.NewMark(r.ID, 0).Run == name })
		if n >= 0 {
			return list[n].Sources[0].Dates, err
		}
		all := map[string][]string{}
		for _, r := range list {
			if r.Job != job {
				continue
			}
			for field, patterns := range r.Sources[0].Dates {
				all[field] = append(all[field], patterns...)
			}
		}
		return all, err
	}
}
