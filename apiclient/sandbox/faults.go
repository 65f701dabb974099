package sandbox

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Faults says how a sandbox misbehaves. The zero value never does. What happens to a request depends only on the seed
// and on its sequence number, so a run can be repeated. A reopened database continues counting where it was.
//
// The probabilities from DropBefore to Alter exclude each other: at most one of them strikes a request, and their sum
// is at most 1. Rate, Slow, SlowAfter, Workers, Forbid and CookieAfter come on top.
type Faults struct {
	Seed uint64

	// DropBefore and DropAfter are the probabilities that the connection closes without an answer, before and after the
	// request was carried out; half of these are resets.
	DropBefore, DropAfter float64
	// FailBefore and FailAfter are the probabilities of a 500, before and after acting.
	FailBefore, FailAfter float64
	// BusyBefore and BusyAfter are the probabilities of a 503, before and after acting. BusyRetryAfter is the
	// Retry-After of the former. The latter has none, because it would promise that nothing happened.
	BusyBefore, BusyAfter float64
	BusyRetryAfter        RetryAfter
	// HTML, Empty and Truncate are the probabilities of a page with status 200, a 200 without a body, and half of the
	// true answer, each after acting.
	HTML, Empty, Truncate float64
	// Refuse is the probability that update trademark answers successful false, without acting.
	Refuse float64
	// Alter is the probability that a case or a folder is stored and shown with only the first half of its name.
	Alter float64

	// Rate is the number of requests per second above which the answer is 429, before acting; 0 means no limit. Burst
	// is how many may come at once; the default is a tenth of Rate, at least 1.
	Rate           float64
	Burst          uint
	RateRetryAfter RetryAfter

	// Slow waits before acting, SlowAfter before answering.
	Slow, SlowAfter Delay
	// Workers is how many requests are carried out at once, each taking WorkTime, while others wait; 0 means no limit.
	Workers  uint
	WorkTime time.Duration

	// Forbid answers 403 to requests of a known user whose body contains this text, before acting; "" means none.
	Forbid string

	// CookieAfter ends a cookie after that many requests; 0 means never.
	CookieAfter uint

	// Lists applies all of this to GET /v1/lists/{kind} too, which is spared otherwise.
	Lists bool
}

// Delay is a wait for a share of the requests.
type Delay struct {
	Wait        time.Duration
	Probability float64
}

// RetryAfter is the Retry-After header of a refusal. The zero value means none. Otherwise it is in whole seconds
// (rounded up) or, with Date, the time at which the wait ends.
type RetryAfter struct {
	After time.Duration
	Date  bool
}

func (r RetryAfter) setHeader(h http.Header, now time.Time) {
	if r.After <= 0 {
		return
	}
	seconds := int64((r.After + time.Second - 1) / time.Second)
	if r.Date {
		h.Set("Retry-After", now.Add(time.Duration(seconds)*time.Second).UTC().Format(http.TimeFormat))
		return
	}
	h.Set("Retry-After", strconv.FormatInt(seconds, 10))
}

// fault is what strikes one request, named as in the request log and the text form.
type fault string

const (
	dropBefore   fault = "drop_before"
	dropAfter    fault = "drop_after"
	failBefore   fault = "500_before"
	failAfter    fault = "500_after"
	busyBefore   fault = "503"
	busyAfter    fault = "503_after"
	htmlAfter    fault = "html"
	emptyAfter   fault = "empty"
	truncated    fault = "truncate"
	refuse       fault = "refuse"
	alter        fault = "alter"
	rateExceeded fault = "rate"
)

type chance struct {
	fault       fault
	probability *float64
}

// chances returns the faults that exclude each other, in the order in which they share the unit interval.
func (f *Faults) chances() []chance {
	return []chance{
		{dropBefore, &f.DropBefore}, {dropAfter, &f.DropAfter}, {failBefore, &f.FailBefore}, {failAfter, &f.FailAfter},
		{busyBefore, &f.BusyBefore}, {busyAfter, &f.BusyAfter}, {htmlAfter, &f.HTML}, {emptyAfter, &f.Empty},
		{truncated, &f.Truncate}, {refuse, &f.Refuse}, {alter, &f.Alter},
	}
}

// fate is everything that the seed decides about one request.
type fate struct {
	fault     fault
	reset     bool // a drop is a reset instead of a close
	slow      time.Duration
	slowAfter time.Duration
}

// fate decides what happens to the request with a sequence number. The random numbers are drawn in a fixed order, so
// that changing one setting does not affect another.
func (f Faults) fate(seq int64) fate {
	random := rand.New(rand.NewPCG(f.Seed, uint64(seq)))
	place, reset, slow, slowAfter := random.Float64(), random.Float64(), random.Float64(), random.Float64()
	x := fate{reset: reset < 0.5}
	for _, c := range f.chances() {
		if place < *c.probability {
			x.fault = c.fault
			break
		}
		place -= *c.probability
	}
	if slow < f.Slow.Probability {
		x.slow = f.Slow.Wait
	}
	if slowAfter < f.SlowAfter.Probability {
		x.slowAfter = f.SlowAfter.Wait
	}
	return x
}
