package importer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

// world is a real sandbox behind a real listener, a real client, and a ledger on disk.
type world struct {
	t      testing.TB
	dir    string
	base   string
	box    *sandbox.Server
	book   *ledger.Ledger
	client *apiclient.Client
}

const (
	template = "0b5e4c5a-7f11-4b7e-9a55-000000000001"
	user     = "0b5e4c5a-7f11-4b7e-9a55-000000000002"
	company  = "0b5e4c5a-7f11-4b7e-9a55-000000000003"
	status   = "0b5e4c5a-7f11-4b7e-9a55-000000000004"
	registry = "0b5e4c5a-7f11-4b7e-9a55-000000000005"
	language = "0b5e4c5a-7f11-4b7e-9a55-000000000006"
	class9   = "0b5e4c5a-7f11-4b7e-9a55-000000000009"
	class35  = "0b5e4c5a-7f11-4b7e-9a55-000000000035"
	mark1    = "0b5e4c5a-7f11-4b7e-9a55-0000000000a1"
	mark2    = "0b5e4c5a-7f11-4b7e-9a55-0000000000a2"
	mark3    = "0b5e4c5a-7f11-4b7e-9a55-0000000000a3"
)

func directory() sandbox.Directory {
	return sandbox.Directory{
		Templates:     []sandbox.Template{{ID: template, Name: "General", Default: true}},
		Users:         []sandbox.User{{ID: user, FirstName: "Ada", LastName: "Moreau", UserName: "ada", Password: "open sesame"}},
		Companies:     []sandbox.Company{{ID: company, Name: "Lumen GmbH", Agent: true}},
		Statuses:      []sandbox.Status{{ID: status, Name: "Open", InitialState: true}},
		Registries:    []sandbox.Named{{ID: registry, Name: "EUIPO"}},
		Languages:     []sandbox.Named{{ID: language, Name: "English"}},
		SearchClasses: []sandbox.Named{{ID: class9, Name: "9"}, {ID: class35, Name: "35"}},
		Trademarks: []sandbox.Trademark{{ID: mark1, MarkText: "LUMEN", RegistryID: registry}, {ID: mark2, MarkText: "ORBIT", RegistryID: registry},
			{ID: mark3, MarkText: "SALIX", RegistryID: registry}},
	}
}

