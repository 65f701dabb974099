package importer_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// TestServiceThatIsDown has a service that is down for as long as a record is tried. The run is stopped and says so,
// even if there was only one record to send, and the next start sends it.
func TestServiceThatIsDown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		rows  int
		fails func(o *apiclient.Options)
		says  string
		code  string
	}{
		{"one record, unreachable", 1, func(o *apiclient.Options) { o.BaseURL = "http://127.0.0.1:1" }, "connection refused", stop.ServiceDown},
		{"some records, unreachable", 5, func(o *apiclient.Options) { o.BaseURL = "http://127.0.0.1:1" }, "connection refused", stop.ServiceDown},
		{"one record, 429 for ever", 1, func(o *apiclient.Options) { o.BaseURL = busy(t) }, "429 Too Many Requests: come back on Monday", stop.ServiceDown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			job := w.job("matters", casesMapping, cases(1, test.rows))
			run, err := w.with(func(o *apiclient.Options) { o.Retry.Total = 50 * time.Millisecond; test.fails(o) }).Run(t.Context(), job)
			w.must(err)
			if run.Phase != ledger.Stopped || run.StopCode != test.code || !strings.Contains(run.Stop, test.says) {
				t.Errorf("the run ended as %s (%s): %s", run.Phase, run.StopCode, run.Stop)
			}
			again := w.run(job)
			if state := w.state(); state.Cases != int64(test.rows) || again.Phase != ledger.Finished {
				t.Errorf("%d cases after the next start, which ended as %s", state.Cases, again.Phase)
			}
			w.onceEach()
		})
	}
}

// TestOneRecordThatAlwaysFails does not mean that the service is down: the record was all there was to send, and may be
// at fault.
func TestOneRecordThatAlwaysFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{FailBefore: 1})
	marks := "Ref,Id,Mark,App\nT1," + mark1 + ",A,018\n"
	for rows, want := range map[string]string{marks: "", marks + "T2," + mark2 + ",B,019\n": stop.ServiceDown} {
		run, err := w.with(func(o *apiclient.Options) { o.Retry.Total = 20 * time.Millisecond }).Run(t.Context(), w.job("marks", marksMapping, rows))
		w.must(err)
		if run.StopCode != want {
			t.Errorf("of %q the run was stopped for %q, want %q: %s", rows, run.StopCode, want, w.states(run))
		}
	}
}

func busy(t *testing.T) (base string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "come back on Monday", http.StatusTooManyRequests)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestPauseSaysWhy has a service fail so often in a row that all sending pauses. The last answer is reported at once
// and kept with the run; both are withdrawn when the service answers again.
func TestPauseSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	var up atomic.Bool
	handler := w.box.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			rw.Header().Set("Retry-After", "0")
			http.Error(rw, "the database is being moved", http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	client := w.connect(func(o *apiclient.Options) { o.BaseURL, o.Pace.Trip = server.URL, 5 })
	i := w.importer()
	i.Send, i.SendLast, i.Drain, i.Pauses = client.Send, client.SendLast, client.Drain, client.Pauses
	var mu sync.Mutex
	var told []string
	i.Progress = func(p importer.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if len(told) == 0 && p.Paused != "" || len(told) > 0 && told[len(told)-1] != p.Paused {
			told = append(told, p.Paused)
			up.Store(true)
		}
	}
	run, err := i.Run(t.Context(), w.job("matters", casesMapping, cases(1, 30)))
	w.must(err)
	w.expect(run, "accepted 30")
	if len(told) != 2 || told[0] != "the service answered 503 Service Unavailable: the database is being moved" || told[1] != "" {
		t.Errorf("told %q", told)
	}
	if run.Stop != "" || run.Phase != ledger.Finished {
		t.Errorf("the run ended as %s: %s", run.Phase, run.Stop)
	}
}
