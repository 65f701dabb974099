package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTheBandNarrowsWhileARunGoesOn sends records to services with hidden limits, and looks at the estimate on the way: the end is in the
// band, the likely one within 10 % of what is left, and the band gets narrower.
func TestTheBandNarrowsWhileARunGoesOn(t *testing.T) {
	t.Parallel()
	for _, limit := range []float64{40, 150, 400, 0} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const workers, latency = 16, 20 * time.Millisecond
				records := int(cmp.Or(limit, workers/latency.Seconds()) * 600)
				attempts, _ := push(t, records, workers, limit, latency)
				settled := make([]time.Time, 0, records)
				for _, a := range attempts {
					if a.Status == 200 {
						settled = append(settled, a.Started.Add(a.Duration))
					}
				}
				slices.SortFunc(settled, time.Time.Compare)
				ended := settled[len(settled)-1]
				var c Course
				last := 100 * time.Hour
				for n, at := range settled {
					if c = c.At(at, n); n != records/20 && n != records/4 && n != records/2 && n != 9*records/10 {
						continue
					}
					e, ok := c.Ends(at, records-n)
					if !ok {
						t.Fatalf("no estimate after %d of %d", n, records)
					}
					if ended.Before(e.Earliest) || ended.After(e.Latest) {
						t.Errorf("after %d of %d: %v to %v to go, %v it took", n, records, e.Earliest.Sub(at), e.Latest.Sub(at), ended.Sub(at))
					}
					if off := float64(e.Likely.Sub(ended)) / float64(ended.Sub(at)); off < -0.1 || off > 0.1 {
						t.Errorf("after %d of %d: off by %.1f %%", n, records, 100*off)
					}
					band := e.Latest.Sub(e.Earliest)
					if band >= last {
						t.Errorf("after %d of %d the band is %v, it was %v", n, records, band, last)
					}
					last = band
				}
				if last > 15*time.Second {
					t.Errorf("a minute before the end the band is still %v", last)
				}
			})
		})
	}
}

// steady is a course of so many seconds with so much done in each.
func steady(c Course, at time.Time, done, seconds, each int) (Course, time.Time, int) {
	for range seconds {
		at, done = at.Add(time.Second), done+each
		c = c.At(at, done)
	}
	return c, at, done
}

// TestABandTakesInAChangeOfPace slows a service down: the band then reaches from the former pace to the new one, which is the likely one.
func TestABandTakesInAChangeOfPace(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 6, 18, 0, 0, 0, time.UTC)
	c, at, done := steady(Course{}.At(at, 0), at, 0, 600, 100)
	c, at, _ = steady(c, at, done, 300, 50)
	e, ok := c.Ends(at, 10_000)
	if !ok || e.Likely.Sub(at) < 195*time.Second || e.Likely.Sub(at) > 205*time.Second || e.Earliest.Sub(at) > 120*time.Second || e.Latest.Before(e.Likely) {
		t.Errorf("%v, from %v to %v", e.Likely.Sub(at), e.Earliest.Sub(at), e.Latest.Sub(at))
	}
}

// TestAnInterruptionIsNoPace lets an hour go by in which nothing was done, and a run of days, whose course stays as small as it was.
func TestAnInterruptionIsNoPace(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 6, 18, 0, 0, 0, time.UTC)
	c, at, done := steady(Course{}.At(at, 0), at, 0, 90_000, 10)
	c, at, _ = steady(c, at.Add(time.Hour), done, 90_000, 10)
	if e, ok := c.Ends(at, 6000); !ok || e.Likely.Sub(at) < 590*time.Second || e.Likely.Sub(at) > 610*time.Second || e.Latest.Sub(e.Earliest) > time.Minute {
		t.Errorf("%v, from %v to %v", e.Likely.Sub(at), e.Earliest.Sub(at), e.Latest.Sub(at))
	}
}

// TestAnEstimateInWords shows that the times of a band are never rounded into it, and that another day is named.
func TestAnEstimateInWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 22, 0, 30, 0, time.Local)
	for _, test := range []struct {
		likely, earliest, latest time.Duration
		long, short              string
	}{
		{5 * time.Second, 4 * time.Second, 6 * time.Second, "5s left", "5s left"},
		{10 * time.Minute, 9*time.Minute + 50*time.Second, 10*time.Minute + 10*time.Second, "ends about 22:10", "ends 22:10"},
		{10 * time.Minute, 9 * time.Minute, 11 * time.Minute, "ends between 22:09 and 22:12", "ends 22:09–22:12"},
		{2 * time.Hour, 115 * time.Minute, 125 * time.Minute, "ends between 23:55 and Sat 00:06", "ends 23:55–Sat 00:06"},
	} {
		long, short := estimate{now.Add(test.likely), now.Add(test.earliest), now.Add(test.latest)}.Words(now)
		if long != test.long || short != test.short {
			t.Errorf("%q and %q, want %q and %q", long, short, test.long, test.short)
		}
	}
}
