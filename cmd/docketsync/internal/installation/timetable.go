package installation

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer/schedule"
)

// Timetable makes the schedule of a configuration. All mistakes in its expressions are reported at once, with their
// places.
func Timetable(c *config.Config) (schedule.Timetable, error) {
	table := schedule.Timetable{StopWithin: c.Schedule.StopWithin}
	// The seed distinguishes installations, so that their random delays differ.
	host, _ := os.Hostname()
	seed := host + " " + c.Ledger.String() + " " + c.Service.BaseURL
	var faults diagnostic.Faults
	for i, job := range c.Jobs {
		if job.When == nil || job.When.Cron == "" {
			continue
		}
		pattern, err := schedule.Parse(job.When.Cron, job.When.Zone)
		if mistake, ok := errors.AsType[*schedule.Mistake](err); ok {
			faults = append(faults, c.FaultAt(mistake.Message, mistake.Hint, "jobs", i, "when", "cron"))
			continue
		}
		if err != nil {
			return table, err
		}
		chain := &schedule.Chain{Pattern: pattern, CatchUp: schedule.Once, Delay: job.When.Delay, Seed: seed, Steps: stepsBehind(c.Jobs, job.Name)}
		if job.When.CatchUp == "never" {
			chain.CatchUp = schedule.Never
		}
		table.Chains = append(table.Chains, chain)
	}
	return table, faults.Err()
}

// stepsBehind returns a job and those that come after it, each after the one that it follows, otherwise in the order of
// the configuration.
func stepsBehind(jobs []config.Job, first string) []schedule.Step {
	steps := []schedule.Step{{Job: first}}
	for n := 0; n < len(steps); n++ {
		for _, job := range jobs {
			if job.When != nil && job.When.After == steps[n].Job {
				steps = append(steps, schedule.Step{Job: job.Name, After: steps[n].Job})
			}
		}
	}
	return steps
}

// SchedulesNothing returns the advice for a configuration in which nothing ever runs by itself.
func SchedulesNothing(c *config.Config, t schedule.Timetable) error {
	if len(t.Chains) > 0 || slices.ContainsFunc(c.Jobs, func(job config.Job) bool { return job.Source.Inbox != nil }) {
		return nil
	}
	return exit.Mistakef("no job of the configuration is scheduled, and none has an inbox\nAdd when: \"0 2 * * 1-5\" to a job to run it at 2:00 on working days")
}

// isUTC matches the values of TZ that mean UTC: for any other value, Go uses UTC only because it does not know the zone.
var isUTC = regexp.MustCompile(`(?i)^:?((utc|gmt)([+-]?0+)?)?$`)

// ZoneKnown refuses a time zone in the environment that is not known, for which Go uses UTC without a word.
func (s *Setup) ZoneKnown() error {
	zone, _ := s.Env("TZ")
	if time.Local.String() != "UTC" || isUTC.MatchString(zone) {
		return nil
	}
	return exit.Mistakef("the environment variable TZ is %q, which is not a known time zone\n"+
		"Set it to an IANA time zone name, such as Europe/Madrid or UTC, or remove it to use the zone of this machine", zone)
}

// ShownTime shows a time as people on a chain's clock read it.
func ShownTime(c *schedule.Chain, t time.Time) string {
	return t.In(c.Pattern.Zone()).Format("Mon 2006-01-02 15:04 MST")
}

// ShownSchedule returns the name of a schedule as people read it.
func ShownSchedule(name string) string {
	if expression, local := strings.CutSuffix(name, " Local"); local {
		return expression + " local time"
	}
	return name
}

// Said describes a chain: its jobs, and when they are due.
func Said(c *schedule.Chain) string {
	text := c.Job() + ": " + ShownSchedule(c.Pattern.String())
	for _, step := range c.Steps[1:] {
		text += fmt.Sprintf(", then %s", step.Job)
	}
	return text
}
