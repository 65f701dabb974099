package importer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

func approved(context.Context, ledger.Run) error { return nil }

// TestRefusedApprovalSendsNothing shows that a plan other than the approved one is never sent.
func TestRefusedApprovalSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 3))
	no := errors.New("something has changed")
	seen := 0
	run, err := w.importer().RunApproved(t.Context(), job, "seal", func(ctx context.Context, run ledger.Run) error {
		seen = len(w.records(run))
		return no
	})
	if !errors.Is(err, no) || seen != 3 {
		t.Fatalf("ended with %v after %d records were shown", err, seen)
	}
	if run.Phase != ledger.Stopped || run.StopCode != stop.Approval || !strings.Contains(run.Stop, no.Error()) || w.state().Requests != 0 {
		t.Errorf("the run is %s (%s, %s), and %d requests were sent", run.Phase, run.StopCode, run.Stop, w.state().Requests)
	}
	w.expect(run, "held 3")
	again, err := w.importer().RunApproved(t.Context(), job, "seal", approved)
	w.must(err)
	if again.ID == run.ID {
		t.Error("a run that was not approved was resumed")
	}
	w.expect(again, "accepted 3")
	w.onceEach()
}

// TestApprovedRunGoesOn interrupts a run of an approved plan. Under the same approval it is resumed without another
// check; under another approval, only after one; as an ordinary run, after planning anew.
func TestApprovedRunGoesOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		again func(*importer.Importer, importer.Job) (run ledger.Run, asked bool, err error)
		same  bool // the run goes on
		asked bool
	}{
		{"under the same approval", func(i *importer.Importer, job importer.Job) (run ledger.Run, asked bool, err error) {
			run, err = i.RunApproved(t.Context(), job, "seal", func(context.Context, ledger.Run) error { asked = true; return nil })
			return run, asked, err
		}, true, false},
		{"under another approval", func(i *importer.Importer, job importer.Job) (run ledger.Run, asked bool, err error) {
			run, err = i.RunApproved(t.Context(), job, "other", func(context.Context, ledger.Run) error { asked = true; return nil })
			return run, asked, err
		}, false, true},
		{"as an ordinary run", func(i *importer.Importer, job importer.Job) (run ledger.Run, asked bool, err error) {
			run, err = i.Run(t.Context(), job)
			return run, false, err
		}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			job := w.job("matters", casesMapping, cases(1, 40))
			ctx, cancel := context.WithCancel(t.Context())
			i := w.importer()
			i.Drain = nil // the client is used again below
			i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
				defer cancel()
				return w.client.Send(ctx, p, repeatable)
			}
			first, err := i.RunApproved(ctx, job, "seal", approved)
			w.must(err)
			if first.StopCode != stop.Interrupted {
				t.Fatalf("the first run ended as %s (%s)", first.Phase, first.StopCode)
			}
			next, began := w.importer(), []string{}
			next.Began = func(run ledger.Run) { began = append(began, run.ID) }
			second, asked, err := test.again(next, job)
			w.must(err)
			if !slices.Contains(began, second.ID) {
				t.Errorf("the run was not said to have begun or gone on: %q", began)
			}
			if (second.ID == first.ID) != test.same || asked != test.asked {
				t.Errorf("went on with the same run: %t, asked for approval: %t", second.ID == first.ID, asked)
			}
			if state := w.state(); state.Cases != 40 || state.Requests != 40 {
				t.Errorf("the service holds %d cases after %d requests", state.Cases, state.Requests)
			}
		})
	}
}

// TestUnapprovedRunIsNotGoneOnWith simulates the end of the process while a plan waits for its approval.
func TestUnapprovedRunIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 3))
	ended := errors.New("the process ended here")
	func() {
		defer func() { _ = recover() }()
		_, _ = w.importer().RunApproved(t.Context(), job, "seal", func(context.Context, ledger.Run) error { panic(ended) })
	}()
	asked := false
	run, err := w.importer().RunApproved(t.Context(), job, "seal", func(context.Context, ledger.Run) error { asked = true; return nil })
	w.must(err)
	if !asked {
		t.Error("a plan was sent that nobody had compared")
	}
	w.expect(run, "accepted 3")
}
