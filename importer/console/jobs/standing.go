package jobs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// tone is how a line wants to be looked at; it is the name of a style.
type tone string

// The tones.
const (
	wentWell    tone = "well"
	needsPerson tone = "person" // somebody has to do something
	goesOn      tone = "later"  // the next run takes it up
	underWay    tone = "going"
	nothingYet  tone = "none"
)

// standingWords are how a run or a job stands, for somebody who reads nothing else.
type standingWords struct {
	Tone  tone
	Words string
}

// outcomes are how many records of a run ended how.
type outcomes map[outcome.Outcome]int

// Ordered are those that there are, in the order of reports; what is not an end yet comes last.
func (o outcomes) Ordered() (list []report.OutcomeCount) {
	order := slices.Concat(outcome.All, []outcome.Outcome{outcome.Planned, outcome.Sending})
	for _, outcome := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(order, outcome) {
			order = append(order, outcome)
		}
	}
	for _, outcome := range order {
		if o[outcome] > 0 {
			list = append(list, report.OutcomeCount{Outcome: outcome, Records: o[outcome]})
		}
	}
	return list
}

// standsAfter is how a run came out.
func standsAfter(run ledger.Run, o outcomes) standingWords {
	var person, later []string
	say := func(list *[]string, n int, one, many string) {
		if n == 1 {
			*list = append(*list, one)
		} else if n > 1 {
			*list = append(*list, fmt.Sprintf(many, wording.Thousands(n)))
		}
	}
	say(&person, o[outcome.Rejected], "1 record needs correcting", "%s records need correcting")
	say(&person, o[outcome.InDoubt], "1 in doubt", "%s in doubt")
	say(&later, o[outcome.Failed], "1 failed; the next run retries it", "%s failed; the next run retries them")
	say(&later, o[outcome.Held], "1 held", "%s held")
	said := strings.Join(append(person, later...), "; ")
	join := func(how string) string { return strings.TrimSuffix(how+"; "+said, "; ") }
	switch {
	case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
		return standingWords{underWay, "in progress"}
	case run.StopCode == stop.Guard:
		return standingWords{needsPerson, join("stopped by a guard before anything was sent")}
	case run.Phase == ledger.Stopped && run.StopCode == stop.Interrupted:
		return standingWords{goesOn, join("interrupted")}
	case run.StopCode == stop.ServiceDown:
		return standingWords{needsPerson, join("stopped because the service is down")}
	case run.StopCode == stop.Certificate:
		return standingWords{needsPerson, join("stopped because the service could not prove its identity")}
	case run.Phase == ledger.Stopped:
		return standingWords{needsPerson, join("stopped")}
	case len(person) > 0:
		return standingWords{needsPerson, said}
	case len(later) > 0:
		return standingWords{goesOn, said}
	case len(o) == 0:
		return standingWords{wentWell, "nothing to do"}
	case run.Kind != ledger.Push:
		return standingWords{wentWell, "no problems found"}
	}
	return standingWords{wentWell, "no problems"}
}

// headline is how all jobs stand, and what is left in doubt over all runs, in a sentence.
func headline(jobs []jobView, doubts int) string {
	var person, going int
	for _, job := range jobs {
		switch job.State.Tone {
		case needsPerson:
			person++
		case underWay:
			going++
		}
	}
	switch {
	case len(jobs) == 0:
		return "The configuration has no jobs yet."
	case person > 0:
		return wording.Counted(person, "job") + " " + wording.Plural(person, "needs", "need") + " attention."
	case doubts > 0:
		return fmt.Sprintf("%s %s in doubt and %s attention.", wording.Counted(doubts, "record"), wording.Plural(doubts, "is", "are"), wording.Plural(doubts, "needs", "need"))
	case going > 0:
		return "Nothing needs attention. A run is in progress."
	}
	return "Nothing needs attention."
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
