package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
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
