package pace

import (
	"math"
	"time"

	"go.uber.org/zap"
)

// How the pacer pauses and measures.
const (
	rowLimit        = 3 // refusals in a row after which all sending pauses
	shortPauses     = 5 // pauses in a row that are short; then the service's own Retry-After counts for all
	firstRowPause   = 50 * time.Millisecond
	longRowPause    = 5 * time.Second
	firstTripPause  = time.Second
	longTripPause   = 30 * time.Second
	interval        = 100 * time.Millisecond // of measuring
	intervalAtMost  = 5 * time.Second
	enough          = 5                // answers that make an interval
	shedTolerance   = 0.25             // share of answers 503 in an interval that says nothing: a service may fail now and then
	rebaselineEvery = 20 * time.Second // between looks at the calm latency
	rebaselinePart  = 4                // part of the window that is left for such a look
)

// learn takes in what a request told. The lock is held, as it is in all that follows.
func (p *Pacer) learn(now, started time.Time, s Feedback) {
	switch s.Kind {
	case Served:
		p.good(now, started, s)
	case TooMany:
		p.counts.TooMany++
		if p.controller.Knows(started) {
			if p.row < rowLimit {
				p.controller = p.controller.TooMany(now, started, p.actual(now), max(p.served.rate(now), p.served.lastSecond(now)))
			}
			p.refused(now, s)
		}
	case Overloaded:
		p.counts.Overloaded++
		p.shed++
		if !started.Before(p.pauseEnds) {
			p.refused(now, s)
		}
	case Troubled:
		p.counts.Troubled++
	}
	p.giveUp(now, s)
	p.measure(now)
}

func (p *Pacer) good(now, started time.Time, s Feedback) {
	p.served.add(now)
	if p.controller.Knows(started) {
		p.controller = p.controller.Served(now, p.served.rate(now), p.row >= rowLimit)
		p.row, p.rowPauses, p.rowPause = 0, 0, firstRowPause
	}
	if !p.breaker.open {
		p.bad = time.Time{}
	}
	if !p.rebaselining || !started.Before(p.began) { // an answer from before the rebaseline came under a larger window
		p.latencies.add(s.Operation, s.Latency)
		p.answers++
	}
}

// refused counts refusals in a row, of requests that began after what was last done about them. After rowLimit all sending
// pauses. The pauses are short at first, even when the service asks for more: it may mean the one record, which does wait
// for so long, and a second that is over soon. When the short ones did not help, all sending waits as the service asks.
func (p *Pacer) refused(now time.Time, s Feedback) {
	if p.row++; p.row < rowLimit {
		return
	}
	pause := p.rowPause
	if p.rowPauses++; p.rowPauses > shortPauses {
		pause = max(pause, s.RetryAfter)
	}
	p.rowPause = min(2*p.rowPause, longRowPause)
	p.pause(now, pause)
	p.log.Debug("paused: the service asked for fewer requests", zap.Duration("pause", pause), zap.Float64("rate", p.controller.At(now)))
}

func (p *Pacer) pause(now time.Time, d time.Duration) {
	if ends := now.Add(d); ends.After(p.pauseEnds) {
		p.pauseEnds = ends
	}
	if p.bad.IsZero() {
		p.bad = now
	}
}

// actual is the rate at which requests began lately, +Inf while the rate is what holds them back.
func (p *Pacer) actual(now time.Time) float64 {
	if p.held.byRate {
		return math.Inf(1)
	}
	return p.begun.rate(now)
}

// judge tells the breaker how a request ended.
func (p *Pacer) judge(now time.Time, era int, kind Kind) {
	again := p.breaker.open
	switch {
	case kind == Neutral || kind == TooMany:
		p.breaker.neither(era)
	case kind == Served && p.breaker.served(era):
		p.tripPause = firstTripPause
		p.log.Info("the service has recovered")
	case kind != Served && p.breaker.failed(era):
		p.pause(now, p.tripPause)
		p.log.Warn("the service is failing: sending is paused", zap.String("because", p.trouble), zap.Duration("pause", p.tripPause), zap.Bool("again", again))
		p.tripPause = min(2*p.tripPause, longTripPause)
	}
}

// giveUp ends all sending when nothing has gone well for too long.
func (p *Pacer) giveUp(now time.Time, s Feedback) {
	if s.Kind == Served || s.Kind == Neutral || p.bad.IsZero() || p.down != nil || now.Sub(p.bad) < p.options.GiveUp {
		return
	}
	p.down = &DownError{Without: now.Sub(p.bad), Trouble: s.Trouble}
	p.log.Warn("gave up on the service", zap.Duration("without success", now.Sub(p.bad)), zap.String("error", s.Trouble))
}

// measure ends the interval when it is long enough, and lets the rate and the limit of concurrency learn from it.
func (p *Pacer) measure(now time.Time) {
	length := now.Sub(p.began)
	if length < interval || p.answers+p.shed < enough && length < intervalAtMost {
		return
	}
	if !p.held.byRate {
		p.controller = p.controller.Idle(length)
	}
	if !p.options.Fixed {
		p.resize(now)
	}
	p.began, p.answers, p.shed, p.held = now, 0, 0, holds{}
}

func (p *Pacer) resize(now time.Time) {
	if p.rebaselining {
		p.latencies.strain(true)
		p.rebaselining, p.rebaselined = false, now
		return
	}
	strain := p.latencies.strain(false)
	if float64(p.shed) > shedTolerance*float64(p.answers+p.shed) {
		p.limit = p.limit.Shed()
	} else {
		p.limit = p.limit.After(strain, p.held.byLimit)
	}
	p.rebaselining = now.Sub(p.rebaselined) >= rebaselineEvery
}
