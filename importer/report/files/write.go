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
	"strings"

	"docketsync/importer/atomicfile"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/page"
	"docketsync/importer/report/rejects"
	"docketsync/importer/report/wording"
)

// Paths says where the files of a report are. Rejects is empty when there was nothing to reject, CSV when the run was a
// check, which has no line for every row.
type Paths struct {
	Dir     string `json:"dir"`
	HTML    string `json:"html"`
	JSON    string `json:"json"`
	CSV     string `json:"csv,omitempty"`
	Rejects string `json:"rejects,omitempty"`
	// Vanished lists what is no longer in the export, when anything is.
	Vanished string `json:"vanished,omitempty"`
	// Stays lists what has to be removed in the service by hand, when anything has.
	Stays string `json:"stays_in_service,omitempty"`
	// Differs lists what the service stored with a different value than was sent, when anything is.
	Differs string `json:"stored_differently,omitempty"`
}

// Write writes all forms of a run's report into a folder of its own in dir, which it makes. The folder's name is the
// job's, with the time the run began (UTC) and the end of its id; written again, the files are replaced. Each file
// appears whole or not at all.
func Write(ctx context.Context, led *ledger.Reader, run, dir string) (Paths, error) {
	s, err := report.Build(ctx, led, run)
	if err != nil {
		return Paths{}, err
	}
	return WriteSummary(ctx, led, s, dir)
}

// WriteSummary writes the files of a report whose summary has been built already; see Write.
func WriteSummary(ctx context.Context, led *ledger.Reader, s *report.Summary, dir string) (Paths, error) {
	files := newFiles(filepath.Join(dir, Folder(s.Run)), s)
	if err := os.MkdirAll(files.Dir, 0o750); err != nil {
		return Paths{}, fmt.Errorf("make the folder for the report: %w", err)
	}
	if err := writeAll(ctx, led, s, files); err != nil {
		return Paths{}, fmt.Errorf("write the report into %s: %w", files.Dir, err)
	}
	return files, nil
}

func newFiles(dir string, s *report.Summary) Paths {
	files := Paths{Dir: dir, HTML: filepath.Join(dir, report.HTMLFile), JSON: filepath.Join(dir, report.JSONFile)}
	if s.Run.Kind != ledger.Check {
		files.CSV = filepath.Join(dir, report.CSVFile)
	}
	if s.Count(outcome.Rejected).Records > 0 {
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

// writers begin the forms that a file of a report can have, by its name. The workbook, which has a folder besides, is not among them.
var writers = map[string]func(w io.Writer, s *report.Summary) (report.Form, error){
	report.HTMLFile: page.New, report.JSONFile: newJSON, report.CSVFile: newCSV, report.StaysFile: newStays, report.DiffersFile: newDiffers,
}

// begin begins a form. dir is where the rows of a workbook wait, "" for the system's folder.
func begin(name string, w io.Writer, s *report.Summary, dir string) (report.Form, error) {
	if name == report.RejectsFile {
		return rejects.New(w, s, dir), nil
	}
	return writers[name](w, s)
}

// WriteOne writes one file of a run's report, which is named as Write names it: report.html, report.json, report.csv or rejects.xlsx.
func WriteOne(ctx context.Context, w io.Writer, led *ledger.Reader, run, name string) error {
	s, err := report.Build(ctx, led, run)
	if err != nil {
		return err
	}
	form, err := begin(name, w, s, "")
	if err != nil {
		return err
	}
	return report.WriteForms(ctx, led, s, form)
}

// writeAll goes through the records once for all files, and puts the files into place when all are whole.
func writeAll(ctx context.Context, led *ledger.Reader, s *report.Summary, files Paths) (err error) {
	var forms []report.Form
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
		form, err := begin(filepath.Base(path), file, s, files.Dir)
		if err != nil {
			return err
		}
		forms = append(forms, form)
	}
	if err := report.WriteForms(ctx, led, s, forms...); err != nil {
		return err
	}
	for _, file := range pending {
		if err := file.Keep(0o640); err != nil {
			return err
		}
	}
	if files.Rejects != "" {
		return nil
	}
	return remove(filepath.Join(files.Dir, report.RejectsFile))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Folder is the name of the folder that Write writes the report of a run into: nothing in a job's name can lead out of it.
func Folder(run ledger.Run) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, wording.Short(run.Job, 60))
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, wording.Tail(run.ID))
	return fmt.Sprintf("%s-%s-%s", cmp.Or(strings.TrimLeft(name, ".-"), "job"), run.Started.UTC().Format("2006-01-02-150405"), id)
}
