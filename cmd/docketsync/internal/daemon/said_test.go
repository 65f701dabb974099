package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/ledger"
)

// TestDuesOfAYearHaveOneLine tells of all that was missed while a machine was off: a person reads one line for each job, a program all of it.
func TestDuesOfAYearHaveOneLine(t *testing.T) {
	t.Parallel()
	var dues []ledger.Occurrence
	for day := time.Date(2025, 1, 1, 2, 0, 0, 0, time.UTC); day.Year() == 2025; day = day.AddDate(0, 0, 1) {
		for _, job := range []string{"matters", "marks"} {
			dues = append(dues, ledger.Occurrence{Job: job, Local: day.Format("2006-01-02T15:04"), At: day, State: ledger.Missed, Note: "nobody was there"})
		}
	}
	dues = append(dues, ledger.Occurrence{Job: "marks", Local: "2026-01-01T02:00", State: ledger.CutOff, Note: "it was cut off"})
	said := func(asJSON bool) string {
		var out bytes.Buffer
		d := &daemon{setup: &installation.Setup{Screen: &terminal.Screen{Out: &out, Err: &out, JSON: asJSON, NoColor: true}}, notices: newNotices()}
		d.tell(dues)
		return out.String()
	}
	const want = "matters  due 2025-01-01T02:00 and 364 more up to 2025-12-31T02:00: missed. nobody was there.\n" +
		"marks  due 2025-01-01T02:00 and 364 more up to 2025-12-31T02:00: missed. nobody was there.\n" +
		"marks  due 2026-01-01T02:00: cut off. it was cut off.\n"
	if got := said(false); got != want {
		t.Errorf("%s", got)
	}
	if got := strings.Count(said(true), "\n"); got != len(dues) {
		t.Errorf("a program reads %d lines, not %d", got, len(dues))
	}
}

// TestAnInboxThatCannotBeReadIsSaidOnce looks again and again into a folder that is not there: why is said once, and again after it was there.
func TestAnInboxThatCannotBeReadIsSaidOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	book, err := ledger.Open(t.Context(), filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	job := config.Job{Name: "late", Source: config.Source{Inbox: &config.Inbox{Folder: filepath.Join(dir, "in"), Files: config.Names{"*.csv"}, Poll: time.Second}}}
	var said bytes.Buffer
	screen := &terminal.Screen{Out: &said, Err: &said}
	in := &installation.Installation{Screen: screen, Config: &config.Config{Jobs: []config.Job{job}}, Log: zap.NewNop(), Book: book}
	d := &daemon{setup: &installation.Setup{Screen: screen}, book: book, use: prepared{Installation: in}, notices: newNotices(), turn: make(chan struct{}, 1)}
	d.giveTurn()
	box := polledInboxes(in)[0]
	times := func(want int) {
		t.Helper()
		for range 3 {
			d.visit(t.Context(), d.use, box)
		}
		if got := strings.Count(said.String(), "docketsync: job late: the inbox "); got != want {
			t.Errorf("said %d times, not %d\n%s", got, want, &said)
		}
	}
	times(1)
	if err := os.Mkdir(box.folder.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	times(1)
	if err := os.RemoveAll(box.folder.Path); err != nil {
		t.Fatal(err)
	}
	times(2)
}
