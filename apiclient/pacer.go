package apiclient

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
	"go.uber.org/zap"
	"golang.org/x/time/rate"
)

// PaceOptions is how fast requests may leave at most, and how long to bear with a service that is down. Below the two ceilings the
// pacer finds by itself what the service takes.
type PaceOptions struct {
	Concurrency int           // requests under way at once, at most; default 8
	Rate        float64       // requests per second, at most; default 0, no ceiling
	Fixed       bool          // keep to the ceilings and learn nothing; "too many" still pauses
	Trip        int           // failures in a row after which all sending pauses; default 10
	GiveUp      time.Duration // time without any success after which the pacer gives up; default 5 min
}

func (o PaceOptions) withDefaults() PaceOptions {
	o.Concurrency = either(o.Concurrency, 8)
	o.Trip = either(o.Trip, 10)
	o.GiveUp = either(o.GiveUp, 5*time.Minute)
	return o
}

func (o PaceOptions) validate() error {
	if o.Concurrency < 0 || o.Rate < 0 || math.IsNaN(o.Rate) || o.Trip < 0 || o.GiveUp < 0 {
		return errors.New("concurrency, rate and limits of the breaker must not be negative")
	}
	return nil
}

// Pacer lets requests begin: no more at once than the Window says, no more a second than the Tempo says, first come first
// served. 429 lowers the Tempo; answers that come slowly, and many 503, narrow the Window; nothing else does, so that a
// service that fails now and then is not mistaken for one that is full. After several refusals in a row, and after
// PaceOptions.Trip failures in a row, all sending pauses; then one request at a time probes, until one is served. After
// PaceOptions.GiveUp without any success the pacer gives up for good.
//
// Decisions are in Tempo, Window and latencies, which are values without clock or lock; the Pacer asks them.
type Pacer struct {
	options PaceOptions
	log     *zap.Logger

	telling sync.Mutex   // taken before mu
	paused  func(string) // is told why all sending pauses, and "" when it goes on; nil for nobody
	told    string       // what that was told last

	mu      sync.Mutex
	waiting queue
	busy    int
	tempo   Tempo
	window  Window
	limiter *rate.Limiter
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
	timer   *time.Timer // wakes the queue when time is all it waits for
	given   *Error      // why no request may begin any more

	row       int           // refusals since the last success
	rowPauses int           // for them, since the last success
	rowPause  time.Duration // the next one
	tripped   bool          // the breaker is not closed
	tripPause time.Duration // the next one
	trouble   string        // how the last request ended that was not served
	pauseEnds time.Time     // no request begins before
	bad       time.Time     // since when nothing but pauses and failed probes; zero when all is well

	begun      meter // of requests that began
	served     meter // of requests that were served
	latencies  latencies
	began      time.Time // of the interval
	answers    int       // of use, in the interval
	shed       int       // answers 503 in the interval
	held       holds     // what held requests back in the interval
	relooked   time.Time
	relooking  bool
	tooMany    int64
	overloaded int64
	troubled   int64
}

// holds is what held requests back.
type holds struct{ byWindow, byTempo bool }

// NewPacer makes a pacer that starts gently.
func NewPacer(o PaceOptions, log *zap.Logger) *Pacer {
	o = o.withDefaults()
	now := time.Now()
	p := &Pacer{options: o, log: log, tempo: NewTempo(now, o.Rate), window: NewWindow(o.Concurrency),
		latencies: latencies{}, began: now, relooked: now,
		rowPause: firstRowPause, tripPause: firstTripPause}
	if o.Fixed {
		p.window.size = p.window.ceiling
	}
	p.limiter = rate.NewLimiter(rate.Inf, 1)
	p.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:       time.Nanosecond, // the pause is the pacer's own: it grows
		ReadyToTrip:   func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= uint32(o.Trip) },
		IsSuccessful:  func(err error) bool { return err == nil },
		IsExcluded:    func(err error) bool { return errors.Is(err, errExcluded) },
		OnStateChange: p.breakerChanged,
	})
	return p
}

var (
	errExcluded = errors.New("says nothing about the service's health")
	errFailed   = errors.New("the service failed")
)

