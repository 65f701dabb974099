package console_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"docketsync/importer/console"
	"docketsync/importer/console/jobs"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
)

// titles are the matters of an export, by their numbers; one without a title is rejected.
type titles map[int]string

const titlesMapping = "operation: create_case\nkey: Ref\nfields:\n  name: Title\n  number: Ref\n  active: {value: true}\n" +
	"  file_template_id: {value: 6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001}\n  user_id: {value: 7b4a78ea-edbd-5e59-97ce-fb39c3302daa}\n"

// planned puts the plan of an export into the ledger.
func (w *world) planned(id int, kind ledger.Kind, of titles) ledger.Run {
	w.t.Helper()
	w.pass(time.Minute)
	run := ledger.Run{ID: fmt.Sprintf("01935b2c-0000-7000-8000-%012d", id), Job: "matters", Kind: kind, Operation: "create_case", Scope: "create_case", Phase: ledger.Reading, Fingerprint: "f",
		Started: w.now(), Sources: []ledger.Source{{File: "matters.csv", SHA256: fmt.Sprint(id), Header: []string{"Ref", "Title"}, Origins: []ledger.Origin{{Field: "name", Columns: []int{1}}}}},
		Made: &ledger.Made{Version: "1.0.0", Mapping: "m", Text: titlesMapping}}
	w.must(w.book.Begin(w.t.Context(), run))
	var list []ledger.Record
	for n := range 100 {
		title, ok := of[n]
		if !ok {
			continue
		}
		key := fmt.Sprintf("M-%02d", n)
		r := ledger.Record{Run: run.ID, Seq: int64(len(list) + 1), Scope: run.Scope, Key: key, Action: ledger.Create, State: ledger.Planned, Digest: "d" + title,
			Payload: fmt.Appendf(nil, `{"name":%q,"number":%q,"active":true,"file_template_id":"6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001","user_id":"7b4a78ea-edbd-5e59-97ce-fb39c3302daa"}`, title, key),
			Rows:    []ledger.Row{{Number: n + 2, Cells: fmt.Appendf(nil, `[%q,%q]`, key, title)}}}
		if title == "" {
			r.Action, r.State, r.Digest, r.Payload = ledger.None, ledger.Rejected, "", nil
			r.Reasons = []ledger.Reason{{Code: "required", Field: "name", Column: "Title", Row: n + 2, Message: "the title is missing"}}
		}
		list = append(list, r)
	}
	_, err := w.book.Add(w.t.Context(), list)
	w.must(err)
	run.Phase, run.Ended, run.Counts = ledger.Finished, w.now(), ledger.Counts{Read: len(list), InRecords: len(list)}
	w.must(w.book.SaveRun(w.t.Context(), run))
	run, err = w.book.Run(w.t.Context(), run.ID)
	w.must(err)
	return run
}

var spaces = regexp.MustCompile(`\s*(<[^>]*>\s*)+`)

// words are those of a page.
func (a answer) words() string {
	return html.UnescapeString(spaces.ReplaceAllString(a.text, " "))
}

