package apiclient

import (
	"time"

	"docketsync/apiclient/payload"
)

// latencySlack is what answers may take longer than ever before without counting as strain: on a service this quick, the
// difference is that of this machine's own scheduling.
const latencySlack = 10 * time.Millisecond

// latencies compares how long answers take with how long they took when the service had little to do, for each operation
// by itself.
type latencies map[payload.Operation]*latency

type latency struct {
	calm  time.Duration // mean of the calmest interval; 0 while unknown
	sum   time.Duration // of the current interval
	count int
}

func (l latencies) add(op payload.Operation, d time.Duration) {
	of := l[op]
	if of == nil {
		of = &latency{}
		l[op] = of
	}
	of.sum += d
	of.count++
}

// strain ends the interval and returns what its requests took, divided by what they would have taken on the calm service.
// With relook, the interval itself becomes the measure: the window was held small for it.
func (l latencies) strain(relook bool) float64 {
	var took, calm time.Duration
	for _, of := range l {
		if of.count == 0 {
			continue
		}
		mean := of.sum / time.Duration(of.count)
		if of.calm == 0 || mean < of.calm || relook {
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
