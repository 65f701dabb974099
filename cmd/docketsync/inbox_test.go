package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// inboxFirm is the guarded firm with an inbox that its exports arrive in.
func newInboxFirm(t *testing.T, settings string) *guarded {
	t.Helper()
	g := newGuarded(t, "")
	config := g.read("docketsync.yaml")
	g.write("docketsync.yaml", strings.Replace(config, "source: marks.csv", "source: {inbox: {folder: in, poll: 1s, still: 1s"+settings+"}}", 1))
	if err := os.Mkdir(filepath.Join(g.dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *guarded) read(name string) string {
	g.t.Helper()
	text, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil {
		g.t.Fatal(err)
	}
	return string(text)
}

// deliver puts an export into the inbox.
func (g *guarded) deliver(change func([][]string) [][]string) {
	g.t.Helper()
	g.export(change)
	if err := os.Rename(filepath.Join(g.dir, "marks.csv"), filepath.Join(g.dir, "in", "marks.csv")); err != nil {
		g.t.Fatal(err)
	}
}

// files are the names in a folder of the inbox and below.
func (g *guarded) files(pattern string) (names []string) {
	g.t.Helper()
	found, err := filepath.Glob(filepath.Join(g.dir, "in", filepath.FromSlash(pattern)))
	if err != nil {
		g.t.Fatal(err)
	}
	for _, path := range found {
		names = append(names, filepath.Base(path))
	}
	return names
}

// An export that arrives and is stopped by its guards lies among the rejected, with the reason; once somebody has looked at it,
// it is let through as any export is, and archived.
func TestInboxExportIsLetThroughItsGuards(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	if said, _ := g.run(exit.Usage, "run", "marks", "--accept-guard"); !strings.Contains(said, `no file of the job "marks" was stopped by a guard and is in in/rejected`) {
		t.Error(said)
	}
	g.deliver(good)
	if said, requests := g.run(exit.AllIn, "inbox"); requests != 100 || len(g.files("archive/*/*/*-marks.csv")) != 1 {
		t.Fatalf("the first night made %d requests, and archived %v:\n%s", requests, g.files("archive/*/*/*"), said)
	}
	g.deliver(everyRow(func(row []string) { later(row, filedColumn); later(row, expires) }))
	said, requests := g.run(exit.Stopped, "inbox")
	if requests != 0 || !strings.Contains(said, "marks.csv: rejected as ") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	g.write("in/late.csv", "")
	if said, _ := g.run(exit.AllIn, "schedule", "--list"); !regexp.MustCompile(`(?m)^ *marks +in +1 +1 +\d+ \w+ \d{4}, \d\d:\d\d \S+ +stopped \(guard\) +[0-9a-f-]{36}`).MatchString(said) {
		t.Errorf("schedule --list does not say what lies in the inbox:\n%s", said)
	}
	if said, _ := g.run(exit.AllIn, "schedule", "--list", "--json"); !strings.Contains(said, `"rejected": 1`) || !strings.Contains(said, `"stop": "guard"`) {
		t.Error(said)
	}
	if err := os.Remove(filepath.Join(g.dir, "in", "late.csv")); err != nil {
		t.Fatal(err)
	}
	const advice = "let it through. docketsync run marks --accept-guard"
	if note := g.read("in/rejected/marks.csv.reason.txt"); !strings.Contains(note, advice) || !strings.Contains(note, "all dates of 100 records moved by +1 day") {
		t.Errorf("the reason beside it is: %s", note)
	}
	if said, requests = g.run(exit.AllIn, "run", "marks", "--accept-guard"); requests != 100 || !strings.Contains(said, "marks.csv is archived as ") {
		t.Errorf("what was let through made %d requests:\n%s", requests, said)
	}
	if left := g.files("rejected/*"); len(left) > 0 || len(g.files("archive/*/*/*-marks.csv")) != 2 {
		t.Errorf("rejected %v, archived %v", left, g.files("archive/*/*/*"))
	}
	if said, _ := g.run(exit.Usage, "run", "marks", "--accept-guard"); !strings.Contains(said, `no file of the job "marks" was stopped`) {
		t.Error(said)
	}
	g.deliver(good)
	if said, requests := g.run(exit.Stopped, "inbox"); requests != 0 || !strings.Contains(said, "moved by -1 day") {
		t.Errorf("the next export is not compared with what was let through: %d requests\n%s", requests, said)
	}
}

// after adds a job of the same rows that comes after the one with the inbox.
func (g *guarded) after() {
	g.t.Helper()
	g.write("later.yaml", "scope: later\n"+g.read("marks.yaml"))
	g.write("docketsync.yaml", g.read("docketsync.yaml")+"  - {name: later, source: marks.csv, mapping: later.yaml, after: [marks]}\n")
}

// Where each file is an export, one that was sent past the inbox does not stand for it: what comes after still waits.
func TestAFileSentPastTheInboxIsNotItsExport(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	g.after()
	g.export(good)
	g.run(exit.AllIn, "run", "marks", "--file", "marks.csv")
	if said, requests := g.run(exit.CouldNotRun, "run", "later"); requests != 0 || !strings.Contains(said, "it comes after job marks, which has never been run as a whole") ||
		!strings.Contains(said, "\nRun both: docketsync inbox marks, then docketsync run later\n") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	g.deliver(good)
	if said, requests := g.run(exit.AllIn, "inbox"); requests != 0 || !strings.Contains(said, "100 unchanged") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	g.export(good)
	g.run(exit.AllIn, "run", "later")
}

// Where files hold changes, the few rows of one are no export that lost all others.
func TestInboxOfChangesIsNotGuarded(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, ", holds: changes")
	g.after()
	g.deliver(good)
	g.run(exit.AllIn, "inbox")
	g.export(good)
	if said, _ := g.run(exit.AllIn, "run", "later"); strings.Contains(said, "it comes after") {
		t.Errorf("what comes after a file of changes is refused:\n%s", said)
	}
	g.deliver(func(rows [][]string) [][]string {
		for _, row := range rows[1:4] {
			row[notesColumn] = "changed"
		}
		return rows[:4]
	})
	if said, requests := g.run(exit.AllIn, "inbox"); requests != 3 || strings.Contains(said, "vanished") || strings.Contains(said, "no longer in the export") {
		t.Errorf("three changed rows made %d requests:\n%s", requests, said)
	}
	g.deliver(func(rows [][]string) [][]string { return rows[1:2] })
	if said, _ := g.run(exit.Usage, "inbox"); !strings.Contains(said, "rejected as ") {
		t.Errorf("a file without its header:\n%s", said)
	}
}

// An export whose writer goes on during its run was not read whole. It is back in the inbox when that is known, run again as a whole, and
// people are told.
func TestInboxExportThatGrowsDuringItsRunIsRunAgainWhole(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	g.export(good)
	whole := g.read("marks.csv")
	cut := strings.LastIndex(whole[:len(whole)*9/10], "\n") + 1
	writer, err := os.Create(filepath.Join(g.dir, "in", "marks.csv"))
	if err == nil {
		_, err = writer.WriteString(whole[:cut])
	}
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	target, err := url.Parse(g.box.base)
	if err != nil {
		t.Fatal(err)
	}
	var rest sync.Once
	proxy := httputil.NewSingleHostReverseProxy(target)
	service := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		rest.Do(func() {
			if _, err := writer.WriteString(whole[cut:]); err != nil {
				t.Error(err)
			}
		})
		proxy.ServeHTTP(answer, request)
	}))
	defer service.Close()
	g.write("docketsync.yaml", strings.Replace(g.read("docketsync.yaml"), g.box.base, service.URL, 1))
	said, requests := g.run(exit.Stopped, "inbox")
	archived := g.files("archive/*/*/*-marks.csv")
	if requests != 100 || len(archived) != 1 || !regexp.MustCompile(`marks.csv: returned\n.*run again as a whole\n +Run \S+ read its earlier content`).MatchString(said) {
		t.Fatalf("%d requests, archived %v:\n%s", requests, archived, said)
	}
	if found, err := filepath.Glob(filepath.Join(g.dir, "in", "archive", "*", "*", archived[0])); err != nil || g.read(strings.TrimPrefix(found[0], g.dir)) != whole {
		t.Errorf("what was archived is not whole (%v)", err)
	}
}

