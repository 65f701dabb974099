package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	if said, _ := g.run(exitUsage, "run", "marks", "--accept-guard"); !strings.Contains(said, `no file of the job "marks" was stopped by its guards`) {
		t.Error(said)
	}
	g.deliver(good)
	if said, requests := g.run(exitAllIn, "inbox"); requests != 100 || len(g.files("archive/*/*/*-marks.csv")) != 1 {
		t.Fatalf("the first night made %d requests, and archived %v:\n%s", requests, g.files("archive/*/*/*"), said)
	}
	g.deliver(everyRow(func(row []string) { later(row, filedColumn); later(row, expires) }))
	said, requests := g.run(exitStopped, "inbox")
	if requests != 0 || !strings.Contains(said, "marks.csv: rejected as ") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	g.write("in/late.csv", "")
	if said, _ := g.run(exitAllIn, "schedule", "--list"); !regexp.MustCompile(`(?m)^ *marks +in +1 +1 +\d{4}-\d\d-\d\d \d\d:\d\d +stopped \(guard\) +[0-9a-f-]{36}`).MatchString(said) {
		t.Errorf("schedule --list does not say what lies in the inbox:\n%s", said)
	}
	if said, _ := g.run(exitAllIn, "schedule", "--list", "--json"); !strings.Contains(said, `"rejected": 1`) || !strings.Contains(said, `"stop": "guard"`) {
		t.Error(said)
	}
	if err := os.Remove(filepath.Join(g.dir, "in", "late.csv")); err != nil {
		t.Fatal(err)
	}
	const advice = "let it through with: docketsync run marks --accept-guard"
	if note := g.read("in/rejected/marks.csv.reason.txt"); !strings.Contains(note, advice) || !strings.Contains(note, "all dates of 100 records moved by +1 days") {
		t.Errorf("the reason beside it is: %s", note)
	}
	if said, requests = g.run(exitAllIn, "run", "marks", "--accept-guard"); requests != 100 || !strings.Contains(said, "marks.csv is archived as ") {
		t.Errorf("what was let through made %d requests:\n%s", requests, said)
	}
	if left := g.files("rejected/*"); len(left) > 0 || len(g.files("archive/*/*/*-marks.csv")) != 2 {
		t.Errorf("rejected %v, archived %v", left, g.files("archive/*/*/*"))
	}
	if said, _ := g.run(exitUsage, "run", "marks", "--accept-guard"); !strings.Contains(said, "is no longer in ") {
		t.Error(said)
	}
	g.deliver(good)
	if said, requests := g.run(exitStopped, "inbox"); requests != 0 || !strings.Contains(said, "moved by -1 days") {
		t.Errorf("the next export is not compared with what was let through: %d requests\n%s", requests, said)
	}
}

// Where files hold changes, the few rows of one are no export that lost all others.
func TestInboxOfChangesIsNotGuarded(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, ", holds: changes")
	g.deliver(good)
	g.run(exitAllIn, "inbox")
	g.deliver(func(rows [][]string) [][]string {
		for _, row := range rows[1:4] {
			row[notesColumn] = "changed"
		}
		return rows[:4]
	})
	if said, requests := g.run(exitAllIn, "inbox"); requests != 3 || strings.Contains(said, "vanished") || strings.Contains(said, "no longer in the export") {
		t.Errorf("three changed rows made %d requests:\n%s", requests, said)
	}
	g.deliver(func(rows [][]string) [][]string { return rows[1:2] })
	if said, _ := g.run(exitUsage, "inbox"); !strings.Contains(said, "rejected as ") {
		t.Errorf("a file without its header:\n%s", said)
	}
}
