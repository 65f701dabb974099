package wizard

import "testing"

func TestWhenJobsRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chosen nextView
		want   string
		wrong  bool
	}{
		"when asked":          {nextView{}, "", false},
		"when asked, said so": {nextView{Runs: "manually", At: "25:00"}, "", false},
		"every day":           {nextView{Runs: "daily", At: "02:05"}, `"5 2 * * *"`, false},
		"on working days":     {nextView{Runs: "weekdays", At: "23:00"}, `"0 23 * * 1-5"`, false},
		"after another":       {nextView{Runs: "after", After: "cases", Scheduled: []string{"cases"}}, "{after: cases}", false},
		"after nothing":       {nextView{Runs: "after", After: "x: y", Scheduled: []string{"cases"}}, "", true},
		"at no time of day":   {nextView{Runs: "daily", At: "24:00"}, "", true},
		"at more than a time": {nextView{Runs: "daily", At: "02:00\n"}, "", true},
		"in a way of its own": {nextView{Runs: "* * * * *", At: "02:00"}, "", true},
	} {
		if got, err := test.chosen.when(); got != test.want || (err != nil) != test.wrong {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
