package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
)

func TestEachOperationGoesWhereItBelongs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		payload payload.Payload
		answer  http.HandlerFunc
		request string
		id      string
	}{
		{"create case", aCase(), status(201, caseRecord), "POST /base/v1/firms/file", guid1},
		{"create folder", aFolder(), status(201, `{"id":"`+guid2+`"}`), "POST /base/v1/firms/folder", guid2},
		{"update case", anUpdate(), status(200, `{}`), "PUT /base/v1/firms/file/" + guid1, ""},
		{"update trademark", aMark(), status(200, markAnswer), "PUT /base/v1/firms/trademark", guid1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var request string
			server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
				request = r.Method + " " + r.RequestURI
				test.answer(w, r)
			})
			result := newClient(t, server.URL+"/base/").Send(t.Context(), test.payload, false)
			if result.Verdict != Accepted || result.Err != nil || result.ID != test.id || request != test.request {
				t.Errorf("%s: %+v", request, result)
			}
		})
	}
}

func TestIDInThePathIsEscaped(t *testing.T) {
	t.Parallel()
	var path string
	server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.RequestURI
		status(200, `{}`)(w, r)
	})
	update := anUpdate()
	update.ID = "../a b?c#d%"
	if result := send(t, newClient(t, server.URL), update, true); result.Verdict != Accepted {
		t.Fatalf("got %+v", result)
	}
	if want := "/v1/firms/file/..%2Fa%20b%3Fc%23d%25"; path != want {
		t.Errorf("path is %s, want %s", path, want)
	}
}

func TestOperationWithoutPathStops(t *testing.T) {
	t.Parallel()
	c := newClient(t, "http://localhost:1", func(o *Options) { o.Paths = nil })
	result := send(t, c, anUpdate(), true)
	err, ok := result.Err.(*Error)
	if !ok || err.Code != CodeNoPath || result.Verdict != Stopped || len(result.Attempts) != 0 || !strings.Contains(err.Error(), "paths.update_case") {
		t.Errorf("got %+v", result)
	}
	if c.ready(payload.UpdateCase) == nil || c.ready(payload.CreateCase) != nil {
		t.Errorf("ready: %v, %v", c.ready(payload.UpdateCase), c.ready(payload.CreateCase))
	}
}

