package pace

import (
	"time"

	"go.uber.org/zap"
)

const (
	shedTolerance   = 0.25             // share of 503 answers in an interval that says nothing: a service may fail now and then
	rebaselineEvery = 20 * time.Second // between measurements of the calm latency
	rebaselinePart  = 4                // the window is divided by this for such a measurement
)

// learn takes in what a request that this pacer permitted has shown. The lock is held, as in all functions below.
func (p *Pacer) learn(now time.Time, s answer) {
	switch s.Kind {
	case Served:
		if !p.rebaselining || !s.started.Before(p.began) { // an answer from before the rebaseline came under a larger window
			p.latencies.add(s.Operation, s.Latency)
			p.answers++
		}
	case TooMany:
		p.counts.TooMany++
	case Overloaded:
		p.counts.Overloaded++
		p.shed++
	case Troubled:
		p.counts.Troubled++
	}
	if p.shared == nil {
		before := p.account
		p.account.learn(now, s)
		p.note(now, &before)
	} else {
		p.shared.tell(s)
	}
	p.giveUp(now, s.Feedback)
	p.measure(now)
}

// note logs what has become of the account.
func (p *Pacer) note(now time.Time, before *account) {
	a := &p.account
	switch pause := zap.Duration("pause", max(a.PauseEnds.Sub(now), 0)); {
	case a.Breaker.Era != before.Breaker.Era && a.Breaker.Open:
		p.log.Warn("the service is failing: sending is paused", zap.String("because", p.trouble), pause, zap.Bool("again", before.Breaker.Open))
	case before.Breaker.Open && !a.Breaker.Open:
		p.log.Info("the service has recovered")
	case a.PauseEnds.After(before.PauseEnds):
		p.log.Debug("paused: the service asked for fewer requests", pause, zap.Float64("rate", a.Rate.at(now)))
	}
}

// giveUp ends all sending when nothing has succeeded for too long. While the same request is retried again and again
// the time is doubled: perhaps that request fails and not the service, and once its own retries are over the others
// have their turn.
func (p *Pacer) giveUp(now time.Time, s Feedback) {
	bad, patience := p.account.Bad, p.options.GiveUp
	if s.Again {
		patience *= 2
	}
	if s.Kind == Served || s.Kind == Neutral || bad.IsZero() || p.down != nil || now.Sub(bad) < patience {
		return
	}
	p.down = &DownError{Without: now.Sub(bad), Trouble: s.Trouble}
	p.log.Warn("gave up on the service", zap.Duration("without success", now.Sub(bad)), zap.String("error", s.Trouble))
}

// measure ends the interval if it is long enough, and lets the concurrency limit learn from it.
func (p *Pacer) measure(now time.Time) {
	length := now.Sub(p.began)
	if length < interval || p.answers+p.shed < enough && length < intervalAtMost {
		return
	}
	if !p.options.Fixed {
		p.resize(now)
	}
	p.began, p.answers, p.shed, p.full = now, 0, 0, false
}

func (p *Pacer) resize(now time.Time) {
	if p.rebaselining {
		p.latencies.strain(true)
		p.rebaselining, p.rebaselined = false, now
		return
	}
	strain := p.latencies.strain(false)
	if float64(p.shed) > shedTolerance*float64(p.answers+p.shed) {
		p.limit = p.limit.shed()
	} else {
		p.limit = p.limit.after(strain, p.full)
	}
	p.rebaselining = now.Sub(p.rebaselined) >= rebaselineEvery
}
