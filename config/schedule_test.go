package config_test

import (
	"strings"
	"testing"

	"docketsync/config"
)

func TestMistakesInSchedules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ when, want string }{
		"nothing said":             {"{zone: UTC}", "5:42: when requires cron or after"},
		"both":                     {"{cron: 0 2 * * *, after: b}", "5:67: when has both cron and after"},
		"a zone of none":           {"{cron: 0 2 * * *, zone: Europe/Madird}", `5:66: unknown time zone "Europe/Madird"`},
		"after nobody":             {"{after: bb}", `5:50: unknown job "bb" in after`},
		"after itself":             {"{after: a}", `5:50: unknown job "a" in after`},
		"after one not scheduled":  {"{after: c}", `5:50: the job "c" is not scheduled`},
		"in a circle":              {"{after: b}", "5:50: these jobs depend on each other in a circle"},
		"a zone with after":        {"{after: b, zone: UTC}", "zone requires cron"},
		"a delay with after":       {"{after: b, delay: 1m}", "delay requires cron"},
		"a word of none":           {"{cron: 0 2 * * *, catch_up: twice}", "5:70: catch_up must be one of once, never"},
		"a delay of days":          {"{cron: 0 2 * * *, delay: 48h}", "5:67: delay must be between 0s and 12h"},
		"an unknown key":           {"{cron: 0 2 * * *, dealy: 1m}", `did you mean "delay"?`},
		"a list":                   {"[0 2 * * *]", "5:42"},
		"stop_within beyond limit": {"0 2 * * *\nschedule: {stop_within: 2h}", ": stop_within must be between 0s and 1h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			when, rest, _ := strings.Cut(test.when, "\n")
			text := small + "jobs:\n- {name: a, mapping: m, source: s, when: " + when + "}\n" +
				"- {name: b, mapping: m, source: s, when: {after: a}}\n- {name: c, mapping: m, source: s}\n" + rest + "\n"
			_, err := load(text, key)
			if err == nil || !strings.Contains(strings.Join(faults(t, err), "\n"), test.want) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestInboxesHaveNoTimes(t *testing.T) {
	t.Parallel()
	_, err := load(small+"jobs:\n- {name: a, mapping: m, source: {inbox: in}, when: 0 2 * * *}\n", key)
	if err == nil || !strings.Contains(err.Error(), "when is not supported with an inbox: the job runs whenever a file arrives") {
		t.Errorf("error: %v", err)
	}
}

func TestMistakesInWhatComesAfterWhat(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ after, want string }{
		"nobody":           {"bb", `5:43: unknown job "bb" in after`},
		"nobody in a list": {"[c, bb]", `5:47: unknown job "bb" in after`},
		"itself":           {"[a]", `unknown job "a" in after`},
		"a circle":         {"[b]", `5:44: the jobs "a" and "b" come after each other in a circle`},
		"a block":          {"{job: c}", "5:43"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(small+"jobs:\n- {name: a, mapping: m, source: s, after: "+test.after+"}\n- {name: c, mapping: m, source: s}\n- {name: b, mapping: m, source: s, after: d}\n"+
				"- {name: d, mapping: m, source: s, after: [c, a]}\n", key)
			if err == nil || !strings.Contains(strings.Join(faults(t, err), "\n"), test.want) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestOrderOfJobs(t *testing.T) {
	t.Parallel()
	c, err := load(small+"jobs:\n- {name: d, mapping: m, source: s, after: c}\n- {name: a, mapping: m, source: s}\n- {name: c, mapping: m, source: s, after: [b]}\n- {name: b, mapping: m, source: s}\n", key)
	if err != nil {
		t.Fatal(err)
	}
	order := ""
	for _, job := range config.InOrder(c.Jobs, c.Jobs) {
		order += job.Name + "<" + strings.Join(config.Before(c.Jobs, job.Name), "")
	}
	if order != "a<b<c<bd<cb" {
		t.Errorf("the order is %q", order)
	}
}
