package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
)

// Request is one request of somebody who may make it, and the way to answer it.
type Request struct {
	*http.Request
	Response http.ResponseWriter
	Person   signin.Person

	frame        *Frame
	token        string // the token that forms of this session must carry
	target, note string // for the line of the audit
	unaudited    bool
}

// Page answers a request, with Show, SeeOther or in its own way. If it returns an error, it must not have answered:
// Refuse for a request that cannot be served, any other error for trouble of the machine.
type Page func(*Request) error

// Origin returns the address that the request came from.
func (r *Request) Origin() string { return r.frame.origin(r.Request) }

// About says what a post is done to, for the audit.
func (r *Request) About(target string) { r.target = target }

// Remark adds a note to the line of the audit.
func (r *Request) Remark(note string) { r.note = note }

// Unremarkable says that a successful post needs no line in the audit: somebody's draft changes with every click.
func (r *Request) Unremarkable() { r.unaudited = true }

// SeeOther answers a post: the browser goes to a page of this frame, which shows the notice once.
func (r *Request) SeeOther(path, notice string) error {
	if notice != "" {
		r.frame.Authenticator.Notify(r.Context(), notice)
	}
	http.Redirect(r.Response, r.Request, r.frame.Home+path, http.StatusSeeOther)
	return nil
}

// FormLimit is the largest size of a form without files, in bytes; fileMemory is how much of a form with files is held
// in memory.
const (
	FormLimit  = 1 << 20
	fileMemory = 4 << 20
)

// parse reads the form of a post and makes sure that it came from a page of this session.
func (r *Request) parse() error {
	var err error
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		err = r.ParseMultipartForm(fileMemory)
	} else {
		err = r.ParseForm()
	}
	if err != nil && !errors.As(err, new(*http.MaxBytesError)) {
		return Refuse(http.StatusBadRequest, "The upload could not be read.", "Reload the page and send it again. The file name may contain only ordinary characters.")
	}
	if err != nil {
		return Unreadable(err)
	}
	if subtle.ConstantTimeCompare([]byte(r.PostFormValue("token")), []byte(r.token)) != 1 {
		return Refuse(http.StatusForbidden, "This form belongs to another session.", "Reload the page and send the form again.")
	}
	return nil
}

// Unreadable returns the error for a form that could not be read: the form is at fault, not this machine. A form that
// was too large keeps its own error.
func Unreadable(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return err
	}
	return Refuse(http.StatusBadRequest, "The form could not be read.", "Reload the page and send the form again.")
}

// Admit begins the session of somebody who has proved who they are, and sends the browser to a page.
func (r *Request) Admit(p signin.Person, how, to string) error {
	if err := r.frame.Authenticator.BeginSession(r.Context(), r.Response, p, r.Origin()); err != nil {
		return err
	}
	if p.Role != signin.SignedIn { // each firm gives its own
		how += ", as " + string(p.Role)
	}
	r.Audit(ledger.AuditEntry{Who: p.Name, Action: SignIn, Result: Done, Note: how})
	return r.SeeOther(to, "")
}

// keyParameter is the name of the one-time key in the address.
const keyParameter = "token"

// useKey exchanges the key in the address for a session, and redirects to the same page without it, so that the key
// stays neither in the address bar nor in the history.
func (r *Request) useKey() error {
	auth, key := r.frame.Authenticator, r.URL.Query().Get(keyParameter)
	if key == "" || r.Method != http.MethodGet {
		return ErrUninvited
	}
	if !auth.UseKey(key) {
		if may, _ := auth.MayTry(r.Origin()); may { // this limits the lines in the audit; the key is too long to be guessed
			r.Audit(ledger.AuditEntry{Action: SignIn, Result: Refused, Note: "with an address that was already used, or never printed"})
		}
		return ErrUninvited
	}
	return r.Admit(*auth.Local, "with the printed address", signin.Inside(r.URL.Path))
}

// ErrUninvited is the answer to everybody else on the machine.
var ErrUninvited = Refuse(http.StatusUnauthorized, "Only the person who started the console can open it.",
	"Open the address that docketsync console printed last in its terminal. Each address works once. On a shared machine, add users under console: in the configuration.")

// errSignedOut is the answer to somebody whose session is over.
var errSignedOut = Refuse(http.StatusUnauthorized, "You are signed out.", "Sign in, then try again.")

// stands reports whether somebody may still do what they could do when the request came.
func (r *Request) stands() error {
	signedIn, may, err := r.frame.Authenticator.Stands(r.Context(), r.Person)
	switch {
	case err != nil:
		return err
	case !signedIn:
		return errSignedOut
	case !may:
		return Refuse(http.StatusForbidden, "Your access to this firm has changed.", "Nothing was done. Reload the page to see what you can do now.")
	}
	return nil
}

