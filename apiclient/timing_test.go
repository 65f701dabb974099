package apiclient

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pipes is a listener whose connections are made in memory, so that a client and a real HTTP server can live in a bubble of
// their own time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return &countedConn{Conn: ours}, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// inBubble runs a test with a client of default timing and a server, in time of their own.
func inBubble(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, c *Client), change ...func(*Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: handler}
		go func() { _ = server.Serve(listener) }()
		defer func() { _ = server.Close() }()
		c := newClient(t, "http://localhost", append([]func(*Options){func(o *Options) { o.Retry, o.Timeout = RetryOptions{}, 0 }}, change...)...)
		c.transport.DialContext = listener.dial
		defer c.Close()
		test(t, c)
	})
}

// gaps is the time between the end of each attempt and the start of the next.
func gaps(r Result) []time.Duration {
	var list []time.Duration
	for i, attempt := range r.Attempts[1:] {
		before := r.Attempts[i]
		list = append(list, attempt.Started.Sub(before.Started.Add(before.Duration)))
	}
	return list
}

// longTripPause is the longest pause of the pacer that a failing service causes.
const longTripPause = 30 * time.Second

func TestBackoffGrowsUntilThePatienceEnds(t *testing.T) {
	t.Parallel()
	inBubble(t, status(500, "down"), func(t *testing.T, c *Client) {
		began := time.Now()
		result := c.Send(t.Context(), anUpdate(), true)
		took := time.Since(began)
		if result.Verdict != Failed || took > 5*time.Minute+longTripPause || took < 4*time.Minute || !strings.Contains(result.Message, "gave up after") {
			t.Fatalf("after %v: %s %s", took, result.Verdict, result.Message)
		}
		// 0.5 s doubled each time up to 30 s, each ± half; while it fails, the pacer's own pauses come on top.
		expected := 500 * time.Millisecond
		for i, gap := range gaps(result) {
			if gap < expected/2 || gap > 3*expected/2+longTripPause {
				t.Errorf("wait %d was %v, around %v was due", i+1, gap, expected)
			}
			expected = min(2*expected, 30*time.Second)
		}
		if n := len(result.Attempts); n < 10 || n > 25 {
			t.Errorf("%d attempts", n)
		}
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header func() string
		least  time.Duration
		most   time.Duration
	}{
		{"seconds", func() string { return "40" }, 40 * time.Second, 41 * time.Second},
		{"date", func() string { return time.Now().Add(50 * time.Second).UTC().Format(http.TimeFormat) }, 49 * time.Second, 51 * time.Second},
		{"capped", func() string { return "86400" }, 2 * time.Minute, 121 * time.Second},
		{"less than the backoff", func() string { return "0" }, 250 * time.Millisecond, time.Second},
		{"not to be read", func() string { return "soon" }, 250 * time.Millisecond, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			first := true
			handler := func(w http.ResponseWriter, r *http.Request) {
				if first {
					first = false
					status(429, "", "Retry-After", test.header())(w, r)
					return
				}
				status(201, caseRecord)(w, r)
			}
			inBubble(t, handler, func(t *testing.T, c *Client) {
				result := c.Send(t.Context(), aCase(), false)
				if diff := cmp.Diff([]string{"retry", "accepted"}, verdicts(result)); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				if gap := gaps(result)[0]; gap < test.least || gap > test.most {
					t.Errorf("waited %v, want %v to %v", gap, test.least, test.most)
				}
			})
		})
	}
}

func TestTimeoutCoversTheWholeRequest(t *testing.T) {
	t.Parallel()
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		for range 100 { // never silent for long, and never done
			_, _ = w.Write([]byte(" "))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
				return
			}
		}
	}
	inBubble(t, handler, func(t *testing.T, c *Client) {
		began := time.Now()
		result := c.Send(t.Context(), aCase(), false)
		if took := time.Since(began); result.Verdict != InDoubt || took != 30*time.Second {
			t.Errorf("after %v: %+v", took, result)
		}
	})
}

// TestServiceThatIsDownStopsTheCalls lets many records meet a service that is down for good.
func TestServiceThatIsDownStopsTheCalls(t *testing.T) {
	t.Parallel()
	inBubble(t, status(502, "gateway"), func(t *testing.T, c *Client) {
		var all sync.WaitGroup
		var mu sync.Mutex
		ends := map[Verdict]int{}
		var last *Error
		for range 8 {
			all.Go(func() {
				for range 50 {
					result := c.Send(t.Context(), aCase(), false)
					mu.Lock()
					ends[result.Verdict]++
					if result.Verdict == Stopped {
						last = result.Err.(*Error)
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		stats := c.Stats()
		// Ten failures trip the breaker, with at most seven more under way; then single probes with growing pauses.
		if ends[InDoubt] > 10+7+15 || ends[InDoubt]+ends[Stopped] != 400 || stats.Requests != int64(ends[InDoubt]) {
			t.Errorf("ends %v, stats %+v", ends, stats)
		}
		if last == nil || last.Code != CodeServiceDown || !strings.Contains(last.Message, "answered 502") {
			t.Errorf("stopped with %v", last)
		}
	})
}

// TestRecordsThatAlwaysFailKeepNothingBack has more records that are always answered with 500 at the front than go out at once: once their own
// patience is over the others have their turn, and go in. A service that fails on everything is found to be down all the same.
func TestRecordsThatAlwaysFailKeepNothingBack(t *testing.T) {
	t.Parallel()
	const failing, records, slots = 12, 52, 8
	for name, all := range map[string]bool{"some records": false, "the service": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bodies := func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); all || strings.Contains(string(body), "poison") {
					w.WriteHeader(http.StatusInternalServerError)
				} else {
					_, _ = w.Write([]byte(`{}`))
				}
			}
			inBubble(t, bodies, func(t *testing.T, c *Client) {
				began := time.Now()
				next := make(chan int, records)
				for n := range records {
					next <- n
				}
				close(next)
				var mu sync.Mutex
				ended := map[Verdict]int{}
				var group sync.WaitGroup
				for range slots {
					group.Go(func() {
						for n := range next {
							name := "Acme"
							if n < failing {
								name = "poison"
							}
							result := c.Send(t.Context(), updateNamed(name), true)
							mu.Lock()
							ended[result.Verdict]++
							mu.Unlock()
							if result.Verdict == Stopped {
								return
							}
						}
					})
				}
				group.Wait()
				want := map[Verdict]int{Failed: failing, Accepted: records - failing}
				if all { // some more have failed, if their time was over before the last probe
					want = map[Verdict]int{Failed: min(max(ended[Failed], slots), 2*slots), Stopped: slots}
				}
				if took := time.Since(began); !maps.Equal(ended, want) || took > 15*time.Minute {
					t.Errorf("after %v: %v, want %v", took, ended, want)
				}
			}, func(o *Options) { o.AnyUpdateAnswer = true })
		})
	}
}
