// Package decide says what to do with one record: whether it is sent at all, as what, and whether it may be repeated.
//
// Decide is a pure function of what the mapping made (Mapped), what the ledger knows under the record's key, and what
// the firm said of its service (Policy). It reads no clock, file or ledger, so a table test can show every rule.
// Whether a failed request may be sent again is decided elsewhere, by apiclient.Judge.
//
// The decision that is not obvious is about goods and services. An entry without an id makes a new one each time it is
// sent (interface.md part 4.3). So entries that were accepted before are left out of the body, and an entry whose text
// changed is withheld with a note. The ledger knows entries by language, class and text, because the service never says
// their ids.
package decide

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/mapping"
	"docketsync/mapping/reason"
)

// Mapped is what the mapping made of the rows of one record: a payload, or reasons.
type Mapped struct {
	Operation payload.Operation
	Key       string
	Payload   json.RawMessage
	Digest    string
	Reasons   []ledger.Reason
	Notes     []ledger.Reason
	// Traits are what the record is compared with others by.
	Traits []mapping.Trait
	// Rank is that of mapping.Record.
	Rank int64
}

// Policy is what the firm has said about its service that bears on what may be sent twice.
type Policy struct {
	// RepeatCreates says that the service is safe to repeat (retry.creates: always).
	RepeatCreates bool
	// Switches say how payloads are spelled when they go out.
	Switches payload.Switches
	// DeactivateVanished says that a case whose row is gone from the export is set inactive by an update (vanished:
	// inactive).
	DeactivateVanished bool
	// UpdatedElsewhere are the fields of update case in which another job sends changes to the cases that this job
	// created. It only affects the wording of notes.
	UpdatedElsewhere []string
	// NotReadBack are the fields that the service's answers do not show as they are stored. It too only affects notes.
	NotReadBack []string
	// RetryRefused is how long a record that the service refused is not sent again unchanged; below 0 means never.
	RetryRefused time.Duration
	// Target is a digest of the address that the job's payloads are sent to, or "" if it is not known. What the service
	// refused at another address is sent again, because that address may have been a mistake in the configuration.
	Target string
}

// Digest identifies a payload: equal payloads have equal digests.
func Digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	var digits [32]byte
	hex.Encode(digits[:], sum[:16])
	return string(digits[:])
}

// Decide says what to do with a record, given what the ledger knows under its scope and key (nil for nothing). It fills
// in everything in the ledger record that follows from the two, and does no I/O.
//
// The rules, in order:
//   - a record with reasons is rejected;
//   - a record whose key is in doubt stays in doubt and is not sent, whatever it says now; if it is in doubt under
//     another key it is rejected;
//   - a create whose key was accepted is unchanged, even if the row has changed since, because creates are never sent
//     twice. A note says that the change needs an update, or that an acknowledged change is gone again;
//   - an update equal to the payload last accepted is unchanged, unless another was sent since whose outcome is not
//     known;
//   - an unchanged record has a note for each value that the service stored differently than it was sent, unless the
//     field has changed since;
//   - a create whose key may be a new key of another record is rejected until a person has said which it is;
//   - an update whose id differs from that of the last accepted one is about another record, of which nothing is known
//     but the entries that it was sent under this key before;
//   - a payload that the service has refused, as known.Refused says, is rejected in the service's own words;
//   - goods and services entries without an id that the service has accepted before are left out of the body, because
//     each time they are sent they make a new entry (interface.md part 4.3). An entry whose text changed, and whose id
//     nobody knows, is withheld and noted;
//   - everything else is planned. It is repeatable if sending it twice does no harm.
func Decide(mapped Mapped, known *ledger.LastAccepted, policy Policy) (ledger.Record, error) {
	record := ledger.Record{
		Key: mapped.Key, Rank: mapped.Rank, Action: ledger.None, Payload: mapped.Payload, Digest: mapped.Digest,
		Reasons: mapped.Reasons, Notes: mapped.Notes,
	}
	if known == nil {
		known = &ledger.LastAccepted{}
	}
	creates := mapped.Operation.Creates()
	if Moved(mapped, known) {
		// What was accepted, and its entries, belong to another record of the service.
		known = &ledger.LastAccepted{Key: known.Key, Doubt: known.Doubt, Refused: known.Refused,
			Entries: EntriesOfIDs(known.Entries, payload.ID(known.Payload), payload.ID(mapped.Payload))}
	}
	record.ServiceID = known.ServiceID
	switch {
	case len(mapped.Reasons) > 0:
		record.State = ledger.Rejected
		return record, nil
	case known.Doubt != nil && known.Key != mapped.Key:
		record.State, record.Action = ledger.Rejected, action(creates)
		record.Reasons = []ledger.Reason{ledger.Reason{Value: mapped.Key}.Says(reason.New(reason.OtherInDoubt, mapped.Key, known.Key, moment.Day(known.Doubt.At)))}
		return record, nil
	case known.Doubt != nil:
		record.State, record.Action = ledger.InDoubt, action(creates)
		record.Message = fmt.Sprintf("%s was sent on %s, and it is not known whether the service acted on it; it is not sent again until this is settled with: docketsync resolve",
			mapped.Key, moment.Of(known.Doubt.At))
		return record, nil
	case creates && known.Run != "":
		record.State = ledger.Unchanged
		differs := known.Differs
		if known.Digest != "" && known.Digest != mapped.Digest {
			var changed ledger.Reason
			changed, differs = changedSinceCreated(mapped, known, policy)
			record.Notes = append(record.Notes, changed)
		} else if a := known.Acknowledged; a.Digest != "" && a.Digest != mapped.Digest && len(policy.UpdatedElsewhere) == 0 {
			record.Notes = append(record.Notes, ledger.Reason{}.Says(reason.New(reason.ChangeGone, mapped.Key, moment.Day(a.At))))
		}
		record.Notes = append(record.Notes, storedDifferently(differs, policy)...)
		return record, nil
	case known.Digest == mapped.Digest && known.Digest != "" && !known.Unsettled:
		record.State, record.Entries = ledger.Unchanged, known.Entries
		record.Notes = append(record.Notes, storedDifferently(known.Differs, policy)...)
		return record, noteUnsent(&record)
	case creates && len(known.Renames) > 0:
		record.State, record.Action = ledger.Rejected, ledger.Create
		record.Reasons = []ledger.Reason{RenamedReason(known.Renames)}
		return record, nil
	case known.Refused != nil && known.Refused.Digest == mapped.Digest:
		record.State, record.Action = ledger.Rejected, action(creates)
		record.Reasons = refusedBefore(*known.Refused, policy.RetryRefused)
		return record, nil
	}
	record.State, record.Action = ledger.Planned, action(creates)
	record.Previous = known.Payload
	return record, spell(&record, mapped.Operation, known, policy)
}

