package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.uber.org/zap"
)

// request is a request for one of the operations while the sandbox handles it.
type request struct {
	operation operation
	pathID    *string // from a path with {id}
	body      []byte
	bodyFault error
	user      string // id of the authenticated user, empty without cookie
	reasons   reasons

	behaviour *behaviour
	fate      fate
	entry     Request
}

// work is what a valid request does, in one transaction with its line of the log.
type work func(tx) (*answer, error)

// bodyLimit is the maximum size of a request body in bytes.
const bodyLimit = 8 << 20

// handle handles the requests of one operation. See the package comment for the life of a request.
func (s *Server) handle(op operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := s.receive(op, w, r)
		do, a := s.judge(q, w.Header(), r)
		s.settle(r.Context(), w, q, do, a)
	}
}

// receive reads the whole body, so that a fault strikes a request that was sent completely.
func (s *Server) receive(op operation, w http.ResponseWriter, r *http.Request) *request {
	q := &request{operation: op, behaviour: s.behaviour.Load()}
	q.entry = Request{Seq: s.seq.Add(1), At: s.now(), Operation: op.name}
	q.fate = q.behaviour.faults.fate(q.entry.Seq)
	q.entry.Fault = string(q.fate.fault)
	if id := r.PathValue("id"); strings.Contains(r.Pattern, "{id}") {
		q.pathID = &id
	}
	q.body, q.bodyFault = io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	return q
}

// judge decides what to do for a request, or else how to answer it.
func (s *Server) judge(q *request, h http.Header, r *http.Request) (work, *answer) {
	visitor, refused := s.enter(q, h, r, 1, !q.operation.noCookie)
	if refused != nil {
		return nil, refused
	}
	q.user, q.entry.session = visitor.user, visitor.session
	if text := q.behaviour.faults.Forbid; text != "" && bytes.Contains(q.body, []byte(text)) {
		return nil, refusal(http.StatusForbidden, "", "no permission for this client")
	}
	do := s.understand(q, r)
	switch {
	case len(q.reasons.list) > 0:
		return nil, invalid(q.reasons.list)
	case q.fate.fault == refuse && q.operation.name == UpdateTrademark:
		return nil, &answer{status: http.StatusOK, body: trademarkAnswer{ID: q.entry.Key, Message: "the update was refused"}}
	}
	return do, nil
}

// enter applies the faults that strike a request before it is looked at, unless it is spared (uses is 0), and checks
// key and cookie. The refusal is nil if the request goes on.
func (s *Server) enter(q *request, h http.Header, r *http.Request, uses uint, cookieNeeded bool) (v visitor, refused *answer) {
	if uses > 0 {
		if refused = s.overRate(q, h); refused == nil {
			refused = s.before(r.Context(), q, h)
		}
	}
	if refused == nil {
		v, refused = s.authenticator.admit(r.Header, cookieNeeded)
	}
	if refused == nil {
		refused = s.authenticator.spend(v, uses, q.behaviour.faults.CookieAfter)
	}
	return v, refused
}

// overRate refuses a request that comes too soon after others. No other fault then strikes it.
func (s *Server) overRate(q *request, h http.Header) *answer {
	if q.behaviour.limiter == nil || q.behaviour.limiter.AllowN(s.options.Now(), 1) {
		return nil
	}
	q.fate, q.entry.Fault = fate{}, string(rateExceeded)
	q.behaviour.faults.RateRetryAfter.setHeader(h, s.options.Now())
	return refusal(http.StatusTooManyRequests, "", "too many requests")
}

// before applies the faults that strike before acting. A nil answer lets the request go on.
func (s *Server) before(ctx context.Context, q *request, h http.Header) *answer {
	if q.behaviour.workers != nil {
		select {
		case q.behaviour.workers <- struct{}{}:
			s.wait(ctx, q.behaviour.faults.WorkTime, nil)
			<-q.behaviour.workers
		case <-s.closed:
		case <-serving(ctx):
		}
	}
	s.wait(ctx, q.fate.slow, nil)
	switch q.fate.fault {
	case dropBefore:
		return &answer{}
	case failBefore:
		return refusal(http.StatusInternalServerError, "", "an internal error occurred")
	case busyBefore:
		q.behaviour.faults.BusyRetryAfter.setHeader(h, s.options.Now())
		return refusal(http.StatusServiceUnavailable, "", "the service is not available")
	}
	return nil
}

// understand checks everything about a request that can be checked without the data, and reads its payload.
func (s *Server) understand(q *request, r *http.Request) work {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		q.reasons.add("Content-Type", "must be application/json, not %s", quoted(r.Header.Get("Content-Type")))
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" {
		q.reasons.add("Content-Encoding", "is %s; bodies are not encoded", quoted(encoding))
	}
	if r.URL.RawQuery != "" {
		q.reasons.add("", "no query parameters are defined for this operation")
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(q.bodyFault, &tooLarge) {
		q.reasons.add("", "the body has more than %d bytes", tooLarge.Limit)
	} else if q.bodyFault != nil {
		q.reasons.add("", "the body could not be read: %v", q.bodyFault)
	} else if f, ok := q.open(s); ok {
		do := q.operation.read(s, q, f)
		f.done()
		return do
	}
	return nil
}

// open reads the body as one object.
func (q *request) open(s *Server) (*fields, bool) {
	v, err := parseTree(q.body)
	if err != nil {
		q.reasons.add("", "%v", err)
		return nil, false
	}
	return q.reasons.object("", v, s.index)
}

// target takes the id of the record to update. If the path contains an id too, it must be the same.
func (q *request) target(f *fields) string {
	id := f.guid("id", required)
	if q.pathID != nil && id != "" && !strings.EqualFold(*q.pathID, id) {
		f.fault("id", "is %s, but the path names %s", id, quoted(*q.pathID))
	}
	q.entry.Key = id
	return id
}

// kept returns the part of a name that is stored.
func (q *request) kept(name string) string {
	if letters := []rune(name); q.fate.fault == alter {
		return string(letters[:len(letters)/2])
	}
	return name
}

// settle stores a request together with what it does, if anything, and then answers.
func (s *Server) settle(ctx context.Context, w http.ResponseWriter, q *request, do work, a *answer) {
	err := s.store.update(func(t tx) (err error) {
		if do != nil {
			if a, err = do(t); err != nil {
				return err
			}
		}
		q.entry.Acted, q.entry.Status, q.entry.Target, q.entry.Message = a.acted, a.status, a.target, a.message()
		return t.insertRequest(q.entry)
	})
	if err != nil {
		s.options.Log.Error("sandbox cannot write", zap.Int64("request", q.entry.Seq), zap.Error(err))
		refusal(http.StatusInternalServerError, "", "the sandbox cannot write its data: %v", err).write(w)
		return
	}
	if q.entry.Fault != "" {
		s.options.Log.Debug("fault", zap.Int64("request", q.entry.Seq), zap.String("operation", string(q.operation.name)), zap.String("fault", q.entry.Fault))
	}
	s.wait(ctx, q.fate.slowAfter, ctx.Done())
	a.spoil(w, q.fate)
}
