package apiclient

import (
	"errors"
	"net/http"
	"time"

	"docketsync/apiclient/pace"
)

// feedbackOf is what an exchange tells.
func feedbackOf(r report, ruling ruling, retryAfterCap time.Duration) pace.Feedback {
	s := pace.Feedback{Operation: string(r.Operation), Latency: r.duration, RetryAfter: min(r.retryAfter, retryAfterCap)}
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

// paceError is why no turn was to be had.
func paceError(err error) *Error {
	if down, ok := errors.AsType[*pace.DownError](err); ok {
		return &Error{Code: CodeServiceDown, Message: down.Error(), Hint: "run again when the service is available; unsent records are held"}
	}
	return &Error{Code: CodeCancelled, Message: "the call was cancelled", cause: err}
}
