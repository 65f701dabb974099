package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

// everyFault is all that the sandbox can play, at once: about three requests in ten meet one of the faults that exclude
// each other, a cookie lasts for a few dozen requests, and there are a rate limit, few workers and slow answers.
func everyFault(seed uint64) sandbox.Faults {
	return sandbox.Faults{
		Seed: seed, DropBefore: 0.04, DropAfter: 0.04, FailBefore: 0.04, FailAfter: 0.03, BusyBefore: 0.03, BusyAfter: 0.02,
		BusyRetryAfter: sandbox.RetryAfter{After: time.Second, Date: seed%2 == 0}, HTML: 0.02, Empty: 0.02, Truncate: 0.03, Refuse: 0.04,
		Rate: 500, Burst: 20, RateRetryAfter: sandbox.RetryAfter{After: time.Second},
		Slow: sandbox.Delay{Wait: 5 * time.Millisecond, Probability: 0.1}, SlowAfter: sandbox.Delay{Wait: 5 * time.Millisecond, Probability: 0.1},
		Workers: 4, WorkTime: time.Millisecond, CookieAfter: 60,
	}
}

// stormForecast is what the service must hold in the end, whatever the weather was: what it holds in calm weather.
type stormForecast struct {
	size, editions int                 // so many records, in so many exports one after the other
	want           []map[string]string // by edition and record
	// ever are the texts that a record may have while its own doubt, or that of what it depends on, keeps it behind.
	ever map[string]map[string]bool
}

// calmWeather imports a firm in calm weather.
func calmWeather(t *testing.T, size, editions int) *stormForecast {
	t.Helper()
	w := &stormForecast{size: size, editions: editions, ever: map[string]map[string]bool{}}
	f, box := calmService(t, size, sandbox.Faults{})
	keep := func() map[string]string {
		books, err := box.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for name, held := range holdings(t, books) {
			if len(held) != 1 {
				t.Fatalf("in calm weather the service holds %d of %s", len(held), name)
			}
			texts[name] = held[0].text
			if w.ever[name] == nil {
				w.ever[name] = map[string]bool{}
			}
			w.ever[name][held[0].text] = true
		}
		return texts
	}
	for edition := range editions {
		f.export(t, edition)
		f.run(t, nil, "cases")
		keep() // as the cases are before their updates
		if code := f.run(t, nil); code != exit.AllIn || !f.done(t) {
			t.Fatalf("edition %d ended with %d in calm weather", edition, code)
		}
		w.want = append(w.want, keep())
		w.holdToExport(t, f, box, edition)
	}
	return w
}

// holdToExport holds the forecast itself to what the files of an edition say: a mistake of every weather would show in no
// comparison with it.
func (w *stormForecast) holdToExport(t *testing.T, f stormFirm, box *sandbox.Server, edition int) {
	t.Helper()
	state, err := box.State()
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Repeated) > 0 || int(state.Origins[sandbox.UpdateTrademark]) != f.filings() || int(state.Goods) != f.goods(edition)*f.marks() {
		t.Fatalf("in calm weather the service holds %+v of edition %d", state, edition)
	}
	want := w.want[edition]
	if n := len(want); n != f.cases(edition)+f.folders(edition)+f.marks()+f.filings() {
		t.Fatalf("in calm weather the service holds %d records of edition %d", n, edition)
	}
	for n := range f.size {
		if name := fmt.Sprintf("create_case M-%04d", n); !strings.Contains(want[name], fmt.Sprintf(`"Case %d of edition %d"`, n, edition)) {
			t.Fatalf("in calm weather %s is %s in edition %d", name, want[name], edition)
		}
	}
	for n := range f.marks() {
		if name := fmt.Sprintf("update_trademark T-%04d", n); !strings.Contains(want[name], fmt.Sprintf(`"notes":"edition %d"`, edition)) {
			t.Fatalf("in calm weather %s is %s in edition %d", name, want[name], edition)
		}
	}
}

// calmService writes a firm and serves a sandbox for it in this process.
func calmService(t *testing.T, size int, faults sandbox.Faults) (stormFirm, *sandbox.Server) {
	t.Helper()
	f := stormFirm{dir: t.TempDir(), size: size}
	box, err := sandbox.Open(sandbox.Options{
		Data: filepath.Join(f.dir, "sandbox.db"), Directory: f.directory(), SubscriptionKey: "key", AuthCookie: "cookie", Faults: faults,
	})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- box.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-served, box.Close()); err != nil {
			t.Error(err)
		}
	})
	f.write(t, "http://"+listener.Addr().String())
	return f, box
}

// run carries out jobs, all when none is named, as the command does, in this process. change may alter the settings.
func (f stormFirm) run(t *testing.T, change func(*installation.Installation), jobs ...string) (code int) {
	t.Helper()
	a := quietApp(os.LookupEnv, filepath.Join(f.dir, installation.DefaultConfig))
	in, err := a.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(in)
	}
	results, code, err := runner.Jobs(t.Context(), in, jobs, "", runner.Send)
	if err = errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		if result.Summary != nil && !result.AddsUp { // nil: the job before it was stopped
			t.Errorf("the report of %s does not add up: %s", result.Run.Job, result.Discrepancies)
		}
	}
	return code
}

// runUntilDone runs all jobs night after night until nothing is left to be done.
func (f stormFirm) runUntilDone(t *testing.T, change func(*installation.Installation)) (nights int) {
	t.Helper()
	for nights = 1; ; nights++ {
		if code := f.run(t, change); code != exit.Stopped && f.done(t) {
			return nights
		}
		if nights == 100 {
			t.Fatal("100 runs did not import the firm")
		}
	}
}

