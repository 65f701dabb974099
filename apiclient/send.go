package apiclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"
	"go.uber.org/zap"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
)

// renewalsLimit is how often one record may be delayed by a cookie that had worked and then expired.
const renewalsLimit = 5

type permission struct{}

// Permitted returns a context with which may is called right before each request. If may returns an error, sending ends
// as it would if the context ended.
func Permitted(ctx context.Context, may func(context.Context) error) context.Context {
	return context.WithValue(ctx, permission{}, may)
}

// delivery is the sending of one payload.
type delivery struct {
	client     *Client
	operation  payload.Operation
	repeatable bool
	id         string // the record to update
	record     string // see record
	body       []byte
	address    string
	cookie     bool // the requests carry the cookie
	aside      bool // the record was set aside before

	delays   *backoff.ExponentialBackOff
	began    time.Time // start of the first request
	harmless bool      // no request so far can have had an effect
	renewals int
	turned   bool // it was turned away with 403
	result   Result
	answer   []byte // the whole last answer, only for opList
}

// Send sends one payload and returns when its fate is known or cannot be known. The bytes of the body are sent as they
// are. repeatable says that sending it twice does no harm; see payload.Creation. If ctx ends while the payload waits
// (for its turn, a retry or a sign-in), nothing more is sent: the verdict is NotSent if no earlier request can have had
// an effect, otherwise Failed. If ctx ends while a request is under way, that request is aborted and judged like any
// other.
//
// A record that is set aside (Aside) was not acted on. Send it again with SendLast when all others of the run have been
// sent.
func (c *Client) Send(ctx context.Context, p payload.Payload, repeatable bool) Result {
	return c.send(ctx, p, repeatable, false)
}

// SendLast is Send for a record that was set aside, when all others have had their turn. It is set aside again only if
// no record was heard since the last of these was turned away, so that the sign-in may be the cause. If any record then
// gets in, send the rest with SendLast once more; if none does, the sign-in is the cause.
func (c *Client) SendLast(ctx context.Context, p payload.Payload, repeatable bool) Result {
	return c.send(ctx, p, repeatable, true)
}

func (c *Client) send(ctx context.Context, p payload.Payload, repeatable, last bool) Result {
	op := p.Operation
	if err := c.ready(op); err != nil {
		return Result{Verdict: Stopped, Message: err.Error(), Err: err}
	}
	if !op.Creates() && p.ID == "" { // {id} in a path would address all records
		err := &Error{Code: CodePayload, Message: "the update names no record"}
		return Result{Verdict: Refused, Message: err.Message, Reasons: []string{err.Message}, Err: err}
	}
	d := &delivery{client: c, operation: op, repeatable: repeatable || c.options.Retry.CreatesAlways, body: p.Body,
		id: p.ID, address: c.address(p), harmless: true, aside: last}
	d.cookie = !op.About().NoCookie || c.options.FolderCookie && c.session.possible()
	c.records.Add(1)
	var members jsontext.Object // an update is known by its id
	if op.Creates() {
		members, _ = jsontext.SplitObject(p.Body)
	}
	d.record = record(op, p.ID, members)
	c.lately.add(d.record)
	d.deliver(ctx)
	c.finish(&d.result)
	return d.result
}

// deliver makes requests until there is a result.
func (d *delivery) deliver(ctx context.Context) {
	waits := d.client.drained
	if ctx.Done() != nil { // ctx may end as well
		both, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(waits, cancel)()
		if waits.Err() != nil { // AfterFunc cancels asynchronously
			cancel()
		}
		waits = both
	}
	for d.step(ctx, waits) {
	}
}

func (c *Client) finish(r *Result) {
	if r.Verdict == InDoubt || r.Doubt {
		c.inDoubt.Add(1)
	}
	if r.Message == "" && r.Err != nil {
		r.Message = r.Err.Error()
	}
}

// step makes one request, from waiting for its turn to the ruling on it, and reports whether another one must follow.
func (d *delivery) step(ctx, waits context.Context) (more bool) {
	c := d.client
	turns, cancel := waits, func() {}
	if d.result.Status == http.StatusInternalServerError { // perhaps this record causes it: it must not hold up the others beyond its own time
		turns, cancel = context.WithDeadline(waits, d.began.Add(c.options.Retry.Total))
	}
	turn, err := c.pacer.Acquire(turns)
	cancel()
	if err != nil && errors.Is(turns.Err(), context.DeadlineExceeded) && waits.Err() == nil {
		d.outlasted()
		d.last().Verdict = string(d.result.Verdict)
		return false
	}
	if err != nil {
		return d.giveUp(paceError(err))
	}
	var with pass
	if d.cookie {
		var err *Error
		if with, err = c.session.current(waits); err != nil {
			turn.Release(pace.Feedback{})
			return d.giveUp(err)
		}
	}
	if may, asked := ctx.Value(permission{}).(func(context.Context) error); asked {
		if err := may(waits); err != nil {
			turn.Release(pace.Feedback{})
			return d.giveUp(&Error{Code: CodeCancelled, Message: "the request was not made", cause: err})
		}
	}
	d.count()
	r := c.exchange(ctx, d, with)
	if d.operation == opList {
		d.answer = r.raw
	}
	d.note(&r.facts, with)
	ruling := judge(r.facts)
	turn.Release(feedbackOf(r, ruling, c.options.Retry.RetryAfterCap))
	switch {
	case !d.cookie:
	case r.signIn:
		c.session.outlived(with.generation)
	case r.Status != 0 && r.Status != http.StatusUnauthorized && r.Status != http.StatusForbidden:
		c.session.prove(with.generation)
	}
	if r.heard(ruling.Verdict) {
		c.session.hear(with.generation, r.started)
	}
	return d.follow(waits, r, ruling, with)
}

