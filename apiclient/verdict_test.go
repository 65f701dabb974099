package apiclient

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/payload"
)

// The rulings that the table below names.
var (
	accept    = ruling{Step: stepSettle, Verdict: Accepted}
	refuse    = ruling{Step: stepSettle, Verdict: Refused, Harmless: true}
	doubt     = ruling{Step: stepSettle, Verdict: InDoubt}
	retry     = ruling{Step: stepRetry, Verdict: Failed}                                                                   // may have been acted on, harmless to repeat
	retrySafe = ruling{Step: stepRetry, Verdict: Failed, Harmless: true}                                                   // certainly not acted on
	renew     = ruling{Step: stepRenew, Verdict: Stopped, Harmless: true}                                                  //
	stop      = ruling{Step: stepSettle, Verdict: Stopped, Harmless: true}                                                 // certainly not acted on
	stopAny   = ruling{Step: stepSettle, Verdict: Stopped}                                                                 // perhaps acted on, harmless to repeat
	stopDoubt = ruling{Step: stepSettle, Verdict: Stopped, Doubt: true}                                                    // perhaps acted on, not to be repeated
	unsent    = ruling{Step: stepSettle, Verdict: NotSent, Harmless: true}                                                 //
	failed    = ruling{Step: stepSettle, Verdict: Failed}                                                                  // left by the caller
	failSafe  = ruling{Step: stepSettle, Verdict: Failed, Harmless: true}                                                  // left by the caller
	aside     = ruling{Step: stepSettle, Verdict: Aside, Harmless: true}                                                   // certainly not acted on
	allOps    = []payload.Operation{payload.CreateCase, payload.CreateFolder, payload.UpdateCase, payload.UpdateTrademark} //
)

