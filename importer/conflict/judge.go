// Package conflict decides whether a record was changed in the service by somebody else since docketsync last updated it, from what a list
// of the service tells; and puts a payload together in which some fields are theirs.
//
// It is pure. Stamps (when and by whom a record was last changed) are the service's and are compared with each other alone, so that its
// clock and ours may differ. How the stamp of an update of ours is known depends on what the list tells. Where it tells by whom, a
// record that one of our own accounts changed last is ours, and nothing has to be remembered. Where it tells only when, the list is read
// once more after a push (Learn), and the stamp of a record that shows what was sent is remembered; what was sent by a run that was cut
// off before that is recognised by its values.
//
// The decision that is not obvious is that what cannot be known is not sent: a record that the list lacks, or of which it tells too little,
// is Unknown, and whoever wants such records sent says so in the configuration.
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

// List is how the list is read that shows the records which an operation updates.
type List struct {
	Name string
	Rule Rule
	// SendUnknown sends the update of a record of which nobody can tell whether somebody else has changed it.
	SendUnknown bool
	// Walk reads the list to its end, page by page. begin is called before the first item, and whenever it is read again.
	Walk func(ctx context.Context, begin func() error, page func([]ledger.Listed) error) error
}

// Rule says what the list tells of changes.
type Rule struct {
	By bool     // and not only when
	Us []string // the accounts that docketsync acts as, as the list has them
}

// Update is a planned update of a record that docketsync has updated before.
type Update struct {
	Operation payload.Operation
	// Seen is what the list tells of the record, nil where it does not have it.
	Seen *ledger.Listed
	// Stamp is what the list told after the update that was accepted last, nil where that was not learnt; Settled is what it told when a
	// person decided that this update is to be sent, nil where nobody has, or an update was accepted since.
	Stamp   *ledger.Stamp
	Settled *Told
	// Accepted is what was accepted last, Planned what would be sent now. Unsettled tells that Planned, or something else, may have been
	// sent in between.
	Accepted, Planned json.RawMessage
	Unsettled         bool
}

// Told is what a list told of a record that was settled.
type Told struct {
	ledger.Stamp
	Fields json.RawMessage
}

// still tells whether a list tells the same by now, which may be nothing: who settles a record of which nobody can tell knows that.
func (t Told) still(seen *ledger.Listed) bool {
	if seen == nil {
		seen = &ledger.Listed{Fields: json.RawMessage("{}")}
	}
	return t.Stamp == seen.Stamp && bytes.Equal(t.Fields, seen.Fields)
}

// Verdict is who changed a record last.
type Verdict string

// The verdicts.
const (
	Untouched Verdict = "untouched" // docketsync did, or a person has settled what somebody else did
	Changed   Verdict = "changed"   // somebody else did
	Unknown   Verdict = "unknown"   // nobody can tell
)

// Judge says who changed a record last, and in words what shows it.
//
//   - The stamp that was settled, or that was learnt after the last update, stands for no change since, where the values are those of then
//     too: a stamp may be of a person alone, or of a whole day.
//   - Where the list tells by whom, an account of ours is us, and any other is somebody else.
//   - Where it tells only when, another time than the one that was learnt is somebody else's change.
//   - Where none was learnt, or an update of ours was under way, the record is ours if all that the list tells of it was sent by us.
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

// byValues judges by what the list tells beside the stamp.
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

// Learn tells whether the stamp of a record that was just updated is that of our update: whether it shows what was sent. A list that tells
// no value shows nothing: somebody may have changed the record between our update and the list.
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

// Message is what a held record says.
func Message(v Verdict, why string) string {
	if v == Unknown {
		return "it is not known whether somebody else changed it in the service since docketsync last updated it (" + why + "), so it was not sent"
	}
	return why + ", after docketsync last updated it, so it was not sent"
}

// Notes show both sides of a held update: a note for each field in which what would be sent differs from what the list tells, at least one.
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
