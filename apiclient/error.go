package apiclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"docketsync/apiclient/pace"
)

// Code is a stable word for what kept a record from being accepted; it groups errors in reports and tells a run why it
// must stop.
type Code string

// The codes. The first group comes with the verdict Stopped: the next record would end the same way.
const (
	CodeNoPath      Code = "no_path"      // the operation has no path in the configuration
	CodeSignIn      Code = "sign_in"      // the service rejected the key or cookie, and signing in again did not help
	CodeRedirect    Code = "redirect"     // the service answers with a redirect, which is not followed
	CodeServiceDown Code = "service_down" // the breaker gave up after its last probe
	CodeCertificate Code = "certificate"  // the service does not prove who it is, or no TLS can be agreed on; nothing was written

	CodePayload     Code = "payload"     // the payload cannot be sent as it is
	CodeRefused     Code = "refused"     // the service said no
	CodeUnreachable Code = "unreachable" // no connection; nothing was written
	CodeInterrupted Code = "interrupted" // the connection broke after the request was written
	CodeTimeout     Code = "timeout"     // no whole answer in time
	CodeAnswer      Code = "answer"      // the answer is not what the interface promises
	CodeStatus      Code = "status"      // the service reported trouble of its own: 408, 425, 429, 5xx
	CodeCancelled   Code = "cancelled"   // the caller's context ended, or the client was drained
)

// Error says what happened, where, and in Hint what to do next. It holds no secret.
type Error struct {
	Code    Code
	Message string
	Hint    string
	// cause is context.Canceled or context.DeadlineExceeded where the caller's context ended; nothing else, since the
	// errors of the transport quote what the service sent.
	cause error
}

// Error is the message and the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Unwrap is the error of the caller's context, if that is what ended the call.
func (e *Error) Unwrap() error { return e.cause }

func cancelled(ctx context.Context) *Error {
	cause := ctx.Err()
	if cause == nil {
		cause = context.Canceled // the client was drained
	}
	return &Error{Code: CodeCancelled, Message: "the call was cancelled", cause: cause}
}

// fault is what is wrong after an exchange, nil when the payload was accepted.
func (c *Client) fault(r report, ruling ruling) *Error {
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

// said is how the service answered, and the same with its words.
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
	case r.Status >= 200 && r.Status <= 299:
		return &Error{Code: CodeAnswer, Message: answered + ", but " + r.message}
	}
	return &Error{Code: CodeStatus, Message: said}
}

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
		hint := "run again when the service is available; unsent records are held"
		if down.Apart {
			hint = "each process that sends needs one connection more than its ledger (max_connections, or the limit of its role); run again when it is available"
		}
		return &Error{Code: CodeServiceDown, Message: down.Error(), Hint: hint}
	}
	return &Error{Code: CodeCancelled, Message: "the call was cancelled", cause: err}
}
