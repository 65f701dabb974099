package decide

import (
	"encoding/json"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
)

// planEntries settles which goods and services entries an update may carry, and returns the payload with these; and notes what it cannot remove.
func planEntries(record *ledger.Record, op payload.Operation, known *ledger.LastAccepted) (json.RawMessage, error) {
	entries, err := payload.Entries(record.Payload)
	if err != nil {
		return nil, err
	}
	sent, remembered, withheld := sortEntries(entries, known.Entries)
	record.Entries = remembered
	record.Notes = append(record.Notes, withheldNotes(withheld)...)
	if len(record.Previous) > 0 {
		stays, err := staysNotes(op, record.Previous, record.Payload, withheld)
		if err != nil {
			return nil, err
		}
		record.Notes = append(record.Notes, stays...)
	}
	if len(sent) == len(entries) {
		return record.Payload, nil
	}
	return payload.WithEntries(record.Payload, sent)
}

// EntriesMade are the goods and services entries that sending a payload makes: those without an id.
func EntriesMade(sent json.RawMessage) ([]ledger.Entry, error) {
	entries, err := payload.Entries(sent)
	var made []ledger.Entry
	for _, e := range entries {
		if e.New() {
			made = append(made, remembered(e))
		}
	}
	return made, err
}

func withheldNotes(entries []ledger.Entry) []ledger.Reason {
	var notes []ledger.Reason
	for _, e := range entries {
		if !e.Withheld {
			continue
		}
		notes = append(notes, ledger.Reason{Field: payload.Goods, Value: e.Text}.Says(reason.New(reason.EntryChanged)))
	}
	return notes
}

// remembered is an entry as the ledger remembers it.
func remembered(e payload.Entry) ledger.Entry {
	return ledger.Entry{Language: e.Language, Class: e.Class, Text: e.Text}
}

// sortEntries decides which entries go out. Entries with an id always do: they change what they name. One without goes
// out unless it was accepted before; or unless the service holds an entry of that class and language whose text this
// record no longer has, for then the new text replaces the old, and sending it would make a second entry. known is what
// the ledger is to remember once the update is accepted.
func sortEntries(entries []payload.Entry, accepted []ledger.Entry) (sent []payload.Entry, known, withheld []ledger.Entry) {
	has := map[ledger.Entry]bool{}
	for _, e := range accepted {
		if !e.Withheld {
			has[e] = true
			known = append(known, e)
		}
	}
	stays := map[ledger.Entry]bool{}
	for _, e := range entries {
		stays[remembered(e)] = true
	}
	gone := map[[2]string]bool{}
	for e := range has {
		if !stays[e] {
			gone[[2]string{e.Language, e.Class}] = true
		}
	}
	for _, e := range entries {
		entry := remembered(e)
		switch {
		case !e.New():
			sent = append(sent, e)
		case has[entry]:
		case gone[[2]string{e.Language, e.Class}]:
			entry.Withheld = true
			withheld = append(withheld, entry)
			known = append(known, entry)
		default:
			has[entry] = true
			sent = append(sent, e)
			known = append(known, entry)
		}
	}
	return sent, known, withheld
}

// staysNotes say what of the record that was last accepted is no longer in the export and stays in the service all the same:
// the update names only what it sets, and neither an optional field nor a goods and services entry that it leaves out is removed by
// it (interface.md part 4.3). An entry whose text changed is told by withheldNotes.
func staysNotes(op payload.Operation, before, now json.RawMessage, withheld []ledger.Entry) ([]ledger.Reason, error) {
	changes, err := payload.Changes(op, before, now)
	if err != nil {
		return nil, err
	}
	var notes []ledger.Reason
	for _, c := range changes {
		if c.Stays && c.Old != nil && !c.Entry() {
			notes = append(notes, staysNote(c.Field, c.Old.Text, "the value is no longer in the export"))
		}
	}
	gone, err := goneEntries(before, now)
	for _, e := range gone {
		replaced := func(w ledger.Entry) bool { return w.Language == e.Language && w.Class == e.Class }
		if !slices.ContainsFunc(withheld, replaced) {
			notes = append(notes, staysNote(payload.Goods, e.Text, "the entry is no longer in the export"))
		}
	}
	return notes, err
}

func staysNote(field, value, what string) ledger.Reason {
	return ledger.Reason{Field: field, Value: value}.Says(reason.New(reason.Stays, field, what))
}

// goneEntries are the entries of a mark that it no longer has: by their ids, or by their language, class and text.
func goneEntries(before, now json.RawMessage) (gone []payload.Entry, err error) {
	was, err := payload.Entries(before)
	if err != nil {
		return nil, err
	}
	is, err := payload.Entries(now)
	for _, e := range was {
		same := func(g payload.Entry) bool {
			if !e.New() && !g.New() {
				return e.ID == g.ID
			}
			return remembered(g) == remembered(e)
		}
		if !slices.ContainsFunc(is, same) {
			gone = append(gone, e)
		}
	}
	return gone, err
}
