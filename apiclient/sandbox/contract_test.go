package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/google/uuid"

	"docketsync/apiclient/sandbox"
)

// description is openapi.yaml, narrowed to one reading of what interface.md contradicts itself about.
type description struct {
	router  routers.Router
	options *openapi3filter.Options
}

// describe loads openapi.yaml and puts schemas in the place of others: "Active=ActiveBySchema".
func describe(t testing.TB, readings ...string) *description {
	t.Helper()
	load := func(data []byte) *openapi3.T {
		doc, err := openapi3.NewLoader().LoadFromData(data)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	text, err := os.ReadFile("testdata/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc := load(text)
	for _, reading := range readings {
		general, narrow, _ := strings.Cut(reading, "=")
		if doc.Components.Schemas[general] == nil || doc.Components.Schemas[narrow] == nil {
			t.Fatalf("openapi.yaml has no schemas %s", reading)
		}
		doc.Components.Schemas[general] = doc.Components.Schemas[narrow]
	}
	data, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	doc = load(data)
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc.Servers = nil // any host will do
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &description{router, &openapi3filter.Options{
		MultiError: true, IncludeResponseStatus: true, ExcludeRequestQueryParams: false,
		SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(isGUID)),
			openapi3.WithStringFormatValidator("uri", openapi3.NewCallbackValidator(func(string) error { return nil }))},
	}}
}

// isGUID takes all versions of GUIDs: the validator's own pattern knows none above 5.
func isGUID(text string) error {
	if len(text) != 36 {
		return errors.New("is not a GUID of 36 characters")
	}
	_, err := uuid.Parse(text)
	return err
}

// fieldLists are the readings that the sandbox has by default.
var fieldLists = []string{"Active=ActiveByFieldList", "ComponentValue=ComponentValueByFieldList",
	"RegistrationNumber=RegistrationNumberByFieldList", "FolderFileNumber=FolderFileNumberByFieldList"}

// request checks a request against the description.
func (d *description) request(r *http.Request, body []byte) (*openapi3filter.RequestValidationInput, error) {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := d.router.FindRoute(r)
	if err != nil {
		return nil, err
	}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: d.options}
	return input, openapi3filter.ValidateRequest(r.Context(), input)
}

// answer checks an answer to a request that fits.
func (d *description) answer(input *openapi3filter.RequestValidationInput, status int, h http.Header, body []byte) error {
	options := *d.options
	options.ExcludeResponseBody = len(body) == 0 // create folder's body is not shown, and OpenAPI has no word for "perhaps"
	answer := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: status, Header: h, Options: &options}
	return openapi3filter.ValidateResponse(context.Background(), answer.SetBodyBytes(body))
}

// notary stands before a sandbox and checks what passes.
type notary struct {
	description *description
	next        http.Handler
	mu          sync.Mutex
	requests    int
	faults      []string
}