// Denied records that a post was refused before its page saw it, and returns why; action is "" for a request that is
// not a post. Strangers can cause this, so the number of lines from one network and the length of each are limited.
func (r *Request) Denied(action string, err error) error {
	if action == "" {
		return err
	}
	if short, _ := r.frame.refusals.Short(signin.Network(r.Origin()), r.frame.Now()); !short || r.Person.Name != "" {
		path := r.URL.Path
		r.About(strings.ToValidUTF8(path[:min(len(path), deniedPath)], ""))
		r.Record(action, err)
	}
	return err
}

// deniedPath is how much of a path is recorded, in bytes.
const deniedPath = 200

// fail answers with the error.
func (r *Request) fail(err error) {
	refusal := r.refusalOf(err)
	if err := r.Answer(refusal.Status, "refusal", "layout", http.StatusText(refusal.Status), refusal); err != nil {
		http.Error(r.Response, refusal.Message, refusal.Status)
	}
}

// RunOf finds the run that the path of a request names, by its whole id or its name.
func RunOf(r *Request) (ledger.Run, error) { return r.RunNamed(r.PathValue("run")) }

// RunNamed finds a run by its whole id or its name.
func (r *Request) RunNamed(said string) (ledger.Run, error) {
	if strings.TrimSpace(said) == "" {
		return ledger.Run{}, ledger.ErrNotFound
	}
	run, err := r.Book().Run(r.Context(), said)
	if errors.Is(err, ledger.ErrAmbiguous) || err == nil && said != run.ID && said != run.Name {
		return ledger.Run{}, ledger.ErrNotFound // the beginning of an id may be that of another run tomorrow
	}
	return run, err
}

// File returns the file that came with a post. It refuses a key or a certificate, which people pick by mistake in the
// folder of the configuration: it is text that could be read as a table, and would be kept and shown as one.
func (r *Request) File() (multipart.File, *multipart.FileHeader, error) {
	file, head, err := r.FormFile("file")
	switch {
	case errors.Is(err, http.ErrMissingFile):
		return nil, nil, Refuse(http.StatusBadRequest, "No file was chosen.", "Choose a file, then upload it.")
	case err != nil:
		return nil, nil, Refuse(http.StatusUnsupportedMediaType, "This is not a file upload.", "Reload the page, choose the file and upload it there. A program must post multipart/form-data.")
	}
	begin := make([]byte, 64)
	n, err := file.ReadAt(begin, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, errors.Join(err, file.Close())
	}
	if bytes.Contains(begin[:n], []byte("-----BEGIN ")) {
		_ = file.Close()
		return nil, nil, Refuse(http.StatusUnsupportedMediaType, "This is a key or a certificate, not a table. Nothing was kept.", "Choose the export instead. If this was a private key, it has been sent over the network: replace it.")
	}
	return file, head, nil
}

// Megabytes returns a size as the configuration spells it: 1 MB is 1,048,576 bytes.
func Megabytes(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.3g kB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.4g MB", float64(bytes)/(1<<20))
}

// The results of what somebody did, as recorded in the audit.
const (
	Done    = "done"
	Refused = "refused" // by the console: not allowed, or not possible as asked
	failed  = "failed"  // it was tried
)

// SignIn is the audit's name for a sign-in.
const SignIn = "sign_in"

// Record records the result of an action of this request.
func (r *Request) Record(action string, err error) {
	if r.unaudited && err == nil {
		return
	}
	entry := ledger.AuditEntry{Who: r.Person.Name, Action: action, Target: r.target, Result: Done, Note: r.note}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		entry.Result, entry.Note = Refused, cmp.Or(refusal.Message, r.note)
	} else if err != nil {
		entry.Result, entry.Note = failed, cmp.Or(err.Error(), r.note)
	}
	r.Audit(entry)
}

// Audit records who did what, from where and when, in the ledger and in the log. If the ledger cannot be written, the
// action has still happened, and the failure is logged.
func (r *Request) Audit(d ledger.AuditEntry) {
	f := r.frame
	d.At, d.Origin = f.Now(), r.Origin()
	f.Log.Info("console", zap.String("action", d.Action), zap.String("who", d.Who), zap.String("origin", d.Origin),
		zap.String("target", d.Target), zap.String("result", d.Result), zap.String("note", d.Note))
	book := f.book(r.Context())
	err := book.View()
	if err == nil {
		err = book.AddAuditEntry(context.WithoutCancel(r.Context()), d) // the action was done even if its sender has gone away
	}
	if err != nil {
		f.Log.Error("the audit could not be written", zap.String("action", d.Action), zap.String("who", d.Who), zap.Error(err))
	}
}
