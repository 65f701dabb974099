package console

import (
	"errors"
	"net/http"
	"strings"

	"docketsync/config/document"
	"docketsync/importer/intake"
	"docketsync/importer/ledger"
)

type intakeJobView struct {
	intakeView
	As      string // the name of the job
	Text    string
	Faults  document.Faults
	Planned Planned
	Ask     bool // about the files that are there
}

func (s *Server) intakeJob(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	name := v.r.URL.Query().Get("name")
	if i.Job != "" {
		name = i.Job
	}
	if name == "" {
		name = intake.JobName(strings.TrimSuffix(i.Name, extensionOf(i.Name)))
	}
	return s.showJob(v, i, name)
}

func extensionOf(name string) string {
	if n := strings.LastIndexByte(name, '.'); n > 0 {
		return name[n:]
	}
	return ""
}

func (s *Server) showJob(v *visit, i *intake.Intake, name string) error {
	view := intakeJobView{intakeView: viewOf(i, "/job"), As: name}
	job, err := s.newJob(v, i, name)
	view.Text = job.Mapping
	if errors.As(err, &view.Faults) {
		return v.show("intakejob", i.Name, view)
	}
	if err != nil {
		return s.unreadable(err)
	}
	if view.Planned, err = s.Work.Intake.Plan(job); err != nil {
		return err
	}
	view.Ask = len(view.Planned.Taken) > 0
	return v.show("intakejob", i.Name, view)
}

// newJob is the intake as a job. The error is of type document.Faults where its mapping has mistakes.
func (s *Server) newJob(v *visit, i *intake.Intake, name string) (NewJob, error) {
	job := NewJob{Name: name, Source: i.Source(), Options: i.Read.Options(), Known: i.Job == name && name != ""}
	var err error
	if job.Mapping, err = i.Text(); err != nil {
		return job, err
	}
	if job.Files, err = i.Files(job.Mapping); err != nil {
		return job, err
	}
	look, err := i.Glance(v.ctx())
	if err != nil {
		return job, err
	}
	job.Options.NoHeader = look.HeaderRow == 0
	if job.Options.Alike = false; job.Options.Sheet == "" {
		job.Options.Sheet = look.SheetSetting()
	}
	return job, nil
}

func (s *Server) addJob(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(v.r.PostFormValue("name"))
	v.about(name)
	job, err := s.newJob(v, i, name)
	var faults document.Faults
	if errors.As(err, &faults) {
		return refuse(http.StatusUnprocessableEntity, "The mapping has mistakes, and was not saved.", "They are shown on the page of the mapping.")
	}
	if err != nil {
		return s.unreadable(err)
	}
	if i.Job != "" && i.Job != name {
		return refuse(http.StatusConflict, "This upload is the job "+i.Job+" already.", "Upload the file again for another job.")
	}
	job.Replace = v.r.PostFormValue("replace") != ""
	planned, err := s.Work.Intake.AddJob(job)
	switch {
	case err != nil:
		return err
	case planned.Wrong != "":
		return refuse(http.StatusConflict, planned.Wrong, "Nothing was written.")
	case len(planned.Taken) > 0 && !job.Replace:
		return refuse(http.StatusConflict, "There are files already that hold something else: "+strings.Join(planned.Taken, ", "), "Nothing was written. Say that they are to be replaced, or choose another name.")
	}
	v.remark(strings.Join(planned.Files, ", "))
	if err := i.Became(name); err != nil {
		return err
	}
	return v.seeOther("/import/"+i.ID+"/run", "The mapping and its lookups were saved for the job "+name+".")
}

// openSaved makes the files of the job the draft, as somebody has changed them since.
func (s *Server) openSaved(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	if i.Job == "" {
		return refuse(http.StatusConflict, "There is no job yet.", "Save the mapping first.")
	}
	job, err := s.newJob(v, i, i.Job)
	if err != nil {
		return s.unreadable(err)
	}
	files, err := s.Work.Intake.Saved(job)
	if err != nil {
		return err
	}
	if err := i.Restore(files, savedMapping); err != nil {
		return err
	}
	return v.seeOther("/import/"+i.ID+"/mapping", "The mapping is the one that the job has now.")
}

type intakeRunView struct {
	intakeView
	Standing *Standing // of the last order for the job
	Last     *runView  // the run that it was, once it is over
	Unsaved  bool      // the draft is not what the job has
	After    string    // the last run of the job, "" for none
}

func (s *Server) intakeRun(v *visit) error {
	view, err := s.intakeRunView(v)
	if err != nil {
		return err
	}
	return v.show("intakerun", view.Name, view)
}

// intakeStanding answers with how the order stands, until it has ended.
func (s *Server) intakeStanding(v *visit) error {
	view, err := s.intakeRunView(v)
	if err != nil {
		return err
	}
	return v.fragment("intakerun", "standing", view)
}

func (s *Server) intakeRunView(v *visit) (view intakeRunView, err error) {
	i, err := s.intakeOf(v)
	if err != nil {
		return view, err
	}
	view.intakeView = viewOf(i, "/run")
	if i.Job == "" {
		return view, nil
	}
	if view.Unsaved, err = s.unsaved(v, i); err != nil {
		return view, err
	}
	sent, err := s.lastRun(v.ctx(), i.Job)
	if err != nil {
		return view, err
	}
	if sent != nil {
		view.After = sent.ID
	}
	standing, ok := s.orders.of(i.Job)
	if !ok {
		return view, nil
	}
	view.Standing = &standing
	if standing.UnderWay() || standing.Run == "" {
		return view, nil
	}
	run, err := s.book(v.ctx()).Run(v.ctx(), standing.Run)
	if err != nil {
		return view, err
	}
	last, err := s.runView(v.ctx(), run)
	view.Last = &last
	return view, err
}

// unsaved tells whether the draft differs from what the job has, which is what a run goes by.
func (s *Server) unsaved(v *visit, i *intake.Intake) (bool, error) {
	job, err := s.newJob(v, i, i.Job)
	var faults document.Faults
	if errors.As(err, &faults) {
		return true, nil // a mapping with mistakes was never saved
	}
	if err != nil {
		return false, err
	}
	planned, err := s.Work.Intake.Plan(job)
	return len(planned.Taken) > 0, err
}

func (s *Server) orderIntake(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	kind := ledger.Kind(v.r.PostFormValue("kind"))
	if i.Job == "" || kind != ledger.Check && kind != ledger.Plan && kind != ledger.Push {
		return refuse(http.StatusBadRequest, "There is nothing of that kind to be done.", "Save the job first, then check it.")
	}
	if kind == ledger.Push && v.r.PostFormValue("sure") == "" {
		return refuse(http.StatusBadRequest, "Nothing was sent.", "Look at the plan, and say so beside the button.")
	}
	v.about(i.Job)
	v.remark(string(kind))
	s.working.asking.Lock()
	defer s.working.asking.Unlock()
	if kind == ledger.Push {
		if err := s.asShown(v, i.Job); err != nil {
			return err
		}
	}
	if err := s.orders.take(Order{Job: i.Job, Kind: kind, Who: v.Person.Name}); err != nil {
		return err
	}
	return v.seeOther("/import/"+i.ID+"/run", "")
}
