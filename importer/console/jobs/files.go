package jobs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/source/format"
)

// downloads lists the files of a report that can be downloaded, in the order of the page. No other file of this machine
// can be downloaded.
var downloads = []download{
	{"report.html", "text/html; charset=utf-8", "The report, to read or to send by email"},
	{"rejects.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "The rejected rows, to correct and import again"},
	{"report.csv", "text/csv; charset=utf-8", "One line for each row of the source"},
	{"report.csv.gz", "application/gzip", "One line for each row of the source, compressed"},
	{"report.json", "application/json", "The report, for programs"},
	{"differs.csv", "text/csv; charset=utf-8", "Values that the service stored differently from what was sent"},
	{"stays.csv", "text/csv; charset=utf-8", "Values that stay in the service and must be removed there by hand"},
	{"vanished.csv", "text/csv; charset=utf-8", "Records that are no longer in the export"},
}

// reportPolicy is the content security policy of report.html. The page has its own script and style, whose digests are
// in a policy of its own. This policy also gives the page an origin of its own, so that it cannot use the console on
// behalf of the user.
const reportPolicy = "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
	"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// download is a file that can be downloaded.
type download struct{ Name, kind, Words string }

// files lists the files of a run's report. It writes them again from the ledger if they are missing here or outdated:
// if they were written on another machine, before the run was resumed there, or before a doubt was settled. This is
// simpler than sharing the files between machines, and the files then match the ledger.
func (p *Pages) files(ctx context.Context, run ledger.Run) (list []download, err error) {
	list, current, err := p.written(ctx, run)
	if current || err != nil {
		return list, err
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	if list, current, err = p.written(ctx, run); !current && err == nil {
		if err = p.Work.Rewrite(ctx, run.ID); err == nil {
			list, _, err = p.written(ctx, run)
		}
	}
	return list, err
}

// shownFiles lists the files for a page. If they could not be written, trouble says why, and the page shows everything
// else.
func (p *Pages) shownFiles(ctx context.Context, run ledger.Run) (list []download, trouble string) {
	list, err := p.files(ctx, run)
	if err != nil {
		trouble = "The files could not be written on this machine."
		if web.SeesAll(ctx) {
			trouble += " " + wording.UpperFirst(err.Error())
		}
	}
	return list, trouble
}

// written lists the existing files. They are current if they show the end of the run and the current number of doubts,
// whatever the clocks of the machines say. They are also current if there is nothing to write, because the run is in
// progress or its report was removed after the configured time.
func (p *Pages) written(ctx context.Context, run ledger.Run) (list []download, current bool, err error) {
	dir, keep, err := p.Work.Reports()
	if err != nil {
		return nil, false, err
	}
	current = run.Ended.IsZero() || !run.Pruned.IsZero() || keep > 0 && run.Started.Before(keep.Before(p.Now()))
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, current, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	folder := files.Folder(run)
	for _, d := range downloads {
		if info, err := root.Stat(filepath.Join(folder, d.Name)); err == nil && info.Mode().IsRegular() {
			list = append(list, d)
		}
	}
	if f, err := root.Open(filepath.Join(folder, report.JSONFile)); err == nil && !current {
		defer f.Close()
		now, err := p.doubts(ctx, run)
		if err != nil {
			return nil, false, err
		}
		ended, doubts := files.Standing(f)
		current = ended.Equal(run.Ended) && doubts == now
	}
	return list, current, nil
}

// doubts counts the records in doubt of a run and of earlier runs, as its report does.
func (p *Pages) doubts(ctx context.Context, run ledger.Run) (int, error) {
	counts, err := p.tally(ctx, web.Book(ctx), run)
	var earlier []ledger.Record
	if err == nil && run.Kind != ledger.Check && !report.Abandoned(run) {
		earlier, err = web.Book(ctx).DoubtsBefore(ctx, run)
	}
	return outcome.Tally(counts)[outcome.InDoubt] + len(earlier), err
}

// rewrite writes the files of a run's report again.
func (p *Pages) rewrite(r *web.Request, run ledger.Run) error {
	r.About("run " + run.ID)
	if err := p.Work.Rewrite(r.Context(), run.ID); err != nil {
		return err
	}
	return r.SeeOther("/runs/"+run.ID, "The files have been written again.")
}

func (p *Pages) file(r *web.Request, run ledger.Run) error {
	n := slices.IndexFunc(downloads, func(d download) bool { return d.Name == r.PathValue("file") })
	if n < 0 {
		return web.Nowhere(r)
	}
	if _, err := p.files(r.Context(), run); err != nil {
		return err
	}
	dir, _, err := p.Work.Reports()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // nothing leads out of the folder, not even a link
	if err != nil {
		return err
	}
	defer root.Close()
	name := downloads[n].Name
	f, err := root.Open(filepath.Join(files.Folder(run), name))
	if errors.Is(err, fs.ErrNotExist) {
		return web.Refuse(http.StatusNotFound, "This file does not exist.", "You can write the files again on the page of the run.")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, web.Nowhere(r))
	}
	r.About("run " + run.ID)
	r.Remark(name)
	r.Record("download", nil)
	h := r.Response.Header()
	h.Set("Content-Type", downloads[n].kind)
	if name == "report.html" {
		h.Set("Content-Security-Policy", reportPolicy)
		h.Del("Cross-Origin-Opener-Policy")
	} else {
		h.Set("Content-Disposition", `attachment; filename="`+files.Folder(run)+"-"+name+`"`)
	}
	http.ServeContent(r.Response, r.Request, name, info.ModTime(), f)
	return nil
}

var acceptedFiles = strings.Join(upload.Extensions, ",")

// readsUpload reports whether the source of a job is one uploaded file.
func (p *Pages) readsUpload(job Job) bool {
	return len(job.Files) == 1 && p.Uploads.Holds(job.Files[0])
}

// askFile starts a dry run of a job on an uploaded file. The run reads the file in place of the job's source. If the
// file is the next export, it replaces the upload that the job reads.
func (p *Pages) askFile(r *web.Request) error {
	file, head, err := r.File()
	if err != nil {
		return err
	}
	defer file.Close()
	name := uploadName(head.Filename)
	switch {
	case !upload.Table(name):
		return web.Refuse(http.StatusUnsupportedMediaType, "This type of file cannot be read.", "The name must end in "+strings.Join(upload.Extensions, ", ")+".")
	case head.Size == 0:
		return web.Refuse(http.StatusBadRequest, "The file is empty.", "Export it again, then choose it again.")
	case head.Size > p.Uploads.Limit:
		return web.Refuse(http.StatusRequestEntityTooLarge, "The file is larger than "+web.Megabytes(p.Uploads.Limit)+".", "The limit is upload_limit under console: in the configuration.")
	}
	job, err := p.jobOf(r)
	if err != nil {
		return err
	}
	if r.PostFormValue("as") == "export" {
		return p.askNext(r, job, name, file)
	}
	path, undo, err := p.Uploads.KeepCorrected(name, file)
	if err != nil {
		return err
	}
	r.Remark("a dry run, kept as " + path)
	if err := p.order(r, job, queue.Order{Kind: ledger.Plan, File: path}); err != nil {
		undo()
		return err
	}
	return nil
}

// askNext starts a dry run of a job on its next export. It replaces the previous export only after it has read the new
// one to its end.
func (p *Pages) askNext(r *web.Request, job Job, name string, file io.Reader) error {
	if !p.readsUpload(job) {
		return web.Refuse(http.StatusConflict, "This job does not read an upload.", "Its next file comes from where the configuration says.")
	}
	p.asking.Lock()
	err := p.asShown(r, job.Name) // a run in progress is still reading the file
	if err == nil {
		err = p.Uploads.Replace(job.Files[0], file, func(path string) error { return p.Work.Readable(r.Context(), job.Name, path) })
	}
	p.asking.Unlock()
	if bad, ok := errors.AsType[*format.Error](err); ok {
		told := *bad
		told.File = name
		return web.Refuse(http.StatusUnprocessableEntity, told.Error(), strings.TrimSpace(bad.Hint+" The file that the job reads has not been replaced."))
	}
	if err != nil {
		return err
	}
	r.Remark("in place of " + job.Files[0])
	return p.order(r, job, queue.Order{Kind: ledger.Plan})
}

// uploadNameLimit is the maximum length of the file name of a stored upload, without its extension.
const uploadNameLimit = 100

// notInNames matches characters that the name of a stored file must not contain.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// uploadName returns the name under which an upload is stored: the last part of its path, without unsafe characters.
func uploadName(given string) string {
	given = notInNames.ReplaceAllString(given[strings.LastIndexAny(given, `/\`)+1:], "_")
	end := filepath.Ext(given)
	name := cmp.Or(strings.TrimLeft(strings.TrimSuffix(given, end), "."), "file")
	return name[:min(len(name), uploadNameLimit)] + end
}
