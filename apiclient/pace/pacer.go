package pace

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"
)

// Options is how fast requests may leave at most, and how long to bear with a service that is down. Below the two ceilings the
// pacer finds by itself what the service takes.
type Options struct {
	Concurrency int           // requests under way at once, at most; default 8
	Rate        float64       // requests per second, at most; default 0, no ceiling
	Fixed       bool          // keep to the ceilings and learn nothing; "too many" still pauses
	Trip        int           // failures in a row after which all sending pauses; default 10
	GiveUp      time.Duration // time without any success after which the pacer gives up; default 5 min
}

func (o Options) WithDefaults() Options {
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	o.Trip = cmp.Or(o.Trip, 10)
	o.GiveUp = cmp.Or(o.GiveUp, 5*time.Minute)
	return o
}

func (o Options) Validate() error {
	if o.Concurrency < 0 || o.Rate < 0 || math.IsNaN(o.Rate) || o.Trip < 0 || o.GiveUp < 0 {
		return errors.New("concurrency, rate and limits of the breaker must not be negative")
	}
	return nil
}

// Pacer lets requests begin, first come first served. It may be used by many goroutines at once.
type Pacer struct {
	options Options
	log     *zap.Logger

	telling sync.Mutex   // taken before mu; both are held to change these two
	paused  func(string) // is told why all sending pauses, and "" when it goes on; nil for nobody
	told    string       // what that was told last

	mu         sync.Mutex
	waiting    []*waiter // in the order they came
	busy       int
	controller rateController
	limit      concurrencyLimit
	limiter    *rate.Limiter
	breaker    breaker
	timer      *time.Timer // wakes the queue when time is all it waits for
	down       *DownError  // why no request may begin any more

	row       int           // refusals since the last success
	rowPauses int           // for them, since the last success
	rowPause  time.Duration // the next one
	tripPause time.Duration // the next one
	trouble   string        // how the last request ended that was not served
	pauseEnds time.Time     // no request begins before
	bad       time.Time     // since when nothing but pauses and failed probes; zero when all is well

	begun        meter // of requests that began
	served       meter // of requests that were served
	latencies    latencies
	began        time.Time // of the interval
	answers      int       // of use, in the interval
	shed         int       // answers 503 in the interval
	held         holds     // what held requests back in the interval
	rebaselined  time.Time
	rebaselining bool
	counts       Counts
}

// holds is what held requests back.
type holds struct{ byLimit, byRate bool }

// New makes a pacer that starts gently.
func New(o Options, log *zap.Logger) *Pacer {
	o = o.WithDefaults()
	now := time.Now()
	p := &Pacer{options: o, log: log, controller: newRateController(now, o.Rate), limit: newConcurrencyLimit(o.Concurrency),
		breaker:   breaker{trip: o.Trip},
		latencies: latencies{}, began: now, rebaselined: now,
		rowPause: firstRowPause, tripPause: firstTripPause}
	if o.Fixed {
		p.limit.size = p.limit.ceiling
	}
	p.limiter = rate.NewLimiter(rate.Inf, 1)
	return p
}

// Turn is the permission to begin one request. It must be released exactly once.
type Turn struct {
	pacer   *Pacer
	started time.Time
	era     int // of the breaker
}

// waiter is one who waits. granted has room for the one grant it gets, so that granting never blocks.
type waiter struct{ granted chan grant }

type grant struct {
	turn Turn
	err  error
}

// Acquire waits for a turn. The error is that of ctx when it ends, or a *DownError when the pacer has given up.
func (p *Pacer) Acquire(ctx context.Context) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, ctx.Err()
	}
	p.mu.Lock()
	now := time.Now()
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

// Release ends the turn with what the request told.
func (t Turn) Release(s Feedback) {
	p, now := t.pacer, time.Now()
	p.mu.Lock()
	p.busy--
	p.trouble = cmp.Or(s.Trouble, p.trouble)
	p.judge(now, t.era, s.Kind)
	p.learn(now, t.started, s)
	p.dispatch(now)
	news := p.paused != nil && p.why() != p.told
	p.mu.Unlock()
	if news {
		p.tell()
	}
}

// Listen has somebody told why all sending pauses.
func (p *Pacer) Listen(paused func(why string)) {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.told = paused, ""
}

// why is why all sending pauses. The lock is held.
func (p *Pacer) why() string {
	if p.breaker.open {
		return p.trouble
	}
	return ""
}

// tell tells whoever listens what is new about a pause. It is called without the lock, since the listener may take its time.
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

// begin begins a request. The lock is held.
func (p *Pacer) begin(now time.Time) Turn {
	p.busy++
	p.begun.add(now)
	return Turn{pacer: p, started: now, era: p.breaker.begin()}
}

// admit tells whether one more request may begin now. If not, wait is when to ask again, 0 when only a Release can change
// the answer.
func (p *Pacer) admit(now time.Time) (wait time.Duration, ok bool) {
	if wait := p.pauseEnds.Sub(now); wait > 0 {
		return wait, false
	}
	size := p.limit.Size()
	switch {
	case p.row >= rowLimit:
		size = 1
	case p.rebaselining:
		size = max(size/rebaselinePart, 1)
	}
	if p.busy >= size {
		p.held.byLimit = true
		return 0, false
	}
	if !p.breaker.admits() {
		return 0, false
	}
	if wait := p.token(now); wait > 0 {
		p.held.byRate = true
		return wait, false
	}
	return 0, true
}

// burst is how many turns that fell due while nobody looked are made up for at once. On a busy machine timers are late by
// several milliseconds, and the turns of those would otherwise be lost. That matters at low rates alone: at high ones answers
// come often enough to look by, and a service that allows short bursts only would refuse more. Before the limit is found
// nothing needs to be made up for: the rate doubles all the time.
func burst(perSecond float64, found bool) int {
	most := perSecond * 0.002
	if found {
		most = max(most, min(perSecond*0.04, 1000/perSecond))
	}
	return max(1, int(most))
}

// token takes the permission that the rate gives, or says how long to wait for it.
func (p *Pacer) token(now time.Time) (wait time.Duration) {
	perSecond := p.perSecond(now)
	if math.IsInf(perSecond, 1) {
		return 0
	}
	p.limiter.SetLimitAt(now, rate.Limit(perSecond))
	p.limiter.SetBurstAt(now, burst(perSecond, p.controller.Found()))
	reservation := p.limiter.ReserveN(now, 1)
	wait = reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (p *Pacer) perSecond(now time.Time) float64 {
	if !p.options.Fixed {
		return p.controller.At(now)
	}
	return p.controller.ceiling
}

func (p *Pacer) wakeAfter(wait time.Duration) {
	if wait <= 0 {
		return
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.dispatch(time.Now())
		})
		return
	}
	p.timer.Reset(wait)
}

// Close stops the timer; whoever still waits is not woken by it any more.
func (p *Pacer) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}
