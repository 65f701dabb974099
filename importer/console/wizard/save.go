package wizard

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/mapping/infer"
)

type jobView struct {
	stepsView
	As      string // the name of the job
	Text    string
	Seen    string // digest of the mapping and the lookups that the page shows
	Faults  diagnostic.Faults
	Planned planned
	Next    nextView
}

func (p *Pages) job(r *web.Request, up *upload.Upload) error { return p.showJob(r, up, http.StatusOK) }

func (p *Pages) showJob(r *web.Request, up *upload.Upload, status int) error {
	name := cmp.Or(up.Job, strings.TrimSpace(r.FormValue("name")), upload.JobName(strings.TrimSuffix(up.Name, filepath.Ext(up.Name))))
	seen, err := up.Digest()
	if err != nil {
		return err
	}
	view := jobView{stepsView: viewOf(up, "/job"), As: name, Seen: seen}
	job, err := p.newJob(r, up, name)
	view.Text = job.Mapping
	if errors.As(err, &view.Faults) {
		return r.Show("importjob", up.Name, view)
	}
	if err != nil {
		return unreadable(err)
	}
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

// newJob returns the upload as a job. The error is of type diagnostic.Faults if the mapping has errors.
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

// addJob saves the job as the page shows it. If something prevents that, or the button asks only for a preview, it
// shows the page again.
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
	if seen, err := up.Digest(); err != nil || seen != r.PostFormValue("seen") {
		return cmp.Or(err, upload.ErrChanged)
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
		r.Record("add_job", web.Refuse(http.StatusConflict, cmp.Or(planned.Wrong, "Files already exist with different content: "+planned.Replaces()), ""))
		r.Unremarkable()
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

// openSaved replaces the draft by the saved files of the job, which may have changed since. It discards only the draft
// that the page shows.
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
	if err := up.Restore(files, r.PostFormValue("seen")); err != nil {
		return err
	}
	return r.SeeOther("/import/"+up.ID+"/mapping", "The saved mapping of the job is open.")
}

// next says where the next file of a job comes from and when it is read. The zero value is the file that the mapping
// was made from.
type next struct {
	File  string // as in the configuration: a path relative to its folder, or NAME:/path of a remote
	Inbox string // the inbox, as in the configuration
	When  string // the setting when:, "" for a job that runs manually
}

// The sources of the next file.
const (
	nextHere   = "here" // the same file; an upload is replaced on the job's page
	nextFile   = "file"
	nextInbox  = "inbox"
	nextRemote = "remote"
)

// nextView is the choice in the form.
type nextView struct {
	From, Path, Folder, Remote, RemotePath string
	Runs, At, After                        string
	Remotes                                []string
	Scheduled                              []string // the jobs that another one can follow
	Upload                                 bool     // the file is an upload
}

// next reads the form fields about the next file. The error is a *web.Refusal.
func (p *Pages) next(r *web.Request, up *upload.Upload, name string) (n next, v nextView, err error) {
	said := func(field string) string { return strings.TrimSpace(r.FormValue(field)) }
	v = nextView{From: said("next"), Path: said("path"), Folder: said("folder"), Remote: said("remote"), RemotePath: said("remote_path"), Runs: said("runs"), At: cmp.Or(said("at"), "02:00"), After: said("after"),
		Upload: up.Origin == ""}
	if v.Remotes, err = p.Work.Remotes(); err != nil {
		return n, v, err
	}
	list, err := p.Jobs.Work.Jobs(r.Context())
	if err != nil {
		return n, v, err
	}
	for _, job := range list {
		if job.When != "" && job.Name != name {
			v.Scheduled = append(v.Scheduled, job.Name)
		}
	}
	missing := func(what, hint string) error { return web.Refuse(http.StatusBadRequest, what, hint) }
	switch {
	case v.From == nextFile && v.Path == "":
		return n, v, missing("Enter the path of the file that the job reads.", "For example exports/matters.csv, from the folder of the configuration on.")
	case v.From == nextFile:
		n.File = filepath.ToSlash(filepath.Clean(v.Path)) // a link before .. could lead to another folder
	case v.From == nextInbox:
		n.Inbox = cmp.Or(v.Folder, "inbox/"+name)
	case v.From == nextRemote && (!slices.Contains(v.Remotes, v.Remote) || v.RemotePath == ""):
		return n, v, missing("Choose the remote and enter the path of the file there.", "For example /out/matters*.csv: of several that fit, the one that was written last is fetched.")
	case v.From == nextRemote:
		n.File = v.Remote + ":" + v.RemotePath
	default:
		v.From = nextHere
	}
	if n.Inbox != "" {
		return n, v, nil // a file is processed when it arrives
	}
	n.When, err = v.when()
	return n, v, err
}

// when returns the setting for the selected time.
func (v nextView) when() (string, error) {
	at, noTime := time.Parse("15:04", v.At)
	switch {
	case v.Runs == "" || v.Runs == "manually":
		return "", nil
	case v.Runs == "after" && slices.Contains(v.Scheduled, v.After):
		return "{after: " + infer.Scalar(v.After) + "}", nil
	case v.Runs != "daily" && v.Runs != "weekdays" || noTime != nil:
		return "", web.Refuse(http.StatusBadRequest, "Choose when the job runs.", "For example every day at 02:00.")
	}
	days := map[string]string{"daily": "*", "weekdays": "1-5"}[v.Runs]
	return fmt.Sprintf(`"%d %d * * %s"`, at.Minute(), at.Hour(), days), nil
}

// firstFile returns the uploaded file if the first run of the job must read it in place of the job's source. It returns
// "" if the job reads that file anyway.
func (p *Pages) firstFile(r *web.Request, up *upload.Upload) (string, error) {
	list, err := p.Jobs.Work.Jobs(r.Context())
	if err != nil {
		return "", err
	}
	n := slices.IndexFunc(list, func(j jobs.Job) bool { return j.Name == up.Job })
	if n < 0 || slices.ContainsFunc(list[n].Files, func(file string) bool { return samePath(file, up.Source()) }) {
		return "", nil
	}
	return up.Path(), nil
}

// samePath reports whether two paths are the same once they are absolute.
func samePath(a, b string) bool {
	one, err1 := filepath.Abs(a)
	other, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && one == other
}