// count counts the requests.
func (d *delivery) count() {
	d.client.requests.Add(1)
	if len(d.result.Attempts) > 0 {
		d.client.extra.Add(1)
		return
	}
	d.began = time.Now()
}

// note adds what is known of the sign-in to an exchange that was turned away. A record may renew the sign-in once, and
// again if the cookie had worked for others meanwhile, so that it expired once more. A request without a cookie has
// nothing to renew.
func (d *delivery) note(x *facts, with pass) {
	x.Last = d.aside
	renewable, again := true, false
	switch {
	case x.Status == http.StatusForbidden && x.Operation != opList:
		renewable = d.client.session.forbid(x, with.generation, !d.turned && !d.aside)
		d.turned = true
	case x.Status == http.StatusUnauthorized:
		again = d.client.session.worked(with.generation)
	}
	x.Renewed = !d.cookie || !renewable || d.renewals > 0 && !(again && d.renewals < renewalsLimit)
}

// follow records the attempt and carries out the ruling.
func (d *delivery) follow(waits context.Context, r report, ruling ruling, with pass) (more bool) {
	d.harmless = d.harmless && ruling.Harmless
	if r.Cancelled && (ruling.Verdict == Failed || ruling.Verdict == NotSent) {
		ruling.Verdict = d.unfinished()
	}
	d.settle(r, ruling)
	switch ruling.Step {
	case stepRetry:
		if !d.wait(waits, r) {
			d.last().Verdict = string(d.result.Verdict)
			return false
		}
		return true
	case stepRenew:
		d.renewals++
		d.client.session.renew(with.generation)
		return true
	}
	if ruling.Verdict == Stopped && (r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden) {
		if err, ok := d.result.Err.(*Error); ok && d.cookie {
			d.client.session.lose(err)
		}
	}
	return false
}

func (d *delivery) last() *Attempt { return &d.result.Attempts[len(d.result.Attempts)-1] }

// settle writes the exchange into the result as if it were the last.
func (d *delivery) settle(r report, ruling ruling) {
	verdict := string(ruling.Verdict)
	if ruling.Step != stepSettle {
		verdict = string(ruling.Step)
	}
	err := r.fault(ruling)
	attempt := Attempt{Number: len(d.result.Attempts) + 1, Started: r.started, Duration: r.duration, Status: r.Status, Verdict: verdict}
	limit := excerptLimit
	if ruling.Verdict == Accepted {
		limit = excerptLimitAccepted
	}
	attempt.Answer = shorten(r.excerpt, limit)
	result := Result{Verdict: ruling.Verdict, Status: r.Status, Message: r.message, Reasons: r.reasons, Doubt: ruling.Doubt}
	if err != nil {
		result.Err = err
		if ruling.Verdict != Refused {
			attempt.Error = err.Message
		}
		if ruling.Verdict != Refused && ruling.Verdict != Aside {
			result.Message = err.Error()
		}
	}
	if ruling.Verdict == Accepted {
		result.ID, result.Files = r.id, r.files
		if d.operation != opList {
			result.ReadBack = readBack(d.operation, d.id, d.body, r.members, d.client.options.NotReadBack).keep(d.client.secrets.clean)
		}
	}
	result.Attempts = append(d.result.Attempts, attempt)
	d.result = result
	if d.client.log.Core().Enabled(zap.DebugLevel) {
		d.client.log.Debug("request", zap.String("operation", string(d.operation)), zap.Int("attempt", attempt.Number),
			zap.Int("status", r.Status), zap.Duration("duration", r.duration), zap.String("verdict", verdict), zap.String("error", attempt.Error))
	}
}

// wait waits before the next request. It returns false, with the result settled, if there can be no other.
func (d *delivery) wait(waits context.Context, r report) bool {
	o := d.client.options.Retry
	left := o.Total - time.Since(d.began)
	if d.delays == nil {
		d.delays = d.client.delays()
	}
	wait, ok := timing(d.delays.NextBackOff(), r.retryAfter, o.RetryAfterCap, left)
	if !ok {
		d.outlasted()
		return false
	}
	if pause(waits, wait) != nil {
		d.giveUp(cancelled(waits))
		return false
	}
	return true
}

// outlasted says in the result that the trouble lasted longer than the retries.
func (d *delivery) outlasted() {
	if err, ok := d.result.Err.(*Error); ok {
		requests := "1 request"
		if n := len(d.result.Attempts); n > 1 {
			requests = fmt.Sprint(n, " requests")
		}
		err.Hint = fmt.Sprintf("gave up after %s in %v", requests, time.Since(d.began).Round(time.Millisecond))
		d.result.Message = err.Error()
	}
}

// unfinished returns the verdict on a record whose sending the caller ended between requests.
func (d *delivery) unfinished() Verdict {
	if d.harmless {
		return NotSent
	}
	return Failed
}

// giveUp settles a record for which no more requests can be made, for the given reason.
func (d *delivery) giveUp(err *Error) bool {
	verdict := Stopped
	if err.Code == CodeCancelled {
		verdict = d.unfinished()
	}
	if len(d.result.Attempts) > 0 {
		d.last().Verdict = string(verdict)
	}
	d.result.Verdict, d.result.Err, d.result.Message, d.result.Doubt = verdict, err, err.Error(), false
	return false
}
