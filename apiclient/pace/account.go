package pace

import (
	"math"
	"time"
)

// account is what is known of the pace of one account of a service by all who send to it, and decides when requests may begin. Like the
// controllers that it is made of it is a value without clock or lock. A Pacer that is alone has one in memory; where several processes
// send to one account, it is kept where all of them find it (Shared), as JSON.
type account struct {
	Rate    rateController
	Bucket  bucket
	Breaker breaker
	Fixed   bool // the rate is the ceiling
	// ProbeEnds is when a probe that nobody has ended counts as lost with its process.
	ProbeEnds time.Time

	Row       int           // refusals since the last success
	RowPauses int           // for them, since the last success
	RowPause  time.Duration // the next one
	TripPause time.Duration // the next one
	PauseEnds time.Time     // no request begins before
	Bad       time.Time     // since when nothing but pauses and failed probes; zero when all is well

	Begun   meter     // of requests that began
	Served  meter     // of requests that were served
	Began   time.Time // of the interval of measuring
	Answers int       // of use, in the interval
	Held    bool      // in the interval the rate held requests back
	Used    time.Time // when somebody last had to do with it
}

// How an account pauses and measures.
const (
	rowLimit       = 3 // refusals in a row after which all sending pauses
	shortPauses    = 5 // pauses in a row that are short; then the service's own Retry-After counts for all
	firstRowPause  = 50 * time.Millisecond
	longRowPause   = 5 * time.Second
	firstTripPause = time.Second
	longTripPause  = 30 * time.Second
	interval       = 100 * time.Millisecond // of measuring
	intervalAtMost = 5 * time.Second
	enough         = 5 // answers that make an interval
	// forgotten is how long after its last use, and the pauses that were asked for, nothing of a shared account is believed any more: a
	// process that begins alone begins anew as well.
	forgotten = time.Minute
)

func newAccount(now time.Time, o Options) account {
	return account{Rate: newRateController(now, o.Rate), Bucket: bucket{Level: 1}, Breaker: breaker{Trip: o.Trip}, Fixed: o.Fixed,
		RowPause: firstRowPause, TripPause: firstTripPause, Began: now, Used: now}
}

// stale tells whether the account has not been used for so long that it says nothing any more.
func (a *account) stale(now time.Time) bool {
	since := a.Used
	if a.PauseEnds.After(since) {
		since = a.PauseEnds
	}
	return now.Sub(since) > forgotten
}

// permit is what a request needs to begin. It is void once the rate has dropped or the breaker has opened or closed since.
type permit struct {
	Drop int // how often the rate had dropped
	Era  int // of the breaker
}

func (a *account) permit() permit { return permit{a.Rate.Drops, a.Breaker.Era} }

// take gives out permits, up to want of them, for requests that begin within lead from now. When there is none, wait is when to ask
// again, 0 when only an answer can change that.
func (a *account) take(now time.Time, want int, lead, probe time.Duration) (n int, wait time.Duration) {
	if wait := a.PauseEnds.Sub(now); wait > 0 {
		return 0, wait
	}
	if a.Breaker.Probing && now.After(a.ProbeEnds) {
		a.Breaker.Probing = false
	}
	if !a.Breaker.admits() {
		return 0, 0
	}
	if a.Breaker.Open {
		want = 1
	}
	if n, wait = a.Bucket.take(now, want, lead, a.perSecond(now), a.Rate.found()); n > 0 && a.Breaker.Open {
		a.Breaker.Probing, a.ProbeEnds = true, now.Add(probe)
	}
	return n, wait
}

// giveBack takes back permits that nobody has used.
func (a *account) giveBack(n int, of permit) {
	if n == 0 || of != a.permit() {
		return
	}
	a.Bucket.Level += float64(n)
	a.Breaker.neither(of.Era)
}

func (a *account) perSecond(now time.Time) float64 {
	if a.Fixed {
		return a.Rate.ceiling()
	}
	return a.Rate.at(now)
}

// answer is what a request told that began with a permit.
type answer struct {
	Feedback
	permit  permit
	started time.Time
}

// learn takes in an answer.
func (a *account) learn(now time.Time, s answer) {
	a.judge(now, s)
	switch s.Kind {
	case Served:
		a.good(now, s)
	case TooMany:
		if a.Rate.knows(s.permit.Drop) {
			if a.Row < rowLimit {
				a.Rate = a.Rate.tooMany(now, s.permit.Drop, a.actual(now), max(a.Served.rate(now), a.Served.lastSecond(now)))
			}
			a.refused(now, s)
		}
	case Overloaded:
		a.Answers++
		a.refused(now, s)
	}
	a.measure(now)
}