// TestTwoPlansAreShownBesideEachOther compares two plans: each cause with its number of records, some of them with both values and links, and
// the rest told by its number.
func TestTwoPlansAreShownBesideEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := titles{}, titles{}
	for n := range 60 {
		first[n], second[n] = fmt.Sprintf("Case %d", n), fmt.Sprintf("Case %d", n)
	}
	for n := range 25 {
		second[n] = fmt.Sprintf("<b>Lease</b> %d", n)
	}
	first[30], second[30] = strings.Repeat("é", 500)+" ends so", strings.Repeat("é", 500)+" ends otherwise"
	second[40] = ""
	delete(second, 50)
	second[70] = "A new one"
	was, is := w.planned(1, ledger.Push, first), w.planned(2, ledger.Plan, second)
	c := w.viewer()
	path := "/runs/" + is.ID + "/compare"
	for _, from := range []string{"/jobs/matters", "/runs/" + is.ID, "/runs/" + is.ID + "/plan"} {
		if said := c.get(from); !strings.Contains(said.text, `href="`+path+`"`) {
			t.Errorf("%s does not lead to the comparison:\n%s", from, said.text)
		}
	}
	asked := c.get(path)
	if !strings.Contains(asked.text, `<option value="`+was.ID+`" selected>`) || !strings.Contains(asked.text, `<option value="`+is.ID+`" selected>`) || strings.Contains(asked.text, "Lease") {
		t.Errorf("it is not asked which two:\n%s", asked.text)
	}
	page := c.get(path + "?with=" + was.ID)
	words := page.words()
	for _, want := range []string{"1 new, 1 gone, 27 different; 32 the same", "earlier " + was.Name, "later " + is.Name, " Column Title 27 different ", " The rows of the export 1 gone ", " The rows of the export 1 new ",
		" name Case 3 <b>Lease</b> 3 ", " and 7 more records ", "docketsync -c 'it'\\''s.yaml' compare " + was.Name + " " + is.Name + " --json"} {
		if !strings.Contains(words, want) {
			t.Errorf("the page lacks %q:\n%s", want, words)
		}
	}
	if !regexp.MustCompile(`M-50 earlier, row 52 [^M]*in the plan not in the plan`).MatchString(words) || !regexp.MustCompile(`M-70 later, row 72 [^M]*not in the plan in the plan`).MatchString(words) {
		t.Errorf("what is new and gone is shown as\n%s", words)
	}
	for _, link := range []string{`href="/records/of?key=M-03&amp;scope=create_case"`, `href="/runs/` + was.ID + `/records?key=M-03"`, `href="/runs/` + is.ID + `/records?key=M-03"`} {
		if !strings.Contains(page.text, link) {
			t.Errorf("a record has no link %s", link)
		}
	}
	if n := strings.Count(page.text, "<del>Case "); n != 20 {
		t.Errorf("%d of the 27 records are shown", n)
	}
	if other := c.get("/runs/" + was.ID + "/compare?with=" + is.ID); !strings.Contains(other.words(), "earlier "+was.Name) || strings.Count(other.text, "<del>Case ") != 20 {
		t.Error("from the page of the older run, it is another comparison")
	}
	if said := c.get(path + "?with=" + was.ID + "&later=" + was.ID); said.StatusCode != http.StatusSeeOther || said.Header.Get("Location") != "/runs/"+was.ID+"/compare?with="+was.ID {
		t.Errorf("another later plan leads to %d %s", said.StatusCode, said.Header.Get("Location"))
	}
	if said := c.get(path + "/progress?with=" + was.ID); said.StatusCode != http.StatusOK || !strings.Contains(said.text, "data-reload") {
		t.Errorf("where nothing goes on, the page is told %d %s", said.StatusCode, said.text)
	}
	// The file behind the page has all of them, whole.
	link := regexp.MustCompile(`href="([^"]*/records.csv[^"]*)"`).FindStringSubmatch(page.text)
	if link == nil {
		t.Fatal("the page leads to no file")
	}
	file := c.get(html.UnescapeString(link[1]))
	lines, err := csvfile.Read(file.text)
	w.must(err)
	has := map[string]bool{}
	for _, line := range lines {
		has[strings.Join(line, "|")] = true
	}
	for n := range 25 {
		if want := fmt.Sprintf("column Title|M-%02d|different|%d|%[2]d|name|Case %[1]d|<b>Lease</b> %[1]d||Case %[1]d|<b>Lease</b> %[1]d", n, n+2); !has[want] {
			t.Errorf("the file lacks %q:\n%s", want, file.text)
		}
	}
	for _, want := range []string{"column Title|M-30|different|32|32|name|" + first[30] + "|" + second[30] + "||" + first[30] + "|" + second[30],
		"column Title|M-40|different|42|42|name|||the title is missing|Case 40|", "the rows of the export|M-50|gone|52|||||||", "the rows of the export|M-70|new||72||||||"} {
		if !has[want] {
			t.Errorf("the file lacks %q:\n%s", want, file.text)
		}
	}
	if len(lines) != 1+25+4 || file.Header.Get("Content-Disposition") != `attachment; filename="`+was.Name+"-"+is.Name+`.csv"` {
		t.Errorf("the file has %d lines and is called %s", len(lines), file.Header.Get("Content-Disposition"))
	}
	// Long values are shown where they differ, and of a rejected record why, and what its cell says.
	short := w.planned(3, ledger.Push, titles{30: first[30], 40: "Case 40"})
	words = c.get("/runs/" + short.ID + "/compare?with=" + is.ID).words()
	if !strings.Contains(words, "ends otherwise …") || !strings.Contains(words, "é ends so ") {
		t.Errorf("long values are shown as\n%s", words)
	}
	if !strings.Contains(words, "rejected in one of the two: the title is missing the cell says nothing earlier, Case 40 later") {
		t.Errorf("a rejected record is shown as\n%s", words)
	}
}

