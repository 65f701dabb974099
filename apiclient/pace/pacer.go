package pace

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Options are the maximum speed of requests, and how long to bear with a service that is down. Below the two ceilings
// the pacer finds by itself what the service takes.
type Options struct {
	Concurrency int           // maximum number of requests under way at once; default 8
	Rate        float64       // maximum requests per second; default 0, no ceiling
	Fixed       bool          // keep to the ceilings and learn nothing; refusals still pause
	Trip        int           // failures in a row after which all sending pauses; default 10
	GiveUp      time.Duration // time without any success after which the pacer gives up; default 5 min
	Timeout     time.Duration // for one request; default 2 min
	Shared      Shared        // where the pace of an account is stored that other processes send to as well; default nowhere: this pacer is alone
	Apart       time.Duration // with Shared: how long that may fail before the pacer gives up; at least 30 s, which is the default
}

func (o Options) WithDefaults() Options {
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	o.Trip = cmp.Or(o.Trip, 10)
	o.GiveUp = cmp.Or(o.GiveUp, 5*time.Minute)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.Apart = max(o.Apart, apartLeast)
	return o
}

// Pacer lets requests begin, first come first served. It is safe for use by many goroutines.
type Pacer struct {
	options Options
	log     *zap.Logger

	telling sync.Mutex   // taken before mu; both are held to change the next two fields
	paused  func(string) // receives why all sending pauses, and "" when it resumes; may be nil
	told    string       // the last argument of paused

	mu      sync.Mutex
	waiting []*waiter // in the order they came
	busy    int
	account account // as of the last exchange, if it is shared
	shared  *allotment
	limit   concurrencyLimit
	timer   *time.Timer // wakes the queue when only time has to pass
	down    *DownError  // why no request may begin any more
	trouble string      // how the last request ended that was not served

	latencies    latencies
	began        time.Time // start of the interval
	answers      int       // useful answers in the interval
	shed         int       // 503 answers in the interval
	full         bool      // the concurrency limit held requests back during the interval
	rebaselined  time.Time
	rebaselining bool
	counts       counts
}

// New returns a pacer that starts gently.
func New(o Options, log *zap.Logger) *Pacer {
	o = o.WithDefaults()
	now := time.Now()
	p := &Pacer{options: o, log: log, account: newAccount(now, o), limit: newConcurrencyLimit(o.Concurrency),
		latencies: latencies{}, began: now, rebaselined: now}
	if o.Fixed {
		p.limit.size = p.limit.ceiling
	}
	if o.Shared != nil {
		p.shared = newAllotment(p)
	}
	return p
}

// Turn is the permission to begin one request. It must be released exactly once.
type Turn struct {
	pacer   *Pacer
	started time.Time
	permit  permit
}

// waiter is a waiting caller. granted has room for its one grant, so granting never blocks.
type waiter struct{ granted chan grant }

type grant struct {
	turn Turn
	err  error
}

// Acquire waits for a turn. It returns the error of ctx if that ends, or a *DownError if the pacer has given up.
func (p *Pacer) Acquire(ctx context.Context) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, ctx.Err()
	}
	p.mu.Lock()
	now := p.now()
	if len(p.waiting) == 0 && p.down == nil {
		if _, ok := p.admit(now); ok {
			defer p.mu.Unlock()
			return p.begin(now), nil
		}
	}
	w := &waiter{granted: make(chan grant, 1)}
	p.waiting = append(p.waiting, w)
	p.dispatch(now)
	p.mu.Unlock()
	select {
	case g := <-w.granted:
		return g.turn, g.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	at := slices.Index(p.waiting, w)
	if at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
	p.mu.Unlock()
	if at < 0 { // it was granted just now
		if g := <-w.granted; g.err == nil {
			g.turn.Release(Feedback{})
		}
	}
	return Turn{}, ctx.Err()
}

// Release ends the turn with what the request has shown.
func (t Turn) Release(s Feedback) {
	p := t.pacer
	p.mu.Lock()
	now := p.now()
	p.busy--
	p.trouble = cmp.Or(s.Trouble, p.trouble)
	p.learn(now, answer{s, t.permit, t.started})
	p.dispatch(now)
	news := p.paused != nil && p.why() != p.told
	p.mu.Unlock()
	if news {
		p.tell()
	}
}

// Listen sets the function that is told why all sending pauses.
func (p *Pacer) Listen(paused func(why string)) {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.told = paused, ""
}

// why returns why all sending pauses, or "". The lock is held.
func (p *Pacer) why() string {
	if p.account.Breaker.Open {
		return cmp.Or(p.trouble, "another process found that the service fails")
	}
	return ""
}

// tell reports a change of the pause to the listener. It is called without the lock, because the listener may take its
// time.
func (p *Pacer) tell() {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.mu.Lock()
	why, told := p.why(), p.told
	p.told = why
	p.mu.Unlock()
	if p.paused != nil && why != told {
		p.paused(why)
	}
}

// dispatch grants turns while it may. The lock is held.
func (p *Pacer) dispatch(now time.Time) {
	if p.down != nil {
		for _, w := range p.waiting {
			w.granted <- grant{err: p.down}
		}
		p.waiting = nil
		return
	}
	for len(p.waiting) > 0 {
		wait, ok := p.admit(now)
		if !ok {
			p.wakeAfter(wait)
			return
		}
		first := p.waiting[0]
		p.waiting = p.waiting[1:]
		first.granted <- grant{turn: p.begin(now)}
	}
}

// now returns the time by the clock of whoever keeps the account.
func (p *Pacer) now() time.Time {
	if p.shared == nil {
		return time.Now()
	}
	return time.Now().Add(p.shared.ahead)
}

// begin begins a request. The lock is held.
func (p *Pacer) begin(now time.Time) Turn {
	p.busy++
	if p.shared == nil {
		p.account.Begun.add(now, 1)
	}
	return Turn{pacer: p, started: now, permit: p.account.permit()}
}

// admit reports whether one more request may begin now. If not, wait is when to ask again, or 0 if only a Release or an
// exchange can change the answer.
func (p *Pacer) admit(now time.Time) (wait time.Duration, ok bool) {
	if wait := p.account.PauseEnds.Sub(now); wait > 0 {
		return wait, false
	}
	if p.busy >= p.size() {
		p.full = true
		return 0, false
	}
	if p.shared != nil {
		return p.shared.take(now)
	}
	n, wait := p.account.take(now, 1, 0, p.options.Timeout)
	p.account.Held = p.account.Held || wait > 0
	return wait, n > 0
}

// size returns how many requests may be under way at once.
func (p *Pacer) size() int {
	switch size := p.limit.Size(); {
	case p.account.Row >= rowLimit:
		return 1
	case p.rebaselining:
		return max(size/rebaselinePart, 1)
	default:
		return size
	}
}

func (p *Pacer) wakeAfter(wait time.Duration) {
	if wait <= 0 {
		return
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.dispatch(p.now())
		})
		return
	}
	p.timer.Reset(wait)
}

// Close ends the background work; waiting callers are not woken any more. It may be called twice.
func (p *Pacer) Close() {
	if p.shared != nil {
		p.shared.close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}
