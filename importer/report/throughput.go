package report

import (
	"maps"
	"math"
	"slices"
	"time"

	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

// Requests is the account of the HTTP requests of a run.
type Requests struct {
	Total int `json:"total"`
	// Repeated counts the requests that were not the first for their record.
	Repeated int       `json:"repeated"`
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"` // when the last answer was in
	// MedianMilliseconds is exact to about a hundredth; SlowestMilliseconds is exact.
	MedianMilliseconds  float64       `json:"median_ms"`
	SlowestMilliseconds float64       `json:"slowest_ms"`
	ByStatus            []StatusCount `json:"by_status"`
	// Series counts answers over time, in steps of StepMilliseconds.
	StepMilliseconds int64   `json:"step_ms"`
	Series           []steps `json:"series"`
}

// StatusCount is how many requests were answered with a status; status 0 means no answer.
type StatusCount struct {
	Status int `json:"status"`
	N      int `json:"requests"`
}

// steps is what happened in one step of time.
type steps struct {
	Start    time.Time `json:"start"`
	Accepted int       `json:"accepted"`
	Other    int       `json:"other"`
}

// maxSteps is the largest number of steps into which a run's time is divided; steps are as short as that allows.
const (
	maxSteps  = 120
	firstStep = 10 * time.Millisecond
)

// verdictAccepted is the client's word for an attempt that the service accepted.
const verdictAccepted = "accepted"

// histogram counts requests over time in bounded memory: when a run outgrows its steps, they are made longer.
type histogram struct {
	total, repeated int
	first, last     time.Time
	slowest         time.Duration
	status          map[int]int
	durations       map[int]int // by logarithm, in steps
	step            time.Duration
	steps           map[int64]steps // by time since the epoch in steps
	low, high       int64
}

func (h *histogram) add(a ledger.Attempt) {
	if h.total == 0 {
		h.status, h.durations, h.steps, h.step = map[int]int{}, map[int]int{}, map[int64]steps{}, firstStep
	}
	end := a.Started.Add(a.Duration)
	if h.total == 0 || a.Started.Before(h.first) {
		h.first = a.Started
	}
	if h.total == 0 || end.After(h.last) {
		h.last = end
	}
	h.total++
	if a.Number > 1 {
		h.repeated++
	}
	h.slowest = max(h.slowest, a.Duration)
	h.status[a.Status]++
	h.durations[int(octave*math.Log2(float64(max(a.Duration.Microseconds(), 1))))]++
	at := end.UnixNano() / int64(h.step)
	if len(h.steps) == 0 {
		h.low, h.high = at, at
	}
	h.low, h.high = min(h.low, at), max(h.high, at)
	s := h.steps[at]
	if a.Verdict == verdictAccepted {
		s.Accepted++
	} else {
		s.Other++
	}
	h.steps[at] = s
	for h.high-h.low >= maxSteps {
		h.lengthen()
	}
}

// lengthen makes the steps longer.
func (h *histogram) lengthen() {
	longer := h.step * 2
	if n := slices.Index(lengths, h.step); n >= 0 && n+1 < len(lengths) {
		longer = lengths[n+1]
	}
	merged := map[int64]steps{}
	for at, s := range h.steps {
		to := time.Duration(at) * h.step / longer
		m := merged[int64(to)]
		m.Accepted += s.Accepted
		m.Other += s.Other
		merged[int64(to)] = m
	}
	h.low, h.high = int64(time.Duration(h.low)*h.step/longer), int64(time.Duration(h.high)*h.step/longer)
	h.steps, h.step = merged, longer
}

// lengths are the lengths in which people count time.
var lengths = []time.Duration{
	firstStep, 20 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, time.Second, 2 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour,
}

func (h *histogram) requests() Requests {
	r := Requests{
		Total: h.total, Repeated: h.repeated, First: h.first.UTC(), Last: h.last.UTC(),
		MedianMilliseconds: min(h.median(), Milliseconds(h.slowest)), SlowestMilliseconds: Milliseconds(h.slowest),
		ByStatus: []StatusCount{}, Series: []steps{}, StepMilliseconds: h.step.Milliseconds(),
	}
	for _, status := range slices.Sorted(maps.Keys(h.status)) {
		r.ByStatus = append(r.ByStatus, StatusCount{status, h.status[status]})
	}
	if h.total == 0 {
		return r
	}
	for at := h.low; at <= h.high; at++ {
		s := h.steps[at]
		s.Start = time.Unix(0, at*int64(h.step)).UTC()
		r.Series = append(r.Series, s)
	}
	return r
}

// octave is how many steps of the logarithm a doubled duration spans.
const octave = 64

// median is the middle of the step that the middle request falls into, in milliseconds.
func (h *histogram) median() float64 {
	seen := 0
	for _, step := range slices.Sorted(maps.Keys(h.durations)) {
		if seen += h.durations[step]; 2*seen >= h.total {
			return math.Round(math.Exp2((float64(step)+0.5)/octave)) / 1000
		}
	}
	return 0
}

// Milliseconds is a duration as the forms write it.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Forecast is when a run was expected to end, as forecast when it began to send or was resumed, and when it did end.
type Forecast struct {
	forecast.Made
	Ended   time.Time `json:"ended,omitzero"` // zero while it goes on
	Stopped bool      `json:"stopped,omitempty"`
}

// finely is the width below which a band's times are shown to the second.
const finely = 2 * time.Minute

// String says how good the forecast was: "Forecast: 02:10 to 02:30; ended 02:24".
func (f Forecast) String() string {
	now := f.Ended
	if now.IsZero() {
		now = f.Begins
	}
	at := func(t time.Time) string { return moment.Hour(t, now) }
	if f.Most.Sub(f.Least) < finely {
		at = moment.Clock
	}
	text := "Forecast: " + at(f.Least) + " to " + at(f.Most)
	switch {
	case f.Ended.IsZero():
		return text
	case f.Stopped:
		return text + "; stopped " + at(f.Ended)
	}
	return text + "; ended " + at(f.Ended)
}
