package revert

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
)

func TestReverse(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	a, b := json.RawMessage(`{"name":"A"}`), json.RawMessage(`{"name":"B"}`)
	update := func(state ledger.State, change ...func(*ledger.Record)) ledger.Record {
		r := ledger.Record{Run: "this", Key: "K", Action: ledger.Update, State: state, Payload: b, Previous: a, Attempts: 1}
		for _, c := range change {
			c(&r)
		}
		return r
	}
	mine := &ledger.LastAccepted{Run: "this", Payload: b, AcceptedAt: at}
	older := &ledger.LastAccepted{Run: "before", Payload: a, AcceptedAt: at, Unsettled: true}
	tests := []struct {
		name   string
		record ledger.Record
		known  *ledger.LastAccepted
		want   reversal
	}{
		{"an accepted update is sent back", update(ledger.Accepted), mine, sendBack},
		{"an update that failed may have been acted on", update(ledger.Failed), older, sendBack},
		{"an update that failed before it was tried changed nothing", update(ledger.Failed, func(r *ledger.Record) { r.Attempts = 0 }), older, untouched},
		{"what was held changed nothing", update(ledger.Held), mine, untouched},
		{"what was refused changed nothing", update(ledger.Refused), mine, untouched},
		{"what is in doubt waits", update(ledger.InDoubt), mine, doubtful},
		{"what is under way waits", update(ledger.Sending), mine, doubtful},
		{"the first update of all is not known", update(ledger.Accepted, func(r *ledger.Record) { r.Previous = nil }), mine, notKnown},
		{"a create cannot be taken back", update(ledger.Accepted, func(r *ledger.Record) { r.Action, r.Previous = ledger.Create, nil }), mine, created},
		{"a later run has changed it", update(ledger.Accepted), &ledger.LastAccepted{Run: "later", Payload: json.RawMessage(`{"name":"C"}`), AcceptedAt: at}, changed},
		{"a later run has taken it back", update(ledger.Accepted), &ledger.LastAccepted{Run: "later", Payload: a, AcceptedAt: at}, untouched},
		{"a later run has taken it back, perhaps", update(ledger.Accepted), &ledger.LastAccepted{Run: "later", Payload: a, AcceptedAt: at, Unsettled: true}, changed},
		{"a later run may have changed it", update(ledger.Accepted), &ledger.LastAccepted{Run: "this", Payload: b, Unsettled: true}, changed},
		{"a later run has left it in doubt", update(ledger.Accepted), &ledger.LastAccepted{Run: "this", Payload: b, Doubt: &ledger.Doubt{Run: "later"}}, changed},
		{"a later run has changed what failed here", update(ledger.Failed), &ledger.LastAccepted{Run: "later", Payload: b, AcceptedAt: at}, changed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, why := reverse(test.record, test.known)
			if got != test.want || (why == "") != (got == sendBack || got == untouched) {
				t.Errorf("%s (%q), want %s", got, why, test.want)
			}
		})
	}
}

func TestRemains(t *testing.T) {
	t.Parallel()
	got, err := remains(ledger.Record{
		Key:      "T1",
		Previous: json.RawMessage(`{"id":"x","mark_text":"A"}`),
		Payload:  json.RawMessage(`{"id":"x","mark_text":"B","notes":"n","good_and_services":[{"id":null,"text":"old"},{"id":null,"text":"new"},{"id":"e","text":"known"}]}`),
		Body:     json.RawMessage(`{"id":"x","mark_text":"B","notes":"n","good_and_services":[{"id":null,"text":"new"},{"id":"e","text":"known"}]}`),
	})
	want := []string{
		"notes: not sent before, so the earlier value is not known; what this run sent stays",
		`good_and_services: this run created the entry "new", and the service cannot delete records`,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
