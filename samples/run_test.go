package samples_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/samples"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var accept = flag.Bool("accept", false, "write what the jobs came to over the expected results")

// result is what a run of a job comes to, as expected.json has it.
type result struct {
	Rows     ledger.Counts  `json:"rows"`
	Outcomes map[string]int `json:"outcomes"` // records by outcome
	Rejects  []reject       `json:"rejects"`
}

// reject is a record that did not go in: its rows, and the reasons as "cell, column: code"; Refused are those that the
// service itself said no to.
type reject struct {
	Key     string   `json:"key"`
	Refused bool     `json:"refused,omitempty"`
	Rows    []int    `json:"rows"`
	Reasons []string `json:"reasons"`
}

// TestJobsComeToWhatIsExpected runs every job against the sandbox over HTTP, as the demo does, and then a second time,
// when nothing may be sent.
func TestJobsComeToWhatIsExpected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, samples.Files); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(filepath.Join(dir, "docketsync.yaml"), func(string) (string, bool) { return "", false }, os.ReadFile, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	box, send := service(t, c)
	book, err := ledger.Open(t.Context(), filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	i := &importer.Importer{Ledger: book, Service: push.Service{Send: send, Concurrency: 4}}
	for _, job := range c.Jobs {
		id, got := run(t, i, compiled(t, c, job))
		compare(t, job, got)
		switch job.Name {
		case "matters":
			checkMatters(t, i, id)
		case "trademarks":
			checkMarks(t, i, id, londonMarks())
		case "iberian-marks":
			checkMarks(t, i, id, iberianMarks())
		}
	}
	sent := requests(t, box)
	for _, job := range c.Jobs {
		_, again := run(t, i, compiled(t, c, job))
		for outcome, n := range again.Outcomes {
			if outcome != "unchanged" && outcome != "rejected" {
				t.Errorf("%s: a second run has %d %s", job.Name, n, outcome)
			}
		}
	}
	if more := requests(t, box) - sent; more != 0 {
		t.Errorf("a second run sent %d requests, though nothing had changed", more)
	}
}

// service is the sandbox on a port of its own, and a client of it.
func service(t *testing.T, c *config.Config) (*sandbox.Server, push.Send) {
	t.Helper()
	file, err := os.Open(c.Sandbox.Directory)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	directory, err := sandbox.ReadDirectory(file)
	if err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.Open(sandbox.Options{Directory: directory, SubscriptionKey: c.Service.SubscriptionKey.Reveal(),
		AuthCookie: c.Service.AuthCookie.Reveal()})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box.Handler())
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, SubscriptionKey: c.Service.SubscriptionKey.Reveal(),
		AuthCookie: c.Service.AuthCookie.Reveal(), FolderCookie: c.Service.FolderCookie, Paths: c.Service.Paths})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Close()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box, client.Send
}

// compiled makes a job of the configuration ready to run.
func compiled(t *testing.T, c *config.Config, job config.Job) importer.Job {
	t.Helper()
	text, err := os.ReadFile(job.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapping.Parse(job.Mapping, text, mapping.Options{Today: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	s := job.Source
	ready := importer.Job{Name: job.Name, Mapping: m, MappingText: text, Sources: lookups.Sources{MappingDir: filepath.Dir(job.Mapping)},
		Policy: decide.Policy{RetryRefused: time.Duration(c.Retry.Refused)}}
	for _, file := range s.Files {
		ready.Inputs = append(ready.Inputs, rows.Input{Path: file, Options: source.Options{
			Format: s.Format, Encoding: s.Encoding, Delimiter: s.Delimiter, Sheet: s.Sheet, Header: s.Header, Footer: s.Footer, Columns: m.Columns()}})
	}
	return ready
}

// run runs a job and reads what it came to from the ledger.
func run(t *testing.T, i *importer.Importer, job importer.Job) (id string, got result) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	ended, err := i.Run(ctx, job)
	if err != nil {
		t.Fatalf("job %s: %v", job.Name, err)
	}
	if ended.Phase != ledger.Finished {
		t.Fatalf("job %s: %s: %s", job.Name, ended.Phase, ended.Stop)
	}
	got = result{Rows: ended.Counts, Outcomes: map[string]int{}}
	for record, err := range i.Ledger.Records(ctx, ended.ID, ledger.RecordFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		outcome := outcomeOf(record)
		got.Outcomes[outcome]++
		if outcome != "rejected" {
			continue
		}
		rejected := reject{Key: record.Key, Refused: record.State == ledger.Refused}
		for _, row := range record.Rows {
			rejected.Rows = append(rejected.Rows, row.Number)
		}
		for _, reason := range record.Reasons {
			rejected.Reasons = append(rejected.Reasons, describeReason(reason))
		}
		got.Rejects = append(got.Rejects, rejected)
	}
	return ended.ID, got
}

func outcomeOf(record ledger.Record) string {
	switch record.State {
	case ledger.Accepted:
		return string(record.Action) + "d"
	case ledger.Refused:
		return "rejected"
	}
	return string(record.State)
}

func describeReason(r ledger.Reason) string {
	switch {
	case r.Cell != "":
		return fmt.Sprintf("%s, %s: %s", r.Cell, r.Column, r.Code)
	case r.Field != "":
		return fmt.Sprintf("%s: %s", r.Field, r.Code)
	}
	return fmt.Sprintf("%s: %s", r.Code, r.Message)
}

func compare(t *testing.T, job config.Job, got result) {
	t.Helper()
	name := filepath.Join(job.Name, "expected.json")
	if *accept {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, append(text, '\n'))
	}
	if diff := cmp.Diff(expected(t, job), got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("job %s came to something else than %s says (-want +got):\n%s", job.Name, name, diff)
	}
}

func expected(t *testing.T, job config.Job) result {
	t.Helper()
	text, err := fs.ReadFile(samples.Files, job.Name+"/expected.json")
	if *accept {
		text = read(t, filepath.Join(job.Name, "expected.json"))
	} else if err != nil {
		t.Fatal(err)
	}
	var want result
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatalf("%s: %v", job.Name, err)
	}
	return want
}

// requests is how many requests the sandbox has had so far.
func requests(t *testing.T, box *sandbox.Server) int {
	t.Helper()
	held, err := box.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return len(held.Requests)
}
