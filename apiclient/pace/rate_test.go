package pace

import (
	"math"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func after(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

// near tells whether two numbers are the same within a thousandth.
func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 0.001*math.Abs(b) }

func TestRateController(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	begun := newRateController(noon, 0)
	dropped := begun.tooMany(after(0.1), 0, inf, 0)                                    // at 800
	settled := dropped.served(after(0.2), 500, false).tooMany(after(10), 1, 1000, 0)   // long after
	quickly := settled.tooMany(after(10.1), 2, inf, 0).tooMany(after(10.2), 3, inf, 0) // two more at once
	tests := []struct {
		name  string
		tempo rateController
		at    float64
		want  float64
	}{
		{"starts gently", begun, 0, 200},
		{"doubles while nobody objects", begun, 0.1, 800},
		{"is without limit soon", begun, 1, inf},
		{"never exceeds its ceiling", newRateController(noon, 300), 1, 300},
		{"halves at the first objection", dropped, 0.1, 400},
		{"is back at the peak after a climb", dropped, 0.1 + 2, 800},
		{"goes on gently past the peak", dropped, 0.1 + 4, 880},
		{"drops by a tenth later", settled, 10, 900},
		{"takes what really began for the peak", settled, 12, 1000},
		{"looks for the limit near what was served", dropped.served(after(0.2), 500, false).tooMany(after(10), 1, inf, 500), 10, 0.9 * 1.02 * 500},
		{"a second drop is deeper", settled.tooMany(after(10.1), 2, 900, 990), 10.1, 720},
		{"and keeps what was served as its peak", settled.tooMany(after(10.1), 2, 900, 990), 12.1, 990},
		{"but no more than the peak before", settled.tooMany(after(10.1), 2, 900, 1200), 12.1, 1000},
		{"an objection to an older request changes nothing", settled.tooMany(after(10.1), 1, inf, 0), 12, 1000},
		{"drops in succession are larger", quickly, 10.2, quickly.Peak * 0.65},
		{"what was served lately sets the rate after a pause", quickly.served(after(11), 300, true), 11, 270},
		{"without a pause the rate is a floor", quickly.served(after(11), 300, false), 11, quickly.Rate * 0.9},
		{"what was served is asked once", quickly.served(after(11), 300, true).served(after(11.1), 100, true), 11, 270},
		{"of two estimates within a second the lower counts", quickly.served(after(10.4), 300, true).
			tooMany(after(10.5), 4, inf, 0).served(after(10.6), 900, true), 10.6, 0.9 * quickly.served(after(10.4), 300, true).at(after(10.5))},
		{"time that taught nothing does not count", dropped.idle(time.Hour), 3600.1, 400},
		{"a low rate climbs more slowly", begun.tooMany(after(0.1), 0, 10, 0), 0.1 + 11, 10},
		{"never stops altogether", begun.tooMany(after(0.1), 0, 0, 0), 0.1, 0.2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.tempo.at(after(test.at)); !near(got, test.want) {
				t.Errorf("rate is %v, want %v", got, test.want)
			}
		})
	}
}

func TestConcurrencyLimit(t *testing.T) {
	t.Parallel()
	sized := func(size float64) concurrencyLimit { return concurrencyLimit{size: size, ceiling: 32, met: true} }
	tests := []struct {
		name   string
		window concurrencyLimit
		strain float64
		full   bool
		want   int
	}{
		{"starts small", newConcurrencyLimit(32), 1, false, 4},
		{"starts at a low ceiling", newConcurrencyLimit(2), 1, false, 2},
		{"grows fast until one was too large", newConcurrencyLimit(32), 1, true, 6},
		{"and faster the larger it is", concurrencyLimit{size: 16, ceiling: 32}, 1, true, 25},
		{"no more once one was", concurrencyLimit{size: 16, ceiling: 32}.shed(), 1, true, 14},
		{"nor once answers took longer", concurrencyLimit{size: 16, ceiling: 32}.after(3, true), 1, true, 15},
		{"grows while answers are as quick as ever", sized(16), 1, true, 20},
		{"does not grow when it was not full", sized(16), 1, false, 16},
		{"never exceeds its ceiling", sized(31), 1, true, 32},
		{"shrinks in proportion to the strain", sized(20), 3, true, 14},
		{"shrinks though it was not full", sized(20), 3, false, 14},
		{"never shrinks by more than half", sized(20), 100, true, 11},
		{"never shrinks below one", sized(1), 100, true, 1},
		{"bears some strain", sized(16), 2, true, 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.window.after(test.strain, test.full).Size(); got != test.want {
				t.Errorf("size is %d, want %d", got, test.want)
			}
		})
	}
}

func TestConcurrencyLimitOfAServiceThatSheds(t *testing.T) {
	t.Parallel()
	for size, want := range map[float64]int{32: 22, 5: 4, 4: 4, 2: 2} {
		if got := (concurrencyLimit{size: size, ceiling: 32}).shed().Size(); got != want {
			t.Errorf("%v becomes %d, want %d", size, got, want)
		}
	}
}

func TestStrain(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	l := latencies{}
	interval := func(rebaseline bool, of map[string]time.Duration) float64 {
		for op, d := range of {
			for range 10 {
				l.add(op, d)
			}
		}
		return l.strain(rebaseline)
	}
	steps := []struct {
		name       string
		rebaseline bool
		of         map[string]time.Duration
		want       float64
	}{
		{"the first interval is the measure", false, map[string]time.Duration{"create_case": 40 * ms}, 1},
		{"slower is strain", false, map[string]time.Duration{"create_case": 100 * ms}, 2.5},
		{"quicker is the new measure", false, map[string]time.Duration{"create_case": 20 * ms}, 1},
		{"against which all is judged", false, map[string]time.Duration{"create_case": 40 * ms}, 2},
		{"another operation has its own measure", false, map[string]time.Duration{"update_case": 200 * ms}, 1},
		{"a mixture is judged by both", false, map[string]time.Duration{"create_case": 40 * ms, "update_case": 400 * ms}, 2},
		{"a second look measures anew", true, map[string]time.Duration{"create_case": 50 * ms}, 1},
		{"and counts from then on", false, map[string]time.Duration{"create_case": 75 * ms}, 1.5},
		{"a very quick service", true, map[string]time.Duration{"create_case": ms / 10}, 1},
		{"is not strained by milliseconds", false, map[string]time.Duration{"create_case": 9 * ms}, 1},
		{"nothing at all", false, nil, 1},
	}
	for _, step := range steps {
		if got := interval(step.rebaseline, step.of); !near(got, step.want) {
			t.Errorf("%s: strain is %v, want %v", step.name, got, step.want)
		}
	}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	var m meter
	if got := m.rate(noon); got != 0 {
		t.Errorf("before anything: %v", got)
	}
	for i := range 100 {
		m.add(after(float64(i)*0.01), 1)
	}
	for at, want := range map[float64]float64{0.995: 100, 1.45: 50, 60: 0} {
		copied := m
		if got := copied.lastSecond(after(at)); math.Abs(got-want) > 10 {
			t.Errorf("in the second before %v: %v, want %v", at, got, want)
		}
	}
	for at, want := range map[float64]float64{1: 100, 1.95: 100 / 1.95, 2.55: 40 / 1.95, 60: 0} {
		copied := m // asking for a later time forgets
		if got := copied.rate(after(at)); math.Abs(got-want) > 0.05*want {
			t.Errorf("after %v s: %v, want %v", at, got, want)
		}
	}
}