// A file without its end is not waited for, and not passed over in silence either.
func TestInboxTellsOfAFileThatIsCutOff(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	g.write(filepath.Join("in", "marks.xlsx"), "PK\x03\x04")
	code, out := program(t, g.dir, "inbox")
	if want := "1 file in in not run: still being written, or incomplete"; code != exit.AllIn || !strings.Contains(out, want) {
		t.Errorf("it ended with %d, want %q in:\n%s", code, want, out)
	}
}

// What guards stopped is not let through once a newer export has gone in.
func TestAnOlderExportIsNotLetThroughBehindANewerOne(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	g.deliver(good)
	g.run(exit.AllIn, "inbox")
	older := everyRow(func(row []string) { row[notesColumn] = "older" })
	g.deliver(older)
	g.run(exit.Stopped, "inbox")
	g.deliver(func(rows [][]string) [][]string { rows[1][notesColumn] = "newer"; return rows })
	g.run(exit.AllIn, "inbox")
	said, requests := g.run(exit.Usage, "run", "marks", "--accept-guard")
	if requests != 0 || !strings.Contains(said, "marks.csv was stopped by run marks-2, and run marks-3 has sent a later file since") || len(g.files("rejected/marks.csv")) != 1 {
		t.Errorf("the older export made %d requests:\n%s", requests, said)
	}
	g.deliver(older) // as it says
	g.run(exit.Stopped, "inbox")
	if said, requests := g.run(exit.AllIn, "run", "marks", "--accept-guard"); requests != 100 {
		t.Errorf("the older export that was put into the inbox again made %d requests:\n%s", requests, said)
	}
}

