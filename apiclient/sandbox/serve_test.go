package sandbox_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
)

// serveWith puts a sandbox that is open already behind httptest, with no headers yet.
func serveWith(t testing.TB, server *sandbox.Server) *service {
	t.Helper()
	web := httptest.NewServer(server.Handler())
	t.Cleanup(web.Close)
	return &service{t: t, server: server, url: web.URL, client: web.Client(), header: http.Header{}}
}

func readAll(t testing.TB, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	texts := map[string]string{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(name)] = string(data)
	}
	return texts
}

// heldUp is a sandbox that holds every request up for an hour, with one request held up. The request's error comes
// through the channel; hangUp ends the caller, stop ends Serve.
func heldUp(t *testing.T) (s *service, gone <-chan error, hangUp func(), stop func() error) {
	t.Helper()
	server, err := sandbox.Open(sandbox.Options{Directory: small(), Faults: sandbox.Faults{Slow: sandbox.Delay{Wait: time.Hour, Probability: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serving, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(serving, l) }()
	s = &service{t: t, server: server, url: "http://" + l.Addr().String(), client: &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}}
	sent := make(chan struct{})
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) }})
	calling, hangUp := context.WithCancel(traced)
	answered := make(chan error, 1)
	go func() {
		r, _ := http.NewRequestWithContext(calling, http.MethodPost, s.url+"/v1/firms/file", strings.NewReader(caseA))
		r.Header = http.Header{keyHeader: {"k"}, cookieHeader: {"c"}, "Content-Type": {"application/json"}, "Expect": {"100-continue"}} // the body leaves once it is read
		res, err := s.client.Do(r)
		if err == nil && res.StatusCode != http.StatusCreated {
			err = errors.New(res.Status)
		}
		answered <- err
	}()
	<-sent
	return s, answered, hangUp, func() error { cancel(); return <-ended }
}

func TestServeFinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	s, gone, _, stop := heldUp(t)
	if err := stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if err := <-gone; err != nil {
		t.Errorf("the request in flight: %v", err)
	}
	if _, err := s.try("POST", "/v1/firms/file", caseA); err == nil {
		t.Error("a stopped server answers")
	}
	if st := s.state(); st.Cases != 1 {
		t.Errorf("%d cases, want 1", st.Cases)
	}
	for range 2 {
		if err := s.server.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func TestARequestIsActedOnThoughItsCallerHasGone(t *testing.T) {
	t.Parallel()
	s, gone, hangUp, stop := heldUp(t)
	hangUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatalf("the caller saw %v", err)
	}
	if err := stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if st := s.state(); st.Cases != 1 {
		t.Errorf("%d cases, want 1", st.Cases)
	}
	if err := s.server.Close(); err != nil {
		t.Error(err)
	}
}

// TestAHungUpRequestIsNeverRefused gives the handler requests whose callers have gone before they were read.
func TestAHungUpRequestIsNeverRefused(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for range 30 {
		r := httptest.NewRequestWithContext(gone, http.MethodPost, "/v1/firms/file", strings.NewReader(caseA))
		for name, values := range s.header {
			r.Header.Set(name, values[0])
		}
		s.server.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
	if st := s.state(); st.Cases != 30 {
		t.Errorf("%d of 30 requests were acted on", st.Cases)
	}
}

// TestHeadersHaveNoCase takes the names of headers in any letters, as HTTP does; that the client spells them as interface.md does is
// tested where it is promised.
func TestHeadersHaveNoCase(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	s.header = http.Header{"Content-Type": {"application/json"}, "Subscription-Key": {"key"}, ".service.authcookie": {"cookie"}}
	if r := s.do("POST", "/v1/firms/file", caseA); r.status != 201 {
		t.Errorf("%d %s", r.status, r.body)
	}
}
