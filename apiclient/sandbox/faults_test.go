package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docketsync/apiclient/sandbox"
)

func TestParseFaults(t *testing.T) {
	t.Parallel()
	got, err := sandbox.ParseFaults(" seed=7, drop_before=0.01,drop_after=0.02,500_before=0.05,500_after=.03,503=0.1,503_after=0.2,503_retry_after=date:2s,html=0.04,empty=0.06,truncate=0.07,refuse=0.08,rate=200,burst=20,rate_retry_after=1s,slow=20ms:0.1,slow_after=5ms,workers=8:20ms,forbid=Acme,cookie_after=100,lists=yes,")
	want := sandbox.Faults{Seed: 7, DropBefore: 0.01, DropAfter: 0.02, FailBefore: 0.05, FailAfter: 0.03, BusyBefore: 0.1, BusyAfter: 0.2,
		BusyRetryAfter: sandbox.RetryAfter{After: 2 * time.Second, Date: true}, HTML: 0.04, Empty: 0.06, Truncate: 0.07, Refuse: 0.08,
		Rate: 200, Burst: 20, RateRetryAfter: sandbox.RetryAfter{After: time.Second}, Slow: sandbox.Delay{Wait: 20 * time.Millisecond, Probability: 0.1},
		SlowAfter: sandbox.Delay{Wait: 5 * time.Millisecond, Probability: 1}, Workers: 8, WorkTime: 20 * time.Millisecond, Forbid: "Acme", CookieAfter: 100, Lists: true}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("faults (-want +got):\n%s%v", diff, err)
	}
	_, err = sandbox.ParseFaults("sed=7,html=2,slow=20,rate=x,burst=-1,html=0.9,drop_after=0.9,503_retry_after=soon,workers=a:b,cookie_after=1.5,lists=some,slow_after=1s:7,seed=-1,truncate=NaN")
	for _, part := range []string{`"sed" is not known; known are 500_after`, "html=2", "slow=20:", "rate=x", "burst=-1", "html is set twice", "1.8 together", "503_retry_after=soon", "workers=a:b", "cookie_after=1.5", "lists=some", "slow_after=1s:7", "seed=-1", "truncate=NaN"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q:\n%v", part, err)
		}
	}
}

func TestFaultsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		share := func(name string) float64 { return math.Floor(rapid.Float64Range(0, 0.099).Draw(t, name)*1e6) / 1e6 }
		wait := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(0, 5000).Draw(t, name)) * time.Millisecond
		}
		want := sandbox.Faults{Seed: rapid.Uint64().Draw(t, "seed"), DropBefore: share("a"), DropAfter: share("b"), FailBefore: share("c"), FailAfter: share("d"),
			BusyBefore: share("e"), BusyAfter: share("f"), HTML: share("g"), Empty: share("h"), Truncate: share("i"), Refuse: share("j"),
			Rate: float64(rapid.IntRange(0, 1000).Draw(t, "rate")), Burst: rapid.UintRange(0, 9).Draw(t, "burst"), CookieAfter: rapid.UintRange(0, 9).Draw(t, "cookie")}
		if w := wait("retry"); w > 0 {
			want.RateRetryAfter = sandbox.RetryAfter{After: w, Date: rapid.Bool().Draw(t, "date")}
		}
		if w := wait("slow"); w > 0 {
			want.Slow = sandbox.Delay{Wait: w, Probability: share("k")}
		}
		if n := rapid.UintRange(0, 9).Draw(t, "workers"); n > 0 {
			want.Workers, want.WorkTime = n, wait("work")
		}
		got, err := sandbox.ParseFaults(want.String())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%s (-want +got):\n%s%v", want, diff, err)
		}
	})
}

