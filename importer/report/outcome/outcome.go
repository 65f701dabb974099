// Package outcome has the seven ends of a record (and the two states before an end), and their names. Everything that
// counts records by outcome uses this package. It imports only the ledger.
package outcome

import (
	"maps"
	"slices"

	"docketsync/importer/ledger"
)

// Outcome is how a record ended in a run, in the words that every report uses.
type Outcome string

// The outcomes. Every record of a finished run ends in exactly one of the first seven; Planned and Sending are what a
// dry run, or a run that still goes on, has instead.
const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged" // the service already holds it; nothing was sent
	Rejected  Outcome = "rejected"  // by docketsync before sending, or by the service
	Failed    Outcome = "failed"    // trouble outlasted the retries; the next run takes it up
	InDoubt   Outcome = "in_doubt"  // may or may not have been acted on; waits for a person
	Held      Outcome = "held"      // the run was stopped before its turn
	Planned   Outcome = "planned"   // would be sent
	Sending   Outcome = "sending"   // on its way while the report was written
)

// All lists the seven ends of a record in the order in which reports show them.
var All = []Outcome{Created, Updated, Unchanged, Rejected, Failed, InDoubt, Held}

// known are those that this version knows, in that order.
var known = slices.Concat(All, []Outcome{Planned, Sending})

// Present are the outcomes that something is counted by, in the order of reports: the ends, what is not an end yet, what this version
// does not know.
func Present[T any](counts map[Outcome]T) []Outcome {
	list := slices.DeleteFunc(slices.Clone(known), func(o Outcome) bool { _, is := counts[o]; return !is })
	return append(list, slices.DeleteFunc(slices.Sorted(maps.Keys(counts)), Outcome.Known)...)
}

// RejectedStates are the states of records that ended as Rejected.
var RejectedStates = []ledger.State{ledger.Rejected, ledger.Refused}

// Of returns how a record ended. A state that this version does not know is returned as its own word, so that it is
// counted and shown rather than taken for something else.
func Of(r ledger.Record) Outcome {
	switch r.State {
	case ledger.Accepted:
		if r.Action == ledger.Create {
			return Created
		}
		return Updated
	case ledger.Refused, ledger.Rejected:
		return Rejected
	}
	return Outcome(r.State)
}

// Tally counts records by outcome.
func Tally(counts []ledger.Count) map[Outcome]int {
	records := map[Outcome]int{}
	for _, c := range counts {
		records[Of(ledger.Record{State: c.State, Action: c.Action})] += c.N
	}
	return records
}

// Words is the outcome as a person reads it.
func (o Outcome) Words() string {
	switch o {
	case InDoubt:
		return "in doubt"
	case Planned:
		return "to be sent"
	case Sending:
		return "being sent"
	}
	return string(o)
}

func (o Outcome) Known() bool { return slices.Contains(known, o) }
