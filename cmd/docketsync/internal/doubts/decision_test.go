package doubts

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// TestDecisionsAsPeopleWriteThem shows which words are decisions, and that an id is one of a record that exists.
func TestDecisionsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	const id = "7B4A78EA-EDBD-5E59-97CE-FB39C3302DAA"
	for _, c := range []struct {
		word, id string
		want     ledger.Decision
		wantID   string
		wrong    bool
	}{
		{word: " Exists ", want: ledger.Exists},
		{word: "exists", id: " " + id, want: ledger.Exists, wantID: "7b4a78ea-edbd-5e59-97ce-fb39c3302daa"},
		{word: "ABSENT", want: ledger.Absent},
		{word: "leave", want: ledger.Leave},
		{word: "perhaps", wrong: true},
		{word: "", wrong: true},
		{word: "absent", id: id, wrong: true},
		{word: "exists", id: "4711", wrong: true},
	} {
		got, err := NewDecision(ledger.Record{Key: "M-1"}, c.word, c.id, "looked it up")
		if c.wrong {
			if exit.Of(err) != exit.Usage {
				t.Errorf("%q with id %q: %v", c.word, c.id, err)
			}
			continue
		}
		if err != nil || got.Decision != c.want || got.ID != c.wantID || got.Note != "looked it up" {
			t.Errorf("%q with id %q: %+v, %v", c.word, c.id, got, err)
		}
	}
}

// TestAnUpdateHasItsIDUnderAnyKey decides about two records with one id: that is right of an update that names it.
func TestAnUpdateHasItsIDUnderAnyKey(t *testing.T) {
	t.Parallel()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	const id = "7b4a78ea-edbd-5e59-97ce-fb39c3302daa"
	for payload, want := range map[string]int{`{"id":"` + id + `"}`: exit.AllIn, `{}`: exit.Usage} {
		list := []Decision{{Record: ledger.Record{Key: "T1"}, ID: id}, {Record: ledger.Record{Key: "T2", Payload: json.RawMessage(payload)}, ID: id}}
		if err := CheckIDs(t.Context(), book.Reader, list); exit.Of(err) != want {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

// TestAnUpdateIsOfTheIDThatItNames settles an update without an id, and with another one.
func TestAnUpdateIsOfTheIDThatItNames(t *testing.T) {
	t.Parallel()
	const id = "7b4a78ea-edbd-5e59-97ce-fb39c3302daa"
	r := ledger.Record{Key: "T1", Payload: json.RawMessage(`{"id":"` + id + `"}`)}
	if d, err := NewDecision(r, "exists", "", ""); err != nil || d.ID != id {
		t.Errorf("without an id: %+v, %v", d, err)
	}
	if _, err := NewDecision(r, "exists", "0b5e4c5a-7f11-4b7e-9a55-000000000033", ""); exit.Of(err) != exit.Usage {
		t.Errorf("with another id: %v", err)
	}
}
