package apiclient

import (
	"net/http"
	"time"

	"docketsync/apiclient/payload"
)

// Signal is what a request tells about the service's pace.
type Signal struct {
	Kind       SignalKind
	Operation  payload.Operation
	Latency    time.Duration // of the request alone
	RetryAfter time.Duration // as the service asked, already capped; 0 for none
	Trouble    string        // what went wrong, in words; "" when served
}

// SignalKind is what became of a request, as far as pacing cares.
type SignalKind uint8

// The kinds of signal.
const (
	Neutral    SignalKind = iota // says nothing: cancelled, turned away for its cookie
	Served                       // the service did its work, be the answer yes or no
	TooMany                      // 429: the service is well and wants less
	Overloaded                   // 503: the service has too much at once, or is going down
	Troubled                     // no connection, no answer, 500
)

// signalOf is what an exchange tells.
func signalOf(r report, ruling Ruling, retryAfterCap time.Duration) Signal {
	s := Signal{Operation: r.Operation, Latency: r.duration, RetryAfter: min(r.retryAfter, retryAfterCap)}
	if ruling.Verdict != Accepted && ruling.Verdict != Refused {
		s.Trouble = r.transientFault().Message
	}
	switch {
	case r.Cancelled, ruling.Verdict == Stopped, ruling.Verdict == Aside:
	case r.Status == http.StatusTooManyRequests:
		s.Kind = TooMany
	case r.Status == http.StatusServiceUnavailable:
		s.Kind = Overloaded
	case ruling.Verdict == Accepted, ruling.Verdict == Refused:
		s.Kind = Served
	default:
		s.Kind = Troubled
	}
	return s
}