// TestJudge holds every cell of the table: what happened, for a record that may be repeated and for one that may not. The
// operation matters for success alone, so each row goes through all four unless it names some.
func TestJudge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		x          facts
		ops        []payload.Operation
		repeatable ruling
		create     ruling
	}{
		{"could not connect, TLS failed, no byte written", facts{}, nil, retrySafe, retrySafe},
		{"no byte written to a server that is not trusted", facts{Untrusted: true}, nil, stop, stop},
		{"reset, EOF or timeout after the request was written", facts{Written: true}, nil, retry, doubt},
		{"429", facts{Written: true, Status: 429}, nil, retrySafe, retrySafe},
		{"429 with Retry-After", facts{Written: true, Status: 429, RetryAfter: true}, nil, retrySafe, retrySafe},
		{"503 with Retry-After", facts{Written: true, Status: 503, RetryAfter: true}, nil, retrySafe, retrySafe},
		{"503 without Retry-After", facts{Written: true, Status: 503}, nil, retry, doubt},
		{"408", facts{Written: true, Status: 408}, nil, retry, doubt},
		{"408 with Retry-After", facts{Written: true, Status: 408, RetryAfter: true}, nil, retry, doubt},
		{"408 on a connection before anything was written", facts{Status: 408}, nil, retrySafe, retrySafe},
		{"425", facts{Written: true, Status: 425}, nil, retry, doubt},
		{"500", facts{Written: true, Status: 500}, nil, retry, doubt},
		{"500 with Retry-After", facts{Written: true, Status: 500, RetryAfter: true}, nil, retry, doubt},
		{"500 whose body says successful: false", facts{Written: true, Status: 500, Grade: saidNo}, nil, retry, doubt},
		{"502", facts{Written: true, Status: 502}, nil, retry, doubt},
		{"504", facts{Written: true, Status: 504}, nil, retry, doubt},
		{"another 5xx", facts{Written: true, Status: 511}, nil, retry, doubt},
		{"a status beyond 5xx", facts{Written: true, Status: 799, Grade: promised}, nil, retry, doubt},
		{"1xx as the final answer", facts{Written: true, Status: 101}, nil, retry, doubt},
		{"401", facts{Written: true, Status: 401}, nil, renew, renew},
		{"403", facts{Written: true, Status: 403}, nil, renew, renew},
		{"401 with a renewed cookie", facts{Written: true, Status: 401, Renewed: true}, nil, stop, stop},
		{"403 with a renewed cookie", facts{Written: true, Status: 403, Renewed: true}, nil, aside, aside},
		{"403 while others are heard", facts{Written: true, Status: 403, Heard: true}, nil, aside, aside},
		{"403 while others are heard, with a renewed cookie", facts{Written: true, Status: 403, Heard: true, Renewed: true, Row: 19}, nil, aside, aside},
		{"403, the 20th in a row", facts{Written: true, Status: 403, Heard: true, Row: 20}, nil, renew, renew},
		{"403, the 20th in a row, with a renewed cookie", facts{Written: true, Status: 403, Heard: true, Renewed: true, Row: 20}, nil, stop, stop},
		{"403 at the end, after others were heard", facts{Written: true, Status: 403, Heard: true, Last: true}, nil, refuse, refuse},
		{"403 at the end, and none was heard since", facts{Written: true, Status: 403, Heard: true, Last: true, Row: 1}, nil, renew, renew},
		{"403 at the end, none was heard since, with a cookie that cannot be renewed", facts{Written: true, Status: 403, Heard: true, Last: true, Row: 1, Renewed: true}, nil, aside, aside},
		{"403 at the end, with a cookie that was renewed since others were heard", facts{Written: true, Status: 403, Last: true, Row: 1, Renewed: true, Fresh: true}, nil, refuse, refuse},
		{"403 at the end, none was heard", facts{Written: true, Status: 403, Last: true}, nil, renew, renew},
		{"403 at the end, none was heard with a renewed cookie", facts{Written: true, Status: 403, Renewed: true, Last: true}, nil, stop, stop},
		{"403 to a list", facts{Written: true, Status: 403, Heard: true}, []payload.Operation{opList}, renew, renew},
		{"403 to a list with a renewed cookie", facts{Written: true, Status: 403, Heard: true, Renewed: true}, []payload.Operation{opList}, stop, stop},
		{"400", facts{Written: true, Status: 400}, nil, refuse, refuse},
		{"404", facts{Written: true, Status: 404}, nil, refuse, refuse},
		{"409", facts{Written: true, Status: 409}, nil, refuse, refuse},
		{"413", facts{Written: true, Status: 413}, nil, refuse, refuse},
		{"422", facts{Written: true, Status: 422}, nil, refuse, refuse},
		{"another 4xx", facts{Written: true, Status: 418}, nil, refuse, refuse},
		{"406, which may be found out when the work is done", facts{Written: true, Status: 406}, nil, retry, doubt},
		{"499, which HTTP does not define", facts{Written: true, Status: 499}, nil, retry, doubt},
		{"200 with successful: false", facts{Written: true, Status: 200, Grade: saidNo}, nil, refuse, refuse},
		{"201 with successful: false, for an update", facts{Written: true, Status: 201, Grade: saidNo}, allOps[2:], refuse, refuse},
		{"201 with successful: false, for a create", facts{Written: true, Status: 201, Grade: saidNo}, allOps[:2], refuse, doubt},
		{"200 with an error in the service's own words", facts{Written: true, Status: 200, Grade: saidError}, nil, refuse, doubt},
		{"201 with an error in the service's own words", facts{Written: true, Status: 201, Grade: saidError}, nil, refuse, doubt},
		{"200 as promised", facts{Written: true, Status: 200, Grade: promised}, allOps[2:], accept, accept},
		{"201 as promised", facts{Written: true, Status: 201, Grade: promised}, allOps[:2], accept, accept},
		{"200 for a create", facts{Written: true, Status: 200, Grade: promised}, allOps[:2], retry, doubt},
		{"201 for an update", facts{Written: true, Status: 201, Grade: promised}, allOps[2:], retry, doubt},
		{"200 with HTML, empty, cut short or too large", facts{Written: true, Status: 200}, nil, retry, doubt},
		{"201 with HTML, empty, cut short or too large", facts{Written: true, Status: 201}, nil, retry, doubt},
		{"202", facts{Written: true, Status: 202, Grade: promised}, nil, retry, doubt},
		{"204", facts{Written: true, Status: 204}, nil, retry, doubt},
		{"301", facts{Written: true, Status: 301}, nil, stop, stop},
		{"307", facts{Written: true, Status: 307}, nil, stop, stop},
		{"308", facts{Written: true, Status: 308}, nil, stop, stop},
		{"302", facts{Written: true, Status: 302}, nil, stopAny, stopDoubt},
		{"303", facts{Written: true, Status: 303}, nil, stopAny, stopDoubt},
		{"304", facts{Written: true, Status: 304}, nil, stopAny, stopDoubt},
		{"cancelled before anything was written", facts{Cancelled: true}, nil, unsent, unsent},
		{"cancelled after the request was written", facts{Cancelled: true, Written: true}, nil, failed, doubt},
		{"cancelled while a success was read", facts{Cancelled: true, Written: true, Status: 200}, nil, failed, doubt},
		{"cancelled while a 429 was read", facts{Cancelled: true, Written: true, Status: 429}, nil, failSafe, failSafe},
		{"cancelled while a 400 was read", facts{Cancelled: true, Written: true, Status: 400}, nil, refuse, refuse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ops := test.ops
			if ops == nil {
				ops = allOps
			}
			for _, op := range ops {
				for repeatable, want := range map[bool]ruling{true: test.repeatable, false: test.create} {
					x := test.x
					x.Operation, x.Repeatable = op, repeatable
					if diff := cmp.Diff(want, judge(x)); diff != "" {
						t.Errorf("%s, repeatable %v (-want +got):\n%s", op, repeatable, diff)
					}
				}
			}
		})
	}
}