// TestAnswers sends one request to a server that gives the answer, and looks at the verdict for a create and an update.
func TestAnswers(t *testing.T) {
	t.Parallel()
	page := "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
	tests := []struct {
		name    string
		payload payload.Payload
		status  int
		body    string
		want    Verdict
		message string
	}{
		{"a case record", aCase(), 201, caseRecord, Accepted, ""},
		{"a case record after a byte order mark", aCase(), 201, "\ufeff" + caseRecord, Accepted, ""},
		{"a page instead of a case record", aCase(), 201, page, InDoubt, `a web page "Sign in"; has the sign-in expired?`},
		{"nothing instead of a case record", aCase(), 201, "", InDoubt, "is not JSON"},
		{"a case record cut off by the service", aCase(), 201, caseRecord[:20], InDoubt, "is not JSON"},
		{"a case record and more", aCase(), 201, caseRecord + "x", InDoubt, "is not JSON"},
		{"a case record without id", aCase(), 201, `{"name":"Acme"}`, InDoubt, "case record with an id"},
		{"a case record whose id is no text", aCase(), 201, `{"id":7}`, InDoubt, "case record with an id"},
		{"a case record whose id is no GUID", aCase(), 201, `{"id":"pending"}`, InDoubt, "case record with an id that is a GUID"},
		{"a case record whose id is of nothing", aCase(), 201, `{"id":"00000000-0000-0000-0000-000000000000"}`, InDoubt, "case record with an id that is a GUID"},
		{"a case record with two ids", aCase(), 201, `{"id":"` + guid1 + `","id":"` + guid2 + `"}`, InDoubt, "case record with an id that is a GUID"},
		{"a list instead of a case record", aCase(), 201, `[]`, InDoubt, "case record with an id"},
		{"a case that was not created", aCase(), 200, `{"successful":false,"message":"template is closed"}`, Refused, "template is closed"},
		{"a case that was not created, with an error", aCase(), 201, `{"id":"` + guid2 + `","error":"closed","successful":false}`, InDoubt, "answered 201 Created: closed; the service may"},
		{"a case record with status 200", aCase(), 200, caseRecord, InDoubt, "unexpected status for this operation"},
		{"an answer larger than the limit", aCase(), 201, `{"id":"` + guid1 + `","name":"` + strings.Repeat("x", 5000) + `"}`, InDoubt, "larger than 4096 bytes"},
		{"a folder with a page", aFolder(), 201, page, InDoubt, `a web page "Sign in"; has the sign-in expired?`},
		{"a folder with text", aFolder(), 201, "created", Accepted, ""},
		{"a folder with nothing", aFolder(), 201, "", Accepted, ""},
		{"a folder with an answer larger than the limit", aFolder(), 201, strings.Repeat("x", 5000), Accepted, ""},
		{"a folder that was not created", aFolder(), 201, `{"successful":false,"message":"client is closed"}`, InDoubt, "answered 201 Created: client is closed; the service may"},
		{"a page with status 200 is no folder", aFolder(), 200, page, InDoubt, `a web page "Sign in"; has the sign-in expired?`},
		{"details of an update", anUpdate(), 200, `{"anything":1}`, Accepted, ""},
		{"details of an update as text", anUpdate(), 200, `"updated"`, Accepted, ""},
		{"an update that was not done", anUpdate(), 200, `{"Successful":false,"Message":"status is closed"}`, Refused, "status is closed"},
		{"an update answered with null", anUpdate(), 200, `null`, Failed, "no details"},
		{"an update answered with a page", anUpdate(), 200, page, Failed, `a web page "Sign in"; has the sign-in expired?; gave up after 1 request in`},
		{"an update answered with nothing", anUpdate(), 204, ``, Failed, "is not JSON"},
		{"a mark updated", aMark(), 200, markAnswer, Accepted, "done"},
		{"a mark not updated", aMark(), 200, `{"id":null,"message":"registry is unknown","successful":false}`, Refused, "registry is unknown"},
		{"a mark without successful", aMark(), 200, `{"id":"` + guid1 + `"}`, Failed, "the answer has no field successful"},
		{"a mark whose successful is text", aMark(), 200, `{"id":"","message":"","successful":"true"}`, Failed, "the answer has no field successful"},
		{"a mark with an error", aMark(), 200, `{"id":"` + guid1 + `","successful":true,"errors":["class is closed"]}`, Refused, ""},
		{"a mark without an error", aMark(), 200, `{"successful":true,"message":"done","error":null,"Errors":[ ],"result":"ok"}`, Accepted, "done"},
		{"an update that was denied", anUpdate(), 200, `{"error":"denied"}`, Refused, "denied"},
		{"an update with the status of an error", anUpdate(), 200, `{"Status":"Error","message":"status is closed"}`, Refused, "status is closed"},
		{"an update with problem details", anUpdate(), 200, `{"title":"One or more validation errors occurred.","status":400}`, Refused, "One or more validation errors occurred."},
		{"an update with the number of an error", anUpdate(), 200, `{"StatusCode": 500}`, Refused, "StatusCode: 500"},
		{"an update with other numbers", anUpdate(), 200, `{"status":40012,"statusCode":200,"status_code":"400"}`, Accepted, ""},
		{"an update that failed", anUpdate(), 200, `{"result":"failed"}`, Refused, ""},
		{"an update that was no success", anUpdate(), 200, `{"success":false}`, Refused, ""},
		{"an update that is not ok", anUpdate(), 200, `{"ok": false,"error":{"message":"closed"}}`, Refused, "closed"},
		{"an update with the number of no error", anUpdate(), 200, `{"error":0,"errors":{ },"ok":true,"success":"yes","status":"Filed"}`, Accepted, ""},
		{"an update with an error that is none", anUpdate(), 200, `{"error":{"code":0,"message":"OK"},"errors":["None.",null,{"text":""}]}`, Accepted, ""},
		{"an update with an error of several members", anUpdate(), 200, `{"error":{"code":7,"message":"OK"}}`, Refused, ""},
		{"an update with an error beside its message", anUpdate(), 200, `{"message":"done","error":"denied"}`, Refused, "denied"},
		{"an update with nothing to say", anUpdate(), 200, `{}`, Accepted, ""},
		{"a case record with an error", aCase(), 201, `{"id":"` + guid1 + `","error":"template is closed"}`, InDoubt, "answered 201 Created: template is closed"},
		{"a case record that was no success", aCase(), 201, `{"id":"` + guid1 + `","success":"false"}`, InDoubt, "answered 201 Created: success: false; the service may"},
		{"a folder with problem details", aFolder(), 201, `{"title":"Conflict","status":409}`, InDoubt, "answered 201 Created: Conflict; the service may"},
		{"a folder with an error", aFolder(), 201, `{"errors":["client is closed"]}`, InDoubt, "answered 201 Created: client is closed; the service may"},
		{"404 with a page", aMark(), 404, page, Refused, "web page: Sign in"},
		{"400 with nothing", aCase(), 400, "", Refused, "400 Bad Request"},
		{"400 with text", aCase(), 400, "name is too long", Refused, "name is too long"},
		{"409", anUpdate(), 409, `{"title":"Conflict"}`, Refused, "Conflict"},
		{"501", aCase(), 501, ``, Refused, "501 Not Implemented"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := answerWith(t, status(test.status, test.body))
			c := newClient(t, server.URL, func(o *Options) { o.AnswerLimit = 4096; o.Retry.Total = time.Nanosecond })
			result := send(t, c, test.payload, test.payload.Creates() == payload.Creation{})
			if result.Verdict != test.want || !strings.Contains(result.Message+fmt.Sprint(result.Reasons), test.message) || result.Status != test.status {
				t.Errorf("want %s with %q, got %+v", test.want, test.message, result)
			}
			if (result.Err == nil) != (test.want == Accepted) || len(result.Attempts) != 1 || result.Attempts[0].Verdict != string(test.want) {
				t.Errorf("error %v, attempts %+v", result.Err, result.Attempts)
			}
		})
	}
}

