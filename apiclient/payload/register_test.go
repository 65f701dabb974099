package payload_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/decide"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/planfile"
	"docketsync/importer/push"
	"docketsync/importer/report/files"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

// createDeadline is an operation that neither interface.md nor the program knows: this description is all that is said of it.
const createDeadline payload.Operation = "create_deadline"

func init() {
	payload.Register(payload.About{
		Operation: createDeadline, Creates: true, Answer: payload.PromiseID,
		Title: "subject", Key: "number", List: "deadlines", One: "deadline", Many: "deadlines",
		Axes: []payload.Axis{{Name: "person", Field: "user_id"}},
		Fields: func(payload.Switches) []payload.Field {
			return []payload.Field{
				{Name: "subject", Type: payload.TypeText, Required: true, Max: 40, Doc: "what has to be done"},
				{Name: "number", Type: payload.TypeText, Required: true, Reference: true, Doc: "docket number"},
				{Name: "due", Type: payload.TypeDate, Required: true, Doc: "last day"},
				{Name: "user_id", Type: payload.TypeGUID, Doc: "who has to do it"},
				{Name: "steps", Type: payload.TypeItems, Identity: []string{"text"}, Doc: "what comes before", Items: []payload.Field{
					{Name: "text", Type: payload.TypeText, Required: true, Doc: "the step"},
					{Name: "days", Type: payload.TypeText, Doc: "days before"},
				}},
			}
		},
	})
}

// deadline is a deadline as the service keeps it.
type deadline struct {
	ID      string    `json:"id"`
	Subject string    `json:"subject"`
	Number  string    `json:"number"`
	Due     time.Time `json:"due"`
	User    string    `json:"user_id"`
	Steps   []struct {
		Text string `json:"text"`
		Days string `json:"days"`
	} `json:"steps"`
}

// deadlines is a service that knows the operation. It keeps one of them with another last day than it was sent.
type deadlines struct{ kept []any }

func (d *deadlines) take(w http.ResponseWriter, r *http.Request) {
	kept := deadline{}
	strict := json.NewDecoder(r.Body)
	strict.DisallowUnknownFields()
	switch err := strict.Decode(&kept); {
	case err != nil:
		answer(w, http.StatusBadRequest, map[string]any{"message": err.Error()})
		return
	case kept.Number == "D-0004":
		answer(w, http.StatusBadRequest, map[string]any{"message": "subject appeals are not taken"})
		return
	case kept.Number == "D-0003":
		kept.Due = kept.Due.AddDate(0, 0, 1)
	}
	kept.ID = fmt.Sprintf("0b5e4c5a-7f11-4b7e-9a55-%012d", 100+len(d.kept))
	d.kept = append(d.kept, kept)
	answer(w, http.StatusCreated, kept)
}

func (d *deadlines) list(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"total": len(d.kept), "items": d.kept})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// TestAnOperationFromOutside takes an operation that is described above, and nowhere else, all the way: configured, mapped, planned, sent, read back,
// reported, found in the service's list, and not sent twice.
func TestAnOperationFromOutside(t *testing.T) {
	t.Parallel()
	w := newOutside(t)
	planned, err := w.importer.Plan(t.Context(), w.job)
	must(t, err)
	if got, want := w.plan(planned), `D-0001 {"subject":"Reply to office action","number":"D-0001","due":"2027-01-15T00:00:00Z","user_id":"0b5e4c5a-7f11-4b7e-9a55-000000000002","steps":[{"text":"Draft","days":"10"},{"text":"Instruct agent","days":"007"}]}`; !strings.HasPrefix(got, want) {
		t.Errorf("the plan is\n%s\nwant it to begin with\n%s", got, want)
	}
	if len(w.kept.kept) != 0 {
		t.Fatal("a plan has sent something")
	}
	run, err := w.importer.Run(t.Context(), w.job)
	must(t, err)
	if got, want := w.states(run), "D-0001 accepted, D-0002 rejected, D-0003 accepted, D-0004 refused"; got != want {
		t.Errorf("came to %s, want %s", got, want)
	}
	if len(w.kept.kept) != 2 {
		t.Errorf("the service keeps %v", w.kept.kept)
	}
	w.reported(run)
	w.listed(run)

	again, err := w.importer.Run(t.Context(), w.job)
	must(t, err)
	if got, want := w.states(again), "D-0001 unchanged, D-0002 rejected, D-0003 unchanged, D-0004 rejected"; got != want || len(w.kept.kept) != 2 {
		t.Errorf("a second run came to %s with %d records in the service, want %s", got, len(w.kept.kept), want)
	}
}