// TestJudgeNeverRepeatsWhatMayHaveBeenDone goes through all exchanges there can be.
func TestJudgeNeverRepeatsWhatMayHaveBeenDone(t *testing.T) {
	t.Parallel()
	certain := []int{301, 307, 308, 401, 403, 429} // answers that say the request was not acted on
	for code := range 1000 {
		if code > 0 && code < 100 {
			continue
		}
		for bits := range 1 << 5 {
			x := facts{Operation: payload.CreateCase, Written: true, Status: code, Grade: grade(bits & 3), RetryAfter: bits&4 > 0, Renewed: bits&8 > 0, Cancelled: bits&16 > 0}
			if x.Grade > saidError {
				continue
			}
			ruling := judge(x)
			sure := slices.Contains(certain, code) || code == 503 && x.RetryAfter
			if ruling.Step != stepSettle && !sure {
				t.Fatalf("%+v is sent again: %+v", x, ruling)
			}
			if x.Cancelled && ruling.Step == stepRetry {
				t.Fatalf("%+v is retried after the caller left", x)
			}
			settledUnknown := ruling.Verdict == Failed || ruling.Verdict == NotSent || ruling.Verdict == Stopped && !ruling.Doubt
			if settledUnknown && !sure {
				t.Fatalf("%+v may be sent by a later run: %+v", x, ruling)
			}
		}
	}
}

func TestTiming(t *testing.T) {
	t.Parallel()
	const s = time.Second
	tests := []struct {
		name                           string
		backoff, retryAfter, cap, left time.Duration
		wait                           time.Duration
		ok                             bool
	}{
		{"without Retry-After the backoff counts", 2 * s, 0, 120 * s, 300 * s, 2 * s, true},
		{"a longer Retry-After counts", 2 * s, 30 * s, 120 * s, 300 * s, 30 * s, true},
		{"a shorter Retry-After does not shorten the backoff", 2 * s, 1 * s, 120 * s, 300 * s, 2 * s, true},
		{"Retry-After is capped", 2 * s, 3600 * s, 120 * s, 300 * s, 120 * s, true},
		{"the cap does not shorten the backoff", 20 * s, 3600 * s, 10 * s, 300 * s, 20 * s, true},
		{"no wait beyond the time limit", 2 * s, 30 * s, 120 * s, 20 * s, 30 * s, false},
		{"nothing left", 2 * s, 0, 120 * s, -1 * s, 2 * s, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wait, ok := timing(test.backoff, test.retryAfter, test.cap, test.left)
			if wait != test.wait || ok != test.ok {
				t.Errorf("got %v %v, want %v %v", wait, ok, test.wait, test.ok)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		value string
		wait  time.Duration
		ok    bool
	}{
		{"", 0, false},
		{"120", 2 * time.Minute, true},
		{" 0 ", 0, true},
		{"-5", 0, false},
		{"1.5", 0, false},
		{"soon", 0, false},
		{"99999999999999999999999", time.Duration(9223372036) * time.Second, true},
		{"9223372037", time.Duration(9223372036) * time.Second, true},
		{"Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second, true},
		{"Sunday, 01-Mar-26 12:01:00 GMT", time.Minute, true},
		{"Sun Mar  1 12:00:10 2026", 10 * time.Second, true},
		{"Sun, 01 Mar 2026 11:00:00 GMT", 0, true},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%q", test.value), func(t *testing.T) {
			t.Parallel()
			if wait, ok := retryAfter(test.value, now); wait != test.wait || ok != test.ok {
				t.Errorf("got %v %v, want %v %v", wait, ok, test.wait, test.ok)
			}
		})
	}
}
