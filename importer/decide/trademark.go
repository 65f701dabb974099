package decide

import (
	"encoding/json"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// planEntries settles which goods and services entries a trademark's update may carry, and returns the payload with these.
func planEntries(record *ledger.Record, known *ledger.LastAccepted) (json.RawMessage, error) {
	entries, err := payload.Entries(record.Payload)
	if err != nil {
		return nil, err
	}
	sent, remembered, withheld := sortEntries(entries, known.Entries)
	record.Entries = remembered
	record.Notes = append(record.Notes, withheldNotes(withheld)...)
	if len(record.Previous) > 0 {
		stays, err := staysNotes(record.Previous, record.Payload, withheld)
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
		notes = append(notes, ledger.Reason{
			Code: "entry_text_changed", Field: payload.Goods, Value: e.Text,
			Message: "the text of a goods and services entry has changed, and its id in the service is not known: it was not sent, because it would become a second entry",
			Hint:    "Change the entry in the service by hand, or map the entry's id.",
		})
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
