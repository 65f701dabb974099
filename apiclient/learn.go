package apiclient

import (
	"fmt"
	"math"
	"time"

	"github.com/sony/gobreaker/v2"
	"go.uber.org/zap"
)

// How the pacer pauses and measures.
const (
	rowLimit       = 3 // refusals in a row after which all sending pauses
	shortPauses    = 5 // pauses in a row that are short; then the service's own Retry-After counts for all
	firstRowPause  = 50 * time.Millisecond
	longRowPause   = 5 * time.Second
	firstTripPause = time.Second
	longTripPause  = 30 * time.Second
	interval       = 100 * time.Millisecond // of measuring
	intervalAtMost = 5 * time.Second
	enough         = 5                // answers that make an interval
	shedTolerance  = 0.25             // share of answers 503 in an interval that says nothing: a service may fail now and then
	relookEvery    = 20 * time.Second // between looks at the calm latency
	relookPart     = 4                // part of the window that is left for such a look
)

// learn takes in what a request told. The lock is held, as it is in all that follows.
func (p *Pacer) learn(now, started time.Time, s Signal) {
	switch s.Kind {
	case Served:
		p.good(now, started, s)
	case TooMany:
		p.tooMany++
		if p.tempo.Knows(started) {
			if p.row < rowLimit {
				p.tempo = p.tempo.TooMany(now, started, p.actual(now), max(p.served.rate(now), p.served.lastSecond(now)))
			}
			p.refused(now, s)
		}
	case Overloaded:
		p.overloaded++
		p.shed++
		if !started.Before(p.pauseEnds) {
			p.refused(now, s)
		}
	case Troubled:
		p.troubled++
	}
	p.giveUp(now, s)
	p.measure(now)
}

func (p *Pacer) good(now, started time.Time, s Signal) {
	p.served.add(now)
	if p.tempo.Knows(started) {
		p.tempo = p.tempo.Served(now, p.served.rate(now), p.row >= rowLimit)
		p.row, p.rowPauses, p.rowPause = 0, 0, firstRowPause
	}
	if !p.tripped {
		p.bad = time.Time{}
	}
	if !p.relooking || !started.Before(p.began) { // an answer from before the relook came under a larger window
		p.latencies.add(s.Operation, s.Latency)
		p.answers++
	}
}

// refused counts refusals in a row, of requests that began after what was last done about them. After rowLimit all sending
// pauses. The pauses are short at first, even when the service asks for more: it may mean the one record, which does wait
// for so long, and a second that is over soon. When the short ones did not help, all sending waits as the service asks.
func (p *Pacer) refused(now time.Time, s Signal) {
	if p.row++; p.row < rowLimit {
		return
	}
	pause := p.rowPause
	if p.rowPauses++; p.rowPauses > shortPauses {
		pause = max(pause, s.RetryAfter)
	}
	p.rowPause = min(2*p.rowPause, longRowPause)
	p.pause(now, pause)
	p.log.Debug("pause: the service wants fewer requests", zap.Duration("pause", pause), zap.Float64("rate", p.tempo.At(now)))
}

func (p *Pacer) pause(now time.Time, d time.Duration) {
	if ends := now.Add(d); ends.After(p.pauseEnds) {
		p.pauseEnds = ends
	}
	if p.bad.IsZero() {
		p.bad = now
	}
}

// actual is the rate at which requests began lately, +Inf while the tempo is what holds them back.
func (p *Pacer) actual(now time.Time) float64 {
	if p.held.byTempo {
		return math.Inf(1)
	}
	return p.begun.rate(now)
}

// breakerChanged runs within calls of the breaker, all of which are made with the lock held.
func (p *Pacer) breakerChanged(_ string, from, to gobreaker.State) {
	p.tripped = to != gobreaker.StateClosed
	switch to {
	case gobreaker.StateOpen:
		p.pause(time.Now(), p.tripPause)
		p.log.Warn("the service fails: all sending pauses", zap.String("because", p.trouble), zap.Duration("pause", p.tripPause), zap.Bool("again", from == gobreaker.StateHalfOpen))
		p.tripPause = min(2*p.tripPause, longTripPause)
	case gobreaker.StateClosed:
		p.tripPause = firstTripPause
		p.log.Info("the service answers again")
	}
}

// giveUp ends all sending when nothing has gone well for too long.
func (p *Pacer) giveUp(now time.Time, s Signal) {
	if s.Kind == Served || s.Kind == Neutral || p.bad.IsZero() || p.given != nil || now.Sub(p.bad) < p.options.GiveUp {
		return
	}
	p.given = &Error{Code: CodeServiceDown, Message: fmt.Sprintf("the service is down: no request has succeeded in %v, the last ended with: %s", now.Sub(p.bad).Round(time.Second), s.Trouble),
		Hint: "start again when the service is up; what was not sent is held"}
	p.log.Warn("given up on the service", zap.Duration("without success", now.Sub(p.bad)), zap.String("error", s.Trouble))
}

// measure ends the interval when it is long enough, and lets tempo and window learn from it.
func (p *Pacer) measure(now time.Time) {
	length := now.Sub(p.began)
	if length < interval || p.answers+p.shed < enough && length < intervalAtMost {
		return
	}
	if !p.held.byTempo {
		p.tempo = p.tempo.Idle(length)
	}
	if !p.options.Fixed {
		p.resize(now)
	}
	p.began, p.answers, p.shed, p.held = now, 0, 0, holds{}
}

func (p *Pacer) resize(now time.Time) {
	if p.relooking {
		p.latencies.strain(true)
		p.relooking, p.relooked = false, now
		return
	}
	strain := p.latencies.strain(false)
	if float64(p.shed) > shedTolerance*float64(p.answers+p.shed) {
		p.window = p.window.Shed()
	} else {
		p.window = p.window.After(strain, p.held.byWindow)
	}
	p.relooking = now.Sub(p.relooked) >= relookEvery
}
