package apiclient

import "math"

// Window decides how many requests may be under way at once. It is a pure value, judged anew at the end of each interval of
// measuring. It grows while answers come about as fast as they did when the service had little to do, and shrinks in
// proportion when they take more than latencyTolerance as long: from there on, more requests at once only wait longer.
type Window struct {
	size    float64
	ceiling float64
}

const (
	startWindow      = 4.0
	smallestWindow   = 1.0
	latencyTolerance = 2.0
	largestShrink    = 0.5 // in one interval
	shedFactor       = 0.7
)

// NewWindow starts small and never exceeds the ceiling.
func NewWindow(ceiling int) Window {
	return Window{size: min(startWindow, float64(ceiling)), ceiling: float64(ceiling)}
}

// Size is the number of requests that may be under way at once, at least 1.
func (w Window) Size() int { return max(int(w.size), 1) }

// After judges an interval: strain is the latency in it divided by that of a service with little to do, full tells whether
// the window was what held requests back. A window that was not full learned nothing about larger ones.
func (w Window) After(strain float64, full bool) Window {
	grown := w.size + math.Sqrt(w.size)
	if strain > latencyTolerance {
		grown = w.size*max(latencyTolerance/strain, largestShrink) + 1 // the one more keeps trying
	}
	if grown > w.size && !full {
		return w
	}
	w.size = min(max(grown, smallestWindow), w.ceiling)
	return w
}

// Shed judges an interval in which the service turned away a good part of the requests as too much for it. What is left is
// enough to find out when it has recovered, also where the cause lies elsewhere.
func (w Window) Shed() Window {
	w.size = max(w.size*shedFactor, min(w.size, startWindow))
	return w
}
