package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// troubled is an inbox of changes in front of whose service something answers 500 for one mark, while that is switched on.
func troubled(t *testing.T) (g *guarded, trouble *atomic.Bool) {
	t.Helper()
	g = newInboxFirm(t, ", holds: changes")
	target, err := url.Parse(g.box.base)
	if err != nil {
		t.Fatal(err)
	}
	trouble = &atomic.Bool{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	service := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		if trouble.Load() && bytes.Contains(body, []byte(g.rows[2][1])) {
			answer.WriteHeader(http.StatusInternalServerError)
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(answer, request)
	}))
	t.Cleanup(service.Close)
	g.write("docketsync.yaml", strings.NewReplacer(g.box.base, service.URL, "\njobs:", "\nretry: {total: 300ms, first_delay: 100ms}\njobs:").Replace(g.read("docketsync.yaml")))
	return g, trouble
}

// some delivers the first marks under a name, with a column of the first two changed.
func (g *guarded) some(name string, marks int, column int, value string) {
	g.t.Helper()
	g.export(func(rows [][]string) [][]string {
		rows[1][column], rows[2][column] = value, value
		return rows[:marks+1]
	})
	g.write("in/"+name, g.read("marks.csv"))
}

// What failed of a file of changes is in no later one. The file is run again until all of it is in, and those behind it wait: they hold newer values.
func TestAFileOfChangesIsKeptUntilAllOfItIsIn(t *testing.T) {
	t.Parallel()
	g, trouble := troubled(t)
	g.some("1.csv", 3, notesColumn, "first")
	g.run(exit.AllIn, "inbox")
	trouble.Store(true)
	g.some("2.csv", 3, notesColumn, "second")
	said, _ := g.run(exit.Rejects, "inbox")
	if !regexp.MustCompile(`2\.csv: kept\n +.*1 record .*\n.*later files wait`).MatchString(said) || strings.Contains(said, "the next run") {
		t.Error(said)
	}
	g.some("3.csv", 3, notesColumn, "third")
	if said, _ := g.run(exit.Rejects, "inbox"); len(g.files("3.csv")) != 1 || len(g.files("archive/*/*/*.csv")) != 1 {
		t.Errorf("a file overtook the one that is kept:\n%s", said)
	}
	trouble.Store(false)
	if said, requests := g.run(exit.AllIn, "inbox"); requests != 3 || len(g.files("archive/*/*/*.csv")) != 3 {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	for _, mark := range g.box.snapshot(t).Trademarks {
		if mark.ID == g.rows[2][1] && !strings.Contains(string(mark.Members), `"third"`) {
			t.Errorf("it is %s", mark.Members)
		}
	}
}

// A doubt keeps its file until it is settled. One that a person says is in the service leaves nothing to be sent.
func TestAFileOfChangesIsKeptWhileSomethingIsInDoubt(t *testing.T) {
	t.Parallel()
	g, trouble := troubled(t)
	g.write("marks.yaml", strings.Replace(g.read("marks.yaml"), "  do_not_create_file: {value: true}\n", "", 1))
	trouble.Store(true)
	g.some("1.csv", 3, notesColumn, "first")
	g.run(exit.InDoubt, "inbox")
	trouble.Store(false)
	g.some("2.csv", 2, expires, "2041-01-01")
	if said, _ := g.run(exit.InDoubt, "inbox"); len(g.files("2.csv")) != 1 || len(g.files("archive/*/*/*.csv")) != 0 {
		t.Errorf("the doubt was passed over:\n%s", said)
	}
	g.run(exit.AllIn, "resolve", "marks-1", g.rows[2][0], "exists")
	if said, requests := g.run(exit.AllIn, "inbox"); requests != 2 || len(g.files("archive/*/*/*.csv")) != 2 {
		t.Errorf("%d requests:\n%s", requests, said)
	}
}

// Somebody who is done waiting moves the file away, and the next one is run.
func TestAKeptFileThatIsMovedAwayKeepsNothing(t *testing.T) {
	t.Parallel()
	g, trouble := troubled(t)
	trouble.Store(true)
	g.some("1.csv", 3, notesColumn, "first")
	said, _ := g.run(exit.Rejects, "inbox")
	path := regexp.MustCompile(`move (\S+) away`).FindStringSubmatch(said)
	if path == nil {
		t.Fatal(said)
	}
	if err := os.Rename(filepath.Join(g.dir, path[1]), filepath.Join(g.dir, "aside.csv")); err != nil {
		t.Fatal(err)
	}
	g.some("2.csv", 1, notesColumn, "first")
	if said, _ := g.run(exit.AllIn, "inbox"); len(g.files("archive/*/*/*-2.csv")) != 1 {
		t.Error(said)
	}
	trouble.Store(false)
	if said, requests := g.run(exit.AllIn, "run", "marks", "--file", "aside.csv"); requests != 1 {
		t.Errorf("%d requests:\n%s", requests, said)
	}
}

// What fails of a file that somebody named is in no other file either, and is not said to be retried.
func TestWhatFailsOfANamedFileIsNotSaidToBeRetried(t *testing.T) {
	t.Parallel()
	g, trouble := troubled(t)
	trouble.Store(true)
	g.export(good)
	said, _ := g.run(exit.Rejects, "run", "marks", "--file", "marks.csv")
	if !strings.Contains(said, "1 failed") || !strings.Contains(said, "when this file is run again") || strings.Contains(said, "next run") {
		t.Error(said)
	}
}

// Under another scope, what was sent is not known: a file of changes stops as an export does, and is let through as one.
func TestAFileOfChangesUnderAnotherScopeIsStopped(t *testing.T) {
	t.Parallel()
	g, trouble := troubled(t)
	g.some("1.csv", 3, notesColumn, "first")
	g.run(exit.AllIn, "inbox")
	g.write("marks.yaml", "scope: london\n"+g.read("marks.yaml"))
	g.some("2.csv", 2, notesColumn, "first")
	said, requests := g.run(exit.Stopped, "inbox")
	const advice = "docketsync run marks --accept-guard"
	if requests != 0 || !strings.Contains(said, `the scope of the mapping is "london", and was "update_trademark" in the last run`) ||
		!strings.Contains(g.read("in/rejected/2.csv.reason.txt"), advice) || strings.Contains(said, "--file") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	g.run(exit.Stopped, "run", "marks", "--file", "in/rejected/2.csv")
	trouble.Store(true)
	if said, _ := g.run(exit.Rejects, "run", "marks", "--accept-guard"); !strings.Contains(said, "to run the rest, move it into the inbox") || len(g.files("archive/*/*/*.csv")) != 1 {
		t.Errorf("the file that was let through and not all of which is in:\n%s", said)
	}
	trouble.Store(false)
	g.write("in/2.csv", g.read("in/rejected/2.csv"))
	if said, requests := g.run(exit.AllIn, "inbox"); requests != 1 || len(g.files("archive/*/*/*.csv")) != 2 {
		t.Errorf("the rest of it made %d requests:\n%s", requests, said)
	}
	g.some("3.csv", 3, notesColumn, "third")
	if said, requests := g.run(exit.AllIn, "inbox"); requests != 3 {
		t.Errorf("the file behind it made %d requests:\n%s", requests, said)
	}
}

// Of several files of changes that guards stopped the oldest goes first: it would take back what a newer one says of the same records.
func TestStoppedFilesOfChangesAreLetThroughInTheirOrder(t *testing.T) {
	t.Parallel()
	g, _ := troubled(t)
	g.some("1.csv", 3, notesColumn, "first")
	g.run(exit.AllIn, "inbox")
	g.write("marks.yaml", "scope: london\n"+g.read("marks.yaml"))
	for _, name := range []string{"2.csv", "3.csv"} {
		g.some(name, 2, notesColumn, name)
		g.run(exit.Stopped, "inbox")
	}
	if said, requests := g.run(exit.AllIn, "run", "marks", "--accept-guard"); requests != 2 || !strings.Contains(said, "2.csv is archived") {
		t.Errorf("the older made %d requests:\n%s", requests, said)
	}
	if said, requests := g.run(exit.AllIn, "run", "marks", "--accept-guard"); requests != 2 || !strings.Contains(said, "3.csv is archived") {
		t.Errorf("the newer made %d requests:\n%s", requests, said)
	}
	if said, requests := g.run(exit.Usage, "run", "marks", "--accept-guard"); requests != 0 || !strings.Contains(said, "no file of the job") {
		t.Errorf("nothing is left, and it made %d requests:\n%s", requests, said)
	}
}

// What waits for an id, or for the answer whether it was renamed, is in no later file: its file is kept until then.
func TestAFileOfChangesIsKeptUntilWhatWaitsIsSettled(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, ", holds: changes")
	g.write("docketsync.yaml", strings.Replace(g.read("docketsync.yaml"), "marks.yaml}", `marks.yaml}
  - {name: cases, source: {inbox: {folder: cases, poll: 1s, still: 1s, holds: changes}}, mapping: cases.yaml}`, 1))
	g.write("cases.yaml", "operation: create_case\nkey: No\nfields: {name: Name, number: No, active: {value: true}, file_template_id: {value: "+
		firstOf(t, "templates")+"}, user_id: {value: "+firstOf(t, "users")+"}}\n")
	if err := os.Mkdir(filepath.Join(g.dir, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	g.write("cases/1.csv", "No,Name\nA-1,Acme v Bold\nA-2,Cold v Dark\n")
	g.run(exit.AllIn, "inbox", "cases")
	g.write("cases/2.csv", "No,Name\nA-31,Acme v Bold\n")
	if said, _ := g.run(exit.Rejects, "inbox", "cases"); !strings.Contains(said, "2.csv: kept") || !strings.Contains(said, "waiting for an id or an answer") {
		t.Error(said)
	}
	g.run(exit.AllIn, "renamed", "A-31", "new")
	if said, requests := g.run(exit.AllIn, "inbox", "cases"); requests != 1 || len(g.files("../cases/archive/*/*/*-2.csv")) != 1 {
		t.Errorf("the decided file made %d requests:\n%s", requests, said)
	}
	g.write("marks.yaml", strings.NewReplacer("id: Mark Id", "id: {column: Our Ref, lookup: ids}", "fields:", "lookups: {ids: ids.csv}\nfields:").Replace(g.read("marks.yaml")))
	g.write("ids.csv", "name,id\n"+g.rows[1][0]+","+g.rows[1][1]+"\n")
	g.some("1.csv", 2, notesColumn, "first")
	said, _ := g.run(exit.Rejects, "inbox", "marks")
	advice := regexp.MustCompile(`docketsync (check marks --file) (\S+)`).FindStringSubmatch(said)
	if advice == nil || !strings.Contains(said, "1.csv: kept") || !strings.Contains(said, "The same file again sends the rows") {
		t.Fatal(said)
	}
	if said, _ := g.run(exit.Rejects, append(strings.Fields(advice[1]), advice[2])...); !strings.Contains(said, g.rows[2][0]) {
		t.Errorf("the check that is advised says\n%s", said)
	}
	g.some("2.csv", 1, notesColumn, "second")
	g.run(exit.Rejects, "inbox", "marks")
	g.write("ids.csv", g.read("ids.csv")+g.rows[2][0]+","+g.rows[2][1]+"\n")
	if said, requests := g.run(exit.AllIn, "inbox", "marks"); requests != 2 || len(g.files("archive/*/*/*.csv")) != 2 {
		t.Errorf("with the id %d requests were made:\n%s", requests, said)
	}
}
