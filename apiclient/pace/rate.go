package pace

import (
	"math"
	"time"
)

// rateController is what is believed about the rate of requests that the service takes, and decides how fast to send. It is a pure
// value: it changes only through its methods, which say what happened and when.
//
// Nobody states the limit, so it is found by trying (additive increase, multiplicative decrease, with the growth curve of CUBIC,
// RFC 9438 part 4). Before the service ever said "too many", the rate doubles every startDoubling. When it says so, the
// rate drops by a tenth, climbs back towards the rate at which that happened, lingers there, and then tries more and
// more. So it stays within a few percent of the limit most of the time and asks for too much once per cycle. Drops in
// quick succession grow larger: then the limit is far below. Answers to requests that were permitted before the last drop say
// nothing about the new rate.
type rateController struct {
	Rate    float64   // requests per second right after the last drop
	Peak    float64   // rate at which the service last said "too many"; 0 while it never did
	Drops   int       // how often it dropped
	Dropped time.Time // when it last did
	Since   time.Time // where the curve begins: the last drop or the start, moved on while something else holds requests back
	Ceiling float64   // never more than this; 0 for none
	Settled bool      // a request that was permitted after the last drop was served
	Resumed time.Time // when the rate was last set by what was served
	Haste   int       // drops in quick succession
}

const (
	startRate     = 200.0 // requests per second
	startDoubling = 50 * time.Millisecond
	lowestRate    = 0.2
	// climb is how many requests the way back to the peak takes, so that one "too many" in a cycle stays around one in a
	// hundred; shortestClimb and longestClimb bound the time.
	climb         = 110.0
	shortestClimb = 2.0 // seconds
	longestClimb  = 30.0
	// Past the peak, for patience climbs the cubic goes on; by then the limit is no longer near, and the rate doubles every
	// laterDoubling climbs.
	patience      = 2.0
	laterDoubling = 0.5
	// overshoot is how far above what was served lately the limit is looked for after a single drop.
	overshoot = 1.02
	// quick is the part of the climb within which another drop counts as one in succession.
	quick = 0.25
)

// drops are the factors of drops in succession; the last one stays.
var drops = []float64{0.9, 0.8, 0.65, 0.5}

// newRateController starts at startRate and never exceeds the ceiling, in requests per second; 0 is no ceiling.
func newRateController(now time.Time, ceiling float64) rateController {
	return rateController{Rate: startRate, Since: now, Ceiling: ceiling, Haste: len(drops)}
}

// at is the rate now, in requests per second; +Inf when nothing is known to limit it.
func (t rateController) at(now time.Time) float64 {
	elapsed := max(now.Sub(t.Since).Seconds(), 0)
	rate := t.Rate
	if t.Peak == 0 {
		doublings := elapsed / startDoubling.Seconds()
		if doublings > 12 { // 800,000 requests a second: beyond what one client can send
			return t.ceiling()
		}
		rate *= math.Exp2(doublings)
	} else {
		// Up to the peak, the cubic through the rate after the drop and, with a level tangent, the peak; past it, one that
		// begins as gently however deep the drop was.
		x := elapsed/t.climb() - 1
		if x < 0 {
			rate = t.Peak + (t.Peak-t.Rate)*x*x*x
		} else {
			y := min(x, patience)
			rate = t.Peak * (1 + (1-drops[0])*y*y*y) * math.Exp2((x-y)/laterDoubling)
		}
	}
	return min(rate, t.ceiling())
}

func (t rateController) ceiling() float64 {
	if t.Ceiling <= 0 {
		return math.Inf(1)
	}
	return t.Ceiling
}

// found tells whether the service ever said "too many", so that the rate is near what it takes.
func (t rateController) found() bool { return t.Peak > 0 }

// climb is the time from a drop back to the peak, in seconds.
func (t rateController) climb() float64 {
	return min(max(climb/t.Peak, shortestClimb), longestClimb)
}

