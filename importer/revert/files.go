package revert

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/csvfile"
)

// The files of a revert.
const (
	SourceFile  = "revert.csv"
	MappingFile = "revert.yaml"
	LeftFile    = "left.csv"
	CreatedFile = "created.csv"
)

const (
	// keysShown is how many keys the result names.
	keysShown = 10
	// batch is how many records are compared with the ledger at once.
	batch = 256
)

// files are the files that revert one run.
type files struct {
	Result
	sheet *sheet
	unfit map[string]bool // keys whose payload does not come back as it was
	order Order
}

// Order says what is to be reverted.
type Order struct {
	Book     *ledger.Ledger
	Run      ledger.Run
	Dir      string // a new folder
	Force    bool   // also revert what was changed again since
	Switches payload.Switches
	// Check maps a source as a run would and sends nothing. The run that it returns is removed again.
	Check func(ctx context.Context, source, mapping string) (ledger.Run, error)
}

// Result is what became of the records of a run.
type Result struct {
	Run       string   `json:"run"`
	Job       string   `json:"job"` // the name for the job that sends it back
	Dir       string   `json:"dir"`
	SendBack  int      `json:"send_back"`
	Created   int      `json:"created"`
	Left      int      `json:"left"`      // records that cannot be reverted
	Remaining int      `json:"remaining"` // records of which something stays
	Changed   []string `json:"changed_since,omitempty"`
}

// JobName returns the name of the job that reverts a run.
func JobName(run ledger.Run) string { return "revert-" + run.Job + "-" + run.ID[len(run.ID)-6:] }

// Write makes the files, reads the source back as a run would, and makes them again without the records that came back
// differently.
func Write(ctx context.Context, order Order) (Result, error) {
	f := &files{order: order, unfit: map[string]bool{}}
	for range 2 {
		f.Result = Result{Run: order.Run.ID, Job: JobName(order.Run), Dir: order.Dir}
		f.sheet = NewSheet(payload.Operation(order.Run.Operation), order.Run.Scope, order.Switches)
		if err := f.each(ctx, func(r ledger.Record) error { return f.sheet.Learn(r.Previous) }, nil); err != nil {
			return f.Result, err
		}
		if err := f.write(ctx); err != nil {
			return f.Result, err
		}
		if f.SendBack == 0 {
			return f.Result, errors.Join(os.Remove(f.path(SourceFile)), os.Remove(f.path(MappingFile)))
		}
		if unfit, err := f.prove(ctx); err != nil || unfit == 0 {
			return f.Result, err
		}
	}
	return f.Result, fmt.Errorf("%s would not be restored as it was sent; do not send any of it", f.path(SourceFile))
}

func (f *files) path(name string) string { return filepath.Join(f.Dir, name) }

