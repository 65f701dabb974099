package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"docketsync/importer/atomicfile"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/page"
	"docketsync/importer/report/rejects"
	"docketsync/importer/report/wording"
)

// Paths says where the files of a report are. Rejects is empty if nothing was rejected; CSV is empty for a check, which
// has no line for every row.
type Paths struct {
	Dir     string `json:"dir"`
	HTML    string `json:"html"`
	JSON    string `json:"json"`
	CSV     string `json:"csv,omitempty"`
	Rejects string `json:"rejects,omitempty"`
	// Vanished lists what is no longer in the export, if anything is.
	Vanished string `json:"vanished,omitempty"`
	// Stays lists what has to be removed in the service by hand, if anything has.
	Stays string `json:"stays_in_service,omitempty"`
	// Differs lists what the service stored with a different value than was sent, if anything is.
	Differs string `json:"stored_differently,omitempty"`
}

// Write writes all files of a run's report into a folder of its own in dir, which it creates. Folder says how that
// folder is named; if it exists, its files are replaced. Each file appears whole or not at all.
func Write(ctx context.Context, led *ledger.Reader, run, dir string) (Paths, error) {
	s, err := report.Build(ctx, led, run)
	if err != nil {
		return Paths{}, err
	}
	return WriteSummary(ctx, led, s, dir, nil)
}

// WriteSummary writes the files of a report whose summary has already been built; see Write. told may be nil.
func WriteSummary(ctx context.Context, led *ledger.Reader, s *report.Summary, dir string, told progress) (Paths, error) {
	files := newFiles(filepath.Join(dir, Folder(s.Run)), s)
	if err := os.MkdirAll(files.Dir, 0o750); err != nil {
		return Paths{}, fmt.Errorf("make the folder for the report: %w", err)
	}
	if err := writeAll(ctx, led, s, files, told); err != nil {
		return Paths{}, fmt.Errorf("write the report into %s: %w", files.Dir, err)
	}
	return files, nil
}