func (a *account) good(now time.Time, s answer) {
	a.Answers++
	a.Served.add(now, 1)
	if a.Rate.knows(s.permit.Drop) {
		a.Rate = a.Rate.served(now, a.Served.rate(now), a.Row >= rowLimit)
		a.Row, a.RowPauses, a.RowPause = 0, 0, firstRowPause
	}
	if !a.Breaker.Open {
		a.Bad = time.Time{}
	}
}

// refused counts refusals in a row, of requests that began after what was last done about them. After rowLimit all sending
// pauses. The pauses are short at first, even when the service asks for more: it may mean the one record, which does wait
// for so long, and a second that is over soon. When the short ones did not help, all sending waits as the service asks.
func (a *account) refused(now time.Time, s answer) {
	if s.started.Before(a.PauseEnds) {
		return
	}
	if a.Row++; a.Row < rowLimit {
		return
	}
	pause := a.RowPause
	if a.RowPauses++; a.RowPauses > shortPauses {
		pause = max(pause, s.RetryAfter)
	}
	a.RowPause = min(2*a.RowPause, longRowPause)
	a.pause(now, pause)
}

func (a *account) pause(now time.Time, d time.Duration) {
	if ends := now.Add(d); ends.After(a.PauseEnds) {
		a.PauseEnds = ends
	}
	if a.Bad.IsZero() {
		a.Bad = now
	}
}

// actual is the rate at which requests began lately, +Inf while the rate is what holds them back.
func (a *account) actual(now time.Time) float64 {
	if a.Held {
		return math.Inf(1)
	}
	return a.Begun.rate(now)
}

// judge tells the breaker how a request ended.
func (a *account) judge(now time.Time, s answer) {
	switch {
	case s.Kind == Neutral || s.Kind == TooMany:
		a.Breaker.neither(s.permit.Era)
	case s.Kind == Served:
		if a.Breaker.served(s.permit.Era) {
			a.TripPause = firstTripPause
		}
	case a.Breaker.failed(s.permit.Era):
		a.pause(now, a.TripPause)
		a.TripPause = min(2*a.TripPause, longTripPause)
	}
}

// measure ends the interval when it is long enough. When it was not the rate that held requests back, nothing was learned about it.
func (a *account) measure(now time.Time) {
	length := now.Sub(a.Began)
	if length < interval || a.Answers < enough && length < intervalAtMost {
		return
	}
	if !a.Held {
		a.Rate = a.Rate.idle(length)
	}
	a.Began, a.Answers, a.Held = now, 0, false
}

// bucket counts the permits that the rate has given and nobody has taken; below zero, those that were taken ahead of time.
type bucket struct {
	Level float64
	Rate  float64 // at which it fills, per second
	At    time.Time
}

// burst is how many turns that fell due while nobody looked are made up for at once. On a busy machine timers are late by
// several milliseconds, and the turns of those would otherwise be lost. That matters at low rates alone: at high ones answers
// come often enough to look by, and a service that allows short bursts only would refuse more. Before the limit is found
// nothing needs to be made up for: the rate doubles all the time.
func burst(perSecond float64, found bool) float64 {
	most := perSecond * 0.002
	if found {
		most = max(most, min(perSecond*0.04, 1000/perSecond))
	}
	return max(1, math.Floor(most))
}

func (b *bucket) take(now time.Time, want int, lead time.Duration, perSecond float64, found bool) (n int, wait time.Duration) {
	if math.IsInf(perSecond, 1) {
		return want, 0
	}
	most := burst(perSecond, found)
	if passed := now.Sub(b.At); passed > 0 {
		b.Level, b.At = min(b.Level+passed.Seconds()*b.Rate, most), now
	}
	ahead := lead.Seconds() * perSecond
	// What was given ahead at a higher rate, of before a drop, is void for the most part, and is not waited for.
	b.Level, b.Rate = min(max(b.Level, -ahead), most), perSecond
	if n = min(int(b.Level+ahead+1e-6), want); n > 0 {
		b.Level -= float64(n)
		return n, 0
	}
	return 0, max(time.Duration((1-b.Level-ahead)/perSecond*float64(time.Second)), time.Microsecond)
}