// newWorld starts a sandbox with faults.
func newWorld(t testing.TB, faults sandbox.Faults) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	var err error
	w.box, err = sandbox.Open(sandbox.Options{
		Directory: directory(), SubscriptionKey: "key", AuthCookie: "cookie", Faults: faults,
	})
	w.must(err)
	listener := listen(t)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- w.box.Serve(ctx, listener) }()
	empty, err := emptyLedger()
	w.must(err)
	w.write("ledger.db", string(empty))
	w.book, err = ledger.Open(t.Context(), filepath.Join(w.dir, "ledger.db"))
	w.must(err)
	w.base = "http://" + listener.Addr().String()
	w.client = w.connect(func(*apiclient.Options) {})
	t.Cleanup(func() {
		stop()
		for _, err := range []error{<-served, w.book.Close(), w.box.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return w
}

// emptyLedger is a new ledger, made once: making one takes longer than most tests use it.
var emptyLedger = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ledger.db")
	book, err := ledger.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := book.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// connect makes a client for the sandbox; change may alter its options.
func (w *world) connect(change func(*apiclient.Options)) *apiclient.Client {
	w.t.Helper()
	options := clientOptions(w.base)
	change(&options)
	client, err := apiclient.New(options)
	w.must(err)
	w.t.Cleanup(client.Close)
	return client
}

func clientOptions(base string) apiclient.Options {
	return apiclient.Options{
		BaseURL: base, SubscriptionKey: "key", AuthCookie: "cookie", FolderCookie: true,
		Paths: map[payload.Operation]string{payload.UpdateCase: "/v1/firms/file", payload.UpdateTrademark: "/v1/firms/trademark"},
		Retry: apiclient.RetryOptions{FirstDelay: time.Millisecond, MaxDelay: 20 * time.Millisecond, Total: 20 * time.Second},
		Pace:  pace.Options{Concurrency: 4, Fixed: true, Trip: 1000},
	}
}

// with returns an importer that sends through a client of its own.
func (w *world) with(change func(*apiclient.Options)) *importer.Importer {
	i := w.importer()
	client := w.connect(change)
	i.Send, i.SendLast, i.Drain = client.Send, client.SendLast, client.Drain
	return i
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// write puts a file into the world's folder.
func (w *world) write(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	w.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// job makes a job of a mapping and a CSV file.
func (w *world) job(name, mappingText, csv string) importer.Job {
	w.t.Helper()
	compiled, err := mapping.Parse(name+".yaml", []byte(mappingText), mapping.Options{Today: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)})
	w.must(err)
	path := w.write(name+".csv", csv)
	return importer.Job{Name: name, Mapping: compiled, MappingText: []byte(mappingText), Sources: lookups.Sources{MappingDir: w.dir}, Inputs: []rows.Input{{Path: path}}}
}

func (w *world) importer() *importer.Importer {
	return &importer.Importer{Ledger: w.book, Service: push.Service{Send: w.client.Send, SendLast: w.client.SendLast, Drain: w.client.Drain, Concurrency: 4}}
}

func (w *world) run(job importer.Job) ledger.Run {
	w.t.Helper()
	run, err := w.importer().Run(w.t.Context(), job)
	w.must(err)
	w.addsUp(run)
	return run
}

// addsUp checks the first promise for a run: every row that was read is in a record or was skipped.
func (w *world) addsUp(run ledger.Run) {
	w.t.Helper()
	skipped, inRecords := 0, 0
	for _, n := range run.Counts.Skipped {
		skipped += n
	}
	for _, record := range w.records(run) {
		inRecords += len(record.Rows)
	}
	if run.Counts.Read != run.Counts.InRecords+skipped || run.Counts.InRecords != inRecords {
		w.t.Errorf("%d rows read, %d in records (%d found there), %d skipped: they do not add up", run.Counts.Read, run.Counts.InRecords, inRecords, skipped)
	}
}

func (w *world) records(run ledger.Run) []ledger.Record {
	w.t.Helper()
	var list []ledger.Record
	for record, err := range w.book.Records(w.t.Context(), run.ID, ledger.RecordFilter{}) {
		w.must(err)
		list = append(list, record)
	}
	return list
}

// states returns the states of a run's records, such as "accepted 3, rejected 1".
func (w *world) states(run ledger.Run) string {
	w.t.Helper()
	counts := map[ledger.State]int{}
	for _, record := range w.records(run) {
		counts[record.State]++
	}
	var parts []string
	for state, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", state, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func (w *world) expect(run ledger.Run, states string) {
	w.t.Helper()
	if got := w.states(run); got != states {
		for _, record := range w.records(run) {
			reasons, _ := json.Marshal(record.Reasons)
			w.t.Logf("%s %s: %s %s", record.State, record.Key, record.Message, reasons)
		}
		w.t.Fatalf("the records stand as %q, want %q", got, states)
	}
}

func (w *world) state() sandbox.State {
	w.t.Helper()
	state, err := w.box.State()
	w.must(err)
	return state
}

// onceEach checks that nothing exists twice in the service.
func (w *world) onceEach() {
	w.t.Helper()
	for _, r := range w.state().Repeated {
		w.t.Errorf("%s %s exists %d times in the service", r.Kind, r.Key, r.Count)
	}
}

const casesMapping = `
operation: create_case
key: Ref
rows:
  skip: row["Status"] == "Dead"
fields:
  name:             Title
  number:           Ref
  active:           {column: Status, values: {Open: true, Closed: false}}
  file_template_id: {value: ` + template + `}
  user_id:          {value: ` + user + `}
`

// cases returns a CSV of n cases, numbered from the first number.
func cases(from, n int) string {
	var b strings.Builder
	b.WriteString("Ref,Title,Status\n")
	for i := range n {
		fmt.Fprintf(&b, "M-%05d,Case %d,Open\n", from+i, from+i)
	}
	return b.String()
}

// longer returns long if DOCKETSYNC_LONG=1 is set, and otherwise short, a smaller number that tests the same.
func longer(short, long int) int {
	if os.Getenv("DOCKETSYNC_LONG") == "1" {
		return long
	}
	return short
}
