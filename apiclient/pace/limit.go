package pace

import (
	"math"
	"time"
)

// concurrencyLimit decides how many requests may be under way at once. It is a pure value, judged at the end of each
// measuring interval. It grows while answers come about as fast as when the service had little to do. It shrinks in
// proportion when they take more than latencyTolerance times as long: from there on, more requests at once only wait
// longer. Until answers first take that long or are refused, it grows by startGrowth, so that a short run is not over
// before all its workers have begun.
type concurrencyLimit struct {
	size    float64
	ceiling float64
	met     bool // a size was too large
}

const (
	startWindow      = 4.0
	startGrowth      = 1.6 // per interval; with 2, a low limit would be met by so many requests at once that more than 2 % are refused
	smallestWindow   = 1.0
	latencyTolerance = 2.0
	largestShrink    = 0.5 // per interval
	shedFactor       = 0.7
)

// newConcurrencyLimit starts small and never exceeds the ceiling.
func newConcurrencyLimit(ceiling int) concurrencyLimit {
	return concurrencyLimit{size: min(startWindow, float64(ceiling)), ceiling: float64(ceiling)}
}

// Size returns how many requests may be under way at once, at least 1.
func (w concurrencyLimit) Size() int { return max(int(w.size), 1) }

// after judges an interval. strain is its latency divided by that of a service with little to do. full says whether the
// window held requests back: a window that was not full has learned nothing about larger ones.
func (w concurrencyLimit) after(strain float64, full bool) concurrencyLimit {
	grown := w.size + math.Sqrt(w.size)
	if !w.met {
		grown = startGrowth * w.size
	}
	if strain > latencyTolerance {
		w.met = true
		grown = w.size*max(latencyTolerance/strain, largestShrink) + 1 // the one more keeps trying
	}
	if grown > w.size && !full {
		return w
	}
	w.size = min(max(grown, smallestWindow), w.ceiling)
	return w
}

// shed judges an interval in which the service refused many requests as too much for it. The remaining window is enough
// to find out when the service has recovered, even if the cause lies elsewhere.
func (w concurrencyLimit) shed() concurrencyLimit {
	w.size, w.met = max(w.size*shedFactor, min(w.size, startWindow)), true
	return w
}

// latencySlack is how much longer than ever before answers may take without counting as strain: on such a quick service
// the difference comes from this machine's own scheduling.
const latencySlack = 10 * time.Millisecond

// latencies compares how long answers take with how long they took when the service had little to do, for each
// operation separately.
type latencies map[string]*latency

type latency struct {
	calm  time.Duration // mean of the calmest interval; 0 while unknown
	sum   time.Duration // of the current interval
	count int
}

func (l latencies) add(op string, d time.Duration) {
	of := l[op]
	if of == nil {
		of = &latency{}
		l[op] = of
	}
	of.sum += d
	of.count++
}

// strain ends the interval. It returns how long its requests took, divided by how long they would have taken on the
// calm service. With rebaseline the interval itself becomes the baseline: the window was kept small for it.
func (l latencies) strain(rebaseline bool) float64 {
	var took, calm time.Duration
	for _, of := range l {
		if of.count == 0 {
			continue
		}
		mean := of.sum / time.Duration(of.count)
		if of.calm == 0 || mean < of.calm || rebaseline {
			of.calm = mean
		}
		took += of.sum
		calm += (max(of.calm, latencySlack)) * time.Duration(of.count)
		of.sum, of.count = 0, 0
	}
	if calm == 0 {
		return 1
	}
	return max(float64(took)/float64(calm), 1)
}
