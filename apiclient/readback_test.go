package apiclient

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/payload"
)

// TestReadBack compares what was sent with what a service may answer, as it writes values in a form of its own.
func TestReadBack(t *testing.T) {
	t.Parallel()
	const a, b = "0f000000-0000-4000-8000-00000000000a", "0f000000-0000-4000-8000-00000000000b"
	tests := []struct {
		name         string
		op           payload.Operation
		sent, answer string
		skip         []string
		fields       []string
		want         []Difference
	}{
		{name: "the same", op: payload.CreateCase, sent: `{"name":"Heron","number":"0012","active":true,"file_template_id":"` + a + `"}`,
			answer: `{"id":"x","name":"Heron","number":"0012","active":true,"file_template":{"id":"` + a + `","name":"T"},"extra":1}`,
			fields: []string{"name", "number", "active", "file_template_id"}},
		{name: "another text, number and reference", op: payload.CreateCase, sent: `{"name":"Héron","number":"0012","active":true,"user_id":"` + a + `"}`,
			answer: `{"name":"H?ron","number":12,"active":false,"user":{"id":"` + b + `"}}`, fields: []string{"name", "number", "active", "user_id"},
			want: []Difference{{"name", "Héron", "H?ron"}, {"number", "0012", "12"}, {"active", "true", "false"}, {"user_id", a, b}}},
		{name: "cut off, emptied, nulled", op: payload.CreateCase, sent: `{"name":"Heron & Sons","number":"1","client_id":"` + a + `","other_supervisors":["` + b + `"]}`,
			answer: `{"name":"Heron","number":"","client":null,"other_supervisors":[]}`, fields: []string{"name", "number", "client_id", "other_supervisors"},
			want: []Difference{{"name", "Heron & Sons", "Heron"}, {"number", "1", ""}, {"client_id", a, ""}, {"other_supervisors", b, ""}}},
		{name: "named as not shown", op: payload.CreateCase, sent: `{"name":"n","client_id":"` + a + `"}`, answer: `{"name":"n","client":null}`, skip: []string{"client_id"}, fields: []string{"name"}},
		{name: "an id in capitals, as text, in braces; blanks, line ends and accents in another form", op: payload.CreateCase,
			sent:   `{"name":" Café\r\nB ","file_template_id":"` + a + `","client_id":"` + a + `","user_id":"` + a + `"}`,
			answer: `{"name":"Cafe\u0301\nB","file_template_id":"0F000000-0000-4000-8000-00000000000A","client":"{` + a + `}","user":{"id":"0F000000-0000-4000-8000-00000000000A"}}`,
			fields: []string{"name", "file_template_id", "client_id", "user_id"}},
		{name: "a list in another order, as records", op: payload.UpdateCase, sent: `{"id":"` + a + `","name":"n","tags":["` + a + `","` + b + `"]}`,
			answer: `{"id":"` + a + `","name":"n","tags":[{"id":"` + b + `"},{"id":"` + a + `"}]}`, fields: []string{"id", "name", "tags"}},
		{name: "an order is not stored", op: payload.UpdateTrademark, sent: `{"mark_text":"m","do_not_create_file":true}`, answer: `{"mark_text":"m","do_not_create_file":null}`,
			fields: []string{"mark_text"}},
		{name: "nothing was sent and nothing is there", op: payload.UpdateCase, sent: `{"name":"n","file_client_id":null,"tags":[],"number":""}`,
			answer: `{"name":"n","client":{},"tags":null,"number":null}`, fields: []string{"name", "file_client_id", "tags", "number"}},
		{name: "an update was to empty it", op: payload.UpdateCase, sent: `{"name":"n","file_client_id":null}`, answer: `{"name":"n","client":{"id":"` + a + `"}}`,
			fields: []string{"name", "file_client_id"}, want: []Difference{{"file_client_id", "", a}}},
		{name: "a create left it to the service", op: payload.CreateCase, sent: `{"name":"n","user_id":null}`, answer: `{"name":"n","user":{"id":"` + a + `"}}`, fields: []string{"name"}},
		{name: "forms that cannot be compared", op: payload.CreateCase, sent: `{"name":"n","number":"1","client_id":"` + a + `","user_id":"` + a + `","other_supervisors":["` + a + `"]}`,
			answer: `{"name":"n","number":{"value":"1"},"client":"Heron Ltd","user":[1],"other_supervisors":"2 users"}`, fields: []string{"name"}},
		{name: "names for the ids of a list", op: payload.UpdateCase, sent: `{"name":"n","tags":["` + a + `","` + b + `"]}`, answer: `{"name":"n","tags":["Opposition","Urgent"]}`, fields: []string{"name"}},
		{name: "a word about the record is not the record", op: payload.UpdateTrademark, sent: `{"id":"` + a + `","mark_text":"M","status":"Registered"}`,
			answer: `{"id":"` + a + `","successful":true,"status":"ok"}`, fields: []string{"id"}},
		{name: "another mark was updated", op: payload.UpdateTrademark, sent: `{"id":"` + a + `","mark_text":"M"}`, answer: `{"id":"` + b + `","successful":true}`,
			fields: []string{"id"}, want: []Difference{{"id", a, b}}},
		{name: "dates in other forms", op: payload.UpdateTrademark,
			sent:   `{"mark_text":"M","application_date":"2024-03-01T00:00:00Z","grant_date":"2024-03-01T00:00:00Z","expiry_date":"2024-03-01T00:00:00Z","status_date":"2024-03-01T00:00:00Z"}`,
			answer: `{"mark_text":"M","application_date":"2024-03-01T00:00:00.000","grant_date":"2024-03-01","expiry_date":"2024-03-01T01:00:00+01:00","status_date":"01/03/2024"}`,
			fields: []string{"mark_text", "application_date", "grant_date", "expiry_date"}},
		{name: "a date that moved by a day", op: payload.UpdateTrademark, sent: `{"mark_text":"M","expiry_date":"2024-03-01T00:00:00Z"}`,
			answer: `{"mark_text":"M","expiry_date":"2024-02-29T00:00:00Z"}`, fields: []string{"mark_text", "expiry_date"},
			want: []Difference{{"expiry_date", "2024-03-01T00:00:00Z", "2024-02-29T00:00:00Z"}}},
		{name: "files in another order", op: payload.CreateFolder, sent: `{"name":"F","files":[{"name":"a","number":12.50,"user_id":"` + a + `"},{"name":"b","number":7},{"name":"c","number":8}]}`,
			answer: `{"name":"F","files":[{"name":"b","number":"7"},{"name":"A","number":"12.50","user":{"id":"` + b + `"}}]}`, fields: []string{"name", "files.name", "files.number", "files.user_id"},
			want: []Difference{{"files[0].name", "a", "A"}, {"files[0].user_id", a, b}, {"files[2].number", "8", ""}}},
		{name: "numbers of files with a point", op: payload.CreateFolder, sent: `{"name":"F","files":[{"name":"a","number":12},{"name":"b","number":7.50}]}`,
			answer: `{"name":"F","files":[{"name":"a","number":12.0},{"name":"b","number":7.5}]}`, fields: []string{"name", "files.name", "files.number"}},
		{name: "entries and components", op: payload.UpdateTrademark,
			sent:   `{"mark_text":"M","good_and_services":[{"id":null,"language_id":"` + a + `","text":"x","search_class_id":"` + b + `"},{"id":null,"language_id":"` + a + `","text":"y","search_class_id":"` + b + `"}]}`,
			answer: `{"mark_text":"M","good_and_services":[{"id":"` + a + `","language":{"id":"` + a + `"},"text":"x","search_class":{"id":"` + b + `"}}]}`,
			fields: []string{"mark_text", "good_and_services.language_id", "good_and_services.text", "good_and_services.search_class_id"},
			want:   []Difference{{"good_and_services[1].text", a + ", " + b + ", y", ""}}},
		{name: "a component of structured text", op: payload.UpdateCase, sent: `{"name":"n","components":[{"file_template_component_id":"` + a + `","value":"{\"a\":1,\"b\":2}"}]}`,
			answer: `{"name":"n","components":[{"id":"` + b + `","file_template_component_id":"` + a + `","value":"{\"b\": 2, \"a\": 1}"}]}`,
			fields: []string{"name", "components.file_template_component_id", "components.value"}},
		{name: "all components gone", op: payload.UpdateCase, sent: `{"name":"n","components":[{"value":"v"}]}`, answer: `{"name":"n","components":null}`,
			fields: []string{"name", "components"}, want: []Difference{{"components", `[{"value":"v"}]`, ""}}},
		{name: "no JSON", op: payload.UpdateCase, sent: `{"name":"n"}`, answer: `OK`},
		{name: "no object", op: payload.UpdateCase, sent: `{"name":"n"}`, answer: `true`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sent, err := payload.Encoded(test.op, []byte(test.sent))
			if err != nil {
				t.Fatal(err)
			}
			read := readAnswer(test.op, success(test.op), nil, []byte(test.answer), true, true)
			got := readBack(test.op, sent.ID, sent.Body, read.members, test.skip)
			if diff := cmp.Diff(ReadBack{test.fields, test.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAnAnswerAboutAnotherRecordIsNone has the service answer with what belongs to the request before, as when the
// answers on a connection are one behind, or with something of its own.
func TestAnAnswerAboutAnotherRecordIsNone(t *testing.T) {
	t.Parallel()
	create := func(name, number string) payload.Payload {
		return encoded(payload.CreateCase, `{"name":"`+name+`","number":"`+number+`","active":true,"file_template_id":"`+guid2+`","user_id":"`+guid3+`"}`)
	}
	created := func(name, number string) http.HandlerFunc {
		return status(201, `{"id":"`+guid2+`","name":"`+name+`","number":"`+number+`"}`)
	}
	update := func(id string) payload.Payload {
		return encoded(payload.UpdateCase, `{"id":"`+id+`","name":"Acme","file_status_id":"`+guid2+`","file_client_id":null,"user_id":"`+guid3+`","components":[],"active":true}`)
	}
	updated := func(id string) http.HandlerFunc { return status(200, `{"id":"`+id+`"}`) }
	first := created("Acme", "M-3")
	for _, test := range []struct {
		name   string
		before payload.Payload
		fits   http.HandlerFunc
		sent   payload.Payload
		answer http.HandlerFunc
		want   Verdict
	}{
		{"the case before", create("Acme", "M-3"), first, create("Beta", "M-4"), first, InDoubt},
		{"the case before, of the same name", create("Acme", "M-3"), first, create("Acme", "M-4"), first, InDoubt},
		{"a case that is the same", create("Acme", "M-3"), first, create("ACME", "M-3"), first, Accepted},
		{"a case with words and a number of the service's own", create("Acme", "M-3"), first, create("Beta & Sons", "M-4"), created("Beta &amp; Sons", "2026/1"), Accepted},
		{"a case that is not shown", create("Acme", "M-3"), first, create("Beta", "M-4"), status(201, `{"id":"`+guid2+`"}`), Accepted},
		{"the folder before", folderNamed("Acme"), status(201, `{"name":"Acme"}`), folderNamed("Beta"), status(201, `{"name":"Acme"}`), InDoubt},
		{"the update before", update(guid1), updated(guid1), update(guid2), updated(guid1), Failed},
		{"an update with an id of its own", update(guid1), updated(guid1), update(guid2), updated(guid3), Accepted},
		{"an update with the id in another form", update(guid1), updated(guid1), update(guid2), updated(strings.ToUpper(guid2)), Accepted},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var connections sync.Map
			counted := func(answer http.HandlerFunc) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) {
					connections.Store(r.RemoteAddr, true)
					answer(w, r)
				}
			}
			c := newClient(t, answerWith(t, counted(test.fits), counted(test.answer)).URL, func(o *Options) {
				o.Retry = RetryOptions{FirstDelay: time.Millisecond, MaxDelay: time.Millisecond, Total: 30 * time.Millisecond}
			})
			creates := test.sent.Creates() != payload.Creation{}
			if r := send(t, c, test.before, !creates); r.Verdict != Accepted {
				t.Fatalf("the record before: %+v", r)
			}
			result := send(t, c, test.sent, !creates)
			used := 0
			connections.Range(func(any, any) bool { used++; return true })
			closed := map[Verdict]int{Accepted: 0, InDoubt: 0, Failed: len(result.Attempts) - 1}[test.want] // the last one is used no more
			if result.Verdict != test.want || used != 1+closed || result.Verdict != Accepted && result.ID != "" {
				t.Errorf("%d connections, %+v", used, result)
			}
			if result.Verdict != Accepted && !strings.Contains(result.Message, "the answer is about another record") {
				t.Error(result.Message)
			}
		})
	}
}
