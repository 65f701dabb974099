package decide

import (
	"encoding/json"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
)

// planEntries decides which goods and services entries an update may carry and returns the payload with these. It notes
// what the update cannot change or remove.
func planEntries(record *ledger.Record, op payload.Operation, known *ledger.LastAccepted) (json.RawMessage, error) {
	entries, err := payload.Entries(record.Payload)
	if err != nil {
		return nil, err
	}
	before, err := payload.Entries(known.Payload)
	if err != nil {
		return nil, err
	}
	accepted := append(slices.Clone(known.Entries), lostIDs(entries, before, known.Entries)...)
	sent, remembered := sortEntries(entries, accepted)
	if len(known.Payload) > 0 {
		remembered = append(remembered, returned(entries, before, accepted)...)
	}
	stays, err := stays(op, record.Payload, known)
	if err != nil {
		return nil, err
	}
	record.Entries = append(remembered, stays...)
	if err := noteUnsent(record); err != nil {
		return nil, err
	}
	if len(sent) == len(entries) {
		return record.Payload, nil
	}
	return payload.WithEntries(record.Payload, sent)
}

// EntriesMade returns the goods and services entries that sending a payload makes: those without an id.
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

// noteUnsent notes where the service's entries differ from the export's: texts that were withheld, and what the export
// no longer has but no update removes (interface.md part 4.3). The note is repeated as long as the difference lasts.
func noteUnsent(record *ledger.Record) error {
	if len(record.Entries) == 0 {
		return nil
	}
	entries, err := payload.Entries(record.Payload)
	if err != nil {
		return err
	}
	is, replaced := map[ledger.Entry]bool{}, map[[2]string]bool{} // what the export has, and classes whose text may have been replaced
	for _, e := range entries {
		is[remembered(e)] = true
		replaced[[2]string{e.Language, e.Class}] = replaced[[2]string{e.Language, e.Class}] || !e.New()
	}
	for _, e := range record.Entries {
		text := ledger.Entry{Language: e.Language, Class: e.Class, Text: e.Text}
		replaced[[2]string{e.Language, e.Class}] = replaced[[2]string{e.Language, e.Class}] || e.Withheld && e.Field == "" && is[text]
	}
	for _, e := range record.Entries {
		text := ledger.Entry{Language: e.Language, Class: e.Class, Text: e.Text}
		switch {
		case e.Of != "":
		case e.Field != "" && e.Field != payload.Goods:
			if payload.Text(record.Payload, e.Field) == "" {
				record.Notes = append(record.Notes, staysNote(e.Field, e.Text, "the value is no longer in the export"))
			}
		case e.Withheld && e.Field == "" && is[text]:
			code := reason.EntryChanged
			if slices.Contains(record.Entries, text) {
				code = reason.EntryBack
			}
			record.Notes = append(record.Notes, ledger.Reason{Field: payload.Goods, Value: e.Text}.Says(reason.New(code)))
		case !is[text] && (e.Field != "" || !e.Withheld && !replaced[[2]string{e.Language, e.Class}]):
			record.Notes = append(record.Notes, staysNote(payload.Goods, e.Text, "the entry is no longer in the export"))
		}
	}
	return nil
}

// EntriesOfIDs returns the entries of a key that named the id was and now names the id now. It keeps the entries of was
// for the day that the key names it again.
func EntriesOfIDs(entries []ledger.Entry, was, now string) (list []ledger.Entry) {
	for _, e := range entries {
		switch {
		case e.Withheld:
			continue
		case e.Of == "":
			e.Of = was
		case e.Of == now:
			e.Of = ""
		}
		list = append(list, e)
	}
	return list
}

// remembered returns an entry as the ledger remembers it.
func remembered(e payload.Entry) ledger.Entry {
	return ledger.Entry{Language: e.Language, Class: e.Class, Text: e.Text}
}

