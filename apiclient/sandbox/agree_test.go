package sandbox_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docketsync/apiclient/sandbox"
)

// values stand where members stood. None of them is one about which a schema cannot speak, such as a 30th of February.
var values = []string{`null`, `true`, `7`, `1.5`, `""`, `"x"`, `"true"`, `"2024-03-01T00:00:00Z"`, `"2024-03-01"`, `"https://firm.example/m"`, `[]`, `["x"]`, `[null]`, `{}`, `[{}]`,
	`"` + stranger + `"`, `["` + stranger + `","` + stranger + `"]`, `"` + strings.Repeat("é", 254) + `"`, `"` + strings.Repeat("é", 255) + `"`}

// TestSandboxAndDescriptionAgree changes payloads at random and asks both readings of interface.md, which were written
// apart from each other. References are all known, so that only the shape decides.
func TestSandboxAndDescriptionAgree(t *testing.T) {
	t.Parallel()
	goods := `{"id":null,"language_id":"` + english + `","text":"t","search_class_id":"` + class9 + `"}`
	operations := []struct{ method, path, body, list, element string }{
		{"POST", "/v1/firms/file", caseA, "", ""},
		{"POST", "/v1/firms/file", caseB, "", ""},
		{"POST", "/v1/firms/file", edit(t, caseA, `client_id="`+heron+`"`, `other_supervisors=["`+ben+`"]`), "", ""},
		{"POST", "/v1/firms/folder", folder, "files", `{"name":"a","number":1,"user_id":"` + ben + `","file_status_id":"` + open + `","file_template_id":"` + filing + `"}`},
		{"PUT", "/v1/firms/file", updateOf(stranger), "components", `{"file_template_component_id":"` + note + `","value":"v"}`},
		{"PUT", "/v1/firms/trademark", tmark, "good_and_services", goods},
		{"PUT", "/v1/firms/trademark", string(mustEncode(t, fullMarkMembers)), "good_and_services", goods},
	}
	for _, r := range []reading{readings[0], readings[2], readings[3], readings[4], readings[5], readings[6]} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			server, err := sandbox.Open(sandbox.Options{AnyReference: true, Switches: r.sandbox})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			d := describe(t, r.description...)
			rapid.Check(t, func(t *rapid.T) {
				op := rapid.SampledFrom(operations).Draw(t, "operation")
				body := mutate(t, op.body)
				if op.list != "" && rapid.Bool().Draw(t, "element") {
					body = set(body, op.list, "["+mutate(t, op.element)+"]")
				}
				agree(t, d, server, op.method, op.path, body)
			})
		})
	}
}

// fullMarkMembers is an update of a trademark with a member of every type.
var fullMarkMembers = map[string]any{"id": mark, "registry_id": euipo, "mark_text": "m", "application_number": "a", "grant_date": "2024-02-29T00:00:00Z",
	"registration_number": "1", "notes": "n", "client_agent_id": heron, "image_url": "https://firm.example/m.png", "do_not_create_file": true}

func mustEncode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// mutate changes up to two members of an object: another value, none, or another name.
func mutate(t *rapid.T, body string) string {
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		var members map[string]json.RawMessage
		_ = json.Unmarshal([]byte(body), &members)
		names := append(slices.Sorted(maps.Keys(members)), "x")
		name := rapid.SampledFrom(names).Draw(t, "member")
		switch rapid.SampledFrom([]string{"value", "value", "remove", "rename"}).Draw(t, "change") {
		case "value":
			body = set(body, name, rapid.SampledFrom(values).Draw(t, "value"))
		case "remove":
			body = set(body, name, "")
		case "rename":
			if v, there := members[name]; there {
				body = set(set(body, name, ""), strings.ToUpper(name), string(v))
			}
		}
	}
	return body
}

// set gives the object with one member changed, or removed where the value is empty.
func set(body, name, v string) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(body), &members)
	if members[name] = json.RawMessage(v); v == "" {
		delete(members, name)
	}
	text, _ := json.Marshal(members)
	return string(text)
}

func agree(t *rapid.T, d *description, server *sandbox.Server, method, path, body string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header = http.Header{"Subscription-Key": {"k"}, ".service.authcookie": {"c"}, "Content-Type": {"application/json"}}
	_, fault := d.request(r, []byte(body))
	w := httptest.NewRecorder()
	server.Handler().ServeHTTP(w, r)
	if (fault != nil) != (w.Code == http.StatusBadRequest) || w.Code >= 500 {
		t.Fatalf("%s %s %s\nsandbox: %d %s\ndescription: %v", method, path, body, w.Code, w.Body, fault)
	}
}

// FuzzBodies holds that no body makes the sandbox stumble: every one is answered, in JSON, with success or reasons.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{caseA, folder, update, tmark, `{"name":`, `[[[`, `{"a":1,"a":2}`, "\xff", `"\ud800"`, `1e999`, `{"number":-0.0e-0}`, strings.Repeat("{\"a\":", 20)} {
		f.Add(seed)
	}
	server, err := sandbox.Open(sandbox.Options{Directory: small()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = server.Close() })
	f.Fuzz(func(t *testing.T, body string) {
		for _, op := range [][2]string{{"POST", "/v1/firms/file"}, {"POST", "/v1/firms/folder"}, {"PUT", "/v1/firms/file"}, {"PUT", "/v1/firms/trademark"}, {"POST", "/v1/login"}} {
			r := httptest.NewRequest(op[0], op[1], strings.NewReader(body))
			r.Header = http.Header{"Subscription-Key": {"k"}, ".service.authcookie": {"c"}, "Content-Type": {"application/json"}}
			w := httptest.NewRecorder()
			server.Handler().ServeHTTP(w, r)
			if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s %s answers %d %s", op[0], op[1], w.Code, w.Body)
			}
			if w.Code == 400 && len(decode[failure](t, reply{body: w.Body.Bytes()}).Errors) == 0 {
				t.Errorf("%s %s refuses without a reason: %s", op[0], op[1], w.Body)
			}
		}
	})
}