// outside is a service that knows deadlines, and what an importer needs to send some.
type outside struct {
	t        *testing.T
	kept     *deadlines
	client   *apiclient.Client
	importer *importer.Importer
	job      importer.Job
	list     config.List
}

func newOutside(t *testing.T) *outside {
	w := &outside{t: t, kept: &deadlines{}}
	folder := filepath.Join("testdata", string(createDeadline))
	settings, err := config.Load(filepath.Join(folder, "docketsync.yaml"), func(string) (string, bool) { return "", false }, os.ReadFile, nil, nil)
	must(t, err)
	path, err := settings.Service.Path(string(createDeadline))
	must(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+path, w.kept.take)
	mux.HandleFunc("GET /v1/lists/deadlines", w.kept.list)
	server := httptest.NewServer(mux)
	w.client, err = apiclient.New(apiclient.Options{BaseURL: server.URL, SubscriptionKey: settings.Service.SubscriptionKey.Reveal(),
		AuthCookie: settings.Service.AuthCookie.Reveal(), Paths: settings.Service.Paths})
	must(t, err)
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	must(t, err)
	t.Cleanup(func() {
		w.client.Close()
		server.Close()
		if err := book.Close(); err != nil {
			t.Error(err)
		}
	})
	text, err := os.ReadFile(filepath.Join(folder, "mapping.yaml"))
	must(t, err)
	compiled, err := mapping.Parse("mapping.yaml", text, mapping.Options{Today: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)})
	must(t, err)
	w.list = settings.Service.Lists.Named["deadlines"]
	w.job = importer.Job{Name: "deadlines", Mapping: compiled, MappingText: text, Sources: lookups.Sources{MappingDir: folder},
		Inputs: []rows.Input{{Path: filepath.Join(folder, "deadlines.csv")}}, Policy: decide.Policy{RetryRefused: time.Hour}}
	w.importer = &importer.Importer{Ledger: book, Service: push.Service{Send: w.client.Send, SendLast: w.client.SendLast, Drain: w.client.Drain, Concurrency: 1}}
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plan is each record that would be sent, with its payload.
func (w *outside) plan(run ledger.Run) string {
	w.t.Helper()
	var lines []string
	for record, err := range w.importer.Ledger.Records(w.t.Context(), run.ID, ledger.RecordFilter{}) {
		must(w.t, err)
		shown, err := planfile.Of(run, record)
		must(w.t, err)
		if record.State == ledger.Planned {
			lines = append(lines, shown.Key+" "+string(record.Payload))
		}
	}
	return strings.Join(lines, "\n")
}

func (w *outside) states(run ledger.Run) string {
	w.t.Helper()
	var states []string
	for record, err := range w.importer.Ledger.Records(w.t.Context(), run.ID, ledger.RecordFilter{}) {
		must(w.t, err)
		states = append(states, record.Key+" "+string(record.State))
	}
	return strings.Join(states, ", ")
}

// reported looks for what people have to be told: what went in, which date is none, what the service refused, and what it stored differently.
func (w *outside) reported(run ledger.Run) {
	w.t.Helper()
	paths, err := files.Write(w.t.Context(), w.importer.Ledger.Reader, run.ID, w.t.TempDir())
	must(w.t, err)
	for path, words := range map[string][]string{
		paths.HTML:    {"D-0003", "appeals are not taken"},
		paths.CSV:     {"D-0001", "31/02/2027", "appeals are not taken"},
		paths.Differs: {"D-0003", "due", "2027-03-01", "2027-03-02"},
	} {
		text, err := os.ReadFile(path)
		must(w.t, err)
		for _, word := range words {
			if !bytes.Contains(text, []byte(word)) {
				w.t.Errorf("%s does not say %q", filepath.Base(path), word)
			}
		}
	}
}

// listed settles each accepted record by the list of the service, as if its answer had been lost.
func (w *outside) listed(run ledger.Run) {
	w.t.Helper()
	spec := apiclient.ListSpec{Name: "deadlines", Path: w.list.Path, Take: w.list.Take, Total: w.list.Total, ID: w.list.ID, Members: w.list.Name}
	items, err := w.client.List(context.WithoutCancel(w.t.Context()), spec)
	must(w.t, err)
	for record, err := range w.importer.Ledger.Records(w.t.Context(), run.ID, ledger.RecordFilter{}) {
		must(w.t, err)
		if record.State != ledger.Accepted {
			continue
		}
		found := inquiry.Inquiry{Record: record, Operation: createDeadline, Listing: inquiry.Listing{First: items, Second: items, Keys: 1}}.Find(0)
		if found.Decision != ledger.Exists || found.ID != record.ServiceID {
			w.t.Errorf("%s: %+v, and the service called it %s", record.Key, found, record.ServiceID)
		}
	}
}