// TestAPageIsNeverAYes has a service answer updates with pages that do not begin as pages do, where any answer is to count.
func TestAPageIsNeverAYes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		headers    []string
		message    string // "" for a yes
	}{
		{"a form without more", `<title>Sign &amp;  go</title><form action="/login">`, []string{"Content-Type", "text/plain"}, `the answer is a web page "Sign & go"; has the sign-in expired?`},
		{"a page below a long comment", "<!-- " + strings.Repeat("x", 600) + " -->\n<HTML><body>Sign in", []string{"Content-Type", "text/plain"}, "the answer is a web page; has"},
		{"text that is declared a page", "Please sign in", []string{"Content-Type", "Text/HTML; charset=utf-8"}, "the answer is a web page; has"},
		{"a page that is compressed", "\x1f\x8b\x08", []string{"Content-Type", "text/plain", "Content-Encoding", "gzip"}, "the answer is compressed (gzip), which docketsync does not ask for"},
		{"text", "updated", []string{"Content-Type", "text/plain", "Content-Encoding", "identity"}, ""},
		{"nothing, declared a page", "", []string{"Content-Type", "text/html"}, ""},
	}
	for _, test := range tests {
		for _, known := range []bool{true, false} {
			server := answerWith(t, status(200, test.body, test.headers...))
			c := newClient(t, server.URL, func(o *Options) { o.AnyUpdateAnswer = known; o.Retry.Total = time.Nanosecond })
			result := send(t, c, anUpdate(), true)
			advised := strings.Contains(result.Message, "update_answer")
			if test.message != "" && (result.Verdict != Failed || !strings.Contains(result.Message, test.message) || advised) ||
				test.message == "" && ((result.Verdict == Accepted) != known || advised == known) {
				t.Errorf("%s, any %v: %s %s", test.name, known, result.Verdict, result.Message)
			}
		}
	}
}

func TestFolderIDsAreTakenWhereTheyAre(t *testing.T) {
	t.Parallel()
	server := answerWith(t, status(201, `{"id":"`+guid1+`","name":3,"files":[{"id":"`+guid2+`","name":"a","number":12.50},{"id":null},{"id":"`+guid3+`","number":"0012"}]}`))
	result := send(t, newClient(t, server.URL), aFolder(), false)
	want := []fileID{{ID: guid2, Name: "a", Number: "12.50"}, {ID: guid3, Number: "0012"}}
	if diff := cmp.Diff(want, result.Files); diff != "" || result.ID != guid1 {
		t.Errorf("%s (-want +got):\n%s", result.ID, diff)
	}
}

