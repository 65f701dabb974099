package daemon

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/schedule"
)

// fleetOf makes a fleet of one process, whose firms have a configuration each. said is what it writes on standard error, and told what its channel is told. Who asks
// for the variable REGION gets no answer before answers.
func fleetOf(t *testing.T, answers <-chan struct{}, configurations map[string]string) (f *fleet, said *bytes.Buffer, told func() string) {
	t.Helper()
	dir := t.TempDir()
	write := func(text string, path ...string) {
		t.Helper()
		file := filepath.Join(append([]string{dir}, path...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var messages strings.Builder
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.Copy(&messages, r.Body)
	}))
	t.Cleanup(hook.Close)
	write("firms: firms\nmetrics: {textfile: fleet.prom}\nnotify: {channels: {ops: {webhook: {env: HOOK}}}}\n", "docketsync.yaml")
	for name, text := range configurations {
		write(text, "firms", name, config.FirmFile)
		write("operation: create_case\nkey: Ref\nfields:\n  name: Ref\n  number: Ref\n  active: {value: true}\n"+
			"  file_template_id: {value: 6a4b0f7e-3d57-4a12-9c68-0f1e2d3c4b5a}\n  user_id: {value: 6a4b0f7e-3d57-4a12-9c68-0f1e2d3c4b5b}\n", "firms", name, "cases.yaml")
		write("Ref\nA-1\n", "firms", name, "cases.csv")
	}
	said = &bytes.Buffer{}
	setup := &installation.Setup{Screen: &terminal.Screen{Out: said, Err: said, NoColor: true}, ConfigFile: filepath.Join(dir, "docketsync.yaml"),
		Env: func(name string) (string, bool) {
			if name == "REGION" { // a file system that does not answer for a while
				<-answers
				return "eu", true
			}
			return hook.URL, name == "HOOK"
		}}
	in, err := openPatiently(t.Context(), setup, &watched{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	f = &fleet{setup: setup, in: in, folder: firms.Of(setup, in.Config, in.Log, nil), places: make(chan struct{}, 1), wake: make(chan struct{}), firms: map[string]*firm{},
		groups: map[string]context.CancelFunc{"": func() {}}}
	for name := range configurations {
		f.firms[name] = f.firm(name)
	}
	return f, said, func() string {
		mu.Lock()
		defer mu.Unlock()
		defer messages.Reset()
		return messages.String()
	}
}

// visitNow visits a firm that is to be due.
func (f *fleet) visitNow(t *testing.T, name string) {
	t.Helper()
	if of, _, _ := f.choose(f.firms[name].labels, time.Now()); of == nil || of.name != name {
		t.Fatalf("chosen is %+v, not %s", of, name)
	}
	f.visit(t.Context(), f.firms[name])
}

// everyMinute is the configuration of a firm with one job that is due every minute.
const everyMinute = `service: {base_url: sandbox, paths: {update_case: /a, update_trademark: /b}}
jobs:
  - {name: cases, source: cases.csv, mapping: cases.yaml, when: {cron: "* * * * *", zone: UTC}}
`

// TestAClockThatWasAheadStopsAFirmForAnHour has a firm be served by a clock that was two days ahead and is right again: people are told, and an hour later its jobs run.
func TestAClockThatWasAheadStopsAFirmForAnHour(t *testing.T) {
	t.Parallel()
	f, said, told := fleetOf(t, nil, map[string]string{"acme": everyMinute})
	of := f.firms["acme"]
	book, err := ledger.Open(t.Context(), filepath.Join(filepath.Dir(of.path), "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	err = book.SaveOccurrences(t.Context(), []ledger.Scheduled{{Job: "cases", Schedule: "* * * * * UTC", Through: now.Add(48 * time.Hour)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	of.ended(now.Add(48*time.Hour), schedule.Timetable{}, false, nil)
	f.visitNow(t, "acme")
	if !strings.Contains(of.trouble, "the clock of this machine is behind: job cases has run up to ") || strings.Contains(said.String(), "job cases starts") || !strings.Contains(told(), "Firm acme needs attention") {
		t.Errorf("the trouble of the firm is %q\n%s", of.trouble, said)
	}
	since := of.behind["cases"]
	of.next = time.Now() // a minute later
	f.visitNow(t, "acme")
	if got := of.behind["cases"]; !got.Equal(since) || strings.Count(said.String(), "cannot be served") != 1 {
		t.Errorf("the clock is behind since %s, not %s\n%s", got, since, said)
	}
	of.behind["cases"], of.next = since.Add(-time.Hour), time.Now() // an hour later
	f.visitNow(t, "acme")
	if of.trouble != "" || of.waits || !strings.Contains(said.String(), "job cases starts") {
		t.Errorf("an hour later the trouble is %q\n%s", of.trouble, said)
	}
}