// Turn is the permission to begin one request. It must be left exactly once.
type Turn struct {
	pacer   *Pacer
	started time.Time
	done    func(error)
}

// Enter waits for a turn. It fails when ctx ends or the pacer has given up.
func (p *Pacer) Enter(ctx context.Context) (Turn, *Error) {
	if ctx.Err() != nil {
		return Turn{}, cancelled(ctx)
	}
	p.mu.Lock()
	w := p.waiting.push()
	p.dispatch(time.Now())
	p.mu.Unlock()
	select {
	case g := <-w.granted:
		return g.turn, g.err
	default:
	}
	select {
	case g := <-w.granted:
		return g.turn, g.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	left := p.waiting.remove(w)
	p.mu.Unlock()
	if !left { // it was granted just now
		if g := <-w.granted; g.err == nil {
			g.turn.Leave(Signal{})
		}
	}
	return Turn{}, cancelled(ctx)
}

// Leave ends the turn with what the request told.
func (t Turn) Leave(s Signal) {
	p, now := t.pacer, time.Now()
	p.mu.Lock()
	defer p.tell()
	defer p.mu.Unlock()
	p.busy--
	p.trouble = either(s.Trouble, p.trouble)
	switch s.Kind {
	case Neutral, TooMany:
		t.done(errExcluded)
	case Served:
		t.done(nil)
	default:
		t.done(errFailed)
	}
	p.learn(now, t.started, s)
	p.dispatch(now)
}

// listen has somebody told why all sending pauses.
func (p *Pacer) listen(paused func(why string)) {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.paused, p.told = paused, ""
}

// tell tells whoever listens what is new about a pause. It is called without the lock, since the listener may take its time.
func (p *Pacer) tell() {
	p.telling.Lock()
	defer p.telling.Unlock()
	if p.paused == nil {
		return
	}
	p.mu.Lock()
	why := ""
	if p.tripped {
		why = p.trouble
	}
	p.mu.Unlock()
	if why != p.told {
		p.told = why
		p.paused(why)
	}
}

// dispatch grants turns while it may. The lock is held.
func (p *Pacer) dispatch(now time.Time) {
	if p.given != nil {
		for w := p.waiting.pop(); w != nil; w = p.waiting.pop() {
			w.granted <- grant{err: p.given}
		}
		return
	}
	for p.waiting.len() > 0 {
		wait, done := p.admit(now)
		if done == nil {
			p.wakeAfter(wait)
			return
		}
		p.busy++
		p.begun.add(now)
		p.waiting.pop().granted <- grant{turn: Turn{pacer: p, started: now, done: done}}
	}
}

// admit tells whether one more request may begin now. If not, wait is when to ask again, 0 when only a Leave can change
// the answer.
func (p *Pacer) admit(now time.Time) (wait time.Duration, done func(error)) {
	if wait := p.pauseEnds.Sub(now); wait > 0 {
		return wait, nil
	}
	size := p.window.Size()
	switch {
	case p.row >= rowLimit:
		size = 1
	case p.relooking:
		size = max(size/relookPart, 1)
	}
	if p.busy >= size {
		p.held.byWindow = true
		return 0, nil
	}
	done, err := p.breaker.Allow()
	if err != nil {
		if p.busy > 0 {
			return 0, nil // a probe is under way
		}
		return time.Millisecond, nil
	}
	if wait := p.token(now); wait > 0 {
		done(errExcluded)
		p.held.byTempo = true
		return wait, nil
	}
	return 0, done
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

// token takes the permission that the tempo gives, or says how long to wait for it.
func (p *Pacer) token(now time.Time) (wait time.Duration) {
	perSecond := p.rate(now)
	if math.IsInf(perSecond, 1) {
		return 0
	}
	p.limiter.SetLimitAt(now, rate.Limit(perSecond))
	p.limiter.SetBurstAt(now, burst(perSecond, p.tempo.Found()))
	reservation := p.limiter.ReserveN(now, 1)
	wait = reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (p *Pacer) rate(now time.Time) float64 {
	if !p.options.Fixed {
		return p.tempo.At(now)
	}
	return p.tempo.ceiling
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

// close stops the timer; whoever still waits is not woken by it any more.
func (p *Pacer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}