// The same export again is put aside where it has nothing to send, and run where a row of it did not go in, or a lookup, the mapping or a setting says
// something else of it now.
func TestTheSameExportIsRunAgainWhenThereIsSomethingToSend(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	g.write("marks.yaml", strings.NewReplacer("id: Mark Id", "id: {column: Our Ref, lookup: ids}", "fields:", "lookups: {ids: ids.csv}\nfields:").Replace(g.read("marks.yaml")))
	g.write("docketsync.yaml", strings.Replace(g.read("docketsync.yaml"), "mapping: marks.yaml", "mapping: marks.yaml, guards: {changes: off}", 1))
	ids := "name,id\n"
	for _, row := range g.rows[2:] {
		ids += row[0] + "," + row[1] + "\n"
	}
	g.write("ids.csv", ids)
	night := func(status int, requests int64, fate, when string) {
		t.Helper()
		g.deliver(good)
		if said, sent := g.run(status, "inbox"); sent != requests || !strings.Contains(said, "marks.csv: "+fate+" as ") {
			t.Errorf("%s: %d requests, want %d and %s:\n%s", when, sent, requests, fate, said)
		}
	}
	night(exit.Rejects, 99, "archived", "the first night")
	night(exit.Rejects, 0, "archived", "while a row waits for an id")
	g.write("ids.csv", ids+g.rows[1][0]+","+g.rows[1][1]+"\n")
	night(exit.AllIn, 1, "archived", "with the id")
	night(exit.AllIn, 0, "aside", "with nothing to send")
	g.write("marks.yaml", strings.Replace(g.read("marks.yaml"), "notes: Notes", "notes: {value: moved}", 1))
	night(exit.AllIn, 100, "archived", "with another mapping")
	night(exit.AllIn, 0, "aside", "with nothing to send")
	g.write("ids.csv", g.read("ids.csv")+"X-1,"+g.rows[1][1]+"\n")
	night(exit.AllIn, 0, "archived", "with another lookup file")
	g.write("docketsync.yaml", strings.Replace(g.read("docketsync.yaml"), "still: 1s}", "still: 1s}, lenient: true", 1))
	night(exit.AllIn, 0, "archived", "with another setting")
}

// What is no file is rejected unread, and the status says so whatever else was run.
func TestALinkInTheInboxIsRejectedWithAStatus(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	g.deliver(good)
	if err := os.Symlink(filepath.Join(g.dir, "marks.yaml"), filepath.Join(g.dir, "in", "link.csv")); err != nil {
		t.Skip("skipped: this system makes no links: ", err)
	}
	said, requests := g.run(exit.Rejects, "inbox")
	if requests != 100 || !strings.Contains(said, "link.csv: rejected as in/rejected/link.csv") || !strings.Contains(said, "a symbolic link") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
}
