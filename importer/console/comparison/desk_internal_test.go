package comparison

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

type commands struct{}

func (commands) Command(args ...string) string { return "docketsync " + strings.Join(args, " ") }

// room is these pages alone, over a ledger with two runs, for somebody who need not sign in.
type room struct {
	*Pages
	handler http.Handler
	of      [2]string
	now     time.Time
	book    *ledger.Ledger
}

func newRoom(t *testing.T, background func(func(context.Context))) *room {
	t.Helper()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	r := &room{now: time.Now(), book: book}
	for n := range r.of {
		run := ledger.Run{ID: fmt.Sprintf("01935b2c-0000-7000-8000-%012d", n), Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Reading, Fingerprint: "f", Started: r.now.Add(time.Duration(n))}
		if err := book.Begin(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		if _, err := book.Add(t.Context(), []ledger.Record{{Run: run.ID, Seq: 1, Scope: run.Scope, Key: "M-1", Action: ledger.Create, State: ledger.Planned, Digest: fmt.Sprint(n), Payload: fmt.Appendf(nil, `{"name":"%d"}`, n)}}); err != nil {
			t.Fatal(err)
		}
		if run.Phase, run.Ended = ledger.Finished, r.now; book.SaveRun(t.Context(), run) != nil {
			t.Fatal("the run could not be ended")
		}
		r.of[n] = run.ID
	}
	authenticator, err := signin.New(signin.Options{Idle: time.Hour, Lifetime: time.Hour, Local: &signin.Person{Name: "root", Role: signin.Viewer, Local: true}, Log: zap.NewNop(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	snapshots := web.NewSnapshots(book, nil, zap.NewNop())
	frame := web.New(web.Options{Authenticator: authenticator, Snapshots: snapshots, Log: zap.NewNop(), Now: time.Now})
	r.Pages = &Pages{Work: commands{}, Snapshots: snapshots, Background: background, Within: time.Minute, Log: zap.NewNop(), Now: func() time.Time { return r.now }}
	r.AddTo(frame)
	r.handler = frame.Handler()
	return r
}

// get is what the page of the later run answers.
func (r *room) get(t *testing.T, part string) (status int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/runs/"+r.of[1]+"/compare"+part+"?with="+r.of[0], nil))
	return w.Code, w.Body.String()
}

// expect fails unless the page has a text.
func (r *room) expect(t *testing.T, part string, status int, want string) {
	t.Helper()
	if got, text := r.get(t, part); got != status || !strings.Contains(text, want) {
		t.Errorf("the page is answered with %d, want %d %s:\n%s", got, status, want, text)
	}
}

// TestNoRequestWaitsForAComparison asks while a comparison goes on, and after it: what was found is shown, and soon forgotten.
func TestNoRequestWaitsForAComparison(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	r := newRoom(t, func(work func(context.Context)) { go func() { <-begin; work(context.Background()) }() })
	poll := `data-poll="/runs/` + r.of[1] + `/compare/progress?with=` + r.of[0] + `"`
	r.expect(t, "", http.StatusOK, poll)
	r.expect(t, "/progress", http.StatusOK, poll)
	e := r.desk.of(pair{runs: r.of}, r.now)
	close(begin)
	<-e.done
	r.expect(t, "/progress", http.StatusOK, "data-reload")
	r.expect(t, "", http.StatusOK, "1 different; 0 the same")
	if r.desk.of(pair{runs: r.of}, r.now) != e {
		t.Error("the same was compared again")
	}
	r.now = r.now.Add(keptFor)
	if r.desk.of(pair{runs: r.of}, r.now) != nil {
		t.Error("what was found is kept")
	}
}

// TestAComparisonEnds stops one that takes too long, and one of a console that is shut down, and says so.
func TestAComparisonEnds(t *testing.T) {
	t.Parallel()
	slow := newRoom(t, func(work func(context.Context)) { work(context.Background()) })
	slow.Within = time.Nanosecond
	slow.expect(t, "", http.StatusOK, "and was stopped. On the command line")
	slow.expect(t, "", http.StatusOK, "<code>docketsync compare matters-1 matters-2</code>")
	slow.expect(t, "/records.csv", http.StatusServiceUnavailable, "and was stopped. On the command line")
	slow.desk.turn.Lock()
	slow.expect(t, "/records.csv", http.StatusServiceUnavailable, "Other comparisons are being made.")
	closing := newRoom(t, func(work func(context.Context)) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		work(ctx)
	})
	closing.expect(t, "", http.StatusOK, "shutting down")
}

// TestFewComparisonsGoOnAtATime refuses one that would be one too many, and begins it when one of the others is over.
func TestFewComparisonsGoOnAtATime(t *testing.T) {
	t.Parallel()
	r := newRoom(t, func(work func(context.Context)) { work(context.Background()) })
	var first *entry
	for n := range deskSize {
		e, begin := r.desk.take(pair{runs: [2]string{"a", fmt.Sprint(n)}}, r.now)
		if !begin {
			t.Fatalf("the comparison %d was not begun", n)
		}
		if n == 0 {
			first = e
		}
	}
	r.expect(t, "", http.StatusServiceUnavailable, "Other comparisons are being made.")
	r.desk.end(first, r.now)
	r.expect(t, "", http.StatusOK, "1 different; 0 the same")
}

// TestNothingForgottenIsShown compares again when a record was forgotten, though what was found before is still there.
func TestNothingForgottenIsShown(t *testing.T) {
	t.Parallel()
	r := newRoom(t, func(work func(context.Context)) { work(context.Background()) })
	r.expect(t, "", http.StatusOK, "M-1")
	r.expect(t, "/records.csv", http.StatusOK, "M-1")
	if _, err := r.book.Forget(t.Context(), ledger.Subject{Keys: []string{"M-1"}}, func(*ledger.Traces) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"", "/records.csv"} {
		if status, text := r.get(t, part); status != http.StatusOK || strings.Contains(text, "M-1") {
			t.Errorf("it is answered with %d:\n%s", status, text)
		}
	}
}

// TestADownloadLeavesNothing looks for what was written for a file that was fetched.
func TestADownloadLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, folder)
	}
	r := newRoom(t, nil)
	r.expect(t, "/records.csv", http.StatusOK, "M-1,different,,,name,0,1,")
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("there is %v left: %v", left, err)
	}
}