// TestWhatCannotBeComparedIsRefused asks for comparisons that there are none of.
func TestWhatCannotBeComparedIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) { return []jobs.Job{{Name: "matters"}, {Name: "marks"}}, nil }
	})
	run := w.planned(1, ledger.Push, titles{1: "One"})
	c := w.viewer()
	path := "/runs/" + run.ID + "/compare"
	if said := c.get("/jobs/matters"); strings.Contains(said.text, "/compare") {
		t.Error("the page of a job with one run leads to a comparison")
	}
	if said := c.get(path); !strings.Contains(said.text, "There is no other plan of this job") || strings.Contains(said.text, "<select") {
		t.Errorf("with a single run, the page is\n%s", said.text)
	}
	check := w.planned(2, ledger.Check, titles{1: "One"})
	other := w.planned(3, ledger.Push, titles{1: "One"})
	other.Job = "marks"
	pruned := w.planned(4, ledger.Push, titles{1: "One"})
	_, err := w.book.Prune(t.Context(), pruned.ID)
	w.must(err)
	marks := ledger.Run{ID: "01935b2c-0000-7000-8000-00000000abcd", Job: "marks", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Reading, Started: w.now()}
	w.must(w.book.Begin(t.Context(), marks))
	marks.Phase, marks.Fingerprint, marks.Ended = ledger.Finished, "f", w.now()
	w.must(w.book.SaveRun(t.Context(), marks))
	for with, want := range map[string]struct {
		status int
		text   string
	}{
		run.ID: {http.StatusBadRequest, "one plan, not two"}, check.ID: {http.StatusConflict, "is not kept"}, pruned.ID: {http.StatusConflict, "is not kept"},
		marks.ID: {http.StatusConflict, "nothing in common"}, "nothing": {http.StatusNotFound, "Not found"}, run.ID[:35]: {http.StatusNotFound, "Not found"},
	} {
		for _, at := range []string{path, path + "/progress", path + "/records.csv"} {
			if said := c.get(at + "?with=" + with); said.StatusCode != want.status || !strings.Contains(said.text, want.text) {
				t.Errorf("%s with %s is answered with %d, want %d %s:\n%s", at, with, said.StatusCode, want.status, want.text, said.text)
			}
		}
	}
	for _, at := range []string{path + "/progress", path + "/records.csv", path + "/records.csv?with=", path + "?with=%20", "/runs/%20"} {
		if said := c.get(at); said.StatusCode != http.StatusNotFound || !strings.Contains(said.text, "Not found") {
			t.Errorf("%s is answered with %d:\n%s", at, said.StatusCode, said.text)
		}
	}
	for _, of := range []ledger.Run{check, pruned} {
		if said := c.get("/runs/" + of.ID + "/compare"); said.StatusCode != http.StatusNotFound {
			t.Errorf("%s is answered with %d", of.Name, said.StatusCode)
		}
	}
	page := c.get(path)
	for _, never := range []ledger.Run{check, pruned, marks} {
		if strings.Contains(page.text, never.ID) {
			t.Errorf("%s can be chosen", never.ID)
		}
	}
}
