package apiclient

import (
	"cmp"
	"context"
	"errors"

	"docketsync/apiclient/pace"
)

// Code is a stable word for what kept a record from being accepted. Reports group errors by it, and a run learns from
// it why it must stop.
type Code string

// The codes. Those of the first group come with the verdict Stopped: the next record would end the same way.
const (
	CodeNoPath      Code = "no_path"      // the configuration has no path for the operation
	CodeSignIn      Code = "sign_in"      // the service rejected the key or cookie, and signing in again did not help
	CodeRedirect    Code = "redirect"     // the service answered with a redirect, which is not followed
	CodeServiceDown Code = "service_down" // the breaker gave up after its last probe
	CodeCertificate Code = "certificate"  // the service does not prove its identity, or no TLS can be agreed on; nothing was written

	CodePayload     Code = "payload"     // the payload cannot be sent as it is
	CodeRefused     Code = "refused"     // the service refused the record
	CodeUnreachable Code = "unreachable" // no connection; nothing was written
	CodeInterrupted Code = "interrupted" // the connection broke after the request was written
	CodeTimeout     Code = "timeout"     // no complete answer in time
	CodeAnswer      Code = "answer"      // the answer is not what the interface promises
	CodeStatus      Code = "status"      // the service reported a problem of its own: 408, 425, 429, 5xx
	CodeCancelled   Code = "cancelled"   // the caller's context ended, or the client was drained
)

// Error says what happened, where, and in Hint what to do next. It contains no secret.
type Error struct {
	Code    Code
	Message string
	Hint    string
	// cause is context.Canceled or context.DeadlineExceeded if the caller's context ended. It is nothing else, because
	// the transport's errors quote what the service sent.
	cause error
}

// Error returns the message and the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Unwrap returns the error of the caller's context, if that is what ended the call.
func (e *Error) Unwrap() error { return e.cause }

func cancelled(ctx context.Context) *Error {
	return &Error{Code: CodeCancelled, Message: "the call was cancelled", cause: cmp.Or(ctx.Err(), context.Canceled)} // or the client was drained
}

// paceError explains why the pacer gave no turn.
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
