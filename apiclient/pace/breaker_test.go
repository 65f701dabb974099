package pace

import (
	"strings"
	"testing"
)

// TestBreaker tells a breaker that opens after three failures what became of requests, in their order: B one begins, F the last failed,
// S it was served, N neither; b begins one that is answered later, with f or s.
func TestBreaker(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		story  string
		open   bool
		admits bool
	}{
		{"", false, true},
		{"BF BF", false, true},
		{"BF BF BF", true, true},
		{"BF BF BS BF BF", false, true},
		{"BF BF BN BF", true, true},
		{"BF BF BF B", true, false},  // a probe is under way
		{"BF BF BF BF", true, true},  // it failed: the next one may probe
		{"BF BF BF BN", true, true},  // it told nothing
		{"BF BF BF BS", false, true}, // it was served
		{"BF BF BF BS BF BF", false, true},
		{"b BF BF BF s", true, true},     // began before the breaker opened
		{"b BF BF BF B s", true, false},  // and does not end the probe
		{"b BF BF BF BS f", false, true}, // nor does a failure from before count
		{"b BF BF BF BS f BF BF", false, true},
	} {
		t.Run(test.story, func(t *testing.T) {
			t.Parallel()
			b := breaker{Trip: 3}
			var era, late int
			for _, step := range strings.ReplaceAll(test.story, " ", "") {
				switch step {
				case 'B':
					era, b.Probing = b.Era, b.Open
				case 'F':
					b.failed(era)
				case 'S':
					b.served(era)
				case 'N':
					b.neither(era)
				case 'b':
					late, b.Probing = b.Era, b.Open
				case 'f':
					b.failed(late)
				case 's':
					b.served(late)
				}
			}
			if b.Open != test.open || b.admits() != test.admits {
				t.Errorf("open %v, admits %v", b.Open, b.admits())
			}
		})
	}
}