func (n *notary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	input, err := n.description.request(r, body)
	n.note(err, "request", r, body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	record := httptest.NewRecorder()
	n.next.ServeHTTP(record, r) // a drop panics through here, as it would without us
	if err == nil {
		n.note(n.description.answer(input, record.Code, record.Header(), record.Body.Bytes()), fmt.Sprint("answer ", record.Code), r, record.Body.Bytes())
	}
	for name, values := range record.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(record.Code)
	_, _ = w.Write(record.Body.Bytes())
}

func (n *notary) note(err error, what string, r *http.Request, body []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if what == "request" {
		n.requests++
	}
	if err != nil {
		n.faults = append(n.faults, fmt.Sprintf("%s of %s %s: %v\n%s", what, r.Method, r.URL.Path, err, body))
	}
}

// attested is a sandbox behind a notary.
func attested(t *testing.T, o sandbox.Options, readings ...string) (*service, *notary) {
	t.Helper()
	o.SubscriptionKey, o.AuthCookie = "key", "cookie"
	server, err := sandbox.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	n := &notary{description: describe(t, readings...), next: server.Handler()}
	web := httptest.NewServer(n)
	t.Cleanup(func() {
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		for _, fault := range n.faults {
			t.Error(fault)
		}
		if n.requests == 0 {
			t.Error("no request passed the notary")
		}
	})
	return &service{t: t, server: server, url: web.URL, client: web.Client(),
		header: http.Header{keyHeader: {"key"}, cookieHeader: {"cookie"}, "Content-Type": {"application/json"}}}, n
}

// TestAnswersFitTheDescription holds every kind of answer that has a body against the description.
func TestAnswersFitTheDescription(t *testing.T) {
	t.Parallel()
	for _, answers := range []sandbox.Answers{
		{},
		{Folder: sandbox.BodyID, UpdateCase: sandbox.BodyRecord},
		{Folder: sandbox.BodyEmpty, UpdateCase: sandbox.BodyEmpty},
	} {
		t.Run(fmt.Sprint(answers.Folder), func(t *testing.T) {
			t.Parallel()
			s, _ := attested(t, sandbox.Options{Directory: small(), Answers: answers}, fieldLists...)
			var list []int
			id := s.newCase()
			s.do("POST", "/v1/firms/folder", folder)
			inFolder := s.inFolder()
			for _, c := range []struct{ method, path, body string }{
				{"POST", "/v1/firms/file", caseB},
				{"POST", "/v1/firms/file", edit(t, caseA, `client_id="`+carta+`"`)}, // 400
				{"POST", "/v1/firms/folder", edit(t, folder, `client_id="`+stranger+`"`)},
				{"PUT", "/v1/firms/file", updateOf(id)},
				{"PUT", "/v1/firms/file", updateOf(inFolder)},
				{"PUT", "/v1/firms/file", updateOf(stranger)},                     // 404
				{"PUT", "/v1/firms/file", edit(t, updateOf(id), "components=[]")}, // 400
				{"PUT", "/v1/firms/trademark", tmark},
				{"PUT", "/v1/firms/trademark", edit(t, tmark, `id="`+stranger+`"`)},
				{"PUT", "/v1/firms/trademark", edit(t, tmark, `client_agent_id="`+carta+`"`)},
			} {
				list = append(list, s.do(c.method, c.path, c.body).status)
			}
			list = append(list, s.with(keyHeader, "x").do("POST", "/v1/firms/file", caseA).status)
			t.Log(list)
		})
	}
}

// inFolder gives the id of a case in a folder; the list of files is not part of the interface and goes past the notary.
func (s *service) inFolder() string {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/v1/lists/files?number=1", nil)
	r.Header.Set("subscription-key", "key")
	r.Header.Set(".Service.AuthCookie", "cookie")
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	return decode[struct{ Items []file }](s.t, reply{body: w.Body.Bytes()}).Items[0].ID
}

// TestFaultsFitTheDescription holds the JSON answers of faults against the description too.
func TestFaultsFitTheDescription(t *testing.T) {
	t.Parallel()
	s, n := attested(t, sandbox.Options{Directory: small(),
		Faults: sandbox.Faults{Seed: 11, FailBefore: 0.15, FailAfter: 0.15, BusyBefore: 0.15, BusyAfter: 0.1, Refuse: 0.15, DropAfter: 0.1, Rate: 400, Burst: 60}}, fieldLists...)
	statuses := map[int]int{}
	for range 60 {
		for _, c := range []struct{ method, path, body string }{
			{"POST", "/v1/firms/file", caseA}, {"POST", "/v1/firms/folder", folder}, {"PUT", "/v1/firms/file", updateOf(stranger)}, {"PUT", "/v1/firms/trademark", tmark},
		} {
			r, _ := s.try(c.method, c.path, c.body)
			statuses[r.status]++
		}
	}
	for _, status := range []int{0, 200, 201, 404, 500, 503} {
		if statuses[status] == 0 {
			t.Errorf("no answer %d among %v", status, statuses)
		}
	}
	if n.requests < 240 {
		t.Errorf("%d requests were checked", n.requests)
	}
}

// TestTheNotarySees shows that the description refuses what it should: a check that accepts everything proves nothing.
func TestTheNotarySees(t *testing.T) {
	t.Parallel()
	d := describe(t, fieldLists...)
	post := func(path, body string, change func(http.Header)) error {
		method := http.MethodPost
		if strings.Contains(body, `"id"`) {
			method = http.MethodPut
		}
		r := httptest.NewRequest(method, path, nil)
		r.Header = http.Header{"Subscription-Key": {"k"}, ".service.authcookie": {"c"}, "Content-Type": {"application/json"}}
		if change != nil {
			change(r.Header)
		}
		_, err := d.request(r, []byte(body))
		return err
	}
	for name, err := range map[string]error{
		"no key":           post("/v1/firms/file", caseA, func(h http.Header) { h.Del("subscription-key") }),
		"no cookie":        post("/v1/firms/file", caseA, func(h http.Header) { h.Del(".Service.AuthCookie") }),
		"content type":     post("/v1/firms/file", caseA, func(h http.Header) { h.Set("Content-Type", "text/plain") }),
		"GUID":             post("/v1/firms/file", edit(t, caseA, `user_id="x"`), nil),
		"unknown member":   post("/v1/firms/file", edit(t, caseA, `x=1`), nil),
		"missing member":   post("/v1/firms/file", edit(t, caseA, `name`), nil),
		"neither variant":  post("/v1/firms/file", edit(t, caseB, `client_id="`+heron+`"`), nil),
		"long name":        post("/v1/firms/folder", edit(t, folder, `name="`+strings.Repeat("é", 255)+`"`), nil),
		"text number":      post("/v1/firms/folder", edit(t, folder, `files=[{"name":"a","number":"1"}]`), nil),
		"text active":      post("/v1/firms/file", edit(t, updateOf(stranger), `active="true"`), nil),
		"no client":        post("/v1/firms/file", edit(t, updateOf(stranger), `file_client_id`), nil),
		"local date":       post("/v1/firms/trademark", edit(t, tmark, `grant_date="2024-03-01T00:00:00+01:00"`), nil),
		"entry without id": post("/v1/firms/trademark", edit(t, tmark, `good_and_services=[{"language_id":"`+english+`","text":"","search_class_id":"`+class9+`"}]`), nil),
	} {
		if err == nil {
			t.Errorf("%s: fits the description", name)
		}
	}
	for name, err := range map[string]error{
		"variant A": post("/v1/firms/file", caseA, nil), "variant B": post("/v1/firms/file", caseB, nil), "folder": post("/v1/firms/folder", folder, nil),
		"folder without cookie": post("/v1/firms/folder", folder, func(h http.Header) { h.Del(".Service.AuthCookie") }),
		"update case":           post("/v1/firms/file", updateOf(stranger), nil), "trademark": post("/v1/firms/trademark", tmark, nil),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	input, err := d.request(httptest.NewRequest(http.MethodPost, "/v1/firms/file", nil), []byte(caseA))
	if err == nil {
		t.Error("a request without headers fits the description")
	}
	record, err := json.Marshal(map[string]any{"id": stranger})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.answer(input, 201, http.Header{"Content-Type": {"application/json"}}, record); err == nil {
		t.Error("a case of one member fits the description")
	}
}
