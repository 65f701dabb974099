package apiclient

import (
	"net/http"
	"time"

	"docketsync/apiclient/payload"
)

// Verdict is how a call ended.
type Verdict string

// The verdicts.
const (
	Accepted Verdict = "accepted" // the service said yes
	Refused  Verdict = "refused"  // the service said no, or the payload cannot be sent; as it is it would be refused again
	Failed   Verdict = "failed"   // certainly or harmlessly not done, trouble outlasted the retries
	InDoubt  Verdict = "in_doubt" // may or may not have been acted on, and is not safe to repeat
	Stopped  Verdict = "stopped"  // no record can be sent any more: sign-in lost, redirect, service down or not trusted, no path
	NotSent  Verdict = "not_sent" // cancelled before any request that could have had an effect
	Aside    Verdict = "aside"    // turned away with 403; the answers to other records tell whether this one is meant or the sign-in: see Client.SendLast
)

// Result is how the sending of one payload ended, with every request that was made for it.
type Result struct {
	Verdict Verdict
	Status  int      // HTTP status of the last answer, 0 for none
	ID      string   // of the new or updated record, "" when the answer gave none
	Files   []fileID // of the files of a new folder, those that the answer gave
	Message string   // the service's words, or what went wrong
	Reasons []string // the service's reasons one by one, or what is wrong with the payload
	// ReadBack, with Accepted, is what the comparison of the payload with the answer found.
	ReadBack ReadBack
	// Attempts holds the requests in order; none when nothing was sent.
	Attempts []Attempt
	// Doubt, with Stopped, tells that the record itself may have been acted on and is not safe to repeat.
	Doubt bool
	// Err is nil when accepted, else an *Error.
	Err error
}

// Attempt is one HTTP request.
type Attempt struct {
	Number   int // from 1
	Started  time.Time
	Duration time.Duration
	Status   int    // 0 when no status line came
	Verdict  string // a Verdict, or "retry" or "renew" when another request was to follow
	Error    string // what went wrong, "" when accepted or refused
	Answer   string // beginning of the body
}

// step is what to do after an exchange.
type step string

// The steps.
const (
	stepSettle step = "settle" // the verdict stands
	stepRetry  step = "retry"  // send again after a wait
	stepRenew  step = "renew"  // sign in anew, then send again
)

// grade is what reading the body of an answer found, against what interface.md promises for the operation.
type grade uint8

// The grades. unreadable comes first so that an answer nobody looked at counts as such.
const (
	unreadable grade = iota // missing, cut short, too large, not JSON, or without a promised member
	promised                // what the interface promises
	saidNo                  // JSON with successful: false
	saidError               // JSON that says in words of its own that it failed, as {"error": "denied"}
)

// facts is what is known of one HTTP request after it ended: all that the ruling depends on.
type facts struct {
	Operation  payload.Operation
	Repeatable bool // sending it twice does no harm
	Written    bool // false only when it is certain that no byte of the request left
	Untrusted  bool // the service did not prove who it is, or no TLS could be agreed on with it; nothing was written
	Cancelled  bool // ended by the caller
	Status     int  // 0 when no status line was read
	Grade      grade
	RetryAfter bool // the answer carries a Retry-After that can be read
	Renewed    bool // the cookie it carried was already renewed, or cannot be
	Heard      bool // the service has acted on another record that came with the same sign-in, or refused it for what is in it
	Fresh      bool // the sign-in was renewed since another was heard, and is another one than that
	Row        int  // records turned away with 403 since any was heard; this one included, unless it was set aside before
	Last       bool // the record was set aside before, and all others have had their turn
}

// rowOfForbidden is how many records may be turned away with 403 and none be heard in between, until it is the sign-in. It
// is more than the records of one client that stand together in an export, which a user may have no permission for, and
// few enough for a service that lets nobody in any more.
const rowOfForbidden = 20

// ruling is what to do after an exchange. Verdict is how the record ends: at once with Settle, else when there can be no further
// exchange. Harmless tells that this exchange certainly had no effect in the service. With Stopped, Doubt tells that
// the record itself may have been acted on and is not safe to repeat.
type ruling struct {
	Step     step
	Verdict  Verdict
	Harmless bool
	Doubt    bool
}

