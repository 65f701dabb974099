package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// sliced is a run of creates in shards of two, which nodes take one after the other.
type sliced struct {
	*testing.T
	path   string
	book   *ledger.Ledger
	run    ledger.Run
	shards []ledger.Shard
}

func newSliced(t *testing.T, records int) *sliced {
	t.Helper()
	s := &sliced{T: t, run: ledger.Run{ID: "run", Kind: ledger.Push, Scope: "s", Operation: string(payload.CreateCase), Phase: ledger.Ready},
		path: filepath.Join(t.TempDir(), "ledger.db")}
	var err error
	if s.book, err = ledger.Open(t.Context(), s.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.book.Close() })
	s.must(s.book.Begin(t.Context(), s.run))
	nameA := []byte(`{"name":"A"}`)
	list := make([]ledger.Record, records)
	for n := range list {
		list[n] = ledger.Record{Run: "run", Seq: int64(n + 1), Scope: "s", Key: fmt.Sprint(n), Action: ledger.Create, State: ledger.Planned, Digest: decide.Digest(nameA), Payload: nameA}
	}
	_, err = s.book.Add(t.Context(), list)
	s.must(err)
	s.shards, err = s.book.Cut(t.Context(), s.run, 2)
	s.must(err)
	return s
}

func (s *sliced) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// node is one that meets a service which says the same to all.
func (s *sliced) node(says apiclient.Result) *Pusher {
	return &Pusher{Ledger: s.book, Log: zap.NewNop(), Now: time.Now, Tell: func(Counts) {},
		Service: Service{Concurrency: 1, Limits: Limits{SameRefusal: 2}, Send: func(context.Context, payload.Payload, bool) apiclient.Result { return says }}}
}

// by has a node send the next shard, and says why the run is to stop.
func (s *sliced) by(node *Pusher) string {
	s.Helper()
	shard, err := s.book.Take(s.Context(), s.shards[0])
	s.must(err)
	end, err := node.Slice(s.Context(), s.run, shard, time.Minute)
	s.must(err)
	s.must(s.book.GiveBack(s.Context(), shard, end.Code, end.Why))
	s.shards = s.shards[1:]
	return end.Code
}

var (
	taken   = apiclient.Result{Verdict: apiclient.Accepted, Status: 201}
	failed  = apiclient.Result{Verdict: apiclient.Failed, Status: 502, Err: &apiclient.Error{Code: apiclient.CodeStatus, Message: "502"}}
	refused = apiclient.Result{Verdict: apiclient.Refused, Status: 405, Message: "not allowed"}
)

// TestASliceSpeaksForAllThatItsNodeHasSent shows that the few records of one slice do not stop a run that goes well.
func TestASliceSpeaksForAllThatItsNodeHasSent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		first, now apiclient.Result
		want       string
	}{
		{"nothing but failures", failed, failed, stop.ServiceDown},
		{"failures after answers", taken, failed, ""},
		{"failures after refusals", apiclient.Result{Verdict: apiclient.Refused, Status: 400, Message: "no"}, failed, ""},
		{"refusals alike after failures", failed, refused, stop.SameRefusal},
		{"refusals alike after answers", taken, refused, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSliced(t, 5)
			node := s.node(test.first)
			s.by(node)
			node.Send = s.node(test.now).Send
			if code := s.by(node); code != test.want {
				t.Errorf("the run is to stop with %q, want %q", code, test.want)
			}
		})
	}
}

// TestASliceListensToTheOtherNodes has another node be told yes while this one is refused, or fails.
func TestASliceListensToTheOtherNodes(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]apiclient.Result{"refused": refused, "failed": failed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSliced(t, 5)
			other, err := s.book.Take(t.Context(), s.shards[1])
			s.must(err)
			node, heard := s.node(says), false
			node.Send = func(context.Context, payload.Payload, bool) apiclient.Result {
				if !heard {
					heard = true
					s.must(s.book.Commit(t.Context(), nil, []ledger.Intent{{Run: "run", Seq: other.First}}))
					s.must(s.book.Commit(t.Context(), []ledger.Outcome{{Run: "run", Seq: other.First, State: ledger.Accepted, At: time.Now()}}, nil))
				}
				return says
			}
			if code := s.by(node); code != "" {
				t.Errorf("the run is to stop with %q", code)
			}
			if record, err := s.book.Record(t.Context(), "run", 1); err != nil || record.State == ledger.Held {
				t.Errorf("what was said to the record is forgotten: it is %s, %v", record.State, err)
			}
		})
	}
}