// tooMany notes that the service refused a request for its number, a request that was permitted after so many drops. actual is the
// rate at which requests really began lately: less than the rate where something else held them back. lately is the rate of
// those served in the last second or two. A service that looks back over a second serves too fast a rate for as long before it
// refuses, so that a single drop starts from what was served; and the refusals that still come while the second passes lower
// the rate once more, but not the peak that it climbs back to.
func (t rateController) tooMany(now time.Time, drop int, actual, lately float64) rateController {
	if !t.knows(drop) {
		return t
	}
	elapsed := now.Sub(t.Dropped).Seconds()
	switch {
	case t.Peak == 0:
	case elapsed < quick*t.climb():
		t.Haste = min(t.Haste+1, len(drops))
	default:
		t.Haste = 1
	}
	earlier := t.Peak
	at := min(t.at(now), actual)
	if t.Haste == 1 && lately > 0 {
		at = min(at, lately*overshoot)
	}
	t.Peak = max(at, lowestRate)
	t.Rate = max(t.Peak*drops[t.Haste-1], lowestRate)
	if t.Haste == 2 {
		t.Peak = max(t.Peak, min(earlier, lately))
	}
	t.Dropped, t.Since, t.Settled = now, now, false
	t.Drops++
	return t
}

// knows whether a request can tell anything new: it was permitted after the last drop.
func (t rateController) knows(drop int) bool { return drop == t.Drops }

// served notes that a request was served which was permitted after the last drop; lately is the rate of those served over the
// last seconds, pauses included, and paused tells whether only a pause brought it about. One or two drops settle with that.
// More in succession went too far, or the rate was far too high: a service that counts by the second takes any rate until
// the second's quota is used up, and then none. Then what it served lately is the better guide to its limit, except that
// the rate need not go below what was served without a pause; of two such estimates within a second the lower one counts.
func (t rateController) served(now time.Time, lately float64, paused bool) rateController {
	if t.Settled || t.Peak == 0 {
		return t
	}
	t.Settled = true
	if t.Haste <= 2 {
		return t
	}
	if !paused {
		lately = max(lately, t.Rate)
	}
	if now.Sub(t.Resumed) < time.Second {
		lately = min(lately, t.Peak)
	}
	t.Peak = max(lately, lowestRate)
	t.Rate = max(t.Peak*drops[0], lowestRate)
	t.Resumed, t.Since = now, now
	return t
}

// idle notes that for a while it was not the rate that held requests back, so nothing was learned about it.
func (t rateController) idle(d time.Duration) rateController {
	if t.Peak > 0 {
		t.Since = t.Since.Add(d)
	}
	return t
}

// meter counts events in slots of time, to tell their rate over the last two seconds.
type meter struct {
	Slots [meterSlots]int
	Last  int64 // number of the slot that is counted in
	First time.Time
}

const (
	meterSlots = 20
	meterSlot  = 100 * time.Millisecond
)

func (m *meter) add(now time.Time, n int) {
	if m.First.IsZero() {
		m.First = now
		m.Last = slotOf(now)
	}
	m.turn(now)
	m.Slots[m.Last%meterSlots] += n
}

func slotOf(now time.Time) int64 { return now.UnixNano() / int64(meterSlot) }

func (m *meter) turn(now time.Time) {
	current := slotOf(now)
	for range min(current-m.Last, meterSlots) {
		m.Last++
		m.Slots[m.Last%meterSlots] = 0
	}
	m.Last = max(m.Last, current)
}

// lastSecond is the number of events in the last second or a little less, never more.
func (m *meter) lastSecond(now time.Time) float64 {
	m.turn(now)
	sum := 0
	for slot := range int64(time.Second / meterSlot) {
		sum += m.Slots[(m.Last+meterSlots-slot)%meterSlots]
	}
	return float64(sum)
}

// rate is the number of events per second over the last two seconds, or since the first event when that is less long ago.
func (m *meter) rate(now time.Time) float64 {
	m.turn(now)
	sum := 0
	for _, n := range m.Slots {
		sum += n
	}
	covered := (meterSlots-1)*meterSlot + time.Duration(now.UnixNano()%int64(meterSlot))
	if since := now.Sub(m.First); since < covered {
		covered = max(since, meterSlot/2)
	}
	return float64(sum) / covered.Seconds()
}
