// Package cutover says how far a job has come on its way from the old system to the service, and what its last delta
// would be now.
//
// A migration has three phases. The bulk is everything, sent by one run or by as many as it takes. Deltas send what has
// changed in the old system since. The last delta is made with the old system frozen. If it is empty the firm can cut
// over: the service holds what the export holds.
//
// Nothing here is stored. Look reads the runs of a job and a plan of its present export from the ledger, and Of, which
// is pure, derives the phase from them. So the answer is right after a crash, a restored backup or a run that somebody
// else made.
//
// The decision that is not obvious is what counts as ready. An empty plan does not: the ledger must have a finished run
// that was empty, because only a run asks the service what was changed there meanwhile and leaves evidence. Nor is an
// empty run enough while anything of the export is not in the service as the export has it: what was rejected and
// nobody accepts, what is in doubt, what is held, what a replaced run held and no export has had since, and what
// docketsync may not send (a create whose row has changed, the text of an entry without an id). What a person has
// decided to leave as it is does not stand in the way, and is counted.
package cutover

import (
	"time"

	"docketsync/importer/ledger"
)

// Phase is how far a job has come.
type Phase string

// The phases.
const (
	Bulk   Phase = "bulk"   // no run of the whole export has finished
	Deltas Phase = "deltas" // the bulk is in; what has changed since is sent, or something is left to settle
	Ready  Phase = "ready"  // the last delta was empty, and so would be another one
)

// Ran is what one run of a job did.
type Ran struct {
	Run     string       `json:"run"` // its name
	Phase   ledger.Phase `json:"phase"`
	Stop    string       `json:"stop,omitempty"`
	Started time.Time    `json:"started"`
	Ended   time.Time    `json:"ended,omitzero"`
	Created int          `json:"created"`
	Updated int          `json:"updated"`
	// Left is how many records it should have brought into the service and did not: refused, failed, in doubt or held.
	Left int `json:"left"`
	// Rejected is how many were rejected before they were sent.
	Rejected int `json:"rejected"`
}

// sent returns how many records a run has brought into the service.
func (r Ran) sent() int { return r.Created + r.Updated }

// empty reports whether there was nothing to send.
func (r Ran) empty() bool { return r.sent()+r.Left == 0 }

// Delta is what a run of the present export would find.
type Delta struct {
	Records int `json:"records"` // of the export
	Held    int `json:"in_the_service"`
	Creates int `json:"creates"`
	Updates int `json:"updates"`
	// Rejected counts records that would not be accepted, and Acknowledged those of them that somebody accepts as they
	// are.
	Rejected     int `json:"rejected"`
	Acknowledged int `json:"acknowledged"`
	InDoubt      int `json:"in_doubt"`
	// Conflicts counts updates that the last run held because somebody else has changed the record in the service.
	Conflicts int `json:"conflicts"`
	// Stale counts records of which the service holds something else than the export and that docketsync may not send.
	// Theirs counts those of which somebody has decided to leave something as it is in the service.
	Stale  int `json:"stale"`
	Theirs int `json:"theirs"`
	// Vanished counts records of the last run that are no longer in the export.
	Vanished int `json:"vanished"`
	// Dropped counts records that runs held when other runs replaced them, and that neither a later run nor the export
	// has had since. DroppedBy is the last of those runs.
	Dropped   int    `json:"dropped"`
	DroppedBy string `json:"dropped_by,omitempty"`
	// Guards are the guards that would stop the run, in words.
	Guards []string `json:"guards,omitempty"`
}

// toSend returns how many records would be sent.
func (d Delta) toSend() int { return d.Creates + d.Updates }

// Standing is where a job stands.
type Standing struct {
	Job   string `json:"job"`
	Phase Phase  `json:"phase"`
	// Bulk is the run that completed the bulk, Last the last finished delta after it, and Open a later run that has not
	// finished; nil if there is none.
	Bulk *Ran  `json:"bulk,omitempty"`
	Last *Ran  `json:"last_delta,omitempty"`
	Open *Ran  `json:"open,omitempty"`
	Now  Delta `json:"now"`
}

// Of returns where a job stands, from the runs of its whole export, newest first, and what a run would find now.
func Of(job string, runs []Ran, now Delta) Standing {
	s := Standing{Job: job, Phase: Bulk, Now: now}
	var finished []Ran
	for _, r := range runs {
		switch {
		case r.Phase == ledger.Finished:
			finished = append(finished, r)
		case len(finished) == 0 && s.Open == nil:
			s.Open = &r
		}
	}
	first := len(finished) - 1
	for first > 0 && finished[first].empty() {
		first--
	}
	switch {
	case first < 0, finished[first].empty() && now.Held == 0:
		return s
	case finished[first].empty():
		s.Last = &finished[0] // all of it was in the service before: it was adopted, or sent in parts
	case first > 0:
		s.Bulk, s.Last = &finished[first], &finished[0]
	default:
		s.Bulk = &finished[0]
	}
	s.Phase = Deltas
	if len(s.Steps()) == 0 { // one of the steps is the last delta, as long as it was not made or not empty
		s.Phase = Ready
	}
	return s
}