// TestNoRequestBeginsAfterAnotherProcessTookTheRun has another process take a run while the first one waits for the retry of a create, for
// longer than its lease lasts. It makes no other request, and the record is not left in doubt: its one request had no effect.
func TestNoRequestBeginsAfterAnotherProcessTookTheRun(t *testing.T) {
	t.Parallel()
	s := newSliced(t, 1)
	_, _, err := s.book.Recover(t.Context(), "run") // so that it is not shared
	s.must(err)
	s.book.Lease(0, 500*time.Millisecond)
	other, err := ledger.Open(t.Context(), s.path)
	s.must(err)
	defer other.Close()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) == 1 {
			if _, doubt, err := other.Recover(t.Context(), "run"); err != nil || doubt != 1 {
				t.Errorf("%d records are in doubt: %v", doubt, err)
			}
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, SubscriptionKey: "key", AuthCookie: "cookie"})
	s.must(err)
	defer client.Close()
	p := s.node(taken)
	p.Send = client.Send
	if _, err := p.Push(t.Context(), &s.run); !errors.Is(err, ledger.ErrTakenOver) {
		t.Errorf("the push ended with %v", err)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests were made", n)
	}
	if record, err := s.book.Record(t.Context(), "run", 1); err != nil || record.State != ledger.Held {
		t.Errorf("the record is %s: %v", record.State, err)
	}
}

// TestWhatAFrozenProcessNeverSentGoesOut has a process freeze between the intent of a create and its request, another one take up the run, and the
// first wake while that sends. It makes no request and says so, and the other one makes it.
func TestWhatAFrozenProcessNeverSentGoesOut(t *testing.T) {
	t.Parallel()
	s := newSliced(t, 3)
	_, _, err := s.book.Recover(t.Context(), "run") // so that it is not shared
	s.must(err)
	s.book.Lease(time.Second, 0) // it is renewed before each request
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, SubscriptionKey: "key", AuthCookie: "cookie"})
	s.must(err)
	defer client.Close()
	frozen, wake, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	p := s.node(taken)
	p.Send = func(ctx context.Context, sent payload.Payload, repeatable bool) apiclient.Result {
		close(frozen)
		<-wake
		return client.Send(ctx, sent, repeatable)
	}
	run := s.run
	go func() {
		_, err := p.Push(t.Context(), &run)
		ended <- err
	}()
	<-frozen
	if s.book, err = ledger.Open(t.Context(), s.path); err != nil {
		t.Fatal(err)
	}
	defer s.book.Close()
	if _, doubt, err := s.book.Recover(t.Context(), "run"); err != nil || doubt != 1 {
		t.Fatalf("%d records are in doubt: %v", doubt, err)
	}
	requests := 0
	other := s.node(taken)
	other.Send = func(context.Context, payload.Payload, bool) apiclient.Result {
		if requests++; requests == 1 {
			close(wake)
			if err := <-ended; !errors.Is(err, ledger.ErrTakenOver) {
				t.Errorf("the push of the first one ended with %v", err)
			}
		}
		return taken
	}
	var last Counts
	other.Tell = func(c Counts) { last = c }
	if end, err := other.Push(t.Context(), &s.run); err != nil || end.Code != "" {
		t.Errorf("the push ended with %+v, %v", end, err)
	}
	if requests != 3 || last.To != 3 {
		t.Errorf("%d requests were made, %d announced", requests, last.To)
	}
	if end := states(t, s.book); !slices.Equal(end, []ledger.State{ledger.Accepted, ledger.Accepted, ledger.Accepted}) {
		t.Errorf("in the end the records are %v", end)
	}
}
