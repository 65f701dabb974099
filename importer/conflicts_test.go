package importer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/conflict"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/stop"
)

// somebody changes a mark in the service.
func (w *world) somebody(text string) {
	w.t.Helper()
	w.somebodyTo(mark1, text)
}

func (w *world) somebodyTo(mark, text string) {
	w.t.Helper()
	body := `{"id":"` + mark + `","registry_id":"` + registry + `","mark_text":"` + text + `","application_number":"018","do_not_create_file":true}`
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

// shows returns a list of marks that says when each was last changed. Each time the list is read, asked says whether it
// has any marks, or fails.
func (w *world) shows(asked func() (bool, error)) func(payload.Operation) (*conflict.List, error) {
	return func(op payload.Operation) (*conflict.List, error) {
		spec := apiclient.ListSpec{Name: "trademarks", Path: "/v1/lists/trademarks", ID: "id", Take: 100, Members: []string{"updated_at"}, Whole: true}
		return &conflict.List{Name: spec.Name, Walk: func(ctx context.Context, begin func() error, page func([]ledger.Listed) error) error {
			tells, err := asked()
			if err != nil {
				return err
			}
			return w.client.Walk(ctx, spec, begin, func(items []apiclient.ListItem) error {
				var list []ledger.Listed
				for _, item := range items {
					if tells {
						list = append(list, ledger.Listed{ID: payload.PlainID(item.ID), Stamp: ledger.Stamp{At: item.Texts[0]}, Fields: apiclient.Told(op, item.Object, nil)})
					}
				}
				return page(list)
			})
		}}, nil
	}
}

// TestWhatSomebodyElseChangesMeanwhileIsNotOverwritten: a run reads an old list again, and holds what somebody else has
// changed while it was sending. What it has sent itself stays sent; what it cannot check is not sent.
func TestWhatSomebodyElseChangesMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		passes       time.Duration // while the first record is sent
		unreadable   error
		first, looks int
		want, stop   string
		aside        bool // the first record is turned away with 403, and somebody changes it
	}{
		"the list is old":                  {11 * time.Minute, nil, 0, 2, "accepted 2, held 1", "", false},
		"the list is good":                 {9 * time.Minute, nil, 0, 1, "accepted 3", "", false},
		"the list cannot be read any more": {11 * time.Minute, errors.New("gone"), 0, 2, "accepted 1, held 2", stop.Service, false},
		"the sign-in is lost":              {11 * time.Minute, &apiclient.Error{Code: apiclient.CodeSignIn}, 0, 2, "accepted 1, held 2", stop.SignIn, false},
		"the ledger's disk is full":        {11 * time.Minute, &fault.Error{Kind: fault.ErrFull}, 0, 2, "accepted 1, planned 2", "", false},
		"a part of the run":                {11 * time.Minute, nil, 2, 2, "accepted 2, held 1", "", false},
		"no more than a part":              {11 * time.Minute, nil, 1, 2, "accepted 1, held 2", stop.Part, false},
		"the record was set aside":         {11 * time.Minute, nil, 0, 3, "accepted 2, held 1", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			i, looks, passed := w.importer(), 0, time.Duration(0)
			night := func(text string) ledger.Run {
				t.Helper()
				run, err := i.Run(t.Context(), w.job("marks", marksMapping, "Ref,Id,Mark,App\nT1,"+mark1+","+text+",018\nT2,"+mark2+","+text+",018\nT3,"+mark3+","+text+",018\n"))
				if full := errors.Is(test.unreadable, fault.ErrFull) && passed > 0; full != (err != nil) {
					t.Fatal(err)
				}
				return run
			}
			i.Shows = w.shows(func() (bool, error) {
				if looks++; test.unreadable != nil && looks == 2 && passed > 0 {
					return false, test.unreadable
				}
				return true, nil
			})
			w.expect(night("A"), "accepted 3")
			looks, i.Service.Concurrency, i.First = 0, 1, test.first
			i.Now = func() time.Time { return time.Now().Add(passed) }
			send := i.Service.Send
			i.Service.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
				if passed > 0 {
					return send(ctx, p, repeatable)
				}
				passed = test.passes
				if test.aside {
					w.somebodyTo(mark1, "THEIRS")
					return apiclient.Result{Verdict: apiclient.Aside, Status: 403, Attempts: []apiclient.Attempt{{Status: 403}}}
				}
				result := send(ctx, p, repeatable)
				w.somebodyTo(mark3, "THEIRS")
				return result
			}
			sent := looks
			i.Progress = func(p importer.Progress) {
				if p.Phase == ledger.Pushing {
					sent = looks // what is read behind the push only learns
				}
			}
			run := night("B")
			w.expect(run, test.want)
			if sent != test.looks || run.StopCode != test.stop {
				t.Errorf("the list was read %d times, want %d; stopped: %q, want %q", sent, test.looks, run.StopCode, test.stop)
			}
		})
	}
}

// TestWhatSomebodyElseChangedIsNotOverwritten: an update is held if somebody changed the record, sent once a person has
// decided so, and held again after every later change, even one between the decision and the send. A decision also
// sends a record that the list does not mention.
func TestWhatSomebodyElseChangedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"one clock": 0, "the clock of who sends is ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			othersChanges(t, ahead)
		})
	}
}

func othersChanges(t *testing.T, ahead time.Duration) {
	w := newWorld(t, sandbox.Faults{})
	lacks := false
	i := w.importer()
	i.Now = func() time.Time { return time.Now().Add(ahead) }
	i.Shows = w.shows(func() (bool, error) { return !lacks, nil })
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
	runs, err := w.book.Runs(t.Context(), ledger.RunFilter{Limit: 1})
	w.must(err)
	for r, err := range w.book.Records(t.Context(), runs[0].ID, ledger.RecordFilter{}) {
		if w.must(err); !strings.Contains(fmt.Sprint(r.Notes), "docketsync resolve "+runs[0].ID+" T1 ours") {
			t.Errorf("no command is noted: %v", r.Notes)
		}
	}
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
