// Package firms has the page of the firms that somebody may see, and leads to their consoles, each of which is what it would be if it stood alone (console.New) but
// for its door: people sign in once, here, and each firm's configuration says who may do what in it.
//
// Nobody learns of a firm that they may not see: not its name, not how many there are, not how it is doing. So whether a firm is there is found out in
// the list of those that the person may see, which is made by looking at all of them whatever was asked for. A name that is not in it is answered here, before
// anything is asked of any firm, and the same whether it is somebody else's or nobody's. For the same reason the list of sessions, which would say when somebody
// was last active elsewhere, is in no firm's console.
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
	// Seen are the firms that somebody may see by now, by their names.
	Seen(p signin.Person) []Firm
	// Enter is the console of a firm, until leave is called. The error is for who may see it.
	Enter(door *signin.Authenticator, firm string, by signin.Person) (console http.Handler, leave func(), err error)
}

// Firm is a firm as somebody sees it.
type Firm struct {
	Name    string
	Role    signin.Role
	Trouble string // that it cannot be entered, or its configuration is not in use, and
	Why     string // in lines, for those who can mend it
}

// Pages are the pages of this room.
type Pages struct {
	Work Work
	Door *signin.Authenticator
}

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get("/{$}", signin.SignedIn, p.list)
	for _, short := range []string{strings.TrimSuffix(remedy.FirmsPath, "/"), remedy.FirmsPath + "{$}"} { // as people shorten an address
		f.Get(short, signin.SignedIn, func(r *web.Request) error { return r.SeeOther("/", "") })
	}
	f.AddFirms(p.enter)
}

// listView is the firms that somebody may see.
type listView struct {
	Firms   []Firm
	Trouble signin.Trouble // that the configuration of who can sign in is not in use; why may name people of other firms, so that the log alone says it
}

// list shows the firms that somebody may see; who sees only one is taken straight to it, unless there is something to be said here.
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
