package decide

import (
	"encoding/json"
	"slices"
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
