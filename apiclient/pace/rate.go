package pace

import (
	"math"
	"time"
)

// rateController is the current estimate of the request rate that the service takes, and decides how fast to send. It
// is a pure value: it changes only through its methods, which say what happened and when.
//
// The service states no limit, so it is found by trying (additive increase, multiplicative decrease, with the growth
// curve of CUBIC, RFC 9438 part 4). Until the service first answers "too many", the rate doubles every startDoubling.
// Then the rate drops by a tenth, climbs back towards the rate at which that happened, lingers there, and then tries
// ever higher rates. So it stays within a few percent of the limit most of the time and asks for too much once per
// cycle. Drops in quick succession grow larger, because the limit is then far below. Answers to requests that were
// permitted before the last drop say nothing about the new rate.
type rateController struct {
	Rate    float64   // requests per second right after the last drop
	Peak    float64   // rate at the last "too many"; 0 if there was none
	Drops   int       // how often the rate dropped
	Dropped time.Time // when it last dropped
	Since   time.Time // where the curve begins: the last drop or the start, moved on while something else holds requests back
	Ceiling float64   // maximum rate; 0 for none
	Settled bool      // a request that was permitted after the last drop was served
	Resumed time.Time // when the rate was last set to what was served
	Haste   int       // drops in quick succession
}

const (
	startRate     = 200.0 // requests per second
	startDoubling = 50 * time.Millisecond
	lowestRate    = 0.2
	// climb is how many requests the way back to the peak takes, so that one "too many" per cycle stays around one in a
	// hundred. shortestClimb and longestClimb limit the time.
	climb         = 110.0
	shortestClimb = 2.0 // seconds
	longestClimb  = 30.0
	// Past the peak the cubic continues for patience climbs. By then the limit is no longer near, and the rate doubles
	// every laterDoubling climbs.
	patience      = 2.0
	laterDoubling = 0.5
	// overshoot says how far above the recently served rate the limit is sought after a single drop.
	overshoot = 1.02
	// quick is the part of the climb within which another drop counts as one in succession.
	quick = 0.25
)

// drops are the factors of successive drops; the last one repeats.
var drops = []float64{0.9, 0.8, 0.65, 0.5}

// newRateController starts at startRate and never exceeds the ceiling, in requests per second; 0 means no ceiling.
func newRateController(now time.Time, ceiling float64) rateController {
	return rateController{Rate: startRate, Since: now, Ceiling: ceiling, Haste: len(drops)}
}

// at returns the rate now, in requests per second, or +Inf if nothing is known to limit it.
func (t rateController) at(now time.Time) float64 {
	elapsed := max(now.Sub(t.Since).Seconds(), 0)
	rate := t.Rate
	if t.Peak == 0 {
		doublings := elapsed / startDoubling.Seconds()
		if doublings > 12 { // 800,000 requests a second: more than one client can send
			return t.ceiling()
		}
		rate *= math.Exp2(doublings)
	} else {
		// Up to the peak: the cubic through the rate after the drop and, with a level tangent, the peak. Past it: one
		// that begins as gently however deep the drop was.
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

// found reports whether the service ever answered "too many", so that the rate is near what it takes.
func (t rateController) found() bool { return t.Peak > 0 }

// climb returns the time from a drop back to the peak, in seconds.
func (t rateController) climb() float64 {
	return min(max(climb/t.Peak, shortestClimb), longestClimb)
}

// tooMany records that the service refused a request because there were too many. drop is the number of drops when the
// request was permitted. actual is the rate at which requests really began lately: less than the rate if something else
// held them back. lately is the rate of those served in the last second or two.
//
// A service that looks back over a second serves too fast a rate for that long before it refuses. So a single drop
// starts from the served rate; and the refusals that still arrive during that second lower the rate once more, but not
// the peak that it climbs back to.
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

// knows reports whether a request can show anything new: it was permitted after the last drop.
func (t rateController) knows(drop int) bool { return drop == t.Drops }

// served records that a request which was permitted after the last drop was served. lately is the rate of those served
// over the last seconds, including pauses. paused says whether only a pause made it possible.
//
// One or two drops settle with that. After more in succession the rate dropped too far, or it was far too high: a
// service that counts by the second takes any rate until the second's quota is used up, and then none. Then the
// recently served rate is the better guide to its limit, but the rate need not go below what was served without a
// pause. Of two such estimates within a second the lower one counts.
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

// idle records that for a while something other than the rate held requests back, so nothing was learned about the
// rate.
func (t rateController) idle(d time.Duration) rateController {
	if t.Peak > 0 {
		t.Since = t.Since.Add(d)
	}
	return t
}

// meter counts events in slots of time, to give their rate over the last two seconds.
type meter struct {
	Slots [meterSlots]int
	Last  int64 // number of the current slot
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

// lastSecond returns the number of events in the last second or slightly less, never more.
func (m *meter) lastSecond(now time.Time) float64 {
	m.turn(now)
	sum := 0
	for slot := range int64(time.Second / meterSlot) {
		sum += m.Slots[(m.Last+meterSlots-slot)%meterSlots]
	}
	return float64(sum)
}

// rate returns the number of events per second over the last two seconds, or since the first event if that is more
// recent.
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
