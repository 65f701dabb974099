package proposing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/console/upload"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/rows"
	"docketsync/importer/source"
)

// jobNamed returns the name of the job for a file.
func jobNamed(file string) string {
	return upload.JobName(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
}

// newFile is a file to write if it does not exist.
type newFile struct {
	path string
	text []byte
}

// writeNew writes all files or none. It overwrites nothing: if a file exists, the error names it.
func writeNew(files []newFile) (err error) {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(f.path); err == nil {
			there = append(there, f.path)
		}
	}
	if len(there) > 0 {
		return exit.Mistakef("%s already there, and init never overwrites a file; nothing was written\nMove it away, or write elsewhere with --out FOLDER/FILE",
			strings.Join(there, ", ")+wording.Plural(len(there), " is", " are"))
	}
	var written []string
	defer func() {
		for _, path := range written {
			if err != nil {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o750); err != nil {
			return err
		}
		file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
		if errors.Is(err, fs.ErrExist) {
			return exit.Mistakef("%s was created in the meantime, and init never overwrites a file", f.path)
		}
		if err != nil {
			return err
		}
		written = append(written, f.path)
		_, err = file.Write(f.text)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Records is what the rows become by the proposed mapping.
type Records struct {
	Rows     int `json:"rows"` // in records
	Total    int `json:"total"`
	Waiting  int `json:"waiting_for_ids"` // records that lack nothing but ids
	IDs      int `json:"ids"`             // how many ids they wait for
	Rejected int `json:"rejected"`        // for another reason
}

// count checks the rows with the proposed mapping, as check does, in a ledger that is thrown away: the installation's
// may not exist yet, and holds what check said of its jobs.
func count(ctx context.Context, s *installation.Setup, path string, entry config.Job, options source.Options) (n *Records, err error) {
	settings, err := s.Settings()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "docketsync-init-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	in := s.New(settings)
	if in.Book, err = ledger.Open(ctx, filepath.Join(dir, "ledger.db")); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Book.Close()) }()
	job, err := in.Job(entry)
	if err != nil {
		return nil, err
	}
	options.Columns, options.Certain = job.Mapping.Columns(), true
	job.Inputs = []rows.Input{{Path: path, Options: options}}
	shown := s.Display(job.Name)
	run, err := in.Importer(shown.Update).Check(ctx, job)
	shown.Done()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	summary, err := report.Build(ctx, in.Book.Reader, run.ID)
	if err != nil {
		return nil, err
	}
	n = &Records{Rows: summary.Rows.InRecords, Total: summary.Records.Total, Rejected: summary.Count(outcome.Rejected).Records}
	if w := summary.Waiting; w != nil {
		n.Waiting, n.IDs = w.Records, w.IDs
		n.Rejected -= w.Records
	}
	return n, nil
}

// print prints the counts. asks says that the mapping takes ids from the ledger, which were not looked up.
func (n Records) print(w io.Writer, asks bool) {
	fmt.Fprintf(w, "%s %s %s", wording.Counted(n.Rows, "row"), wording.Plural(n.Rows, "becomes", "become"), wording.Counted(n.Total, "record"))
	if shared := n.Rows - n.Total; shared > 0 {
		fmt.Fprintf(w, ": %s a key with another", wording.Counted(shared, "row shares", "rows share"))
	}
	fmt.Fprintln(w, ".")
	if n.Waiting > 0 {
		advice := ""
		if asks {
			advice = "; check looks in the ledger for those of earlier runs"
		}
		fmt.Fprintf(w, "%s for %s%s.\n", wording.Counted(n.Waiting, "record waits", "records wait"), wording.Counted(n.IDs, "id"), advice)
	}
	if n.Rejected > 0 {
		fmt.Fprintf(w, "%s for other reasons; check lists them.\n", wording.Counted(n.Rejected, "record would be rejected", "records would be rejected"))
	}
}
