package apiclient

import (
	"net/http"
	"time"

	"docketsync/apiclient/payload"
)

// Verdict is how a call ended.
type Verdict string

const (
	Accepted Verdict = "accepted" // the service accepted it
	Refused  Verdict = "refused"  // the service refused it, or the payload cannot be sent; unchanged it would be refused again
	Failed   Verdict = "failed"   // not done, or harmless if done; the trouble outlasted the retries
	InDoubt  Verdict = "in_doubt" // may or may not have been acted on, and is not safe to repeat
	Stopped  Verdict = "stopped"  // no record can be sent any more: sign-in lost, redirect, service down or not trusted, no path
	NotSent  Verdict = "not_sent" // cancelled before any request that could have had an effect
	Aside    Verdict = "aside"    // turned away with 403; the answers to other records show whether this record or the sign-in is the cause: see Client.SendLast
)

// Result is how the sending of one payload ended, with every request made for it.
type Result struct {
	Verdict Verdict
	Status  int      // HTTP status of the last answer, 0 if there was none
	ID      string   // of the new or updated record, "" if the answer has none
	Files   []fileID // ids of the files of a new folder, as far as the answer has them
	Message string   // the service's words, or what went wrong
	Reasons []string // the service's reasons one by one, or what is wrong with the payload
	// ReadBack, with Accepted, is the result of comparing the payload with the answer.
	ReadBack ReadBack
	// Attempts holds the requests in order; none if nothing was sent.
	Attempts []Attempt
	// Doubt, with Stopped, says that the record itself may have been acted on and is not safe to repeat.
	Doubt bool
	// Err is nil if accepted, otherwise an *Error.
	Err error
}

// Attempt is one HTTP request.
type Attempt struct {
	Number   int // from 1
	Started  time.Time
	Duration time.Duration
	Status   int    // 0 if no status line came
	Verdict  string // a Verdict, or "retry" or "renew" if another request was to follow
	Error    string // what went wrong, "" if accepted or refused
	Answer   string // beginning of the body
}

// step is what to do after an exchange.
type step string

const (
	stepSettle step = "settle" // the verdict stands
	stepRetry  step = "retry"  // send again after a wait
	stepRenew  step = "renew"  // sign in again, then send again
)

// grade is how the body of an answer compares with what interface.md promises for the operation.
type grade uint8

// The grades. unreadable comes first, so that it is the grade of an answer that nobody looked at.
const (
	unreadable grade = iota // missing, cut short, too large, not JSON, without a promised member, or about another record
	promised                // as the interface promises
	saidNo                  // JSON with successful: false
	saidError               // JSON that reports a failure in other words, such as {"error": "denied"}
)

// facts is what is known of one HTTP request after it ended: everything that the ruling depends on.
type facts struct {
	Operation  payload.Operation
	Repeatable bool // sending it twice does no harm
	Written    bool // false only if it is certain that no byte of the request left
	Untrusted  bool // the service did not prove its identity, or no TLS could be agreed on; nothing was written
	Cancelled  bool // ended by the caller
	Status     int  // 0 if no status line was read
	Grade      grade
	RetryAfter bool // the answer has a readable Retry-After
	Renewed    bool // the cookie it carried was already renewed, or cannot be
	Heard      bool // with the same sign-in, the service has acted on another record, or refused one for its content
	Fresh      bool // the sign-in was renewed since another record was heard, and is different from that one
	Row        int  // records turned away with 403 since any was heard, including this one unless it was set aside before
	Last       bool // the record was set aside before, and all others have had their turn
}

// rowOfForbidden is how many records in a row may be turned away with 403 before the sign-in is taken to be the cause.
// It is more than the number of adjacent records of one client in an export, for which a user may lack permission, and
// few enough for a service that lets nobody in any more.
const rowOfForbidden = 20

// ruling is what to do after an exchange. Verdict is how the record ends: at once with stepSettle, otherwise if there
// can be no further exchange. Harmless says that this exchange certainly had no effect in the service. With Stopped,
// Doubt says that the record itself may have been acted on and is not safe to repeat.
type ruling struct {
	Step     step
	Verdict  Verdict
	Harmless bool
	Doubt    bool
}

// judge decides what becomes of a record after one exchange. It is the only place that decides this, and depends only
// on the exchange:
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
// interface.md has the member successful only for update trademark. If the status of a create says that it was done,
// successful: false does not count as a refusal: a user who corrected the row would create the record a second time.
//
// A 403 says that something is not permitted, but not whether this concerns the user or the record. So a record that is
// turned away with 403, which was certainly not acted on, is set aside while others continue. The answers to the others
// show the cause. If nothing gets in any more, it is the sign-in, and the records set aside have not been refused.
// Otherwise the record is sent once more at the end (Last), and is refused if it is turned away again. If the last
// answers of all were 403s, nobody can tell: the sign-in is renewed, and if that is impossible, the record is set aside
// again. A caller that reads a list has nothing else to send, and stops.
//
// A 406 is about the answer, not the request: frameworks find out that they cannot write an answer when the work is
// done. Nor does a status that HTTP does not define, such as the 499 of a proxy that gave up waiting, say what was
// done.
//
// A redirect is never followed. 301, 307 and 308 say that the request belongs elsewhere, so it was not acted on.
// Servers also answer 302 and 303 after they have done the work, so a create answered with one of those is in doubt.
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

// denies reports whether an answer with a success status is a refusal all the same.
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

// heard reports whether the answer shows that the service let the request in and looked at the record.
func (x facts) heard(verdict Verdict) bool {
	aboutIt := x.Status == http.StatusBadRequest || x.Status == http.StatusConflict || x.Status == http.StatusUnprocessableEntity
	return aboutIt || verdict == Accepted || x.Grade == saidNo
}

// uncertain rules on an exchange after which it is unknown whether the service acted.
func uncertain(x facts) ruling {
	if !x.Written {
		return ruling{Step: again(x), Verdict: Failed, Harmless: true}
	}
	if !x.Repeatable {
		return ruling{Step: stepSettle, Verdict: InDoubt}
	}
	return ruling{Step: again(x), Verdict: Failed}
}

// again returns stepRetry, unless the caller has left.
func again(x facts) step {
	if x.Cancelled {
		return stepSettle
	}
	return stepRetry
}

// timing decides how long to wait before the next exchange: as long as the backoff says, or as long as the service
// asked for (up to retryAfterCap) if that is longer. ok is false if the wait would end after the record's time limit.
func timing(backoff, retryAfter, retryAfterCap, left time.Duration) (wait time.Duration, ok bool) {
	wait = max(backoff, min(retryAfter, retryAfterCap))
	return wait, wait <= left
}
