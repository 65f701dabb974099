package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"docketsync/apiclient/payload"
)

const oddSecret = `p/a+s&s"w<o>r'd\ é=`

func TestRedactorKnowsEscapedForms(t *testing.T) {
	t.Parallel()
	asJSON, _ := json.Marshal(oddSecret)
	every := func(format string) string {
		var text strings.Builder
		for _, c := range oddSecret {
			fmt.Fprintf(&text, format, c)
		}
		return text.String()
	}
	forms := map[string]string{
		"plain": oddSecret, "JSON": strings.Trim(string(asJSON), `"`), "query": url.QueryEscape(oddSecret), "path": url.PathEscape(oddSecret),
		"HTML": html.EscapeString(oddSecret), "unicode escapes": every(`\u%04X`), "decimal entities": every("&#%d;"), "hexadecimal entities": every("&#x%02X;"),
		"slashes escaped": strings.ReplaceAll(strings.Trim(string(asJSON), `"`), "/", `\/`),
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r redactor
			r.add(oddSecret)
			if got := r.clean("before " + form + " after " + form); got != "before [hidden] after [hidden]" {
				t.Errorf("%s became %s", form, got)
			}
		})
	}
}

func TestRedactorCuts(t *testing.T) {
	t.Parallel()
	var r redactor
	for _, secret := range []string{"abcdefgh", "abcdefgh-longer", "", "abcdefgh"} {
		r.add(secret)
	}
	tests := []struct{ text, whole, cut string }{
		{"x abcdefgh-longer y", "x [hidden] y", "x [hidden] y"},
		{"x abcdefgh y", "x [hidden] y", "x [hidden] y"},
		{"x abcdef", "x abcdef", "x [hidden]"},
		{"x abcdefgh-lon", "x [hidden]-lon", "x [hidden]-lon"},
		{"x abc", "x abc", "x abc"},
		{"", "", ""},
	}
	for _, test := range tests {
		if got := r.clean(test.text); got != test.whole {
			t.Errorf("%q became %q", test.text, got)
		}
		if got := r.cleanCut(test.text); got != test.cut {
			t.Errorf("%q cut off became %q", test.text, got)
		}
	}
}

// TestNoSecretLeavesThePackage lets a service echo everything it was told in every way it can, and searches all that the client
// gives back and logs.
func TestNoSecretLeavesThePackage(t *testing.T) {
	t.Parallel()
	const password, renewed = `pa&ss"word/1`, "renewed+cookie/2"
	secrets := []string{testKey, testCookie, password, renewed}
	echo := strings.Join(secrets, " | ")
	asJSON, _ := json.Marshal(map[string]any{"id": echo, "message": echo, "errors": map[string]any{"name": []string{echo}, echo: echo}, "successful": false})
	escaped := strings.NewReplacer("+", `\u002B`, "/", `\/`, "&", `\u0026`).Replace(string(asJSON))
	answers := map[string]http.HandlerFunc{
		"JSON 400":              status(400, string(asJSON)),
		"JSON 400 with escapes": status(400, escaped),
		"escapes in escapes":    status(400, strings.NewReplacer("+", `\u00252B`, "/", `\u00252F`, "&", `\u002526`).Replace(string(asJSON))),
		"text 400":              status(400, echo),
		"page 404":              status(404, "<html><title>"+html.EscapeString(echo)+"</title>"+html.EscapeString(echo)),
		"successful: false":     status(200, escaped),
		"id of a new case":      status(201, escaped),
		"403":                   status(403, echo),
		"500":                   status(500, url.QueryEscape(echo)),
		"redirect":              status(302, echo, "Location", "https://x/?"+url.QueryEscape(echo)),
		"garbage":               hijack("HTTP/1.1 " + echo + "\r\n\r\n"),
		"broken header":         hijack("HTTP/1.1 200 OK\r\n" + testKey + "\r\n" + testCookie + "\r\n\r\n"),
		"cut off in a secret":   hijack("HTTP/1.1 400 Bad\r\nContent-Length: 100\r\n\r\nkey " + testKey[:10]),
		"too large":             status(400, strings.Repeat(".", 190)+testKey),
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			core, logs := observer.New(zapcore.DebugLevel)
			server := answerWith(t, status(401, testKey+testCookie), answer)
			c := newClient(t, server.URL, func(o *Options) {
				o.AnswerLimit = 200
				if !strings.Contains(name, "large") {
					o.AnswerLimit = 1 << 20
				}
				o.Retry.Total = 1
				o.SignIn = SignIn{Func: func(context.Context) (string, error) { return renewed, nil }}
				o.Log = zap.New(core)
			})
			c.secrets.add(password)
			for _, p := range []payload.Payload{aCase(), anUpdate(), aFolder()} {
				result := c.Send(t.Context(), p, false)
				text := fmt.Sprintf("%+v", result)
				for err := result.Err; err != nil; err = errors.Unwrap(err) {
					text += fmt.Sprintf("%+v %#v", err, err)
				}
				for _, entry := range logs.All() {
					text += fmt.Sprintf("%s %v", entry.Message, entry.ContextMap())
				}
				for _, secret := range append(secrets, testKey[:10], url.PathEscape(testCookie), url.QueryEscape(renewed)) {
					if strings.Contains(text, secret) {
						at := strings.Index(text, secret)
						t.Errorf("%s is in …%s", secret, text[max(0, at-200):min(len(text), at+50)])
					}
				}
				if !strings.Contains(text, "[hidden]") && name != "redirect" {
					t.Errorf("nothing was hidden: the answer never came through: %s", text)
				}
			}
		})
	}
}

// hijack answers with the text as it stands and closes the connection.
func hijack(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// TestSecretsDoNotChangeWhatIsRead has secrets that are parts of what the service says: the answer is read as it came, ids go on
// as they were given or not at all, and words alone are veiled.
func TestSecretsDoNotChangeWhatIsRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, key, body string
		p               payload.Payload
		want            Result
	}{
		{"a short key in the name of a member", "ces", markAnswer, aMark(), Result{Verdict: Accepted, ID: guid1, Message: "done"}},
		{"a short key in an id", "1111", caseRecord, aCase(), Result{Verdict: Accepted, ID: guid1}},
		{"a key that is the name of a member", "successful", markAnswer, aMark(), Result{Verdict: Accepted, ID: guid1, Message: "done"}},
		{"a key in the message", testKey, `{"id":"` + guid1 + `","message":"hello ` + testKey + `","successful":true}`, aMark(), Result{Verdict: Accepted, ID: guid1, Message: "hello [hidden]"}},
		{"the key as id", guid1, `{"id":"` + guid1 + `"}`, aCase(), Result{Verdict: Accepted, Message: "the id in the answer contains a sign-in secret, so it is not stored"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code := success(test.p.Operation)
			c := newClient(t, answerWith(t, status(code, test.body)).URL, func(o *Options) { o.SubscriptionKey = test.key; o.Retry.Total = 1 })
			got := send(t, c, test.p, true)
			if got.Verdict != test.want.Verdict || got.ID != test.want.ID || got.Message != test.want.Message {
				t.Errorf("got %+v", got)
			}
		})
	}
}
