// Package access has the pages of who uses the console: signing in and out, by password or provider, the sessions, and the audit with its
// export. Who may come in is decided in signin.
package access

import (
	"embed"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
)

//go:embed pages/*.html
var files embed.FS

// Pages are the pages about who uses the console.
type Pages struct {
	Authenticator *signin.Authenticator
	Log           *zap.Logger
	Now           func() time.Time
}

// SessionsPath is the page of who is signed in.
const SessionsPath = "/sessions"

// signInLimit is how large the form to sign in may be, in bytes.
const signInLimit = 16 << 10

// AddTo adds the pages to the frame of a console with a door of its own.
func (p *Pages) AddTo(f *web.Frame) {
	p.AddDoor(f)
	p.addAudit(f)
	f.Get(SessionsPath, signin.OperatorOfAll, p.listSessions)
	f.Post(SessionsPath, signin.OperatorOfAll, "end_session", p.endSession)
}

// AddBehind adds the pages to the frame of a firm behind a door. Who is signed in there, and since when, is not the business of one firm.
func (p *Pages) AddBehind(f *web.Frame) {
	f.AddPages(files)
	p.addSignOut(f)
	p.addAudit(f)
}

// AddDoor adds what a door of several firms needs.
func (p *Pages) AddDoor(f *web.Frame) {
	f.AddPages(files)
	f.Get(web.SignInPath, signin.Anybody, p.signInPage)
	f.PostUnsigned(web.SignInPath, signInLimit, p.signIn)
	f.Get("/sign-in/provider", signin.Anybody, p.toProvider)
	f.Get(signin.CallbackPath, signin.Anybody, p.fromProvider)
	p.addSignOut(f)
}

func (p *Pages) addSignOut(f *web.Frame) {
	f.Post("/sign-out", signin.SignedIn, "sign_out", p.signOut)
}

func (p *Pages) addAudit(f *web.Frame) {
	f.Get("/audit", signin.ViewerOfAll, audit)
	f.Get("/audit/export", signin.ViewerOfAll, p.exportAudit)
}