func TestRetryGoesOnUntilItWorks(t *testing.T) {
	t.Parallel()
	server := answerWith(t, status(500, "oops"), status(503, ""), status(429, "", "Retry-After", "0"), status(200, `{}`))
	c := newClient(t, server.URL)
	result := send(t, c, anUpdate(), true)
	if diff := cmp.Diff([]string{"retry", "retry", "retry", "accepted"}, verdicts(result)); diff != "" {
		t.Fatalf("(-want +got):\n%s%+v", diff, result)
	}
	want := Attempt{Number: 1, Status: 500, Verdict: "retry", Error: "the service answered 500 Internal Server Error: oops", Answer: "oops"}
	first := result.Attempts[0]
	if first.Started.IsZero() || first.Duration <= 0 {
		t.Errorf("times of %+v", first)
	}
	first.Started, first.Duration = time.Time{}, 0
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	stats := c.Stats()
	if stats.Pace.Window != 4 || stats.Pace.Busy != 0 || stats.Pace.Waiting != 0 || stats.Pace.Rate <= 0 {
		t.Errorf("pace %+v", stats.Pace)
	}
	stats.Pace = pace.State{}
	if diff := cmp.Diff(Stats{Records: 1, Requests: 4, Extra: 3, TooMany: 1, Overloaded: 1, Troubled: 1}, stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestCreateIsRetriedOnlyWhenCertain(t *testing.T) {
	t.Parallel()
	server := answerWith(t, status(429, ""), status(503, "", "Retry-After", "0"), status(503, ""), status(201, caseRecord))
	result := send(t, newClient(t, server.URL), aCase(), false)
	if diff := cmp.Diff([]string{"retry", "retry", "in_doubt"}, verdicts(result)); diff != "" || result.Verdict != InDoubt {
		t.Errorf("%s (-want +got):\n%s", result.Verdict, diff)
	}
	again := answerWith(t, status(503, ""), status(201, caseRecord))
	c := newClient(t, again.URL, func(o *Options) { o.Retry.CreatesAlways = true })
	if result := send(t, c, aCase(), false); result.Verdict != Accepted {
		t.Errorf("with CreatesAlways: %+v", result)
	}
}

func TestRetryAfterBeyondThePatienceEndsAtOnce(t *testing.T) {
	t.Parallel()
	server := answerWith(t, status(429, "", "Retry-After", "3600"))
	c := newClient(t, server.URL, func(o *Options) { o.Retry.Total = 10 * time.Second; o.Retry.RetryAfterCap = time.Minute })
	began := time.Now()
	result := send(t, c, aCase(), false)
	if result.Verdict != Failed || len(result.Attempts) != 1 || time.Since(began) > 5*time.Second {
		t.Errorf("got %+v", result)
	}
}

func TestAnUpdateOfNoRecordIsRefusedWithoutRequest(t *testing.T) {
	t.Parallel()
	c := newClient(t, "http://localhost:1")
	result := send(t, c, payload.Payload{Operation: payload.UpdateCase, Body: anUpdate().Body}, true)
	if result.Verdict != Refused || len(result.Reasons) != 1 || len(result.Attempts) != 0 {
		t.Errorf("%+v", result)
	}
}

func TestCancelledBeforeHasNoEffect(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := answerWith(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result := newClient(t, server.URL).Send(ctx, aCase(), false)
	if result.Verdict != NotSent || !errors.Is(result.Err, context.Canceled) || len(result.Attempts) != 0 || requests.Load() != 0 {
		t.Errorf("got %+v", result)
	}
}

func TestCancelledUnderWay(t *testing.T) {
	t.Parallel()
	for name, repeatable := range map[string]bool{"update": true, "create": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			base := rawServer(t, func(conn net.Conn) {
				readRequest(conn)
				cancel()
				_, _ = io.Copy(io.Discard, conn)
			})
			result := newClient(t, base).Send(ctx, aCase(), repeatable)
			want := map[bool]Verdict{true: Failed, false: InDoubt}[repeatable]
			if result.Verdict != want || len(result.Attempts) != 1 || !errors.Is(result.Err, context.Canceled) {
				t.Errorf("want %s, got %+v", want, result)
			}
		})
	}
}

func TestLeavingWhileWaitingForARetry(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		want   Verdict
	}{
		{"after an answer that had no effect", 429, NotSent},
		{"after an answer that may have had an effect", 500, Failed},
	}
	for _, test := range tests {
		for _, way := range []string{"cancel", "drain"} {
			t.Run(test.name+", by "+way, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				leave := make(chan struct{}, 1)
				server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
					status(test.status, "")(w, r)
					leave <- struct{}{}
				})
				c := newClient(t, server.URL, func(o *Options) {
					o.Retry = RetryOptions{FirstDelay: time.Hour, MaxDelay: time.Hour, Total: 9 * time.Hour}
				})
				go func() {
					<-leave
					if way == "drain" {
						c.Drain()
					} else {
						// Only once the answer has been read is the client waiting for its retry.
						for c.Stats().Pace.Busy > 0 {
							runtime.Gosched()
						}
						cancel()
					}
				}()
				result := c.Send(ctx, anUpdate(), true)
				if result.Verdict != test.want || result.Attempts[0].Verdict != string(test.want) || !errors.Is(result.Err, context.Canceled) {
					t.Errorf("got %+v", result)
				}
			})
		}
	}
}