// each passes every record of the run that can be sent back to back, in order, and all others to other, unless nil,
// with the reason why not.
func (f *files) each(ctx context.Context, back func(ledger.Record) error, other func(ledger.Record, reversal, string) error) error {
	give := func(record ledger.Record, known *ledger.LastAccepted) error {
		what, why := reverse(record, known)
		switch {
		case f.unfit[record.Key]:
			what, why = notKnown, "its values cannot be written into a source so that they come back the same"
		case what == sendBack, what == changed && f.order.Force && len(record.Previous) > 0:
			return back(record)
		}
		if other == nil {
			return nil
		}
		return other(record, what, why)
	}
	var records []ledger.Record
	flush := func() error {
		keys := make([]string, len(records))
		for n, record := range records {
			keys[n] = record.Key
		}
		known, err := f.order.Book.Known(ctx, f.order.Run.Scope, keys)
		if err != nil {
			return err
		}
		for _, record := range records {
			var k *ledger.LastAccepted
			if found, ok := known[record.Key]; ok {
				k = &found
			}
			if err := give(record, k); err != nil {
				return err
			}
		}
		records = records[:0]
		return nil
	}
	for record, err := range f.order.Book.Records(ctx, f.order.Run.ID, ledger.RecordFilter{Actions: []ledger.Action{ledger.Create, ledger.Update}}) {
		if err != nil {
			return err
		}
		if records = append(records, record); len(records) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// write writes all files from the beginning.
func (f *files) write(ctx context.Context) (err error) {
	if err := os.WriteFile(f.path(MappingFile), []byte(f.sheet.Mapping()), 0o600); err != nil {
		return err
	}
	var open []*lines
	defer func() {
		for _, l := range open {
			err = errors.Join(err, l.close())
		}
	}()
	begin := func(name string, forPeople bool, header ...string) *lines {
		l := newLines(f.path(name), forPeople, header)
		open = append(open, l)
		return l
	}
	source := begin(SourceFile, false, f.sheet.Header()...)
	left := begin(LeftFile, true, "key", "service id", "what", "why")
	made := begin(CreatedFile, true, "key", "service id", "name", "accepted")
	return f.each(ctx, func(record ledger.Record) error {
		rows, err := f.sheet.Rows(record.Key, record.Previous)
		if err != nil {
			return fmt.Errorf("the earlier payload of %s: %w", record.Key, err)
		}
		f.SendBack++
		source.write(rows...)
		stays, err := remains(record)
		if len(stays) > 0 {
			f.Remaining++
		}
		for _, what := range stays {
			left.write([]string{record.Key, record.ServiceID, "remains", what})
		}
		return err
	}, func(record ledger.Record, what reversal, why string) error {
		switch what {
		case untouched:
			return nil
		case created:
			f.Created++
			name := cmp.Or(payload.Text(record.Payload, "name"), payload.Text(record.Payload, "mark_text"))
			made.write([]string{record.Key, record.ServiceID, name, moment.Known(record.Settled)})
			return nil
		case changed:
			if len(f.Changed) < keysShown {
				f.Changed = append(f.Changed, record.Key)
			}
		}
		f.Left++
		left.write([]string{record.Key, record.ServiceID, string(what), why})
		return nil
	})
}

// prove reads the source back and counts the records whose payload is not what it was.
func (f *files) prove(ctx context.Context) (unfit int, err error) {
	check, err := f.order.Check(ctx, f.path(SourceFile), f.path(MappingFile))
	if err != nil {
		return 0, err
	}
	book := f.order.Book
	defer func() { err = errors.Join(err, book.RemoveRun(context.WithoutCancel(ctx), check.ID)) }()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	err = f.each(ctx, func(record ledger.Record) error {
		back, err := book.RecordByKey(ctx, check.ID, record.Key)
		if errors.Is(err, ledger.ErrNotFound) || err == nil && back.Digest != decide.Digest(record.Previous) {
			f.unfit[record.Key] = true
			unfit++
			return nil
		}
		return err
	}, nil)
	return unfit, err
}

// lines is a CSV file that is being written. An error is kept until close.
type lines struct {
	file *os.File
	out  *bufio.Writer
	line func(cells ...string) error
	err  error
}

// newLines begins a file for people, or the one that is imported again. A mapping reads the latter as it is, so its
// cells get no apostrophe to keep them from being taken for formulas.
func newLines(path string, forPeople bool, header []string) *lines {
	l := &lines{}
	if l.file, l.err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); l.err != nil {
		return l
	}
	l.out = bufio.NewWriter(l.file)
	if forPeople {
		l.line = csvfile.Begin(l.out, header...)
		return l
	}
	out := csv.NewWriter(l.out)
	l.line = func(cells ...string) error { return out.Write(cells) } // it writes into l.out, and has no buffer of its own
	l.write(header)
	return l
}

func (l *lines) write(rows ...[]string) {
	for _, row := range rows {
		if l.err == nil {
			l.err = l.line(row...)
		}
	}
}

func (l *lines) close() error {
	if l.file == nil {
		return l.err
	}
	return errors.Join(l.err, l.out.Flush(), l.file.Close())
}
