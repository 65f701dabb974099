// Package wizard has the pages of the first import: from a file that nobody has mapped yet to a job that has run.
//
// The steps are the file, its mapping, the names that wait for ids, the job, and its check, plan and first run. All are
// for operators, because each shows a firm's data that is in no run yet. The form of the mapping and its text change
// the same draft. Each form carries a digest of the draft that it was made from, and is refused if the draft has
// changed. The files of a job are shown before they are written, all of them or none (plan, save). Work.PlaceOf says
// where they are kept, and whether the configuration would be valid with them. A path that somebody enters or chooses
// leads only to exports, never to what the installation owns or to another firm (Work.Refused).
package wizard

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"sync"

	"docketsync/importer"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/mapping/lookup"
)

//go:embed pages/*.html
var files embed.FS

// Work is what these pages need beyond the folder of an upload.
type Work interface {
	// Tables builds the lookups of a draft.
	Tables(ctx context.Context, job importer.Job) (map[string]*lookup.Table, error)
	// Lists returns the names of the service's lists in the configuration. List fetches one of them.
	Lists() ([]string, error)
	List(ctx context.Context, name string) ([]ListItem, error)
	// Remotes returns the names of the remotes in the configuration.
	Remotes() ([]string, error)
	// PlaceOf returns where a job is saved, or why it cannot be saved.
	PlaceOf(job NewJob) (Place, error)
	// Refused returns a function that says why a job made here may not read a file on this machine, or "" if it may.
	Refused() (func(path string) string, error)
}

// ListItem is an entry of a list of the service.
type ListItem struct{ ID, Name string }

// Pages has the pages of the first import of a file.
type Pages struct {
	Work  Work
	Store *upload.Store
	Jobs  *jobs.Pages

	saving sync.Mutex // held while the files of a job are written
}

// AddTo adds the pages to a frame. Only operators can see them, because each shows data of the firm that is not in a
// run yet.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get("/import", signin.OperatorOfAll, p.imports)
	f.PostWithin("/import", signin.OperatorOfAll, "upload", p.Store.Limit+web.FormLimit, p.upload)
	f.Post("/import/from", signin.OperatorOfAll, "take_file", p.takeFile)
	f.Get("/import/{upload}", signin.OperatorOfAll, p.of(p.file))
	f.Post("/import/{upload}", signin.OperatorOfAll, "read_upload", p.of(p.readAgain))
	f.Post("/import/{upload}/discard", signin.OperatorOfAll, "discard_upload", p.of(p.discard))
	f.Get("/import/{upload}/mapping", signin.OperatorOfAll, p.of(p.showMapping))
	f.Post("/import/{upload}/mapping", signin.OperatorOfAll, "change_draft", p.of(p.chooseFields))
	f.Post("/import/{upload}/text", signin.OperatorOfAll, "change_draft", p.of(p.changeText))
	f.Get("/import/{upload}/names", signin.OperatorOfAll, p.of(p.names))
	f.PostWithin("/import/{upload}/names", signin.OperatorOfAll, "fill_in_names", p.Store.Limit+web.FormLimit, p.of(p.fillIn))
	f.Get("/import/{upload}/names/file", signin.OperatorOfAll, p.of(p.downloadNames))
	f.Get("/import/{upload}/job", signin.OperatorOfAll, p.of(p.job))
	f.Post("/import/{upload}/job", signin.OperatorOfAll, "add_job", p.of(p.addJob))
	f.Post("/import/{upload}/open", signin.OperatorOfAll, "open_mapping", p.of(p.openSaved))
	f.Get("/import/{upload}/run", signin.OperatorOfAll, p.of(p.run))
	f.Poll("/import/{upload}/run/standing", signin.OperatorOfAll, p.of(p.standing))
	f.Post("/import/{upload}/run", signin.OperatorOfAll, "order", p.of(p.orderRun))
}

// steps lists the pages of an upload in their order.
var steps = []struct{ Path, Title string }{
	{"", "File"}, {"/mapping", "Mapping"}, {"/names", "Names"}, {"/job", "Job"}, {"/run", "Check and run"},
}

// stepLine is a step in the navigation of a page.
type stepLine struct {
	Number      int
	Path, Title string
	Here        bool
}

// stepsView is the part of the view that all pages of an upload share.
type stepsView struct {
	*upload.Upload
	Steps []stepLine
}

func viewOf(up *upload.Upload, here string) stepsView {
	v := stepsView{Upload: up}
	for n, step := range steps {
		v.Steps = append(v.Steps, stepLine{n + 1, "/import/" + up.ID + step.Path, step.Title, step.Path == here})
	}
	return v
}

// of returns a page about an upload. It refuses a change to a draft that has changed since the page was loaded.
func (p *Pages) of(page func(*web.Request, *upload.Upload) error) web.Page {
	return web.Of(p.uploadOf, func(r *web.Request, up *upload.Upload) error {
		err := page(r, up)
		if errors.Is(err, upload.ErrChanged) {
			return web.Refuse(http.StatusConflict, "The mapping has changed since this page was loaded, in another window or by somebody else.", "Go back, copy what you have written, then reload the page.")
		}
		return err
	})
}

// uploadOf returns the upload that the path of a request names.
func (p *Pages) uploadOf(r *web.Request) (*upload.Upload, error) {
	up, err := p.Store.Open(r.PathValue("upload"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, web.Refuse(http.StatusNotFound, "Upload not found.", "It may have been deleted. Upload the file again.")
	}
	if err == nil {
		r.About(up.ID)
	}
	return up, err
}
