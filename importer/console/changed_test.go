package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"docketsync/importer/ledger"
)

// TestDecisionsAboutChangesAreSavedAtOnce posts decisions of which one is not valid, then valid ones, one of which is about something
// that was settled meanwhile.
func TestDecisionsAboutChangesAreSavedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	run := w.planned(1, ledger.Push, titles{1: "A", 2: "B", 3: "C"})
	var held []ledger.HeldUpdate
	for seq := range int64(3) {
		r, err := w.book.Record(ctx, run.ID, seq+1)
		w.must(err)
		held = append(held, ledger.HeldUpdate{Record: r, Conflict: ledger.Conflict{Scope: r.Scope, Key: r.Key, Run: r.Run, Seq: r.Seq, Why: "changed",
			Theirs: json.RawMessage(`{"name":"theirs"}`), Ours: r.Payload, Digest: r.Digest}})
	}
	w.must(w.book.HoldConflicts(ctx, run.ID, held))
	open := func() []ledger.Conflict {
		list, err := w.book.OpenConflicts(ctx, "")
		w.must(err)
		return list
	}
	c := w.operator()
	form := url.Values{"token": {c.token("/changed")}}
	for n, found := range open() {
		for name, value := range map[string]string{"scope": found.Scope, "key": found.Key, "found": fmt.Sprint(found.Found.UnixMicro()), "decision": "ours"} {
			form.Set(fmt.Sprintf("%s-%d", name, n), value)
		}
	}
	for decision, want := range map[string]string{"fields": "name of M-03 cannot be decided by itself.", "nobody’s": "M-03: this is not a valid decision."} {
		form.Set("decision-2", decision)
		form["field-2"] = []string{"notes", "name"}
		if said := c.do("POST", "/changed", form.Encode()); said.StatusCode != http.StatusBadRequest || !strings.Contains(said.text, want) || !strings.Contains(said.text, "Nothing was saved.") || len(open()) != 3 {
			t.Errorf("%s: %d, %d are open\n%s", decision, said.StatusCode, len(open()), said.words())
		}
	}
	w.must(w.book.SettleConflict(ctx, open()[0], ledger.Settled{Side: ledger.Theirs, Who: "Bo"}))
	form["field-2"], form["decision-2"] = []string{"notes"}, []string{"fields"}
	if said := c.do("POST", "/changed", form.Encode()); said.StatusCode != http.StatusSeeOther || len(open()) != 0 {
		t.Errorf("%d, %d are open\n%s", said.StatusCode, len(open()), said.words())
	}
	if said := c.get("/changed").words(); !strings.Contains(said, "2 decisions saved; the next run carries them out. Not saved: 1 record was settled or changed again meanwhile.") {
		t.Error(said)
	}
	if said := c.do("POST", "/changed", form.Encode()); said.StatusCode != http.StatusConflict || !strings.Contains(said.text, "Nothing was saved: 3 records were") {
		t.Errorf("%d\n%s", said.StatusCode, said.words())
	}
}