// TestFaultsStrike plays each fault for sure and looks at both sides: what the caller saw and what was done.
func TestFaultsStrike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		faults  string
		seen    string // status, or what the caller sees instead
		acted   bool
		logged  int
		without string // header that must be missing
	}{
		{"drop_before=1", "dropped", false, 0, ""},
		{"drop_after=1", "dropped", true, 201, ""},
		{"500_before=1", "500 application/json", false, 500, ""},
		{"500_after=1", "500 application/json", true, 201, ""},
		{"503=1", "503 application/json", false, 503, "Retry-After"},
		{"503_after=1", "503 application/json", true, 201, "Retry-After"},
		{"html=1", "200 text/html", true, 201, ""},
		{"empty=1", "200 ", true, 201, ""},
		{"truncate=1", "truncated", true, 201, ""},
		{"refuse=1", "201 application/json", true, 201, ""},
	} {
		t.Run(c.faults, func(t *testing.T) {
			t.Parallel()
			faults, err := sandbox.ParseFaults(c.faults)
			if err != nil {
				t.Fatal(err)
			}
			s := start(t, sandbox.Options{Faults: faults})
			r, err := s.try("POST", "/v1/firms/file", caseA)
			if got := seen(r, err); got != c.seen {
				t.Errorf("caller sees %q, want %q (%v)", got, c.seen, err)
			}
			if c.without != "" && r.header.Get(c.without) != "" {
				t.Errorf("%s is %s", c.without, r.header.Get(c.without))
			}
			if st := s.state(); st.Cases == 1 != c.acted || st.Requests != 1 {
				t.Errorf("%d cases and %d requests, acted should be %t", st.Cases, st.Requests, c.acted)
			}
			log := s.log()
			if len(log) != 1 || log[0].Acted != c.acted || log[0].Status != c.logged || log[0].Fault != strings.TrimSuffix(c.faults, "=1") {
				t.Errorf("log %+v", log)
			}
		})
	}
}

func seen(r reply, err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "truncated"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "dropped"
	case err != nil:
		return err.Error()
	}
	media, _, _ := strings.Cut(r.header.Get("Content-Type"), ";")
	return fmt.Sprint(r.status, " ", media)
}

func TestDropsEndAndReset(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Faults: sandbox.Faults{DropBefore: 1}})
	ends := map[string]int{}
	for range 40 {
		_, err := s.try("POST", "/v1/firms/file", caseA)
		switch {
		case errors.Is(err, syscall.ECONNRESET):
			ends["reset"]++
		case errors.Is(err, io.EOF):
			ends["end"]++
		}
	}
	if ends["reset"] < 5 || ends["end"] < 5 || ends["reset"]+ends["end"] != 40 {
		t.Errorf("40 drops were %v", ends)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Faults: sandbox.Faults{Refuse: 1}})
	r := s.do("PUT", "/v1/firms/trademark", tmark)
	if got := decode[markAnswer](t, r); r.status != 200 || got.Successful || got.Message == "" {
		t.Errorf("answer %d %s", r.status, r.body)
	}
	if st := s.state(); st.Trademarks != 0 {
		t.Error("a refused update was made")
	}
}

