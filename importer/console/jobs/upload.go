package jobs

import (
	"cmp"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

// uploadKinds are the ends of the names of files that can be read.
var uploadKinds = []string{".xlsx", ".xlsm", ".xls", ".ods", ".csv", ".tsv", ".txt", ".xml"}

var acceptedFiles = strings.Join(uploadKinds, ",")

// readsUpload tells whether a job reads one file that somebody uploaded for it.
func (p *Pages) readsUpload(job Job) bool {
	return len(job.Files) == 1 && p.Uploads.Holds(job.Files[0])
}

// askFile has a dry run made of a job on a file that comes with the post: in place of its own source, or as the next export, which takes the
// place of the upload that the job reads.
func (p *Pages) askFile(r *web.Request) error {
	file, head, err := r.File()
	if err != nil {
		return err
	}
	defer file.Close()
	name := uploadName(head.Filename)
	switch {
	case !slices.Contains(uploadKinds, strings.ToLower(filepath.Ext(name))):
		return web.Refuse(http.StatusUnsupportedMediaType, "This type of file cannot be read.", "The name must end in "+strings.Join(uploadKinds, ", ")+".")
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
		return p.askNext(r, job, file)
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

// askNext has a dry run made of a job on its next export.
func (p *Pages) askNext(r *web.Request, job Job, file io.Reader) error {
	if !p.readsUpload(job) {
		return web.Refuse(http.StatusConflict, "This job does not read an upload.", "Its next file comes from where the configuration says.")
	}
	p.asking.Lock()
	err := p.asShown(r, job.Name) // a run that is under way still reads the file
	if err == nil {
		err = p.Uploads.Replace(job.Files[0], file)
	}
	p.asking.Unlock()
	if err != nil {
		return err
	}
	r.Remark("in place of " + job.Files[0])
	return p.order(r, job, queue.Order{Kind: ledger.Plan})
}

// uploadNameLimit is how long the name of an uploaded file may be that is kept under it.
const uploadNameLimit = 100

// notInNames is what no name of a file has that is kept.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// uploadName is the name under which a file is kept: its last part, of which nothing leads anywhere else.
func uploadName(given string) string {
	given = notInNames.ReplaceAllString(given[strings.LastIndexAny(given, `/\`)+1:], "_")
	end := filepath.Ext(given)
	name := cmp.Or(strings.TrimLeft(strings.TrimSuffix(given, end), "."), "file")
	return name[:min(len(name), uploadNameLimit)] + end
}