func newFiles(dir string, s *report.Summary) Paths {
	files := Paths{Dir: dir, HTML: filepath.Join(dir, report.HTMLFile), JSON: filepath.Join(dir, report.JSONFile)}
	if s.Run.Kind != ledger.Check {
		files.CSV = filepath.Join(dir, s.CSVName())
	}
	if s.Count(outcome.Rejected).Rows > 0 {
		files.Rejects = filepath.Join(dir, report.RejectsFile)
	}
	if s.Vanished != nil && s.Vanished.Seen != "" {
		files.Vanished = filepath.Join(dir, report.VanishedFile)
	}
	if s.Stays != nil {
		files.Stays = filepath.Join(dir, report.StaysFile)
	}
	if s.Differs != nil {
		files.Differs = filepath.Join(dir, report.DiffersFile)
	}
	return files
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

var (
	notInName = regexp.MustCompile(`[^A-Za-z0-9._-]`)
	notInID   = regexp.MustCompile(`[^A-Za-z0-9]`)
)

// Folder returns the name of the folder for the report of a run: the job's name, the time the run started (UTC) and the
// end of its id. Nothing in a job's name can lead out of it.
func Folder(run ledger.Run) string {
	name, id := notInName.ReplaceAllString(wording.Short(run.Job, 60), "-"), notInID.ReplaceAllString(wording.Tail(run.ID), "")
	return fmt.Sprintf("%s-%s-%s", cmp.Or(strings.TrimLeft(name, ".-"), "job"), run.Started.UTC().Format("2006-01-02-150405"), id)
}

// A report is written in up to three concurrent passes over the ledger: all records in brief, the rejected ones, and
// those that the page lists. A pass goes through its records once for all its forms.
type pass struct {
	entries func(context.Context, *ledger.Reader, *report.Summary) report.Entries
	// cost is about how long a record takes, compared with the other passes.
	cost  int
	count func(*report.Summary) int
}

var (
	allInBrief = &pass{report.Lines, 1, func(s *report.Summary) int { return s.Records.Total }}
	allRejects = &pass{report.Rejects, 20, func(s *report.Summary) int { return s.Count(outcome.Rejected).Records }}
	listed     = &pass{report.Listed, 20, (*report.Summary).ListedRecords}
)

// form is a file format of a report.
type form struct {
	pass *pass
	// begin begins the file. The rows of a workbook wait in dir; "" means the system's folder.
	begin func(w io.Writer, s *report.Summary, dir string) (report.Form, error)
}

// forms are the formats by the names of their files.
var forms = map[string]form{
	report.HTMLFile: {listed, func(w io.Writer, s *report.Summary, _ string) (report.Form, error) { return page.New(w, s) }},
	report.JSONFile: {listed, newJSON},
	report.RejectsFile: {allRejects, func(w io.Writer, s *report.Summary, dir string) (report.Form, error) {
		return rejects.New(w, s, dir), nil
	}},
	report.CSVFile:       {allInBrief, newCSV},
	report.CSVPackedFile: {allInBrief, newPackedCSV},
	report.StaysFile:     {allInBrief, newStays},
	report.DiffersFile:   {allInBrief, newDiffers},
}

// WriteOne writes one file of a run's report. name is one of those that Write uses, such as report.html or
// rejects.xlsx, but not vanished.csv.
func WriteOne(ctx context.Context, w io.Writer, led *ledger.Reader, run, name string) error {
	s, err := report.Build(ctx, led, run)
	if err != nil {
		return err
	}
	one := forms[name]
	form, err := one.begin(w, s, "")
	if err != nil {
		return err
	}
	return report.Write(one.pass.entries(ctx, led, s), form)
}

// progress is told from time to time how much of a report is written, in percent; never by two goroutines at once.
type progress func(percent int)

// writeAll writes all files, and puts them in place once all are complete.
func writeAll(ctx context.Context, led *ledger.Reader, s *report.Summary, files Paths, told progress) (err error) {
	begun := map[*pass][]report.Form{}
	var pending []*atomicfile.File
	defer func() {
		for _, file := range pending {
			err = errors.Join(err, file.Discard())
		}
	}()
	for _, path := range []string{files.Rejects, files.JSON, files.HTML, files.CSV, files.Stays, files.Differs, files.Vanished} {
		if path == "" {
			continue
		}
		file, err := atomicfile.Create(path)
		if err != nil {
			return err
		}
		pending = append(pending, file)
		if path == files.Vanished {
			if err := writeVanished(ctx, file, led, s); err != nil {
				return err
			}
			continue
		}
		f := forms[filepath.Base(path)]
		form, err := f.begin(file, s, files.Dir)
		if err != nil {
			return err
		}
		begun[f.pass] = append(begun[f.pass], form)
	}
	if err := writeForms(ctx, led, s, begun, told); err != nil {
		return err
	}
	for _, file := range pending {
		if err := file.Keep(0o640); err != nil {
			return err
		}
	}
	return removeOther(files)
}

// writeForms goes through the records for all forms, with the passes side by side.
func writeForms(ctx context.Context, led *ledger.Reader, s *report.Summary, begun map[*pass][]report.Form, told progress) error {
	var done meter
	for p := range begun {
		done.total += p.cost * p.count(s)
	}
	done.told = told
	group, ctx := errgroup.WithContext(ctx)
	for p, forms := range begun {
		group.Go(func() error { return report.Write(done.measured(p.entries(ctx, led, s), p.cost), forms...) })
	}
	return group.Wait()
}

// meter measures how many of the records of all passes are done.
type meter struct {
	mu                   sync.Mutex
	total, done, percent int
	told                 progress
}

// measuredPart is how many records pass between two measurements.
const measuredPart = 200

func (m *meter) measured(entries report.Entries, cost int) report.Entries {
	if m.told == nil {
		return entries
	}
	return func(yield func(report.Entry, error) bool) {
		n := 0
		for e, err := range entries {
			if n++; n%measuredPart == 0 {
				m.add(measuredPart * cost)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (m *meter) add(done int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += done
	if percent := min(100, 100*m.done/max(m.total, 1)); percent > m.percent {
		m.percent = percent
		m.told(percent)
	}
}

// removeOther removes what an earlier writing of the same report has left and this one did not write: rejects that have
// been settled since, and report.csv in its other form.
func removeOther(files Paths) error {
	var errs []error
	for _, name := range []string{report.RejectsFile, report.CSVFile, report.CSVPackedFile} {
		if path := filepath.Join(files.Dir, name); path != files.Rejects && path != files.CSV {
			errs = append(errs, remove(path))
		}
	}
	return errors.Join(errs...)
}
