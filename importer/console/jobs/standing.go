package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/importer/source/format"
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
	Tone          tone
	Words         string
	remedy.Remedy // what a person has to do first; the zero value where nobody has to
}

// outcomes are how many records of a run ended how.
type outcomes map[outcome.Outcome]int

// Ordered are those that there are, in the order of reports; what is not an end yet comes last.
func (o outcomes) Ordered() (list []report.OutcomeCount) {
	for _, outcome := range outcome.Present(o) {
		list = append(list, report.OutcomeCount{Outcome: outcome, Records: o[outcome]})
	}
	return list
}

// standsAfter is how a run came out.
func standsAfter(f remedy.Facts) standingWords {
	if !over(f.Run) {
		return standingWords{Tone: underWay, Words: "in progress"}
	}
	list := remedy.After(f)
	said := make([]string, len(list))
	stands := standingWords{Tone: goesOn}
	for n, r := range list {
		said[n] = r.Wrong
		if r.Person && stands.Tone != needsPerson {
			stands.Tone, stands.Remedy = needsPerson, r
		}
	}
	stands.Words = strings.Join(said, "; ")
	switch {
	case len(list) > 0:
		return stands
	case len(f.Records) == 0:
		return standingWords{Tone: wentWell, Words: "nothing to do"}
	case f.Kind != ledger.Push:
		return standingWords{Tone: wentWell, Words: "no problems found"}
	}
	return standingWords{Tone: wentWell, Words: "no problems"}
}

// tellable is why something could not be run, as whoever asks may know it. To somebody who sees only some jobs, an error of the file is told;
// all others may be about what other jobs share with it, such as the configuration.
func tellable(ctx context.Context, err error) error {
	if web.SeesAll(ctx) || errors.As(err, new(*format.Error)) || errors.As(err, new(*fs.PathError)) || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("ask whoever manages docketsync, whose log says why")
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
			if person++; person > 1 {
				continue
			}
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
	case person > 1:
		return strings.TrimSuffix(wrong, ".") + "; " + wording.Counted(person-1, "other job") + " " + wording.Plural(person-1, "does", "do") + " too."
	case doubts > 0:
		return fmt.Sprintf("%s %s in doubt and %s attention.", wording.Counted(doubts, "record"), wording.Plural(doubts, "is", "are"), wording.Plural(doubts, "needs", "need"))
	case going > 0:
		return "Nothing needs attention. A run is in progress."
	case ran == 0:
		return "No job has run yet."
	}
	return "Nothing needs attention."
}