// open opens the firm's ledger for as long as use takes.
func (f stormFirm) open(t *testing.T, use func(*ledger.Ledger) error) {
	t.Helper()
	book, err := ledger.Open(t.Context(), filepath.Join(f.dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(use(book), book.Close()); err != nil {
		t.Fatal(err)
	}
}

// count is how many records of all runs are in a state.
func (f stormFirm) count(t *testing.T, state ledger.State) (n int) {
	t.Helper()
	f.open(t, func(book *ledger.Ledger) error {
		runs, err := book.Runs(t.Context(), ledger.RunFilter{})
		for _, run := range runs {
			for _, err := range book.Records(t.Context(), run.ID, ledger.RecordFilter{States: []ledger.State{state}}) {
				if err != nil {
					return err
				}
				n++
			}
		}
		return err
	})
	return n
}

// sent is how many records were brought to an end by a request: so many requests it takes in calm weather.
func (f stormFirm) sent(t *testing.T) int {
	t.Helper()
	return f.count(t, ledger.Accepted)
}

// done holds the newest run of every job to its account, and tells whether all that can be done without a person is done:
// every record is in, or in doubt, or needs the id of a case that is in doubt.
func (f stormFirm) done(t *testing.T) bool {
	t.Helper()
	done := true
	f.open(t, func(book *ledger.Ledger) error {
		for _, job := range []string{"cases", "folders", "updates", "marks", "filings"} {
			runs, err := book.Runs(t.Context(), ledger.RunFilter{Job: job, Limit: 1})
			if err != nil {
				return err
			}
			if len(runs) == 0 {
				done = false
				continue
			}
			summary, err := report.Build(t.Context(), book.Reader, runs[0].ID)
			if err != nil {
				return err
			}
			if runs[0].Phase == ledger.Finished {
				f.holdToAccount(t, summary)
			}
			for record, err := range book.Records(t.Context(), runs[0].ID, ledger.RecordFilter{}) {
				if err != nil {
					return err
				}
				done = done && ended(t, record)
			}
			done = done && runs[0].Phase == ledger.Finished
		}
		return nil
	})
	return done
}

// ended tells whether only a person could do more for a record.
func ended(t *testing.T, record ledger.Record) bool {
	t.Helper()
	switch record.State {
	case ledger.Accepted, ledger.Unchanged, ledger.InDoubt:
		return true
	case ledger.Rejected:
		if len(record.Reasons) != 1 || record.Reasons[0].Code != "lookup_pending" {
			t.Errorf("%s was rejected for %+v", recordName(record), record.Reasons)
		}
		return true
	}
	return false
}

// holdToAccount compares the report of a run with the file it is about.
func (f stormFirm) holdToAccount(t *testing.T, s *report.Summary) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, s.Run.Job+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	outcomes := 0
	for _, count := range s.Records.ByOutcome {
		outcomes += count.Records
		if count.Outcome == outcome.Planned || count.Outcome == "sending" {
			t.Errorf("%d records of the finished run of %s are still %s", count.Records, s.Run.Job, count.Outcome)
		}
	}
	rows := strings.Count(string(text), "\n") - 1
	if !s.AddsUp || s.Rows.Read != rows || s.Rows.Read != s.Rows.InRecords+s.Rows.SkippedRows() || outcomes != s.Records.Total {
		t.Errorf("the report of %s does not add up to %d rows: %+v, %+v, %s", s.Run.Job, rows, s.Rows, s.Records, s.Discrepancies)
	}
}

// check compares what the service holds with the forecast, when a run has ended. What the ledger names as in doubt may be
// there once or not at all, and is settled as a person would who looks it up. It returns how many records that were.
func (w *stormForecast) check(t *testing.T, f stormFirm, books sandbox.Snapshot, edition int) (doubts int) {
	t.Helper()
	held, want := holdings(t, books), w.want[edition]
	f.open(t, func(book *ledger.Ledger) error {
		list, err := book.Doubts(t.Context(), "")
		if err != nil {
			return err
		}
		doubtful := map[string]bool{}
		for _, record := range list {
			name := recordName(record)
			if doubtful[name] {
				t.Errorf("%s is in doubt twice", name)
			}
			doubtful[name] = true
			decision, id := ledger.Absent, ""
			if h := held[name]; len(h) == 1 && (record.Action == ledger.Create || h[0].text == want[name]) {
				decision, id = ledger.Exists, h[0].id
			}
			if err := book.Resolve(t.Context(), record.Run, record.Seq, decision, id, "the test", "looked it up"); err != nil {
				return err
			}
		}
		doubts = len(doubtful)
		w.compare(t, held, edition, doubtful)
		return nil
	})
	return doubts
}

// compare holds every record to the forecast.
func (w *stormForecast) compare(t *testing.T, held map[string][]holding, edition int, doubtful map[string]bool) {
	t.Helper()
	for name, list := range held {
		if _, known := w.want[edition][name]; !known {
			t.Errorf("the service holds %s, which nobody sent", name)
		}
		if len(list) > 1 {
			t.Errorf("the service holds %s %d times", name, len(list))
		}
	}
	for name, text := range w.want[edition] {
		list := held[name]
		switch {
		case len(list) == 0 && !doubtful[name]:
			t.Errorf("%s is not in the service, and nobody said that it is in doubt", name)
		case len(list) > 0 && doubtful[name] && !w.ever[name][list[0].text]:
			t.Errorf("%s is in doubt, and in the service as it never was meant to be:\n%s", name, list[0].text)
		case len(list) > 0 && !doubtful[name] && list[0].text != text:
			t.Errorf("%s is in the service as\n%s\nand not as\n%s", name, list[0].text, text)
		}
	}
}
