package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/report"
)

//go:embed pages/*.html
var pageFiles embed.FS

// frame is what the layout shows around a page.
type frame struct {
	Title     string
	Rehearsal string
	Alert     string // why nothing can be done, "" when things can
	Menu      []menuLine
	Person    Person
	Token     string // hidden in every form, as {{template "token" $}} puts it
	Notice    string // of the post before
	View      any
}

type menuLine struct {
	section
	Here bool
}

// templates are the pages by their names, each with the layout and the pieces (pages/_*.html) that all share.
var templates = parsePages()

func parsePages() map[string]*template.Template {
	shared := template.Must(template.New("").Funcs(functions).ParseFS(pageFiles, "pages/_*.html"))
	names, err := fs.Glob(pageFiles, "pages/[^_]*.html")
	if err != nil {
		panic(err)
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(template.Must(shared.Clone()).ParseFS(pageFiles, name))
	}
	return pages
}

// functions are what templates may call.
var functions = template.FuncMap{
	"thousands": report.Thousands, "count": report.Counted, "moment": moment, "stamp": stamp, "took": took, "asset": asset, "words": words, "upper": report.UpperFirst, "pair": pairOf,
	"jobPath": jobPath, "recordPath": recordPath, "changesOf": changesOf, "addUp": addUp, "lastOf": lastOf,
}

// show answers with a page: the template "content" of its file, in the layout.
func (v *visit) show(name, title string, view any) error {
	return v.answer(http.StatusOK, name, "layout", title, view)
}

// fragment answers with one template of a page's file alone, for what a script asks for.
func (v *visit) fragment(name, part string, view any) error {
	return v.answer(http.StatusOK, name, part, "", view)
}

func (v *visit) answer(status int, name, part, title string, view any) error {
	if name == "refusal" {
		part = "layout"
	}
	f := frame{Title: title, Rehearsal: v.s.Rehearsal, Alert: alertOf(v.s.book(v.ctx())), Person: v.Person, Token: v.token, View: view}
	if part == "layout" {
		f.Menu = v.menu()
		if v.Person.Name != "" {
			f.Notice = v.s.sessions.notice(v.ctx())
		}
	}
	var b bytes.Buffer
	if err := templates[name].ExecuteTemplate(&b, part, f); err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes()) // who has gone away needs no answer
	return nil
}

func (v *visit) menu() (lines []menuLine) {
	if v.Person.Role == Anybody {
		return nil
	}
	for _, s := range menu {
		if v.Person.Role.May(s.Needs) {
			here := v.r.URL.Path == s.Path || s.Path != "/" && strings.HasPrefix(v.r.URL.Path, s.Path+"/")
			lines = append(lines, menuLine{s, here})
		}
	}
	return lines
}

// pair lets a piece of a page be given two things.
type pair struct{ First, Second any }

func pairOf(first, second any) pair { return pair{first, second} }

// moment is a time as people read it, in UTC; stamp as programs do.
func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// took is how long something lasted, in words that need no thought.
func took(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	d := to.Sub(from)
	switch {
	case d < 100*time.Millisecond:
		return "0.1s"
	case d < time.Minute:
		return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + "s"
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}

// words are the words of a name such as in_doubt.
func words(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") }