// spell settles the bytes that the push sends for a planned record, and whether they may be sent twice. It rejects a
// payload that the service's switches cannot spell.
func spell(record *ledger.Record, op payload.Operation, known *ledger.LastAccepted, policy Policy) (err error) {
	body := record.Payload
	if about := op.About(); !about.Creates && !about.Replaces {
		if body, err = planEntries(record, op, known); err != nil {
			return fmt.Errorf("plan the update of %s: %w", record.Key, err)
		}
	}
	out, err := payload.Encode(op, body, policy.Switches)
	if err != nil {
		record.State, record.Action, record.Previous = ledger.Rejected, ledger.None, nil
		record.Message, record.Reasons = err.Error(), []ledger.Reason{ledger.Reason{}.Says(reason.New(reason.Unsendable, err))}
		return nil
	}
	if !bytes.Equal(out.Body, record.Payload) {
		record.Body = out.Body
	}
	makes := out.Creates()
	// An accepted update of a mark has created its case already.
	record.Repeatable = policy.RepeatCreates || !makes.Record && !makes.Entries && (!makes.Case || known.Digest != "")
	return nil
}

// Moved reports whether an update names another record of the service than the last accepted one of its key.
func Moved(mapped Mapped, known *ledger.LastAccepted) bool {
	if known == nil || mapped.Operation.Creates() || len(mapped.Payload) == 0 || len(known.Payload) == 0 {
		return false
	}
	was := payload.ID(known.Payload)
	return was != "" && was != payload.ID(mapped.Payload)
}

// storedDifferently returns the notes on values whose fields are still compared with what the service shows.
func storedDifferently(list []ledger.Reason, policy Policy) []ledger.Reason {
	return slices.DeleteFunc(slices.Clone(list), func(r ledger.Reason) bool { return slices.Contains(policy.NotReadBack, payload.FieldOf(r.Field)) })
}

func action(creates bool) ledger.Action {
	if creates {
		return ledger.Create
	}
	return ledger.Update
}

// changedSinceCreated returns the note for a row that has changed, and the notes on unchanged fields that the service
// stored differently. If another job sends the change, it leaves out the fields that that job sends: the answers to it
// say what became of them.
func changedSinceCreated(mapped Mapped, known *ledger.LastAccepted, policy Policy) (ledger.Reason, []ledger.Reason) {
	code := reason.ChangedSince
	changes, err := payload.Changes(mapped.Operation, known.Payload, mapped.Payload)
	elsewhere := func(field string) bool {
		return slices.Contains(policy.UpdatedElsewhere, payload.UpdatedAs(payload.FieldOf(field)))
	}
	if err == nil && len(changes) > 0 && !slices.ContainsFunc(changes, func(c payload.Change) bool { return !elsewhere(c.Field) }) {
		code = reason.ChangeUpdates
	}
	differs := slices.DeleteFunc(slices.Clone(known.Differs), func(d ledger.Reason) bool {
		return code == reason.ChangeUpdates && elsewhere(d.Field) ||
			slices.ContainsFunc(changes, func(c payload.Change) bool { return payload.FieldOf(c.Field) == payload.FieldOf(d.Field) })
	})
	return ledger.Reason{}.Says(reason.New(code, mapped.Key, moment.Day(known.AcceptedAt))), differs
}

// refusedBefore returns what the service said, and why it is not asked again.
func refusedBefore(refusal ledger.Refusal, wait time.Duration) []ledger.Reason {
	on := moment.Of(refusal.At)
	reasons := make([]ledger.Reason, len(refusal.Reasons))
	for n, r := range refusal.Reasons {
		if reasons[n] = r.Says(reason.New(reason.RefusedEver, r.Message, on)); wait > 0 {
			reasons[n] = r.Says(reason.New(reason.RefusedBefore, r.Message, on, moment.Of(refusal.At.Add(wait))))
		}
	}
	return reasons
}

// RenamedReason says which records a new one may be.
func RenamedReason(list []ledger.Rename) ledger.Reason {
	former := make([]string, len(list))
	for n, r := range list {
		former[n] = fmt.Sprintf("%q", r.Former)
	}
	key, names := list[0].Key, strings.Join(former, " or ")
	if len(list) > 1 {
		return ledger.Reason{Value: key}.Says(reason.New(reason.RenamedOneOf, key, names))
	}
	return ledger.Reason{Value: key}.Says(reason.New(reason.Renamed, key, names))
}
