package importer_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/conflict"
	"docketsync/importer/ledger"
)

// somebody changes a mark in the service.
func (w *world) somebody(text string) {
	w.t.Helper()
	body := `{"id":"` + mark1 + `","registry_id":"` + registry + `","mark_text":"` + text + `","application_number":"018","do_not_create_file":true}`
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPut, w.base+"/v1/firms/trademark", strings.NewReader(body))
	w.must(err)
	request.Header = http.Header{"subscription-key": {"key"}, ".Service.AuthCookie": {"cookie"}, "Content-Type": {"application/json"}}
	answer, err := http.DefaultClient.Do(request)
	w.must(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		w.t.Fatalf("somebody's change was answered %s", answer.Status)
	}
}

// TestWhatSomebodyElseChangedIsNotOverwritten: an update is held when somebody changed the record, sent once a person has said so, and held again
// by every later change, also one between the decision and the send. One of which the list tells nothing is sent by a decision too.
func TestWhatSomebodyElseChangedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	lacks := false
	i := w.importer()
	i.Shows = func(op payload.Operation) (*conflict.List, error) {
		spec := apiclient.ListSpec{Name: "trademarks", Path: "/v1/lists/trademarks", ID: "id", Take: 100, Members: []string{"updated_at"}, Whole: true}
		return &conflict.List{Name: spec.Name, Rule: conflict.Rule{At: true}, Walk: func(ctx context.Context, begin func() error, page func([]ledger.Listed) error) error {
			return w.client.Walk(ctx, spec, begin, func(items []apiclient.ListItem) error {
				var list []ledger.Listed
				for _, item := range items {
					if !lacks {
						list = append(list, ledger.Listed{ID: importer.PlainID(item.ID), Stamp: ledger.Stamp{At: item.Texts[0]}, Fields: apiclient.Told(op, item.Object, nil)})
					}
				}
				return page(list)
			})
		}}, nil
	}
	night := func(text, states string) {
		t.Helper()
		run, err := i.Run(t.Context(), w.job("marks", marksMapping, "Ref,Id,Mark,App\nT1,"+mark1+","+text+",018\n"))
		w.must(err)
		w.expect(run, states)
	}
	decide := func(side ledger.Side) {
		t.Helper()
		open, err := w.book.OpenConflicts(t.Context(), "")
		w.must(err)
		if len(open) != 1 {
			t.Fatalf("%d are open", len(open))
		}
		w.must(w.book.SettleConflict(t.Context(), open[0], ledger.Settled{Side: side, Who: "Ines"}))
	}
	night("A", "accepted 1")
	night("B", "accepted 1")
	w.somebody("THEIRS")
	night("C", "held 1")
	night("C", "held 1")
	decide(ledger.Ours)
	night("C", "accepted 1")
	w.somebody("THEIRS")
	night("D", "held 1")
	decide(ledger.Ours)
	w.somebody("THEIRS once more")
	night("D", "held 1")
	decide(ledger.Theirs)
	night("D", "unchanged 1")
	night("E", "held 1")
	decide(ledger.Ours)
	night("E", "accepted 1")
	lacks = true
	night("F", "held 1")
	decide(ledger.Ours)
	night("F", "accepted 1")
	night("G", "held 1")
}
