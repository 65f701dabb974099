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

// signInLimit is how large the form to sign in may be, in bytes.
const signInLimit = 16 << 10

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get("/sign-in", signin.Anybody, p.signInPage)
	f.PostUnsigned("/sign-in", signInLimit, p.signIn)
	f.Get("/sign-in/provider", signin.Anybody, p.toProvider)
	f.Get(signin.CallbackPath, signin.Anybody, p.fromProvider)
	f.Post("/sign-out", signin.Viewer, "sign_out", p.signOut)

	f.Get("/sessions", signin.OperatorOfAll, p.listSessions)
	f.Post("/sessions", signin.OperatorOfAll, "end_session", p.endSession)
	f.Get("/audit", signin.ViewerOfAll, audit)
	f.Get("/audit/export", signin.ViewerOfAll, p.exportAudit)
}
