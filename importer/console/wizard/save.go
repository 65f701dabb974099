package wizard

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
)

type jobView struct {
	stepsView
	As      string // the name of the job
	Text    string
	Seen    string // names the mapping and the lookups that the page shows
	Faults  diagnostic.Faults
	Planned planned
	Next    nextView
}

func (p *Pages) job(r *web.Request, up *upload.Upload) error { return p.showJob(r, up, http.StatusOK) }

func (p *Pages) showJob(r *web.Request, up *upload.Upload, status int) error {
	name := cmp.Or(up.Job, strings.TrimSpace(r.FormValue("name")), upload.JobName(strings.TrimSuffix(up.Name, filepath.Ext(up.Name))))
	view := jobView{stepsView: viewOf(up, "/job"), As: name}
	job, err := p.newJob(r, up, name)
	view.Text = job.Mapping
	if errors.As(err, &view.Faults) {
		return r.Show("importjob", up.Name, view)
	}
	if err != nil {
		return unreadable(err)
	}
	view.Seen = job.seen()
	if up.Job == "" {
		if job.Next, view.Next, err = p.next(r, up, name); err != nil {
			return err
		}
	}
	if view.Planned, err = p.plan(job); err != nil {
		return err
	}
	return r.Answer(status, "importjob", "layout", up.Name, view)
}

// newJob is the upload as a job. The error is of type diagnostic.Faults where its mapping has mistakes.
func (p *Pages) newJob(r *web.Request, up *upload.Upload, name string) (NewJob, error) {
	job := NewJob{Name: name, Source: up.Source(), Options: up.Read.Options(), Known: up.Job == name && name != ""}
	var err error
	if job.Mapping, err = up.Text(); err != nil {
		return job, err
	}
	if job.Files, err = up.Files(job.Mapping); err != nil {
		return job, err
	}
	look, err := up.Glance(r.Context())
	if err != nil {
		return job, err
	}
	job.Options = look.Settled(job.Options)
	return job, nil
}

// seen names a mapping with its lookups.
func (j NewJob) seen() string {
	text := j.Mapping
	for _, name := range slices.Sorted(maps.Keys(j.Files)) {
		text += "\x00" + name + "\x00" + string(j.Files[name])
	}
	return upload.DigestOf(text)
}

// addJob saves the job as the page shows it. Where something is in the way, and where the button asks for that alone, it shows it again.
func (p *Pages) addJob(r *web.Request, up *upload.Upload) error {
	if r.PostForm.Has("preview") {
		r.Unremarkable()
		return p.job(r, up)
	}
	name := strings.TrimSpace(r.PostFormValue("name"))
	r.About(name)
	job, err := p.newJob(r, up, name)
	if _, ok := errors.AsType[diagnostic.Faults](err); ok {
		return web.Refuse(http.StatusUnprocessableEntity, "The mapping has errors and was not saved.", "The Mapping page shows them.")
	}
	if err != nil {
		return unreadable(err)
	}
	if up.Job != "" && up.Job != name {
		return web.Refuse(http.StatusConflict, "This upload is already the job "+up.Job+".", "Upload the file again for another job.")
	}
	if job.seen() != r.PostFormValue("seen") {
		return upload.ErrChanged
	}
	if up.Job == "" {
		if job.Next, _, err = p.next(r, up, name); err != nil {
			return err
		}
	}
	replace := r.PostFormValue("replace")
	planned, err := p.save(job, replace)
	switch {
	case err != nil:
		return err
	case planned.Wrong != "" || planned.Replaces() != "" && planned.Replaces() != replace:
		return p.showJob(r, up, http.StatusConflict)
	}
	r.Remark(strings.Join(planned.Files, ", "))
	if planned.Inbox != "" {
		if err := os.MkdirAll(planned.Inbox, 0o750); err != nil {
			return err
		}
	}
	if err := up.Became(name); err != nil {
		return err
	}
	return r.SeeOther("/import/"+up.ID+"/run", "Saved as the job "+name+".")
}

// openSaved makes the files of the job the draft, as somebody has changed them since.
func (p *Pages) openSaved(r *web.Request, up *upload.Upload) error {
	if up.Job == "" {
		return web.Refuse(http.StatusConflict, "There is no job yet.", "Save the mapping first.")
	}
	job, err := p.newJob(r, up, up.Job)
	if err != nil {
		return unreadable(err)
	}
	files, err := p.saved(job)
	if err != nil {
		return err
	}
	if err := up.Restore(files); err != nil {
		return err
	}
	return r.SeeOther("/import/"+up.ID+"/mapping", "The saved mapping of the job is open.")
}
