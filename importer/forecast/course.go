package forecast

import (
	"fmt"
	"math"
	"time"

	"docketsync/importer/moment"
)

const (
	// lately is how far back the rate of a course reaches; it is kept as marks, each a second or more after the one
	// before.
	lately, markEvery = 30 * time.Second, time.Second
	marksKept         = int(lately/markEvery) + 2
	// An estimate needs at least leastLook of observation and leastDone records, or as many records as come in all of
	// lately. Beyond mostLeft none is shown: nobody plans that by the hour, and the rate says enough.
	leastLook, leastDone, mostLeft = 3 * time.Second, 10, 48 * time.Hour
	// closely is how long before the end the time left is shown instead of the time of day.
	closely = 2 * time.Minute
	// parts is how many parts of equal length a course is divided into. They begin as seconds, and double in length
	// when all are full.
	parts = 64
)

// Course is how fast a phase of a running run has been so far, from when it was first seen. It is a value of the same
// size however long the run takes, so whoever shows it can copy it. The zero Course has seen nothing.
type Course struct {
	begun time.Time
	last  mark // when anything was last done
	marks [marksKept]mark
	n     int // of marks

	step   time.Duration
	done   [parts]float64 // in each part of the time that was worked
	worked time.Duration
}

// mark is how much had been done at an instant.
type mark struct {
	at   time.Time
	done int
}

// seen reports whether the course has begun.
func (c Course) seen() bool { return !c.begun.IsZero() }

// At returns the course after done records (or whatever is counted) by now. More than a minute in which nothing was
// done is left out of the pace.
func (c Course) At(now time.Time, done int) Course {
	if !c.seen() {
		first := mark{now, done}
		return Course{begun: now, last: first, marks: [marksKept]mark{first}, n: 1, step: time.Second}
	}
	if now.Sub(c.marks[c.n-1].at) >= markEvery {
		if c.n == marksKept {
			copy(c.marks[:], c.marks[1:])
			c.n--
		}
		c.marks[c.n] = mark{now, done}
		c.n++
	}
	if took, n := now.Sub(c.last.at), done-c.last.done; n > 0 && took > 0 {
		if took <= idle {
			c.work(took, float64(n))
		}
		c.last = mark{now, done}
	}
	return c
}

// work spreads n, what was done during took, over the parts that it belongs to.
func (c *Course) work(took time.Duration, n float64) {
	for perSecond := n / took.Seconds(); took > 0; {
		at := int(c.worked / c.step)
		if at == parts {
			for i := range parts / 2 {
				c.done[i] = c.done[2*i] + c.done[2*i+1]
			}
			clear(c.done[parts/2:])
			c.step *= 2
			continue
		}
		some := min(took, time.Duration(at+1)*c.step-c.worked)
		c.done[at] += perSecond * some.Seconds()
		c.worked += some
		took -= some
	}
}

// Rate returns how much was done per second lately. ok is false before there is anything to measure, and when nothing
// was done lately.
func (c Course) Rate(now time.Time) (perSecond float64, ok bool) {
	if !c.seen() {
		return 0, false
	}
	from := 0
	for from+1 < c.n && now.Sub(c.marks[from+1].at) >= lately {
		from++
	}
	took, n := now.Sub(c.marks[from].at), c.last.done-c.marks[from].done
	if took <= 0 || n <= 0 {
		return 0, false
	}
	return float64(n) / took.Seconds(), true
}

// estimate is when something in progress will probably end, and the times between which it will.
type estimate struct{ Likely, Earliest, Latest time.Time }

// Ends estimates when rest more will be done. ok is false if that would be a guess: in the first moments, and when
// nothing was done lately.
//
// The band lies between the pace of the whole course and that of its last quarter: the slower of them gives the latest
// end, the faster the earliest, each widened by how much the pace varied. So the band narrows while the pace is steady,
// and covers both paces when it changes.
func (c Course) Ends(now time.Time, rest int) (e estimate, ok bool) {
	if _, moves := c.Rate(now); !moves || rest <= 0 {
		return e, false
	}
	if c.worked < leastLook || sum(c.done[:]) < leastDone && c.worked < lately {
		return e, false
	}
	warm := min(warmUp, c.worked/2)
	all, recent := c.since(warm), c.since(c.worked-max(lately, (c.worked-warm)/4))
	spread := c.spread(warm, all)
	seconds := func(rate float64) time.Duration {
		return time.Duration(min(float64(rest)/rate, 2*mostLeft.Seconds()) * float64(time.Second))
	}
	likely := seconds(recent)
	if likely > mostLeft {
		return e, false
	}
	return estimate{now.Add(likely), now.Add(seconds(max(all, recent) * (1 + spread))), now.Add(seconds(min(all, recent) / (1 + spread)))}, true
}

// since is the rate from the first part that begins at or after that time of the course.
func (c Course) since(after time.Duration) float64 {
	from := min(int((max(after, 0)+c.step-1)/c.step), int((c.worked-1)/c.step))
	return max(sum(c.done[from:]), 1) / (c.worked - time.Duration(from)*c.step).Seconds()
}

// spread is the share by which the rate since a time may be off: like Pace.Spread, from the whole parts since then.
func (c Course) spread(after time.Duration, rate float64) float64 {
	whole := c.done[min(int((after+c.step-1)/c.step), int(c.worked/c.step)):int(c.worked/c.step)]
	if len(whole) < blocks {
		return shortBand
	}
	variance := 0.0
	for _, n := range whole {
		off := n/c.step.Seconds() - rate
		variance += off * off / float64(len(whole)-1)
	}
	oneMore := 1 / (rate * (c.worked - after).Seconds()) // the record that was not quite done
	return min(max(leastBand, 2*math.Sqrt(variance/float64(len(whole)))/rate+oneMore), shortBand)
}

// Words says when it ends: "ends between 03:10 and 03:25", and for a narrow place "ends 03:10–03:25"; shortly before
// the end, how long it takes.
func (e estimate) Words(now time.Time) (long, short string) {
	if left := e.Likely.Sub(now); left < closely {
		long = left.Round(time.Second).String() + " left"
		return long, long
	}
	from, to := moment.Hour(e.Earliest, now), moment.Hour(e.Latest.Add(time.Minute-1), now) // rounding makes the band no narrower
	if e.Latest.Sub(e.Earliest) < time.Minute {
		return "ends about " + moment.Hour(e.Likely, now), "ends " + moment.Hour(e.Likely, now)
	}
	return fmt.Sprintf("ends between %s and %s", from, to), fmt.Sprintf("ends %s–%s", from, to)
}
