// Package firms has the page of the firms that somebody may see, and leads to their consoles. Each of those is what it
// would be on its own (console.New) except for its door: people sign in once, here, and each firm's configuration says
// who may do what in it.
//
// Nobody learns about a firm that they may not see: not its name, not how many there are, not how it is doing. So a
// firm is looked up in the list of those that the person may see, and making that list looks at all firms whatever was
// asked for. A name that is not in the list is answered here, before any firm's console is asked, and in the same way
// whether it belongs to another firm or to none. For the same reason no firm's console has the list of sessions, which
// would say when somebody was last active elsewhere.
package firms

import (
	"embed"
	"net/http"
	"slices"
	"strings"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/report/remedy"
)

//go:embed pages/*.html
var files embed.FS

// Work knows the firms and who may see them.
type Work interface {
	// Seen returns the firms that somebody may see now, by name.
	Seen(p signin.Person) []Firm
	// Enter returns the console of a firm; the caller calls leave when done with it. The error is for a person who may
	// see the firm.
	Enter(door *signin.Authenticator, firm string, by signin.Person) (console http.Handler, leave func(), err error)
}

// Firm is a firm as somebody sees it.
type Firm struct {
	Name    string
	Role    signin.Role
	Trouble string // why it cannot be entered, or its configuration is not in use
	Why     string // details, in lines, for those who can fix it
}

// Pages are the pages of this package.
type Pages struct {
	Work Work
	Door *signin.Authenticator
}

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get("/{$}", signin.SignedIn, p.list)
	for _, short := range []string{strings.TrimSuffix(remedy.FirmsPath, "/"), remedy.FirmsPath + "{$}"} { // people shorten addresses
		f.Get(short, signin.SignedIn, func(r *web.Request) error { return r.SeeOther("/", "") })
	}
	f.AddFirms(p.enter)
}

// listView is the firms that somebody may see.
type listView struct {
	Firms   []Firm
	Trouble signin.Trouble // why the configuration of the sign-in is not in use; its error may name people of other firms, so only the log has it
}

// list shows the firms that somebody may see. Somebody who sees only one is taken straight to it, unless this page has
// trouble to report.
func (p *Pages) list(r *web.Request) error {
	view := listView{Firms: p.Work.Seen(r.Person), Trouble: p.Door.Trouble()}
	if len(view.Firms) == 1 && view.Trouble.Err == nil {
		return r.SeeOther(remedy.FirmsPath+view.Firms[0].Name+"/", "")
	}
	return r.Show("firms", "Firms", view)
}

func (p *Pages) enter(r *web.Request, firm string) (http.Handler, func(), error) {
	seen := p.Work.Seen(r.Person)
	n := slices.IndexFunc(seen, func(f Firm) bool { return f.Name == firm })
	if n < 0 {
		return nil, nil, web.Nowhere(r)
	}
	return p.Work.Enter(p.Door, firm, r.Person)
}
