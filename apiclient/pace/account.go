package pace

import (
	"math"
	"time"
)

// account is what is known of the pace of one account of a service, by all who send to it. It decides when requests may
// begin. Like the controllers that it consists of, it is a value without clock or lock. A Pacer that is alone keeps one
// in memory. If several processes send to one account, it is stored as JSON where all of them find it (Shared).
type account struct {
	Rate    rateController
	Bucket  bucket
	Breaker breaker
	Fixed   bool // the rate is always the ceiling
	// ProbeEnds is when a probe that nobody has ended counts as lost together with its process.
	ProbeEnds time.Time

	Row       int           // refusals since the last success
	RowPauses int           // pauses for them since the last success
	RowPause  time.Duration // the next pause
	TripPause time.Duration // the next pause
	PauseEnds time.Time     // no request begins before this
	Bad       time.Time     // since when there were only pauses and failed probes; zero if all is well

	Begun   meter     // of requests that began
	Served  meter     // of requests that were served
	Began   time.Time // start of the measuring interval
	Answers int       // useful answers in the interval
	Held    bool      // the rate held requests back during the interval
	Used    time.Time // last use of the account
}

// Constants for pauses and measuring.
const (
	rowLimit       = 3 // refusals in a row after which all sending pauses
	shortPauses    = 5 // pauses in a row that are short; after that the service's own Retry-After applies to all
	firstRowPause  = 50 * time.Millisecond
	longRowPause   = 5 * time.Second
	firstTripPause = time.Second
	longTripPause  = 30 * time.Second
	interval       = 100 * time.Millisecond // minimum measuring interval
	intervalAtMost = 5 * time.Second
	enough         = 5 // answers that complete an interval
	// forgotten is how long a shared account is valid after its last use and the pauses that were asked for. After that
	// it starts anew, as it does for a process that starts alone.
	forgotten = time.Minute
)

func newAccount(now time.Time, o Options) account {
	return account{Rate: newRateController(now, o.Rate), Bucket: bucket{Level: 1}, Breaker: breaker{Trip: o.Trip}, Fixed: o.Fixed,
		RowPause: firstRowPause, TripPause: firstTripPause, Began: now, Used: now}
}

// stale reports whether the account has been unused for so long that it means nothing any more.
func (a *account) stale(now time.Time) bool {
	since := a.Used
	if a.PauseEnds.After(since) {
		since = a.PauseEnds
	}
	return now.Sub(since) > forgotten
}

// permit is what a request needs to begin. It becomes void when the rate drops, or when the breaker opens or closes.
type permit struct {
	Drop int // how often the rate had dropped
	Era  int // of the breaker
}

func (a *account) permit() permit { return permit{a.Rate.Drops, a.Breaker.Era} }

// take gives out up to want permits, for requests that begin within lead from now. If there is none, wait is when to
// ask again, or 0 if only an answer can change that.
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

// giveBack takes back unused permits.
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

// known returns the rate that is known: not what a curve that doubles, or climbs while nothing is sent, has come to.
func (a *account) known(now time.Time) float64 {
	if a.Fixed || !a.Rate.found() {
		return max(a.Rate.Ceiling, 0)
	}
	return min(a.Rate.at(now), max(a.Rate.Peak, a.Served.rate(now)))
}

// answer is what a request that began with a permit has shown.
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

// refused counts refusals in a row, of requests that began after the last pause. After rowLimit refusals all sending
// pauses. The pauses are short at first, even if the service asks for longer ones: it may mean only this record, which
// does wait that long, or a second that is soon over. If the short pauses do not help, all sending waits as long as the
// service asks.
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

// actual returns the rate at which requests began lately, or +Inf while the rate itself holds them back.
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

// measure ends the interval if it is long enough. If the rate did not hold requests back, nothing was learned about it.
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

// bucket counts the permits that the rate allows and nobody has taken. Below zero, it counts those taken ahead of time.
type bucket struct {
	Level float64
	Rate  float64 // permits per second
	At    time.Time
}

// burst returns how many turns that fell due while nobody looked may be made up for at once. On a busy machine timers
// are several milliseconds late, and those turns would be lost. This matters only at low rates: at high rates answers
// come often enough to look, and a service that allows only short bursts would refuse more. Before the limit is found
// nothing needs to be made up for, because the rate keeps doubling.
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
	// Permits given ahead at a higher rate, before a drop, are mostly void, so they are not waited for.
	b.Level, b.Rate = min(max(b.Level, -ahead), most), perSecond
	if n = min(int(b.Level+ahead+1e-6), want); n > 0 {
		b.Level -= float64(n)
		return n, 0
	}
	return 0, max(time.Duration((1-b.Level-ahead)/perSecond*float64(time.Second)), time.Microsecond)
}
