package ledger_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

const (
	template = "0b5e4c5a-7f11-4b7e-9a55-000000000001"
	user     = "0b5e4c5a-7f11-4b7e-9a55-000000000002"
)

// TestPushOutlastsARestartOfItsServer kills PostgreSQL in the middle of a push and starts it again, twice. The push
// continues, and nothing is in doubt, missing or duplicated.
func TestPushOutlastsARestartOfItsServer(t *testing.T) {
	t.Parallel()
	const records = 400
	dsn, restart := ledger.OwnPostgres(t)
	book, err := ledger.Open(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { must(t, book.Close()) })
	book.KeepHighWaterMark(t.TempDir())
	book.Outlast(time.Minute)
	box, service := serve(t)
	var restarts sync.WaitGroup
	at := []int{records / 4, records / 2}
	i := &importer.Importer{Ledger: book, Service: service, Progress: func(p importer.Progress) {
		if len(at) > 0 && p.Sent[ledger.Accepted] >= at[0] {
			at = at[1:]
			restarts.Go(restart)
		}
	}}
	run, err := i.Run(t.Context(), cases(t, records))
	restarts.Wait()
	must(t, err)
	counts, err := book.Tally(t.Context(), run.ID)
	must(t, err)
	if run.Phase != ledger.Finished || fmt.Sprint(counts) != fmt.Sprintf("[{create accepted %d}]", records) {
		t.Errorf("the run is %s %s, with %v", run.Phase, run.Stop, counts)
	}
	state, err := box.State()
	must(t, err)
	if state.Cases != records || len(state.Repeated) > 0 || len(at) > 0 {
		t.Errorf("the service has %d cases, %v more than once; %d restarts were not made", state.Cases, state.Repeated, len(at))
	}
	if w, err := book.Outrun(t.Context()); w != nil || err != nil {
		t.Errorf("the ledger is said to be older than it is: %+v %v", w, err)
	}
}

// TestReadingOutlastsARestartOfItsServer kills PostgreSQL while a run reads. The run reads once more and sends
// everything, and of what it had read before, nothing is left.
func TestReadingOutlastsARestartOfItsServer(t *testing.T) {
	t.Parallel()
	const records = 2500
	s := ledgertest.Own(t)
	book, err := ledger.Open(t.Context(), s.Database(t))
	must(t, err)
	t.Cleanup(func() { must(t, book.Close()) })
	book.Outlast(time.Minute)
	box, service := serve(t)
	var down sync.Once
	var up sync.WaitGroup
	i := &importer.Importer{Ledger: book, Service: service, Progress: func(importer.Progress) {
		down.Do(func() {
			s.Halt()
			up.Go(func() { s.Start(t) })
		})
	}}
	run, err := i.Run(t.Context(), cases(t, records))
	up.Wait()
	must(t, err)
	runs, err := book.Runs(t.Context(), ledger.RunFilter{})
	must(t, err)
	if run.Phase != ledger.Finished || run.Counts.Read != records || len(runs) != 1 {
		t.Errorf("the run is %s %s, with %d rows; there are %d runs", run.Phase, run.Stop, run.Counts.Read, len(runs))
	}
	state, err := box.State()
	must(t, err)
	if state.Cases != records || len(state.Repeated) > 0 {
		t.Errorf("the service has %d cases, %v more than once", state.Cases, state.Repeated)
	}
}

// TestPlanningOutlastsARestartOfItsServer is the same for what sends nothing: a plan, a check, and an adoption.
func TestPlanningOutlastsARestartOfItsServer(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	book, err := ledger.Open(t.Context(), s.Database(t))
	must(t, err)
	t.Cleanup(func() { must(t, book.Close()) })
	book.Outlast(time.Minute)
	_, service := serve(t)
	job := cases(t, 2500)
	for name, makes := range map[string]func(*importer.Importer) error{
		"plan":  func(i *importer.Importer) error { _, err := i.Plan(t.Context(), job); return err },
		"check": func(i *importer.Importer) error { _, err := i.Check(t.Context(), job); return err },
		"adopt": func(i *importer.Importer) error { _, err := i.Adopt(t.Context(), job, false); return err },
	} {
		var down sync.Once
		var up sync.WaitGroup
		err := makes(&importer.Importer{Ledger: book, Service: service, Progress: func(importer.Progress) {
			down.Do(func() {
				s.Halt()
				up.Go(func() { s.Start(t) })
			})
		}, Listed: func(context.Context, string) (*inquiry.Listing, error) { return nil, nil }})
		if up.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	runs, err := book.Runs(t.Context(), ledger.RunFilter{})
	if must(t, err); len(runs) != 3 {
		t.Errorf("there are %d runs", len(runs))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve starts a sandbox whose answers take some milliseconds, and a client of it.
func serve(t *testing.T) (box *sandbox.Server, service push.Service) {
	t.Helper()
	box, err := sandbox.Open(sandbox.Options{
		Data: filepath.Join(t.TempDir(), "sandbox.db"), SubscriptionKey: "key", AuthCookie: "cookie",
		Directory: sandbox.Directory{Templates: []sandbox.Template{{ID: template, Name: "General"}}, Users: []sandbox.User{{ID: user, FirstName: "Ada"}}},
		Faults:    sandbox.Faults{Slow: sandbox.Delay{Wait: 5 * time.Millisecond, Probability: 1}},
	})
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- box.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		must(t, <-served)
		must(t, box.Close())
	})
	client, err := apiclient.New(apiclient.Options{BaseURL: "http://" + listener.Addr().String(), SubscriptionKey: "key", AuthCookie: "cookie",
		Retry: apiclient.RetryOptions{FirstDelay: time.Millisecond, MaxDelay: 20 * time.Millisecond, Total: 20 * time.Second},
		Pace:  pace.Options{Concurrency: 8, Fixed: true, Trip: 1000}})
	must(t, err)
	t.Cleanup(client.Close)
	return box, push.Service{Send: client.Send, Drain: client.Drain, Concurrency: 8}
}

// cases returns a job that creates that many cases.
func cases(t *testing.T, n int) importer.Job {
	t.Helper()
	text := []byte("operation: create_case\nkey: Ref\nfields:\n  name: Title\n  number: Ref\n  active: {value: true}\n" +
		"  file_template_id: {value: " + template + "}\n  user_id: {value: " + user + "}\n")
	compiled, err := mapping.Parse("cases.yaml", text, mapping.Options{Today: time.Now()})
	must(t, err)
	var count strings.Builder
	count.WriteString("Ref,Title\n")
	for i := range n {
		fmt.Fprintf(&count, "M-%05d,Case %d\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "cases.csv")
	must(t, os.WriteFile(path, []byte(count.String()), 0o600))
	return importer.Job{Name: "cases", Mapping: compiled, MappingText: text, Inputs: []rows.Input{{Path: path}}}
}
