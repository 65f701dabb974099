package sandbox

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"
)

// request is one request to one of the four operations, on its way through the sandbox.
type request struct {
	operation Operation
	pathID    *string // of a path with {id}
	body      []byte
	bodyFault error
	user      string // id of the authenticated user, empty without cookie
	key       string // number, name or id, for the log
	reasons   reasons

	control *control
	fate    fate
	entry   Request
}

// reader turns the payload of an operation into what is to be done.
type reader func(*Server, *request) work

// operation handles the requests of one operation. See the package comment for the life of a request.
func (s *Server) operation(op Operation, read reader) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := s.receive(op, w, r)
		do, a := s.judge(q, w.Header(), r, read)
		s.settle(r.Context(), w, q, do, a)
	}
}

// receive reads the whole body, so that a fault strikes a request that was sent completely.
func (s *Server) receive(op Operation, w http.ResponseWriter, r *http.Request) *request {
	q := &request{operation: op, control: s.control.Load()}
	q.entry = Request{Seq: s.seq.Add(1), At: s.now(), Operation: op}
	q.fate = q.control.faults.fate(q.entry.Seq)
	q.entry.Fault = string(q.fate.fault)
	if id := r.PathValue("id"); strings.Contains(r.Pattern, "{id}") {
		q.pathID = &id
	}
	q.body, q.bodyFault = io.ReadAll(http.MaxBytesReader(w, r.Body, s.options.BodyLimit))
	return q
}

// kept is as much of a name as is stored.
func (q *request) kept(name string) string {
	if letters := []rune(name); q.fate.fault == alter {
		return string(letters[:len(letters)/2])
	}
	return name
}

// judge says what is to be done for a request, or else what it is answered.
func (s *Server) judge(q *request, h http.Header, r *http.Request, read reader) (work, answer) {
	if s.overRate(q.control, h) {
		q.fate, q.entry.Fault = noFate, string(rateExceeded)
		return nil, refusal(http.StatusTooManyRequests, "", "too many requests")
	}
	if a := s.before(r.Context(), q, h); a != nil {
		return nil, *a
	}
	visitor, refused := s.gate.admit(r.Header, q.operation != CreateFolder || s.options.FolderNeedsCookie)
	if refused == nil {
		refused = s.gate.spend(visitor, 1, q.control.faults.CookieAfter)
	}
	if refused != nil {
		return nil, *refused
	}
	q.user, q.entry.session = visitor.user, visitor.session
	if text := q.control.faults.Forbid; text != "" && bytes.Contains(q.body, []byte(text)) {
		return nil, refusal(http.StatusForbidden, "", "no permission for this client")
	}
	do := s.understand(q, r, read)
	q.entry.Key = q.key
	switch {
	case do == nil && q.operation == UpdateTrademark:
		return nil, s.invalidTrademark(q.key, q.reasons.list)
	case do == nil:
		return nil, invalid(q.reasons.list)
	case q.fate.fault == refuse && q.operation == UpdateTrademark:
		return nil, answer{status: http.StatusOK, body: trademarkAnswer{ID: q.key, Message: "the update was refused"}}
	}
	return do, answer{}
}

// overRate tells whether a request comes too soon after others.
func (s *Server) overRate(c *control, h http.Header) bool {
	if c.limiter == nil || c.limiter.AllowN(s.options.Now(), 1) {
		return false
	}
	c.faults.RateRetryAfter.set(h, s.options.Now())
	return true
}

// before plays the faults that strike before acting. A nil answer lets the request go on.
func (s *Server) before(ctx context.Context, q *request, h http.Header) *answer {
	s.labour(ctx, q.control)
	s.wait(ctx, q.fate.slow)
	switch q.fate.fault {
	case dropBefore:
		return &answer{}
	case failBefore:
		a := refusal(http.StatusInternalServerError, "", "an internal error occurred")
		return &a
	case busyBefore:
		q.control.faults.BusyRetryAfter.set(h, s.options.Now())
		a := refusal(http.StatusServiceUnavailable, "", "the service is not available")
		return &a
	}
	return nil
}

// settle makes a request durable, with what it does if anything, and then answers.
func (s *Server) settle(ctx context.Context, w http.ResponseWriter, q *request, do work, a answer) {
	q.entry.Status, q.entry.Message = a.status, a.message()
	j := &job{entry: q.entry, work: do, done: make(chan error, 1)}
	if err := s.store.run(context.WithoutCancel(ctx), j); err != nil {
		s.options.Log.Error("sandbox cannot write", zap.Int64("request", q.entry.Seq), zap.Error(err))
		refusal(http.StatusInternalServerError, "", "the sandbox cannot write its data: %v", err).write(w)
		return
	}
	if do != nil {
		a = j.answer
	}
	if q.entry.Fault != "" {
		s.options.Log.Debug("fault", zap.Int64("request", q.entry.Seq), zap.String("operation", string(q.operation)), zap.String("fault", q.entry.Fault))
	}
	s.linger(ctx, q.fate.slowAfter)
	a.spoil(w, q.fate)
}

// linger passes time before an answer, less when nobody waits for it any more.
func (s *Server) linger(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.closed:
	case <-serving(ctx):
	}
}
