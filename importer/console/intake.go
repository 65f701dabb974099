package console

import (
	"errors"
	"fmt"
	"io/fs"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"docketsync/importer/intake"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// intakeRoutes are the pages of the first import: the file, its mapping, the names, the job, and its runs. All of them are for
// those who may change something, since each shows a firm's data that is in no run yet.
func (s *Server) intakeRoutes() {
	s.get("/import", Operator, s.intakes)
	s.postWithin("/import", Operator, "upload", s.UploadLimit+formLimit, s.upload)
	s.post("/import/from", Operator, "take_file", s.takeFile)
	s.get("/import/{intake}", Operator, s.intakeFile)
	s.post("/import/{intake}", Operator, "read_upload", s.readAgain)
	s.post("/import/{intake}/discard", Operator, "discard_upload", s.discard)
	s.get("/import/{intake}/mapping", Operator, s.intakeMapping)
	s.post("/import/{intake}/mapping", Operator, "change_draft", s.chooseFields)
	s.post("/import/{intake}/text", Operator, "change_draft", s.changeText)
	s.get("/import/{intake}/names", Operator, s.intakeNames)
	s.post("/import/{intake}/names", Operator, "fill_in_names", s.fillIn)
	s.get("/import/{intake}/job", Operator, s.intakeJob)
	s.post("/import/{intake}/job", Operator, "add_job", s.addJob)
	s.post("/import/{intake}/open", Operator, "open_mapping", s.openSaved)
	s.get("/import/{intake}/run", Operator, s.intakeRun)
	s.poll("/import/{intake}/run/standing", Operator, s.intakeStanding)
	s.post("/import/{intake}/run", Operator, "order", s.orderIntake)
}

// steps are the pages of an intake in their order.
var steps = []struct{ Path, Title string }{
	{"", "The file"}, {"/mapping", "The mapping"}, {"/names", "The names"}, {"/job", "The job"}, {"/run", "Check, plan, run"},
}

// stepLine is one of the steps as a page shows them.
type stepLine struct {
	Number      int
	Path, Title string
	Here        bool
}

// intakeView is what all pages of an intake show.
type intakeView struct {
	*intake.Intake
	Steps []stepLine
}

func viewOf(i *intake.Intake, here string) intakeView {
	v := intakeView{Intake: i}
	for n, step := range steps {
		v.Steps = append(v.Steps, stepLine{n + 1, "/import/" + i.ID + step.Path, step.Title, step.Path == here})
	}
	return v
}

// intakeOf is the intake that a request is about.
func (s *Server) intakeOf(v *visit) (*intake.Intake, error) {
	i, err := s.Work.Intake.Store.Open(v.r.PathValue("intake"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(http.StatusNotFound, "There is no such upload.", "It may have been taken away. Upload the file again.")
	}
	if err == nil {
		v.about(i.ID)
	}
	return i, err
}

type intakesView struct {
	Intakes    []*intake.Intake
	Limit      string
	Operations []mapping.Operation
	Files      []folderFile
}

func (s *Server) intakes(v *visit) error {
	list, err := s.Work.Intake.Store.List()
	if err != nil {
		return err
	}
	files, err := s.folderFiles(v.ctx())
	if err != nil {
		return err
	}
	return v.show("intakes", "Import a file", intakesView{list, bytesWords(s.UploadLimit), mapping.Operations, files})
}

func (s *Server) upload(v *visit) error {
	file, head, err := v.file()
	if err != nil {
		return err
	}
	defer file.Close()
	v.about(head.Filename)
	i, err := s.takeUpload(v, file, head)
	if err != nil {
		return s.unreadable(err)
	}
	v.remark(fmt.Sprintf("%s, %d bytes, kept as %s", head.Filename, i.Size, i.ID))
	v.about(i.ID)
	return v.seeOther("/import/"+i.ID, "")
}

func (s *Server) takeUpload(v *visit, file multipart.File, head *multipart.FileHeader) (*intake.Intake, error) {
	if head.Size > s.UploadLimit {
		return nil, &intake.LargeError{Limit: s.UploadLimit}
	}
	read, operation, err := readingOf(v.r)
	if err != nil {
		return nil, err
	}
	return s.Work.Intake.Store.Take(v.ctx(), intake.Arrival{Who: v.Person.Name, Name: head.Filename, Read: read, Operation: operation}, file)
}

// unreadable tells why a file cannot be taken.
func (s *Server) unreadable(err error) error {
	var large *intake.LargeError
	var bad *source.Error
	switch {
	case errors.As(err, &large):
		return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %s, which is as large as an upload may be.", bytesWords(large.Limit)),
			"The limit is upload_limit under console: in the configuration. docketsync init proposes a mapping for files of any size.")
	case errors.As(err, &bad):
		hint := strings.TrimSpace(bad.Hint + " Where the file was read in a wrong way, say how it is to be read when you upload it again.")
		return refuse(http.StatusUnprocessableEntity, bad.Error(), hint)
	}
	return err
}

// readingOf is how somebody says that a file is to be read.
func readingOf(r *http.Request) (read intake.Reading, operation mapping.Operation, err error) {
	read = intake.Reading{Encoding: r.PostFormValue("encoding"), Delimiter: r.PostFormValue("delimiter"), Sheet: strings.TrimSpace(r.PostFormValue("sheet")),
		NoHeader: r.PostFormValue("no_header") != ""}
	if text := strings.TrimSpace(r.PostFormValue("header")); text != "" && !read.NoHeader {
		if read.Header, err = strconv.Atoi(text); err != nil || read.Header < 1 {
			return read, "", refuse(http.StatusBadRequest, fmt.Sprintf("%q is no number of a row.", text), "Write the number of the row that the names of the columns stand in, such as 3.")
		}
	}
	operation = mapping.Operation(r.PostFormValue("operation"))
	if operation != "" && !isOperation(operation) {
		return read, "", refuse(http.StatusBadRequest, fmt.Sprintf("There is no operation %q.", operation), "Choose one of the list.")
	}
	return read, operation, nil
}

func isOperation(o mapping.Operation) bool {
	for _, known := range mapping.Operations {
		if known == o {
			return true
		}
	}
	return false
}

// bytesWords is a size as the configuration says it.
func bytesWords(n int64) string {
	switch {
	case n >= 1<<20:
		return strconv.FormatFloat(float64(n*10>>20)/10, 'f', -1, 64) + " MiB"
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

type intakeFileView struct {
	intakeView
	Look       intake.Look
	Trouble    string // why the file cannot be read as it was said
	Encodings  []string
	Operations []mapping.Operation
	Operation  mapping.Operation // of the draft
}

// encodings are those that are offered; the first is for finding out.
var encodings = []string{"", "utf-8", "windows-1252", "windows-1250", "windows-1251", "iso-8859-15", "macintosh", "utf-16le", "shift_jis", "gb18030"}

func (s *Server) intakeFile(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	view := intakeFileView{intakeView: viewOf(i, ""), Encodings: encodings, Operations: mapping.Operations}
	if view.Look, err = i.Look(v.ctx()); err != nil {
		return s.unreadable(err)
	}
	d, err := s.draftOf(i)
	if err == nil {
		view.Operation = d.Operation()
	}
	return v.show("intakefile", i.Name, view)
}

// readAgain reads the file in another way, or for another operation. The draft begins anew.
func (s *Server) readAgain(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	if i.Read, i.Operation, err = readingOf(v.r); err != nil {
		return err
	}
	if err := i.Propose(v.ctx()); err != nil {
		return s.unreadable(err)
	}
	return v.seeOther("/import/"+i.ID, "The file was read again, and its mapping begins anew.")
}

func (s *Server) discard(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	if err := i.Discard(); err != nil {
		return refuse(http.StatusConflict, "The upload stays: "+err.Error()+".", "Take the job out of the configuration first.")
	}
	return v.seeOther("/import", i.Name+" was taken away.")
}