// fates gives what befell so many requests, sent to one sandbox after the other over the same data.
func fates(t *testing.T, seed uint64, requests ...int) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.db")
	var list []string
	for _, n := range requests {
		server, err := sandbox.Open(sandbox.Options{Data: path, Directory: small(),
			Faults: sandbox.Faults{Seed: seed, FailBefore: 0.3, DropAfter: 0.2}})
		if err != nil {
			t.Fatal(err)
		}
		s := serveWith(t, server)
		s.header = http.Header{keyHeader: {"k"}, cookieHeader: {"c"}, "Content-Type": {"application/json"}}
		for range n {
			_, _ = s.try("POST", "/v1/firms/file", caseA)
		}
		list = nil
		for _, r := range s.log() {
			list = append(list, r.Fault)
		}
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestSameSeedSameFate holds that seed and number decide, across a restart, and that the shares come out.
func TestSameSeedSameFate(t *testing.T) {
	t.Parallel()
	whole := fates(t, 1, 200)
	if diff := cmp.Diff(whole, fates(t, 1, 90, 110)); diff != "" {
		t.Errorf("the same seed with a restart in between (-want +got):\n%s", diff)
	}
	if cmp.Equal(whole, fates(t, 2, 200)) {
		t.Error("another seed gives the same faults")
	}
	counts := map[string]int{}
	for _, f := range whole {
		counts[f]++
	}
	if counts["500_before"] < 40 || counts["500_before"] > 80 || counts["drop_after"] < 22 || counts["drop_after"] > 60 || len(counts) != 3 {
		t.Errorf("of 200 requests with 0.3 and 0.2: %v", counts)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	c := &clock{now: noon}
	s := start(t, sandbox.Options{Now: c.Now, Faults: sandbox.Faults{Rate: 10, Burst: 2, RateRetryAfter: sandbox.RetryAfter{After: 1500 * time.Millisecond}}})
	statuses := func(n int) string {
		var list []int
		for range n {
			list = append(list, s.do("POST", "/v1/firms/file", caseA).status)
		}
		return fmt.Sprint(list)
	}
	if got := statuses(4); got != "[201 201 429 429]" {
		t.Errorf("four at once: %s", got)
	}
	c.pass(100 * time.Millisecond)
	if got := statuses(2); got != "[201 429]" {
		t.Errorf("a tenth of a second later: %s", got)
	}
	r := s.do("POST", "/v1/firms/file", caseA)
	if got := r.header.Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After %q, want 2", got)
	}
	wantReasons(t, r, 429, ": too many requests")
	s.server.SetFaults(sandbox.Faults{Rate: 1, RateRetryAfter: sandbox.RetryAfter{After: time.Second, Date: true}})
	if got := statuses(2); got != "[201 429]" {
		t.Errorf("after the limit changed: %s", got)
	}
	if got := s.do("POST", "/v1/firms/file", caseA).header.Get("Retry-After"); got != "Fri, 01 Mar 2024 12:00:01 GMT" {
		t.Errorf("Retry-After %q", got)
	}
	s.server.SetFaults(sandbox.Faults{Rate: 1})
	s.do("POST", "/v1/firms/file", caseA)
	if r := s.do("POST", "/v1/firms/file", caseA); r.status != 429 || len(r.header.Values("Retry-After")) != 0 {
		t.Errorf("without Retry-After: %d %q", r.status, r.header.Get("Retry-After"))
	}
	s.server.SetFaults(sandbox.Faults{Rate: 1, HTML: 1})
	s.do("POST", "/v1/firms/file", caseA)
	if got := seen(s.try("POST", "/v1/firms/file", caseA)); got != "429 application/json" {
		t.Errorf("beside another fault the refusal is %s", got)
	}
	if st := s.state(); st.Cases != 6 || st.Requests != 14 {
		t.Errorf("%d cases of %d requests, want 6 of 14", st.Cases, st.Requests)
	}
}

func TestBusyRetryAfter(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Now: func() time.Time { return noon }, Faults: sandbox.Faults{BusyBefore: 1, BusyRetryAfter: sandbox.RetryAfter{After: time.Second}}})
	if got := s.do("POST", "/v1/firms/file", caseA).header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q, want 1", got)
	}
}

func TestSlowAfter(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Faults: sandbox.Faults{SlowAfter: sandbox.Delay{Wait: 30 * time.Millisecond, Probability: 1}}})
	begin := time.Now()
	s.newCase()
	if took := time.Since(begin); took < 30*time.Millisecond {
		t.Errorf("answered after %v, want at least 30ms", took)
	}
}

// TestWorkers lets six requests through a service of two workers that take 40 ms each: three rounds.
func TestWorkers(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Faults: sandbox.Faults{Workers: 2, WorkTime: 40 * time.Millisecond}})
	begin := time.Now()
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			if r, err := s.try("POST", "/v1/firms/file", caseA); err != nil || r.status != 201 {
				t.Errorf("answer %d: %v", r.status, err)
			}
		})
	}
	group.Wait()
	if took := time.Since(begin); took < 120*time.Millisecond {
		t.Errorf("took %v, want at least 120ms", took)
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	r := s.do("PUT", "/v1/sandbox/faults", "seed=3,html=1\n")
	if got := strings.TrimSpace(string(r.body)); r.status != 200 || got != `{"faults":"html=1,seed=3"}` {
		t.Errorf("answer %d %s", r.status, got)
	}
	if got := seen(s.try("POST", "/v1/firms/file", caseA)); got != "200 text/html" {
		t.Errorf("the next request sees %q", got)
	}
	wantReasons(t, s.do("PUT", "/v1/sandbox/faults", "html=x"), 400, ": fault html=x: use a probability from 0 to 1")
	wantReasons(t, s.with(keyHeader, "x").do("PUT", "/v1/sandbox/faults", ""), 401, "subscription-key: the header subscription-key holds no known key")
	if got := string(s.do("GET", "/v1/sandbox/faults", "").body); !strings.Contains(got, "html=1,seed=3") {
		t.Errorf("faults are %s", got)
	}
}
