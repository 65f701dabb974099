// Package access has the pages about the users of the console: signing in and out, by password or identity provider,
// the sessions, and the audit log with its export. Package signin decides who may come in.
package access

import (
	"bufio"
	"embed"
	"encoding/json"
	"net/http"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
)

//go:embed pages/*.html
var files embed.FS

// Pages are the pages about the users of the console.
type Pages struct {
	Authenticator *signin.Authenticator
	Log           *zap.Logger
	Now           func() time.Time
}

// SessionsPath is the page that lists who is signed in.
const SessionsPath = "/sessions"

// signInLimit is how large the sign-in form may be, in bytes.
const signInLimit = 16 << 10

// AddTo adds the pages to a frame. door is where people sign in: here, or, for a firm among several, elsewhere. jobs says
// that the frame has jobs, with an audit log of what is done to them. Only a console that is both lists who is signed in,
// and since when: that is not the business of one firm.
func (p *Pages) AddTo(f *web.Frame, door, jobs bool) {
	f.AddPages(files)
	f.Post("/sign-out", signin.SignedIn, "sign_out", p.signOut)
	if door {
		f.Get(web.SignInPath, signin.Anybody, p.signInPage)
		f.PostUnsigned(web.SignInPath, signInLimit, p.signIn)
		f.Get("/sign-in/provider", signin.Anybody, p.toProvider)
		f.Get(signin.CallbackPath, signin.Anybody, p.fromProvider)
	}
	if jobs {
		f.Get("/audit", signin.ViewerOfAll, audit)
		f.Get("/audit/export", signin.ViewerOfAll, p.exportAudit)
	}
	if door && jobs {
		f.Get(SessionsPath, signin.OperatorOfAll, p.listSessions)
		f.Post(SessionsPath, signin.OperatorOfAll, "end_session", p.endSession)
	}
}

const auditShown = 100

type auditView struct {
	Entries []ledger.AuditEntry
	Older   string // the next page begins after this id, "" for the last page
}

func audit(r *web.Request) error {
	entries, err := r.Book().AuditEntries(r.Context(), ledger.AuditFilter{Before: r.URL.Query().Get("before"), Limit: auditShown + 1})
	if err != nil {
		return err
	}
	view := auditView{Entries: entries}
	if len(entries) > auditShown {
		view.Entries = entries[:auditShown]
		view.Older = entries[auditShown-1].ID
	}
	return r.Show("audit", "Audit log", view)
}

// exportBatch is how many entries an export holds in memory.
const exportBatch = 1000

// exportAudit answers with all entries, the latest first, including the entry of this export.
func (p *Pages) exportAudit(r *web.Request) error {
	form := r.URL.Query().Get("as")
	out := bufio.NewWriter(r.Response)
	var kind string
	var write func(ledger.AuditEntry) error
	switch form {
	case "csv":
		kind = "text/csv; charset=utf-8"
		line := csvfile.Begin(out, "when", "who", "what", "to what", "result", "note", "from", "id")
		write = func(e ledger.AuditEntry) error {
			return line(web.Stamp(e.At), e.Who, e.Action, e.Target, e.Result, e.Note, e.Origin, e.ID)
		}
	case "jsonl":
		kind = "application/x-ndjson"
		encoder := json.NewEncoder(out)
		write = func(e ledger.AuditEntry) error { return encoder.Encode(e) }
	default:
		return web.Nowhere(r)
	}
	r.About("audit log")
	r.Remark(form)
	r.Record("download", nil)
	r.Response.Header().Set("Content-Type", kind)
	r.Response.Header().Set("Content-Disposition", `attachment; filename="audit-`+p.Now().UTC().Format(time.DateOnly)+"."+form+`"`)
	if err := eachEntry(r, write); err != nil {
		p.Log.Error("the export of the audit log was cut off", zap.Error(err))
		panic(http.ErrAbortHandler) // so that the file does not look complete
	}
	_ = out.Flush() // nobody is left to answer
	return nil
}

// eachEntry passes all entries to take, the latest first.
func eachEntry(r *web.Request, take func(ledger.AuditEntry) error) error {
	filter := ledger.AuditFilter{Limit: exportBatch}
	for {
		entries, err := r.Book().AuditEntries(r.Context(), filter)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if err := take(e); err != nil {
				return err
			}
		}
		filter.Before = entries[len(entries)-1].ID
	}
}
