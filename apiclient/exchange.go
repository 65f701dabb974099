package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"docketsync/apiclient/payload"
)

// exchange sends one request and reads its answer. It returns within Options.Timeout.
func (c *Client) exchange(ctx context.Context, d *delivery, with pass) report {
	r := report{started: time.Now(), facts: facts{Operation: d.operation, Repeatable: d.repeatable}}
	var w writing
	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	traced := httptrace.WithClientTrace(limited, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { w.gotConn(got.Conn) }})
	request, err := c.request(traced, method(d.operation), d.address, d.body, with)
	if err == nil {
		var response *http.Response
		if response, err = c.transport.RoundTrip(request); err == nil {
			c.read(&r, response)
			r.Written = true
			if r.Grade == promised && d.elsewhere(r.members) {
				r.answer, r.Grade = answer{message: "the answer is about another record, which was sent before"}, unreadable
				if w.conn != nil {
					_ = w.conn.Close() // the next answer on it would be the one to this request
				}
			}
		}
	}
	if err != nil {
		r.Written = w.anything()
		if r.trouble = mistrust(err, c.secrets); r.trouble == nil || w.taken {
			r.trouble = c.explain(ctx, limited, err, r.Written)
		}
		if r.trouble.Code == CodeUnreachable {
			c.blameProxy(r.trouble, request)
		}
	}
	r.Untrusted = r.trouble != nil && r.trouble.Code == CodeCertificate
	r.Cancelled = r.trouble != nil && ctx.Err() != nil
	r.duration = time.Since(r.started)
	return r
}

// read reads status and body of the answer.
func (c *Client) read(r *report, response *http.Response) {
	defer func() { _ = response.Body.Close() }()
	limit := c.options.AnswerLimit
	raw, err := readUpTo(response, limit+1)
	whole := err == nil && int64(len(raw)) <= limit
	raw = raw[:min(int64(len(raw)), limit)]
	// interface.md shows no body for a new folder, and a folder with many files has a long one. Whatever exceeds the
	// limit there does not count as cut off.
	enough := whole || err == nil && r.Operation.About().Answer == payload.PromiseNothing
	r.Status = response.StatusCode
	r.retryAfter, r.RetryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
	r.raw, r.answer = raw, readAnswer(r.Operation, r.Status, response.Header, raw, enough, c.options.AnyUpdateAnswer)
	r.Grade = r.grade
	c.cleanWords(&r.answer, whole)
	r.excerpt = c.clean(string(raw), whole)
	switch {
	case err != nil:
		r.trouble = &Error{Code: CodeAnswer, Message: fmt.Sprintf("the answer (status %d) was cut short after %d bytes: %s", r.Status, len(raw), c.secrets.clean(reason(err)))}
	case !whole:
		r.trouble = &Error{Code: CodeAnswer, Message: fmt.Sprintf("the answer (status %d) is larger than %d bytes", r.Status, limit), Hint: "increase answer_limit if such answers are expected"}
	}
}

// readUpTo reads a body up to a limit. It reads nothing if there is no body: a read from the connection that a 101
// hands over would ignore the time limit.
func readUpTo(response *http.Response, limit int64) ([]byte, error) {
	if n := response.ContentLength; n >= 0 && n < limit {
		raw := make([]byte, n)
		got, err := io.ReadFull(response.Body, raw)
		return raw[:got], err
	}
	return io.ReadAll(io.LimitReader(response.Body, limit))
}

func (c *Client) clean(text string, whole bool) string {
	if whole {
		return c.secrets.clean(text)
	}
	return c.secrets.cleanCut(text)
}

// cleanWords removes secrets from an answer. Later payloads contain the ids, so an id is kept exactly as the service
// gave it, or dropped if it contains a secret.
func (c *Client) cleanWords(a *answer, whole bool) {
	a.message, a.reasons = tidy(a.message, a.reasons, func(text string) string { return c.clean(text, whole) })
	if c.secrets.in(a.id) {
		a.id, a.message = "", "the id in the answer contains a sign-in secret, so it is not stored"
	}
	a.files = slices.DeleteFunc(a.files, func(f fileID) bool { return c.secrets.in(f.ID) || c.secrets.in(f.Number) })
	for i := range a.files {
		a.files[i].Name = c.secrets.clean(a.files[i].Name)
	}
}

// explain describes an error of the transport.
func (c *Client) explain(ctx, limited context.Context, err error, written bool) *Error {
	text := c.secrets.clean(reason(err))
	switch {
	case ctx.Err() != nil && written:
		return &Error{Code: CodeInterrupted, Message: "the call was cancelled after the request was sent", cause: ctx.Err()}
	case ctx.Err() != nil:
		return cancelled(ctx)
	case limited.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded):
		after := "before anything was sent"
		if written {
			after = "after the request was sent"
		}
		return &Error{Code: CodeTimeout, Message: fmt.Sprintf("no answer within %v, %s", c.options.Timeout, after)}
	case written:
		return &Error{Code: CodeInterrupted, Message: "the connection was lost after the request was sent: " + text}
	}
	return &Error{Code: CodeUnreachable, Message: "the service cannot be reached, nothing was sent: " + text}
}

const proxyHint = "ask the firm's IT whether the proxy lets docketsync through, and whether it needs a user and password"

// blameProxy names the proxy in between, without its password, if there is one: what cannot be reached may be the proxy,
// or the proxy may let nothing through.
func (c *Client) blameProxy(e *Error, request *http.Request) {
	if c.transport.Proxy == nil || request == nil {
		return
	}
	if proxy, _ := c.transport.Proxy(request); proxy != nil {
		e.Message = strings.Replace(e.Message, "reached,", "reached through the proxy "+c.secrets.clean(hostPort(proxy))+" ("+payload.ProxyVariable+"),", 1) + "; " + proxyHint // how often it was tried replaces a hint
	}
}

// reason describes an error in familiar words if it knows any.
func reason(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "the name " + dns.Name + " cannot be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection was closed"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return shorten(strings.TrimPrefix(err.Error(), "net/http: "), reasonLimit)
}

// retryAfter reads a Retry-After header (RFC 9110 part 10.2.3): seconds, or a date. A past date means no wait. ok is
// false if the header is missing or unreadable.
func retryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	if value = strings.TrimSpace(value); value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) { // longer than any cap
		return time.Duration(min(seconds, math.MaxInt64/uint64(time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(value)
	return max(at.Sub(now), 0), err == nil
}
