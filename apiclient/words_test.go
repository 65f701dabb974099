package apiclient

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWordsOfAnError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		body    string
		message string
		reasons []string
	}{
		{"nothing", "", "", nil},
		{"text", " name is too long\n", "name is too long", nil},
		{"JSON text", `"name is too long"`, "name is too long", nil},
		{"a number", `17`, "17", nil},
		{"message and list of field and message", `{"message":"2 problems","errors":[{"field":"name","message":"too long"},{"field":"files[0].number","message":"missing"}]}`,
			"2 problems", []string{"name: too long", "files[0].number: missing"}},
		{"problem details of ASP.NET", `{"type":"x","title":"One or more validation errors occurred.","status":400,"traceId":"t","errors":{"Name":["too long","odd"],"$.user_id":["no GUID"]}}`,
			"One or more validation errors occurred.", []string{"Name: too long", "Name: odd", "$.user_id: no GUID"}},
		{"detail before title", `{"title":"Bad Request","detail":"the template is closed"}`, "the template is closed", nil},
		{"list of texts", `["a","b"]`, "", []string{"a", "b"}},
		{"list of objects", `[{"Property":"name","ErrorMessage":"x","message":"too long"}]`, "", []string{"name: too long"}},
		{"error as text", `{"error":"invalid_request","error_description":"no such user"}`, "no such user", nil},
		{"error as object", `{"error":{"code":"E1","message":"no such user","details":[{"path":"user_id","message":"unknown"}]}}`, "no such user", []string{"user_id: unknown"}},
		{"members as fields", `{"name":["too long"],"user_id":["no GUID"]}`, "", []string{"name: too long", "user_id: no GUID"}},
		{"nested fields", `{"errors":{"files":{"0":{"number":"missing"}}}}`, "", []string{"files.0.number: missing"}},
		{"capital letters", `{"Message":"no","ModelState":{"a":["b"]}}`, "no", []string{"a: b"}},
		{"empty message", `{"message":"","errors":["x"]}`, "", []string{"x"}},
		{"numbers and booleans", `{"code":7,"fatal":true,"x":null}`, "", []string{"code: 7", "fatal: true"}},
		{"page", "<!doctype html>\n<html><head><title>502 Bad &amp; Gateway</title><style>a{}</style></head><body><h1>Bad</h1><script>x()</script> gateway </body></html>",
			"web page: 502 Bad & Gateway — Bad gateway", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			message, reasons := tidyWords([]byte(test.body), json.Valid([]byte(test.body)))
			if diff := cmp.Diff(test.reasons, reasons); diff != "" || message != test.message {
				t.Errorf("message %q, reasons (-want +got):\n%s", message, diff)
			}
		})
	}
}

// tidyWords are the words of an answer as they are kept when there is no secret.
func tidyWords(body []byte, isJSON bool) (string, []string) {
	message, reasons := words(body, isJSON)
	return tidy(message, reasons, func(text string) string { return text })
}

func TestWordsAreTrimmed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 5000)
	many, _ := json.Marshal(map[string]any{"message": long, "errors": append(make([]string, 99), long)})
	message, reasons := tidyWords(many, true)
	if utf8.RuneCountInString(message) != messageLimit+1 || !strings.HasSuffix(message, "…") {
		t.Errorf("message has %d characters", utf8.RuneCountInString(message))
	}
	if len(reasons) != reasonsLimit+1 || reasons[reasonsLimit] != "… and more" {
		t.Errorf("%d reasons", len(reasons))
	}
	one, _ := json.Marshal([]string{long})
	if _, reasons := tidyWords(one, true); utf8.RuneCountInString(reasons[0]) != reasonLimit+1 {
		t.Errorf("reason has %d characters", utf8.RuneCountInString(reasons[0]))
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{`{"errors":{"a":["b"]}}`, `[1,{"message":"x"}]`, `"x"`, "<html>", "\xff", `{"error":{"error":{}}}`, `{"a":{"a":[[[]]]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		message, reasons := tidyWords(body, json.Valid(body))
		if len(reasons) > reasonsLimit+1 || utf8.RuneCountInString(message) > messageLimit+1 || !utf8.ValidString(message) {
			t.Errorf("%d reasons, message %q", len(reasons), message)
		}
	})
}
