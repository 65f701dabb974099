package schedule

import (
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	p, err := Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		catchUp CatchUp
		nights  int
		late    time.Duration // behind the last of them
		running bool
		waiting bool
		want    string
	}{
		"nothing is due":                         {Once, 0, 0, false, false, ""},
		"in time":                                {Never, 1, time.Second, false, false, "waiting"},
		"a little late":                          {Never, 1, onTime, false, false, "waiting"},
		"too late, not to be caught up":          {Never, 1, onTime + time.Second, false, false, "missed"},
		"too late, to be caught up":              {Once, 1, 20 * time.Hour, false, false, "waiting"},
		"three nights are caught up by one run":  {Once, 3, 5 * time.Hour, false, false, "caught_up caught_up waiting"},
		"the last of three is in time":           {Never, 3, time.Minute, false, false, "missed missed waiting"},
		"three nights are missed":                {Never, 3, time.Hour, false, false, "missed missed missed"},
		"the run before is going":                {Once, 2, time.Minute, true, false, "overlapped overlapped"},
		"it is going, and the machine had slept": {Never, 1, time.Hour, true, false, "overlapped"},
		"one waits already":                      {Never, 2, time.Hour, false, true, "caught_up waiting"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &Chain{Pattern: p, CatchUp: test.catchUp, Steps: []Step{{Job: "matters"}}}
			var up []Due
			for due := range p.after(from) {
				if len(up) == test.nights {
					break
				}
				up = append(up, due)
			}
			now := from
			if len(up) > 0 {
				now = up[len(up)-1].At.Add(test.late)
			}
			var states []string
			for _, v := range judge(c, up, situation{now: now, running: test.running, waiting: test.waiting}) {
				states = append(states, string(v.state))
			}
			if got := strings.Join(states, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestResumption(t *testing.T) {
	t.Parallel()
	once, never := &Chain{CatchUp: Once}, &Chain{CatchUp: Never}
	for name, test := range map[string]struct {
		chain *Chain
		taken int
		later bool
		off   bool
		again bool
	}{
		"it goes on":                       {once, 1, false, false, true},
		"it was only waiting":              {once, 0, false, false, true},
		"a later one is due":               {once, 1, true, false, false},
		"the third life ended in it too":   {once, 3, false, false, false},
		"what is missed is not to be done": {never, 1, false, false, false},
		"it was put off":                   {never, 3, true, true, true},
		"it is scheduled no more":          {nil, 1, false, true, false},
	} {
		if again, why := resumption(test.chain, test.taken, test.later, test.off); again != test.again || again != (why == "") {
			t.Errorf("%s: %v, %q", name, again, why)
		}
	}
}

// TestNextDueOfATimetable holds whoever looks at a timetable from outside to when the scheduler begins: a due that came up is begun after its delay.
func TestNextDueOfATimetable(t *testing.T) {
	t.Parallel()
	pattern := func(text string) Pattern {
		p, err := Parse(text, "UTC")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	delayed := &Chain{Pattern: pattern("0 2 * * *"), Delay: time.Hour, Seed: "seed", Steps: []Step{{Job: "cases"}}}
	hourly := &Chain{Pattern: pattern("30 */12 * * *"), Steps: []Step{{Job: "marks"}}}
	night := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	begin := delayed.begin(Due{At: night})
	if !begin.After(night) {
		t.Fatal("this seed gives no delay, so nothing is shown")
	}
	for name, c := range map[string]struct{ after, want time.Time }{
		"before the due":             {night.Add(-time.Hour), begin},
		"after it, before its delay": {night.Add(time.Second), begin},
		"after its delay":            {begin, night.Add(10*time.Hour + 30*time.Minute)},
		"the other chain is sooner":  {night.Add(-3 * time.Hour), night.Add(-90 * time.Minute)},
	} {
		if got := (Timetable{Chains: []*Chain{delayed, hourly}}).Next(c.after); !got.Equal(c.want) {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
	if got := (Timetable{}).Next(night); !got.IsZero() {
		t.Errorf("an empty timetable has something due at %s", got)
	}
}
