package decide

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// TestWhatTheExportNoLongerHasStays goes through what an update of a mark leaves out and does not remove.
func TestWhatTheExportNoLongerHasStays(t *testing.T) {
	t.Parallel()
	software, games, retail := entry("null", class9, "software"), entry("null", class9, "games"), entry("null", class35, "retail")
	dated := func(payload json.RawMessage) json.RawMessage {
		return json.RawMessage(string(payload[:len(payload)-1]) + `,"application_date":"2024-03-01T00:00:00Z"}`)
	}
	for _, test := range []struct {
		name        string
		before, now json.RawMessage
		stays       []string
	}{
		{"a date", dated(mark(true)), mark(true), []string{"application_date 2024-03-01T00:00:00Z"}},
		{"a date that is set", mark(true), dated(mark(true)), nil},
		{"a value that is sent as null", json.RawMessage(`{"id":"m1","notes":"x"}`), json.RawMessage(`{"id":"m1","notes":null}`), nil},
		{"a class", mark(true, software, retail), mark(true, retail), []string{"good_and_services software"}},
		{"all classes", mark(true, software, retail), mark(true), []string{"good_and_services software", "good_and_services retail"}},
		{"classes in another order", mark(true, software, retail), mark(true, retail, software), nil},
		{"a changed text is told by itself", mark(true, software, retail), mark(true, games, retail), nil},
		{"an entry with an id whose text changed", mark(true, entry("e1", class9, "software")), mark(true, entry("e1", class9, "games")), nil},
		{"an entry with an id", mark(true, entry("e1", class9, "software")), mark(true), []string{"good_and_services software"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			known := ledger.LastAccepted{Run: "r0", Digest: "another", Payload: test.before}
			was, err := payload.Entries(test.before)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range was {
				if e.New() {
					known.Entries = append(known.Entries, remembered(e))
				}
			}
			got, err := Decide(mapped(payload.UpdateTrademark, string(test.now)), &known, Policy{})
			if err != nil {
				t.Fatal(err)
			}
			var stays []string
			for _, note := range got.Notes {
				if note.Code == "stays_in_service" {
					stays = append(stays, note.Field+" "+note.Value)
				}
			}
			if !slices.Equal(stays, test.stays) {
				t.Errorf("stays: %q, want %q", stays, test.stays)
			}
		})
	}
}

// TestGoodsThatLostTheirIdsAreNotMadeAgain goes through nights on which the column of ids is blank: each is accepted as it was sent. What the service holds
// under an id is not sent without one, and a changed text is withheld.
func TestGoodsThatLostTheirIdsAreNotMadeAgain(t *testing.T) {
	t.Parallel()
	software, games, retail := entry("null", class9, "software"), entry("null", class9, "games"), entry("null", class35, "retail")
	named, renamed, other := entry("e1", class9, "software"), entry("e1", class9, "games"), entry("e2", class9, "chips")
	for _, test := range []struct {
		name   string
		nights []json.RawMessage
		sent   []string // the entries of each night, "" where nothing is sent
		notes  []string
	}{
		{"the text stays", []json.RawMessage{mark(true, named), mark(true, software), mark(true, software, retail), mark(true, named, retail)},
			[]string{"software", "", "retail", "software"}, []string{"", "", "", ""}},
		{"the text changes", []json.RawMessage{mark(true, named), mark(true, games), mark(true, software), mark(true, renamed)},
			[]string{"software", "", "", "games"}, []string{"", "entry_text_changed stays_in_service", "entry_text_changed", ""}},
		{"it changes later", []json.RawMessage{mark(true, named), mark(true, software), mark(true, games)},
			[]string{"software", "", ""}, []string{"", "", "entry_text_changed"}},
		{"it is gone for a night", []json.RawMessage{mark(true, named), mark(true, retail), mark(true, software, retail)},
			[]string{"software", "retail", ""}, []string{"", "stays_in_service", "entry_text_changed"}},
		{"it is gone, and comes back with another text", []json.RawMessage{mark(true, named), mark(true, retail), mark(true, games, retail)},
			[]string{"software", "retail", ""}, []string{"", "stays_in_service", "entry_text_changed stays_in_service"}},
		{"it is gone beside another of its class", []json.RawMessage{mark(true, named, other), mark(true, other), mark(true, software, other), mark(true, named, other)},
			[]string{"software chips", "chips", "chips", "software chips"}, []string{"", "stays_in_service", "entry_text_changed", ""}},
		{"another of its class keeps its id", []json.RawMessage{mark(true, named, other), mark(true, software, other)},
			[]string{"software chips", "chips"}, []string{"", ""}},
		{"one is added beside it", []json.RawMessage{mark(true, named), mark(true, named, games)},
			[]string{"software", "software games"}, []string{"", ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			known := &ledger.LastAccepted{}
			for n, night := range test.nights {
				got, err := Decide(mapped(payload.UpdateTrademark, string(night)), known, Policy{})
				if err != nil {
					t.Fatal(err)
				}
				body := got.Body
				if len(body) == 0 {
					body = got.Payload
				}
				sent, err := payload.Entries(body)
				if err != nil {
					t.Fatal(err)
				}
				var texts, codes []string
				for _, e := range sent {
					texts = append(texts, e.Text)
				}
				for _, note := range got.Notes {
					codes = append(codes, note.Code)
				}
				slices.Sort(codes)
				if strings.Join(texts, " ") != test.sent[n] || strings.Join(codes, " ") != test.notes[n] {
					t.Errorf("night %d sent %q with the notes %q, want %q with %q", n+1, texts, codes, test.sent[n], test.notes[n])
				}
				known = &ledger.LastAccepted{Run: "r", Digest: got.Digest, Payload: night, Entries: got.Entries}
			}
		})
	}
}