// TestEachRequestNeedsPermission has the permission end after so many requests, of which each is answered with what asks for another.
func TestEachRequestNeedsPermission(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		status  int
		permits int32
		want    Verdict
	}{
		{"none is made without", 429, 0, NotSent},
		{"nor a second one, after an answer that had no effect", 429, 1, NotSent},
		{"nor a second one, after an answer that may have had an effect", 500, 1, Failed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var made, asked atomic.Int32
			server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
				made.Add(1)
				status(test.status, "", "Retry-After", "0")(w, r)
			})
			ctx := Permitted(t.Context(), func(context.Context) error {
				if asked.Add(1) > test.permits {
					return errors.New("it is another's")
				}
				return nil
			})
			result := newClient(t, server.URL).Send(ctx, anUpdate(), true)
			if result.Verdict != test.want || made.Load() != test.permits || asked.Load() != test.permits+1 {
				t.Errorf("%d requests were made, and %d asked for: %+v", made.Load(), asked.Load(), result)
			}
		})
	}
}

func TestDrainLetsWhatHasLeftFinish(t *testing.T) {
	t.Parallel()
	arrived, answer := make(chan struct{}), make(chan struct{})
	server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-answer
		status(201, caseRecord)(w, r)
	})
	c := newClient(t, server.URL)
	first := make(chan Result)
	go func() { first <- c.Send(t.Context(), aCase(), false) }()
	<-arrived
	c.Drain()
	for range 50 {
		if late := send(t, c, aCase(), false); late.Verdict != NotSent || len(late.Attempts) != 0 {
			t.Fatalf("a call after the drain: %+v", late)
		}
	}
	close(answer)
	if result := <-first; result.Verdict != Accepted {
		t.Errorf("the call under way: %+v", result)
	}
}

// TestBackoffDoesNotEndByItself waits longer than the backoff library's own patience of a quarter of an hour.
func TestBackoffDoesNotEndByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &Client{options: Options{Retry: RetryOptions{FirstDelay: time.Second, MaxDelay: 10 * time.Second}}.withDefaults()}
		delays := c.delays()
		for i := range 500 {
			wait := delays.NextBackOff()
			if wait <= 0 || wait > 15*time.Second || i > 5 && wait < 5*time.Second {
				t.Fatalf("wait %d is %v", i, wait)
			}
			time.Sleep(wait)
		}
	})
}

// TestCancelledWhileConnectingAgain ends the context while the second request of an update has no connection yet: what
// counts then is what the first one may have done.
func TestCancelledWhileConnectingAgain(t *testing.T) {
	t.Parallel()
	for first, want := range map[int]Verdict{500: Failed, 429: NotSent} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := answerWith(t, status(first, "", "Connection", "close"))
			c := newClient(t, server.URL)
			dial, dials := c.transport.DialContext, 0
			c.transport.DialContext = func(dialling context.Context, network, address string) (net.Conn, error) {
				if dials++; dials == 1 {
					return dial(dialling, network, address)
				}
				cancel()
				<-dialling.Done()
				return nil, dialling.Err()
			}
			result := c.Send(ctx, anUpdate(), true)
			if diff := cmp.Diff([]string{"retry", string(want)}, verdicts(result)); diff != "" || result.Verdict != want {
				t.Errorf("%s (-want +got):\n%s", result.Verdict, diff)
			}
		})
	}
}
