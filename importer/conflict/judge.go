// Package conflict decides, from what a list of the service says, whether somebody else has changed a record in the
// service since docketsync last updated it. It also builds payloads in which some fields stay theirs.
//
// The package is pure. Stamps (when and by whom a record was last changed) come from the service and are compared only
// with each other, so its clock and ours may differ. How the stamp of our own update is known depends on the list. If
// the list says by whom, a record last changed by one of our own accounts is ours, and nothing has to be remembered. If
// it says only when, the list is read again after a push (Learn), and the stamp of a record that shows what was sent is
// remembered. What an interrupted run sent before that is recognized by its values.
//
// The decision that is not obvious is that what cannot be known is not sent. A record that the list lacks, or of which
// it says too little, is Unknown. A firm that wants such records sent says so in the configuration.
package conflict

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
)

// List says how to read the list of the records that an operation updates.
type List struct {
	Name string
	Rule Rule
	// SendUnknown sends the update of a record even if nobody can tell whether somebody else has changed it.
	SendUnknown bool
	// Walk reads the list to its end, page by page. begin is called before the first item, and whenever the list is
	// read again.
	Walk func(ctx context.Context, begin func() error, page func([]ledger.Listed) error) error
}

// Rule says what the list says of changes.
type Rule struct {
	By bool     // it says by whom, not only when
	Us []string // the accounts that docketsync acts as, as the list names them
}

// Update is a planned update of a record that docketsync has updated before.
type Update struct {
	Operation payload.Operation
	// Seen is what the list says of the record, nil if it does not have it.
	Seen *ledger.Listed
	// Stamp is what the list said after the last accepted update, nil if that was not learnt. Settled is what it said
	// when a person decided that this update is to be sent, nil if nobody has, or if an update was accepted since.
	Stamp   *ledger.Stamp
	Settled *Told
	// Accepted is what was last accepted, Planned what would be sent now. Unsettled says that Planned, or something
	// else, may have been sent in between.
	Accepted, Planned json.RawMessage
	Unsettled         bool
}

// Told is what a list said of a record when it was settled.
type Told struct {
	ledger.Stamp
	Fields json.RawMessage
}

// still reports whether a list still says the same, which may be nothing: a person who settles a record of which nobody
// can tell knows that.
func (t Told) still(seen *ledger.Listed) bool {
	if seen == nil {
		seen = &ledger.Listed{Fields: json.RawMessage("{}")}
	}
	return t.Stamp == seen.Stamp && bytes.Equal(t.Fields, seen.Fields)
}

// Verdict says who changed a record last.
type Verdict string

// The verdicts.
const (
	Untouched Verdict = "untouched" // docketsync did, or a person has settled what somebody else did
	Changed   Verdict = "changed"   // somebody else did
	Unknown   Verdict = "unknown"   // nobody can tell
)

// Judge returns who changed a record last, and in words what shows it.
//   - The stamp that was settled, or that was learnt after the last update, means no change since, if the values are
//     also those of then: a stamp may name only a person, or a whole day.
//   - If the list says by whom, an account of ours is us, and any other is somebody else.
//   - If it says only when, another time than the learnt one is a change by somebody else.
//   - If no stamp was learnt, or an update of ours was under way, the record is ours if we sent everything that the
//     list says of it.
func (r Rule) Judge(u Update) (v Verdict, why string) {
	if u.Settled != nil && u.Settled.still(u.Seen) {
		return Untouched, "nothing has changed since"
	}
	if u.Seen == nil {
		return Unknown, "the list does not have it"
	}
	now := u.Seen.Stamp
	if u.Stamp != nil && *u.Stamp == now && now != (ledger.Stamp{}) && len(apiclient.Compare(u.Operation, u.Accepted, u.Seen.Fields).Differences) == 0 {
		return Untouched, "nothing has changed since"
	}
	if r.By && now.By != "" {
		if slices.ContainsFunc(r.Us, func(us string) bool { return strings.EqualFold(strings.TrimSpace(us), strings.TrimSpace(now.By)) }) {
			return Untouched, "docketsync changed it last"
		}
		return Changed, changedBy(now)
	}
	if u.Stamp != nil && !u.Unsettled {
		return Changed, changedBy(now)
	}
	return r.byValues(u)
}

// byValues judges by what the list says besides the stamp.
func (r Rule) byValues(u Update) (Verdict, string) {
	found := apiclient.Compare(u.Operation, u.Accepted, u.Seen.Fields)
	if u.Unsettled && len(found.Differences) > 0 {
		found = apiclient.Compare(u.Operation, u.Planned, u.Seen.Fields)
	}
	switch {
	case len(found.Fields) == 0:
		return Unknown, "the list tells none of its values, and docketsync has not seen when its own update was made"
	case len(found.Differences) > 0:
		return Changed, "it does not hold what docketsync sent"
	}
	return Untouched, "it holds what docketsync sent"
}

// Learn reports whether the stamp of a record that was just updated is that of our update, which it is if the list
// shows what was sent. A list that shows no values proves nothing: somebody may have changed the record between our
// update and the reading.
func Learn(op payload.Operation, sent json.RawMessage, seen ledger.Listed) bool {
	found := apiclient.Compare(op, sent, seen.Fields)
	return seen.Stamp != (ledger.Stamp{}) && len(found.Fields) > 0 && len(found.Differences) == 0
}

func changedBy(s ledger.Stamp) string {
	text := "it was changed in the service"
	if s.By != "" {
		text += fmt.Sprintf(" by “%s”", s.By)
	}
	if s.At != "" {
		text += fmt.Sprintf(" at “%s”", s.At)
	}
	return text
}

// Message returns the message of a held record.
func Message(v Verdict, why string) string {
	if v == Unknown {
		return "it is not known whether somebody else changed it in the service since docketsync last updated it (" + why + "), so it was not sent"
	}
	return why + ", after docketsync last updated it, so it was not sent"
}

// Notes show both sides of a held update: a note for each field in which what would be sent differs from what the list
// says, and at least one.
func Notes(u Update, command string) []ledger.Reason {
	var notes []ledger.Reason
	if u.Seen != nil {
		for _, d := range apiclient.Compare(u.Operation, u.Planned, u.Seen.Fields).Differences {
			notes = append(notes, ledger.Reason{Field: d.Field, Value: d.Sent, Stored: d.Stored}.Says(
				reason.New(reason.ChangedThere, d.Field, d.Sent, cmp.Or(d.Stored, "nothing"), command)))
		}
	}
	if len(notes) == 0 {
		notes = append(notes, ledger.Reason{}.Says(reason.New(reason.ChangedAlike, command)))
	}
	return notes
}