// judge decides what becomes of a record after one exchange. It is the only place that does, and depends on nothing
// but the exchange:
//
//	what happened                                   | repeatable        | a create, or what may create
//	nothing was written                             | retry             | retry
//	nothing was written to a server without trust   | stop              | stop
//	429, 503 with Retry-After                       | retry             | retry
//	406, 408, 425, other 5xx, reset, EOF, timeout,  | retry             | in doubt
//	  an answer that is not what is promised, a     |                   |
//	  status that HTTP does not define              |                   |
//	401                                             | renew once, then stop
//	403, nothing heard with this sign-in            | renew once, then aside; at last stop
//	403, others heard with this sign-in             | aside; at last refused if any was heard since, or with a renewed sign-in
//	403, the 20th in a row                          | renew once, then stop
//	other 4xx, 501, successful: false               | refused
//	2xx that says in its own words that it failed,  | refused           | in doubt
//	  201 to a create with successful: false        |                   |
//	3xx                                             | stop              | stop, some with doubt (see below)
//
// interface.md has the member successful for update trademark alone. A create whose status says that it was done is not held to be
// undone by it: who corrects the row would create the record a second time.
//
// 403 says that somebody may not do something, not whether that is the user at all or with this record. So a record that is
// turned away with it, which was certainly not acted on, is set aside while others go on. What they are answered tells: when
// nothing gets in any more it is the sign-in, and what was set aside has not been refused. Otherwise it is sent once more at
// the end (Last), and refused when it is turned away again. When the last answers of all were such, nobody can tell: the sign-in is
// renewed, and where it cannot be, the record is set aside again. Whoever reads a list has nothing else to send, and stops.
//
// 406 is about the answer, not the request: frameworks find out that they cannot write one when the work is done. Nor does a status
// that HTTP does not define, as 499 of a proxy that gave up waiting, say what was done.
//
// A redirect is never followed. 301, 307 and 308 say that the request belongs elsewhere, so it was not acted on; 302 and 303 are
// also what a server answers after it has done the work, so a create answered by one of those is in doubt.
func judge(x facts) ruling {
	switch {
	case x.Status == 0 && !x.Written && x.Cancelled:
		return ruling{Step: stepSettle, Verdict: NotSent, Harmless: true}
	case x.Untrusted:
		return ruling{Step: stepSettle, Verdict: Stopped, Harmless: true}
	case x.Status == success(x.Operation) && x.Grade == promised:
		return ruling{Step: stepSettle, Verdict: Accepted}
	case x.Status >= 200 && x.Status <= 299 && x.denies():
		return ruling{Step: stepSettle, Verdict: Refused, Harmless: true}
	case x.Status >= 300 && x.Status <= 399:
		return redirected(x)
	case x.Status == http.StatusTooManyRequests, x.Status == http.StatusServiceUnavailable && x.RetryAfter:
		return ruling{Step: again(x), Verdict: Failed, Harmless: true}
	case x.Status == http.StatusForbidden && x.Operation != opList:
		return forbidden(x)
	case x.Status == http.StatusUnauthorized, x.Status == http.StatusForbidden:
		return unauthorized(x)
	case x.Status == http.StatusRequestTimeout, x.Status == http.StatusTooEarly, x.Status == http.StatusNotAcceptable, http.StatusText(x.Status) == "":
		return uncertain(x)
	case x.Status >= 400 && x.Status <= 499, x.Status == http.StatusNotImplemented:
		return ruling{Step: stepSettle, Verdict: Refused, Harmless: true}
	}
	return uncertain(x)
}

// denies tells whether an answer with a status of success is a no all the same.
func (x facts) denies() bool {
	said := x.Grade == saidNo || x.Grade == saidError
	promised := x.Grade == saidNo && (!x.Operation.Creates() || x.Status != success(x.Operation))
	return promised || said && x.Repeatable
}

func redirected(x facts) ruling {
	elsewhere := x.Status == http.StatusMovedPermanently || x.Status == http.StatusTemporaryRedirect || x.Status == http.StatusPermanentRedirect
	return ruling{Step: stepSettle, Verdict: Stopped, Harmless: elsewhere, Doubt: !elsewhere && !x.Repeatable}
}

func unauthorized(x facts) ruling {
	ruling := ruling{Step: stepRenew, Verdict: Stopped, Harmless: true}
	if x.Renewed {
		ruling.Step = stepSettle
	}
	return ruling
}

func forbidden(x facts) ruling {
	switch {
	case x.Last && (x.Heard && x.Row == 0 || x.Fresh):
		return ruling{Step: stepSettle, Verdict: Refused, Harmless: true}
	case (!x.Heard || x.Last || x.Row >= rowOfForbidden) && !x.Renewed:
		return unauthorized(x)
	case x.Last && !x.Heard, x.Row >= rowOfForbidden:
		return ruling{Step: stepSettle, Verdict: Stopped, Harmless: true}
	}
	return ruling{Step: stepSettle, Verdict: Aside, Harmless: true}
}

// heard tells whether the answer shows that the service let the request in and looked at the record.
func (x facts) heard(verdict Verdict) bool {
	aboutIt := x.Status == http.StatusBadRequest || x.Status == http.StatusConflict || x.Status == http.StatusUnprocessableEntity
	return aboutIt || verdict == Accepted || x.Grade == saidNo
}

// uncertain rules on an exchange after which nobody can say whether the service acted.
func uncertain(x facts) ruling {
	if !x.Written {
		return ruling{Step: again(x), Verdict: Failed, Harmless: true}
	}
	if !x.Repeatable {
		return ruling{Step: stepSettle, Verdict: InDoubt}
	}
	return ruling{Step: again(x), Verdict: Failed}
}

// again is Retry, unless the caller has left.
func again(x facts) step {
	if x.Cancelled {
		return stepSettle
	}
	return stepRetry
}

// timing decides how long to wait before the next exchange, and whether to wait at all: the backoff's wait, or the one the
// service asked for (not longer than retryAfterCap) when that is longer. ok is false when the wait would end after
// the time limit of the record.
func timing(backoff, retryAfter, retryAfterCap, left time.Duration) (wait time.Duration, ok bool) {
	wait = max(backoff, min(retryAfter, retryAfterCap))
	return wait, wait <= left
}
