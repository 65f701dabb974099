package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Schedule says how docketsync schedule behaves as a whole.
type Schedule struct {
	// StopWithin is how long a run that is asked to stop may take to finish what is in flight before it is cut off.
	StopWithin time.Duration `yaml:"stop_within" json:"stop_within"`
}

// When says when docketsync schedule runs a job: by a cron expression, or after another job.
type When struct {
	// Cron is minute, hour, day of month, month and day of week, on the clock of Zone.
	Cron string `yaml:"cron" json:"cron,omitempty"`
	// Zone is a time zone of the IANA database, that of the machine where it is left out.
	Zone string `yaml:"zone" json:"zone,omitempty"`
	// After is the job that this one comes after: it is run whenever that one has ended well.
	After string `yaml:"after" json:"after,omitempty"`
	// Delay is the longest random delay of a run and of those that come after it.
	Delay time.Duration `yaml:"delay" json:"delay,omitempty"`
	// CatchUp is once or never: what becomes of runs for which docketsync was not there.
	CatchUp string `yaml:"catch_up" json:"catch_up,omitempty"`
}

// UnmarshalNode reads the settings, or a cron expression alone.
func (w *When) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind == document.Scalar {
		w.Cron = n.Value
		return nil
	}
	type plain When
	return f.Decode(n, (*plain)(w))
}

// FaultAt returns a fault at a setting, for what only another package can know to be wrong. A setting that is not written
// is pointed at by what stands around it.
func (c *Config) FaultAt(message, hint string, path ...any) diagnostic.Fault {
	file := c.place.document()
	return file.At(file.Node(path...), message, hint)
}

func (v *validator) schedule(c *Config) {
	v.require(c.Schedule.StopWithin >= 0 && c.Schedule.StopWithin <= time.Hour, "stop_within is from 0s to 1h",
		"60s is what holds otherwise; a request may take as long as service.timeout", "schedule", "stop_within")
	for i, job := range c.Jobs {
		if job.When != nil {
			v.when(c.Jobs, i, *job.When)
		}
	}
}

func (v *validator) when(jobs []Job, i int, w When) {
	at := func(keys ...any) []any { return append([]any{"jobs", i, "when"}, keys...) }
	v.require(jobs[i].Source.Inbox == nil, "a job with an inbox is run whenever a file has arrived, and has no times",
		"leave when out: docketsync schedule looks into the inbox all the time", at()...)
	switch {
	case w.Cron != "" && w.After != "":
		v.fail("when has both cron and after", "leave one of them: a job that comes after another is due when that one is", at("after")...)
	case w.Cron == "" && w.After == "":
		v.fail("when says neither cron nor after", `write cron: "0 2 * * 1-5", or after: JOB`, at()...)
	case w.After != "":
		v.after(jobs, i, at)
		for key, said := range map[string]bool{"zone": w.Zone != "", "delay": w.Delay != 0, "catch_up": w.CatchUp != ""} {
			v.require(!said, key+" goes with cron", "a job that comes after another follows the schedule of that one", at(key)...)
		}
	}
	if w.Zone != "" {
		_, err := time.LoadLocation(w.Zone)
		v.require(err == nil, fmt.Sprintf("there is no time zone %q", w.Zone), "write a name of the IANA database, such as Europe/Madrid or UTC", at("zone")...)
	}
	v.require(w.Delay >= 0 && w.Delay <= 12*time.Hour, "delay is from 0s to 12h", "such as 10m", at("delay")...)
	v.either(w.CatchUp, at("catch_up")...)
}

// after checks that the job which another comes after is there, and has a time of its own in the end.
func (v *validator) after(jobs []Job, i int, at func(...any) []any) {
	name := jobs[i].When.After
	var known []string
	for n, job := range jobs {
		if n != i {
			known = append(known, job.Name)
		}
	}
	find := func(name string) int { return slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name }) }
	n := find(name)
	switch {
	case n < 0 || n == i:
		hint := fmt.Sprintf("the other jobs are %s", strings.Join(known, ", "))
		if near := diagnostic.Nearest(name, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		v.fail(fmt.Sprintf("there is no other job %q to come after", name), hint, at("after")...)
	case jobs[n].When == nil:
		v.fail(fmt.Sprintf("the job %q is not scheduled itself", name), "give it a when: of its own", at("after")...)
	default:
		for steps := 0; jobs[n].When != nil && jobs[n].When.After != ""; steps++ {
			if steps == len(jobs) {
				v.fail("these jobs come after each other in a circle", "give one of them a cron expression", at("after")...)
				return
			}
			if n = find(jobs[n].When.After); n < 0 {
				return // which is said there
			}
		}
	}
}
