// Package forecast says how long a job's records will take, by the pace of an earlier run of the same operation.
//
// Observe folds the requests of that run into a Pace: how many records were settled while the run was finding out what
// the service takes (warmUp), how many a second from then on, and how much that varied. Pace.For derives from this how
// long a number of records takes, with a band. Both are pure: they depend on their arguments, not on the clock.
//
// Course does the same for a run in progress, from what it has done so far. The terminal and the console use it to show
// when the run ends; the band narrows as records are sent.
//
// The decision that is not obvious is that nothing is modelled. The rate of a finished run already contains the
// service's hidden limit, its latency, the number of workers, retries and this machine's own work; a product of guesses
// about each would be further off. So a forecast is as good as the next run is similar, and a run that was too short
// for its rate to settle gets a wide band.
package forecast

import (
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"docketsync/importer/ledger"
)

const (
	// warmUp is how long a push takes to find out what the service takes.
	warmUp = 10 * time.Second
	// blocks is how many parts the time after warmUp is divided into, to see how steady the rate was.
	blocks = 10
	// idle is the time without an answer after which a run counts as interrupted, not as slow.
	idle = time.Minute
	// leastBand is the least error that a forecast allows for, shortBand that of a run which ended while it was warming
	// up.
	leastBand, shortBand = 0.04, 0.3
	// leastSettled is how many settled records a pace needs.
	leastSettled = 20
)

// Pace is how fast a run was.
type Pace struct {
	Settled   int     `json:"settled"`    // records
	PerSecond float64 `json:"per_second"` // once it was steady
	Spread    float64 `json:"spread"`     // the share by which the rate may differ
	// WarmUpSeconds were spent on the first WarmUpSettled records.
	WarmUpSeconds float64 `json:"warm_up_seconds"`
	WarmUpSettled int     `json:"warm_up_settled"`
	// LatencySeconds is the median of the answers that settled a record, Refused the share of requests that were too
	// many (429), Repeated the share of those that settled nothing. RefusedParts is the share of the parts of the run
	// after its warm-up in which any request was too many.
	LatencySeconds float64 `json:"latency_seconds"`
	Refused        float64 `json:"refused"`
	RefusedParts   float64 `json:"refused_parts"`
	Repeated       float64 `json:"repeated"`
	// FirstAfter is how long the run took to read and plan, per record.
	FirstAfter time.Duration `json:"-"`
}

// observe returns the pace of a run from its requests, in any order; ok is false if they are too few.
func observe(run ledger.Run, requests iter.Seq2[ledger.Attempt, error]) (p Pace, ok bool, err error) {
	var all, refused, settled int
	var first time.Time
	bySecond, tooMany, durations := map[int64]int{}, map[int64]int{}, map[int]int{}
	for a, err := range requests {
		if err != nil {
			return p, false, err
		}
		ended := a.Started.Add(a.Duration).Unix()
		if all++; a.Status == 429 {
			refused++
			tooMany[ended]++
		}
		if first.IsZero() || a.Started.Before(first) {
			first = a.Started
		}
		if a.Status < 200 || a.Status >= 500 || a.Status == 408 || a.Status == 425 || a.Status == 429 {
			continue
		}
		settled++
		bySecond[ended]++
		durations[bucket(a.Duration)]++
	}
	if settled < leastSettled {
		return p, false, nil
	}
	p = Pace{Settled: settled, LatencySeconds: median(durations, settled), Refused: float64(refused) / float64(all), Repeated: float64(all-settled) / float64(all)}
	if rows := run.Counts.Read; rows > 0 && first.After(run.Started) {
		p.FirstAfter = first.Sub(run.Started) / time.Duration(rows)
	}
	p.RefusedParts = refusedParts(bySecond, tooMany)
	p.settle(perSecond(bySecond))
	return p, p.PerSecond > 0, nil
}

// refusedParts returns the share of the parts of a run in which requests were too many. A limit that holds a run back
// is met again and again; a limit that was met only during the warm-up, or once by chance, did not slow the run down.
func refusedParts(settled, tooMany map[int64]int) float64 {
	seconds := maps.Clone(settled)
	maps.Copy(seconds, tooMany)
	list := slices.Sorted(maps.Keys(seconds))
	list = list[min(int(warmUp/time.Second), len(list)/2):]
	parts, met := min(blocks/2, len(list)), 0
	for n := range parts {
		if slices.ContainsFunc(list[n*len(list)/parts:(n+1)*len(list)/parts], func(second int64) bool { return tooMany[second] > 0 }) {
			met++
		}
	}
	return float64(met) / float64(max(parts, 1))
}

// perSecond lists the answers of each second from the first to the last.
func perSecond(counts map[int64]int) (list []int) {
	seconds := slices.Sorted(maps.Keys(counts))
	for n, second := range seconds {
		if n > 0 && second-seconds[n-1] <= int64(idle/time.Second) {
			list = append(list, make([]int, second-seconds[n-1]-1)...)
		}
		list = append(list, counts[second])
	}
	return list
}

// settle finds the steady rate from the seconds of a run. The last second is not a whole one.
func (p *Pace) settle(seconds []int) {
	warm := min(int(warmUp/time.Second), len(seconds)/2)
	steady := seconds[warm:]
	if len(steady) > 1 {
		steady = steady[:len(steady)-1]
	}
	p.WarmUpSeconds, p.WarmUpSettled = float64(warm), sum(seconds[:warm])
	p.PerSecond = float64(sum(steady)) / float64(len(steady))
	if len(steady) < blocks {
		p.Spread = shortBand
		return
	}
	var rates []float64
	for n := range blocks {
		part := steady[n*len(steady)/blocks : (n+1)*len(steady)/blocks]
		rates = append(rates, float64(sum(part))/float64(len(part)))
	}
	variance := 0.0
	for _, rate := range rates {
		variance += (rate - p.PerSecond) * (rate - p.PerSecond) / (blocks - 1)
	}
	p.Spread = min(max(leastBand, 2*math.Sqrt(variance/blocks)/p.PerSecond+0.5/float64(len(steady))), shortBand)
}

func sum[T int | float64](list []T) (total T) {
	for _, n := range list {
		total += n
	}
	return total
}

// bucket is the step that a duration falls into; steps are about 1 % apart.
func bucket(d time.Duration) int { return int(64 * math.Log2(float64(max(d.Microseconds(), 1)))) }

func median(durations map[int]int, all int) float64 {
	seen := 0
	for _, step := range slices.Sorted(maps.Keys(durations)) {
		if seen += durations[step]; 2*seen >= all {
			return math.Exp2((float64(step)+0.5)/64) / 1e6
		}
	}
	return 0
}

// Span is how long something will take: probably, at least and at most.
type Span struct{ Likely, Least, Most time.Duration }

// And is one span after the other.
func (s Span) And(o Span) Span { return Span{s.Likely + o.Likely, s.Least + o.Least, s.Most + o.Most} }

// For returns how long this many records take, made from this many rows.
func (p Pace) For(records, rows int) Span {
	reading := float64(rows) * p.FirstAfter.Seconds()
	seconds := func(rate float64) time.Duration {
		took := float64(records) / rate
		if records > p.WarmUpSettled {
			took = p.WarmUpSeconds + float64(records-p.WarmUpSettled)/rate
		}
		return time.Duration((reading + took) * float64(time.Second))
	}
	return Span{seconds(p.PerSecond), seconds(p.PerSecond * (1 + p.Spread)), seconds(p.PerSecond / (1 + p.Spread))}
}
