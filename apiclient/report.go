package apiclient

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"docketsync/apiclient/pace"
)

// How much of an answer an attempt keeps, in characters.
const (
	excerptLimit         = 1000
	excerptLimitAccepted = 200
)

// report is everything that one exchange brought: the facts to judge, and the words to keep.
type report struct {
	facts
	answer
	started    time.Time
	duration   time.Duration
	retryAfter time.Duration
	raw        []byte // the body as received, up to the limit
	excerpt    string // the body without secrets
	trouble    *Error // nil if the complete answer was read
}

// fault returns what is wrong after an exchange, or nil if the payload was accepted.
func (r report) fault(ruling ruling) *Error {
	if ruling.Verdict == Accepted {
		return nil
	}
	answered, said := r.said()
	switch {
	case ruling.Verdict == Refused:
		return &Error{Code: CodeRefused, Message: said}
	case ruling.Verdict == InDoubt:
		err := r.transientFault()
		err.Hint = "the service may have acted on it: check in the service before it is sent again"
		return err
	case r.Status >= 300 && r.Status <= 399:
		return &Error{Code: CodeRedirect, Message: answered + ", a redirect, which is not followed because it would disclose the key and the cookie",
			Hint: "check the base URL, the paths, and whether the cookie has expired"}
	case r.Row >= rowOfForbidden:
		return &Error{Code: CodeSignIn, Message: fmt.Sprintf("%s; %d records in a row were refused like this", said, r.Row),
			Hint: "check the subscription key, the cookie and the user's permissions"}
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		return &Error{Code: CodeSignIn, Message: said, Hint: "check the subscription key, the cookie and the user's permissions"}
	}
	return r.transientFault()
}

// said returns how the service answered, and the same with its words.
func (r report) said() (answered, said string) {
	answered = strings.TrimSpace(fmt.Sprintf("the service answered %d %s", r.Status, http.StatusText(r.Status)))
	if r.message == "" {
		return answered, answered
	}
	return answered, answered + ": " + shorten(r.message, reasonLimit)
}

func (r report) transientFault() *Error {
	answered, said := r.said()
	switch {
	case r.trouble != nil:
		fault := *r.trouble
		return &fault
	case r.Status >= 200 && r.Status <= 299 && r.Grade != saidNo && r.Grade != saidError:
		return &Error{Code: CodeAnswer, Message: answered + ", but " + r.message}
	}
	return &Error{Code: CodeStatus, Message: said}
}

// feedbackOf returns what an exchange shows about the pace.
func feedbackOf(r report, ruling ruling, retryAfterCap time.Duration) pace.Feedback {
	s := pace.Feedback{Operation: string(r.Operation), Latency: r.duration, RetryAfter: min(r.retryAfter, retryAfterCap), Again: ruling.Step == stepRetry && r.Status == http.StatusInternalServerError}
	if ruling.Verdict != Accepted && ruling.Verdict != Refused {
		s.Trouble = r.transientFault().Message
	}
	switch {
	case r.Cancelled, ruling.Verdict == Stopped, ruling.Verdict == Aside:
	case r.Status == http.StatusTooManyRequests:
		s.Kind = pace.TooMany
	case r.Status == http.StatusServiceUnavailable:
		s.Kind = pace.Overloaded
	case ruling.Verdict == Accepted, ruling.Verdict == Refused:
		s.Kind = pace.Served
	default:
		s.Kind = pace.Troubled
	}
	return s
}
