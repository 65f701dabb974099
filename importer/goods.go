package importer

import (
	"bytes"
	"encoding/json"
	"fmt"

	"docketsync/importer/ledger"
)

// planTrademark settles what a trademark's update may carry and whether it may be repeated.
func planTrademark(record *ledger.Record, known *ledger.Known, policy Policy) error {
	mark, err := readTrademark(record.Payload)
	if err != nil {
		return fmt.Errorf("plan the update of %s: %w", record.Key, err)
	}
	sent, entries, withheld := sortEntries(mark.entries, known.Entries)
	record.Entries = entries
	record.Notes = append(record.Notes, withheldNotes(withheld)...)
	if len(record.Previous) > 0 {
		stays, err := staysNotes(record.Previous, record.Payload, withheld)
		if err != nil {
			return fmt.Errorf("plan the update of %s: %w", record.Key, err)
		}
		record.Notes = append(record.Notes, stays...)
	}
	if len(sent) < len(mark.entries) {
		if record.Body, err = mark.withEntries(sent); err != nil {
			return fmt.Errorf("plan the update of %s: %w", record.Key, err)
		}
	}
	makesEntries := false
	for _, e := range sent {
		makesEntries = makesEntries || e.new()
	}
	// An update may make a case each time unless do_not_create_file is true; an accepted one has made it already.
	mayCreateCase := (policy.OmitDoNotCreateFile || !mark.DoNotCreateFile) && known.Digest == ""
	record.Repeatable = policy.RepeatCreates || (!makesEntries && !mayCreateCase)
	return nil
}

func withheldNotes(entries []ledger.Entry) []ledger.Reason {
	var notes []ledger.Reason
	for _, e := range entries {
		if !e.Withheld {
			continue
		}
		notes = append(notes, ledger.Reason{
			Code: "entry_text_changed", Field: "good_and_services", Value: e.Text,
			Message: "the text of a goods and services entry has changed, and its id in the service is not known: it was not sent, because it would become a second entry",
			Hint:    "Change the entry in the service by hand, or map the entry's id.",
		})
	}
	return notes
}

// trademark is as much of an update trademark payload as planning needs; the rest passes through untouched.
type trademark struct {
	DoNotCreateFile bool            `json:"do_not_create_file"`
	GoodAndServices json.RawMessage `json:"good_and_services"`
	payload         json.RawMessage
	entries         []goods
}

type goods struct {
	ID       *string `json:"id"`
	Language string  `json:"language_id"`
	Class    string  `json:"search_class_id"`
	Text     string  `json:"text"`
	raw      json.RawMessage
}

// new tells that sending the entry makes one.
func (g goods) new() bool { return g.ID == nil }

func (g goods) entry() ledger.Entry {
	return ledger.Entry{Language: g.Language, Class: g.Class, Text: g.Text}
}

// readTrademark reads what it needs of a canonical payload. Most marks of a file have no entries, and of those it only
// asks whether a member stands there: a quote inside a text is escaped, so that no text can be taken for a member.
func readTrademark(payload json.RawMessage) (trademark, error) {
	mark := trademark{payload: payload}
	if !bytes.Contains(payload, []byte(`"good_and_services":`)) {
		mark.DoNotCreateFile = bytes.Contains(payload, []byte(`"do_not_create_file":true`))
		return mark, nil
	}
	if err := json.Unmarshal(payload, &mark); err != nil {
		return mark, err
	}
	var raw []json.RawMessage
	if len(mark.GoodAndServices) > 0 {
		if err := json.Unmarshal(mark.GoodAndServices, &raw); err != nil {
			return mark, err
		}
	}
	for _, r := range raw {
		entry := goods{raw: r}
		if err := json.Unmarshal(r, &entry); err != nil {
			return mark, err
		}
		mark.entries = append(mark.entries, entry)
	}
	return mark, nil
}

// withEntries is the payload with only these entries, every other byte as it was; without any, the list is left out.
func (t trademark) withEntries(entries []goods) (json.RawMessage, error) {
	list := []byte("[")
	for n, e := range entries {
		if n > 0 {
			list = append(list, ',')
		}
		list = append(list, e.raw...)
	}
	list = append(list, ']')
	at := bytes.Index(t.payload, append([]byte(`"good_and_services":`), t.GoodAndServices...))
	if at < 0 {
		return nil, fmt.Errorf("the payload is not canonical JSON")
	}
	end := at + len(`"good_and_services":`) + len(t.GoodAndServices)
	body := append([]byte{}, t.payload[:at]...)
	if len(entries) > 0 {
		body = append(append(body, `"good_and_services":`...), list...)
		return append(body, t.payload[end:]...), nil
	}
	// The comma before or behind goes with the member.
	rest := t.payload[end:]
	if trimmed, ok := bytes.CutPrefix(rest, []byte(",")); ok {
		rest = trimmed
	} else {
		body = bytes.TrimSuffix(body, []byte(","))
	}
	return append(body, rest...), nil
}

// sortEntries decides which entries go out. Entries with an id always do: they change what they name. One without goes
// out unless it was accepted before; or unless the service holds an entry of that class and language whose text this
// record no longer has, for then the new text replaces the old, and sending it would make a second entry. known is what
// the ledger is to remember once the update is accepted.
func sortEntries(entries []goods, accepted []ledger.Entry) (sent []goods, known, withheld []ledger.Entry) {
	has := map[ledger.Entry]bool{}
	for _, e := range accepted {
		if !e.Withheld {
			has[e] = true
			known = append(known, e)
		}
	}
	stays := map[ledger.Entry]bool{}
	for _, e := range entries {
		stays[e.entry()] = true
	}
	gone := map[[2]string]bool{}
	for e := range has {
		if !stays[e] {
			gone[[2]string{e.Language, e.Class}] = true
		}
	}
	for _, e := range entries {
		entry := e.entry()
		switch {
		case !e.new():
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
