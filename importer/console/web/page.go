package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
)

//go:embed layout/*.html
var layoutFiles embed.FS

// shown is what the layout shows around a page.
type shown struct {
	Title     string
	Firm      string // of several, "" for one alone
	Several   bool   // the person may see other firms too
	Outdated  bool   // the configuration has changed since the firm's console was opened
	Rehearsal string
	Live      string
	Alert     string // why nothing can be done, "" if things can
	Menu      []menuEntry
	Person    signin.Person
	Token     string // hidden in every form by {{template "token" $}}
	Notice    string // from the post before
	View      any
}

type menuEntry struct {
	MenuLine
	Here bool
}

// layout is what all pages share: the frame around them, and pieces.
var layout = template.Must(template.New("").Funcs(functions).ParseFS(layoutFiles, "layout/*.html"))

// AddPages adds the pages of a room: each file NAME.html defines "content", and may define parts of it that are
// requested alone; all of them share what _*.html define.
func (f *Frame) AddPages(files fs.FS) {
	shared := f.layout()
	if pieces, _ := fs.Glob(files, "pages/_*.html"); len(pieces) > 0 {
		template.Must(shared.ParseFS(files, pieces...))
	}
	names, _ := fs.Glob(files, "pages/[^_]*.html") // the pattern is valid
	for _, name := range names {
		f.pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(template.Must(shared.Clone()).ParseFS(files, name))
	}
}

// layout is what all pages of the frame share. Paths in pages and in the program begin where the frame does; home is
// put in front of them.
func (f *Frame) layout() *template.Template {
	own := template.Must(layout.Clone())
	if f.Home != "" {
		own.Funcs(template.FuncMap{"home": func() string { return f.Home },
			"jobPath":    func(job string) string { return f.Home + JobPath(job) },
			"recordPath": func(scope, key string) string { return f.Home + recordPath(scope, key) }})
	}
	return own
}

// functions are what templates may call.
var functions = template.FuncMap{
	"thousands": wording.Thousands, "count": wording.Counted, "moment": moment.Of, "second": moment.Second, "stamp": Stamp, "took": Took, "asset": asset, "words": Words, "upper": wording.UpperFirst,
	"label": payload.Label, "home": func() string { return "" }, "jobPath": JobPath, "recordPath": recordPath,
	"list":  func(items ...string) []string { return items },
	"pair":  func(first, second any) pair { return pair{first, second} },
	"addUp": func(a, b int) int { return a + b },
	"places": func(run ledger.Run, rows []ledger.Row) string {
		if len(rows) == 0 {
			return ""
		}
		return wording.Places(run, rows)
	},
}

// Show answers with a page: the template "content" of its file, in the layout.
func (r *Request) Show(name, title string, view any) error {
	return r.Answer(http.StatusOK, name, "layout", title, view)
}

// Made is Show for a view that was just made, or for the error of making it.
func (r *Request) Made(name, title string) func(view any, err error) error {
	return func(view any, err error) error {
		if err != nil {
			return err
		}
		return r.Show(name, title, view)
	}
}

// Fragment answers with one template of a page's file, for a script.
func (r *Request) Fragment(name, part string, view any) error {
	return r.Answer(http.StatusOK, name, part, "", view)
}

// Answer answers with a part of a page; "layout" is all of it.
func (r *Request) Answer(status int, name, part, title string, view any) error {
	shown := shown{Title: title, Firm: r.frame.Firm, Rehearsal: r.frame.Rehearsal, Live: r.frame.Live, Alert: alertOf(r.Book()), Person: r.Person, Token: r.token, View: view}
	if part == "layout" {
		shown.Menu = r.menu()
		shown.Several = r.frame.Several != nil && r.frame.Several(r.Person)
		shown.Outdated = r.frame.Outdated != nil && r.frame.Outdated()
		if r.Person.Name != "" {
			shown.Notice = r.frame.Authenticator.TakeNotice(r.Context())
		}
	}
	var b bytes.Buffer
	if err := wording.WritePage(&b, r.frame.pages[name], part, shown); err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	r.Response.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.Response.WriteHeader(status)
	_, _ = r.Response.Write(b.Bytes()) // if the client has gone away, nobody needs the answer
	return nil
}

func (r *Request) menu() (lines []menuEntry) {
	if r.Person.Role == signin.Anybody {
		return nil
	}
	for _, s := range r.frame.Menu {
		if r.Person.May(s.Needs) {
			here := r.URL.Path == s.Path || s.Path != "/" && strings.HasPrefix(r.URL.Path, s.Path+"/")
			lines = append(lines, menuEntry{s, here})
		}
	}
	return lines
}

// pair passes two things to a piece of a page.
type pair struct{ First, Second any }

// JobPath is the address of the page of a job.
func JobPath(job string) string { return "/jobs/" + url.PathEscape(job) }

// recordPath is the address of the page of a record.
func recordPath(scope, key string) string {
	return "/records/of?" + url.Values{"scope": {scope}, "key": {key}}.Encode()
}

// Stamp returns a time as programs read it, in UTC.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Took returns how long something lasted, "" if it has not begun or ended.
func Took(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return wording.Lasted(to.Sub(from))
}

// Words spells a name such as in_doubt as words.
func Words(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") }

//go:embed assets
var assetFiles embed.FS

// asset returns the address of a file in the folder assets. The address changes with the file, so browsers may cache
// it.
func asset(name string) (string, error) {
	text, err := fs.ReadFile(assetFiles, "assets/"+name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "/assets/" + name + "?v=" + hex.EncodeToString(sum[:6]), nil
}

// answerAsset answers with a file of the folder assets. Assets contain nothing private.
func answerAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, err := fs.ReadFile(assetFiles, "assets/"+name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