// lostIDs returns the entries that the service holds under ids which the export no longer has, if the export has
// entries without an id in the same class and language. As far as anybody knows these are the same entries, so sending
// them would make them a second time.
func lostIDs(entries, before []payload.Entry, accepted []ledger.Entry) (list []ledger.Entry) {
	add := func(e ledger.Entry) {
		without := func(g payload.Entry) bool { return g.New() && g.Language == e.Language && g.Class == e.Class }
		if slices.ContainsFunc(entries, without) && !slices.Contains(accepted, e) && !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	for _, e := range before {
		if !e.New() && !slices.ContainsFunc(entries, func(g payload.Entry) bool { return g.ID == e.ID }) {
			add(remembered(e))
		}
	}
	for _, e := range accepted {
		if e.Field == payload.Goods {
			add(ledger.Entry{Language: e.Language, Class: e.Class, Text: e.Text})
		}
	}
	return list
}

// sortEntries decides which entries go out. Entries with an id always do: they change what they name. An entry without
// one goes out unless it was accepted before, or the service holds an entry of that class and language whose text this
// record no longer has. In that case the new text replaces the old, and sending it would make a second entry. known is
// what the ledger is to remember once the update is accepted.
func sortEntries(entries []payload.Entry, accepted []ledger.Entry) (sent []payload.Entry, known []ledger.Entry) {
	has := map[ledger.Entry]bool{}
	for _, e := range accepted {
		if !e.Withheld {
			has[e] = e.Of == ""
			known = append(known, e)
		}
	}
	stays := map[ledger.Entry]bool{}
	for _, e := range entries {
		stays[remembered(e)] = true
	}
	gone := map[[2]string]bool{}
	for e, its := range has {
		if its && !stays[e] {
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
			known = append(known, entry)
		default:
			has[entry] = true
			sent = append(sent, e)
			known = append(known, entry)
		}
	}
	return sent, known
}

// returned returns, as withheld, the entries that were accepted once, were not in the last export, and are in this one.
// Nobody knows whether the service still has them, because people were told to remove them. Entries that came back in
// an earlier export stay among them as long as they are there.
func returned(entries, before []payload.Entry, accepted []ledger.Entry) (list []ledger.Entry) {
	for _, e := range entries {
		was := func(b payload.Entry) bool { return remembered(b) == remembered(e) }
		back := remembered(e)
		back.Withheld = true
		if e.New() && slices.Contains(accepted, remembered(e)) && (!slices.ContainsFunc(before, was) || slices.Contains(accepted, back)) {
			list = append(list, back)
		}
	}
	return list
}

// stays returns what was accepted, last or earlier, is no longer in the export, and stays in the service all the same:
// values, and entries with an id. The entries without one are in the ledger anyway.
func stays(op payload.Operation, now json.RawMessage, known *ledger.LastAccepted) (list []ledger.Entry, err error) {
	if len(known.Payload) == 0 {
		return nil, nil
	}
	changes, err := payload.Changes(op, known.Payload, now)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if c.Stays && c.Old != nil && !c.Entry() {
			list = append(list, ledger.Entry{Field: c.Field, Text: c.Old.Text, Withheld: true})
		}
	}
	gone, err := goneEntries(known.Payload, now)
	for _, e := range gone {
		if !e.New() {
			list = append(list, ledger.Entry{Field: payload.Goods, Language: e.Language, Class: e.Class, Text: e.Text, Withheld: true})
		}
	}
	if err != nil {
		return nil, err
	}
	entries, err := payload.Entries(now)
	for _, e := range known.Entries {
		named := func(g payload.Entry) bool { return !g.New() && g.Language == e.Language && g.Class == e.Class }
		there := e.Field == payload.Goods && !slices.ContainsFunc(entries, named) || e.Field != payload.Goods && payload.Text(now, e.Field) == ""
		if e.Field != "" && there && !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list, err
}

func staysNote(field, value, what string) ledger.Reason {
	return ledger.Reason{Field: field, Value: value}.Says(reason.New(reason.Stays, field, what))
}

// goneEntries returns the entries that a mark no longer has, by id, or by language, class and text.
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
