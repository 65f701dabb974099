package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/sandbox"
)

const (
	filing   = "a0000000-0000-4000-8000-000000000001"
	general  = "a0000000-0000-4000-8000-000000000002"
	open     = "b0000000-0000-4000-8000-000000000001"
	closed   = "b0000000-0000-4000-8000-000000000002"
	agnes    = "c0000000-0000-4000-8000-000000000001"
	ben      = "c0000000-0000-4000-8000-000000000002"
	chloe    = "c0000000-0000-4000-8000-000000000003"
	akerman  = "d0000000-0000-4000-8000-000000000001"
	heron    = "d0000000-0000-4000-8000-000000000002"
	carta    = "d0000000-0000-4000-8000-000000000003"
	urgent   = "e0000000-0000-4000-8000-000000000001"
	euipo    = "f0000000-0000-4000-8000-000000000001"
	english  = "f3000000-0000-4000-8000-000000000001"
	class9   = "f4000000-0000-4000-8000-000000000009"
	mark     = "99000000-0000-4000-8000-000000000001"
	examiner = "a1000000-0000-4000-8000-000000000001"
	offices  = "a1000000-0000-4000-8000-000000000002"
	note     = "a1000000-0000-4000-8000-000000000003"
	deadline = "a1000000-0000-4000-8000-000000000004"
	classes  = "a1000000-0000-4000-8000-000000000005"
	stranger = "12345678-9abc-4def-8123-456789abcdef"
)

// small is a directory with two templates (the second, the default, with five components, one of them required), two statuses (new
// cases get the second), three users (the first two can sign in), three companies (the third is no Agent), and a few of everything else.
func small() sandbox.Directory {
	text, err := os.ReadFile("testdata/small.json")
	if err != nil {
		panic(err)
	}
	d, err := sandbox.ReadDirectory(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	return d
}

// log is the request log.
func (s *service) log() []sandbox.Request {
	s.t.Helper()
	return snapshot(s.t, s.server).Requests
}

func snapshot(t testing.TB, server *sandbox.Server) sandbox.Snapshot {
	t.Helper()
	held, err := server.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// created is how often a case was created with a number.
func created(held sandbox.Snapshot, number string) (n int) {
	for _, c := range held.Cases {
		if c.FirstNumber == number {
			n++
		}
	}
	return n
}

// service is a sandbox behind a listener of its own, and a caller that knows nothing but HTTP.
type service struct {
	t      testing.TB
	server *sandbox.Server
	url    string
	client *http.Client
	header http.Header
}

func start(t testing.TB, o sandbox.Options) *service {
	t.Helper()
	if o.Directory.Users == nil && !o.AnyReference {
		o.Directory = small()
	}
	if o.SubscriptionKey == "" {
		o.SubscriptionKey = "key"
	}
	if o.AuthCookie == "" {
		o.AuthCookie = "cookie"
	}
	server, err := sandbox.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if err := server.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return &service{t: t, server: server, url: "http://" + l.Addr().String(), client: &http.Client{Transport: transport},
		header: http.Header{"subscription-key": {o.SubscriptionKey}, ".Service.AuthCookie": {o.AuthCookie}, "Content-Type": {"application/json"}}}
}

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (s *service) try(method, path, body string) (reply, error) {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = s.header.Clone()
	res, err := s.client.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, data}, err
}

func (s *service) do(method, path, body string) reply {
	s.t.Helper()
	r, err := s.try(method, path, body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// decode reads the body into what is asked for.
func decode[T any](t testing.TB, r reply) T {
	t.Helper()
	var v T
	if err := json.NewDecoder(bytes.NewReader(r.body)).Decode(&v); err != nil {
		t.Fatalf("answer %d %q: %v", r.status, r.body, err)
	}
	return v
}

func (s *service) state() sandbox.State {
	s.t.Helper()
	st, err := s.server.State()
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

// edit changes a payload member by member: "name=value" sets it to a JSON value, "name" removes it.
func edit(t testing.TB, payload string, changes ...string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(payload), &members); err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		name, value, set := strings.Cut(change, "=")
		if set {
			members[name] = json.RawMessage(value)
		} else {
			delete(members, name)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	caseA  = `{"name":"Åkerman v. Blue","number":"M-001","active":true,"file_template_id":"` + filing + `","user_id":"` + ben + `"}`
	caseB  = `{"name":"Åkerman v. Blue","number":"M-001","active":true,"file_template_id":"` + filing + `"}`
	folder = `{"name":"Åkerman 2024","client_id":"` + akerman + `","files":[{"name":"One","number":1},{"name":"Two","number":2.50}]}`
	tmark  = `{"id":"` + mark + `","registry_id":"` + euipo + `","mark_text":"HERON BLUE","application_number":"018/123","do_not_create_file":true}`
)

const update = `{"id":"CASE","name":"Åkerman v. Heron","file_status_id":"` + closed + `","file_client_id":"` + heron + `","user_id":"` + chloe + `",
	"components":[{"file_template_component_id":"` + examiner + `","entity_id":"` + ben + `"}],"active":false}`

// newCase creates a case and gives its id.
func (s *service) newCase() string {
	s.t.Helper()
	r := s.do("POST", "/v1/firms/file", caseA)
	if r.status != http.StatusCreated {
		s.t.Fatalf("answer %d %s", r.status, r.body)
	}
	return decode[struct{ ID string }](s.t, r).ID
}

// updateOf is the payload of update case for a case.
func updateOf(id string) string { return strings.Replace(update, "CASE", id, 1) }

// failure is the body of a refusal.
type failure struct {
	Message string
	Errors  []sandbox.Reason
}

// wantReasons checks status and reasons of a refusal, each given as "field: message".
func wantReasons(t testing.TB, r reply, status int, want ...string) {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	got := []string{}
	for _, reason := range decode[failure](t, r).Errors {
		got = append(got, reason.Field+": "+reason.Message)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
