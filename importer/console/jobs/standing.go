package jobs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
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
	// What a person has to do first, the page on which it is done, and what a link there says; "" where nobody has to.
	Do, Page, Way string
	Args          []string // of the command that does it
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

// standsAfter is how a run came out; since is when the service stopped answering, where that stopped it, acknowledged how many of its
// rejected records somebody accepts as they are.
func standsAfter(run ledger.Run, o outcomes, since time.Time, acknowledged int) standingWords {
	if !over(run) {
		return standingWords{Tone: underWay, Words: "in progress"}
	}
	list := remedy.After(remedy.Facts{Run: run, Records: o, Since: since, Acknowledged: acknowledged})
	said := make([]string, len(list))
	stands := standingWords{Tone: goesOn}
	for n, r := range list {
		said[n] = r.Wrong
		if r.Person && stands.Tone != needsPerson {
			stands.Tone, stands.Do, stands.Page, stands.Way, stands.Args = needsPerson, r.Do, r.Page, r.Way, r.Args
		}
	}
	stands.Words = strings.Join(said, "; ")
	switch {
	case len(list) > 0:
		return stands
	case len(o) == 0:
		return standingWords{Tone: wentWell, Words: "nothing to do"}
	case run.Kind != ledger.Push:
		return standingWords{Tone: wentWell, Words: "no problems found"}
	}
	return standingWords{Tone: wentWell, Words: "no problems"}
}

// headline is how all jobs stand, and what is left in doubt over all runs, in a sentence. What is wrong with one alone it says itself.
func headline(jobs []jobView, doubts int) string {
	var person, going, ran int
	wrong := ""
	for _, job := range jobs {
		if job.Last != nil {
			ran++
		}
		switch job.State.Tone {
		case needsPerson:
			person++
			wrong = fmt.Sprintf("%s needs attention: %s.", job.Name, job.State.Words)
		case underWay:
			going++
		}
	}
	switch {
	case len(jobs) == 0:
		return "There are no jobs yet."
	case person == 1:
		return wrong
	case person > 0:
		return wording.Counted(person, "job") + " " + wording.Plural(person, "needs", "need") + " attention."
	case doubts > 0:
		return fmt.Sprintf("%s %s in doubt and %s attention.", wording.Counted(doubts, "record"), wording.Plural(doubts, "is", "are"), wording.Plural(doubts, "needs", "need"))
	case going > 0:
		return "Nothing needs attention. A run is in progress."
	case ran == 0:
		return "No job has run yet."
	}
	return "Nothing needs attention."
}
