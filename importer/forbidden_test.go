package importer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
)

// closed returns a CSV of n cases. Those that names selects belong to a client that the user may not touch.
func closed(n int, names func(row int) bool) string {
	lines := strings.Split(strings.TrimRight(cases(1, n), "\n"), "\n")
	for row := 1; row <= n; row++ {
		if names(row) {
			lines[row] = strings.Replace(lines[row], "Case", "Closed", 1)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestForbiddenRecords has a service that accepts the user but not for every client. It refuses those records in its
// own words, wherever they are, and all others go in with one start.
func TestForbiddenRecords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		forbidden   func(row int) bool
		concurrency int
		states      string
	}{
		{"the third", func(row int) bool { return row == 3 }, 4, "accepted 99, refused 1"},
		{"the first, one at a time", func(row int) bool { return row == 1 }, 1, "accepted 99, refused 1"},
		{"every second", func(row int) bool { return row%2 == 0 }, 4, "accepted 50, refused 50"},
		{"a client's block", func(row int) bool { return row >= 30 && row < 45 }, 4, "accepted 85, refused 15"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{Forbid: "Closed"})
			i := w.importer()
			i.Concurrency = test.concurrency
			run, err := i.Run(t.Context(), w.job("matters", casesMapping, closed(100, test.forbidden)))
			w.must(err)
			w.expect(run, test.states)
			w.addsUp(run)
			w.onceEach()
			if run.Phase != ledger.Finished {
				t.Errorf("the run ended as %s: %s", run.Phase, run.Stop)
			}
			for _, record := range w.records(run) {
				if record.State == ledger.Refused && (len(record.Reasons) != 1 || !strings.Contains(record.Reasons[0].Message, "no permission for this client")) {
					t.Errorf("%s is refused because of %+v", record.Key, record.Reasons)
				}
			}
		})
	}
}

// TestForbiddenFromSomewhereOn ends the user's permission, or the session, in the middle. That counts as a lost
// sign-in: nothing is refused, and the next start sends the rest.
func TestForbiddenFromSomewhereOn(t *testing.T) {
	t.Parallel()
	for _, from := range []int{1, 40, 82, 100} { // fewer than twenty at the end, too
		t.Run(fmt.Sprintf("from %d", from), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{Forbid: "Closed"})
			job := w.job("matters", casesMapping, closed(100, func(row int) bool { return row >= from }))
			// One at a time: a record before the last ones, answered after the first refusal, would show that the
			// sign-in is still accepted.
			i := w.importer()
			i.Concurrency = 1
			run, err := i.Run(t.Context(), job)
			w.must(err)
			if run.Phase != ledger.Stopped || run.StopCode != string(apiclient.CodeSignIn) {
				t.Errorf("the run ended as %s (%s)", run.Phase, run.StopCode)
			}
			held := fmt.Sprintf("held %d", 101-from)
			if from > 1 {
				held = fmt.Sprintf("accepted %d, %s", from-1, held)
			}
			w.expect(run, held)
			if requests := w.state().Requests; requests > int64(from+40) {
				t.Errorf("%d requests went out", requests)
			}
			w.box.SetFaults(sandbox.Faults{})
			w.client = w.connect(func(*apiclient.Options) {})
			w.expect(w.run(job), "accepted 100")
			w.onceEach()
		})
	}
}

// TestForbiddenAtTheEndWithANewSignIn turns the last records away, and then the sign-in is renewed. If the new one is
// turned away too, the records are refused; if only the old one was, they go in.
func TestForbiddenAtTheEndWithANewSignIn(t *testing.T) {
	t.Parallel()
	for name, states := range map[string]string{"the records": "accepted 97, refused 3", "the sign-in": "accepted 100"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{Forbid: "Closed"})
			renewed := 0
			i := w.with(func(o *apiclient.Options) {
				o.SignIn.Func = func(context.Context) (string, error) {
					if renewed++; name == "the sign-in" {
						w.box.SetFaults(sandbox.Faults{})
					}
					return "cookie", nil
				}
			})
			i.Service.Concurrency = 1 // otherwise a record before the last three may be accepted after the first of them was forbidden
			run, err := i.Run(t.Context(), w.job("matters", casesMapping, closed(100, func(row int) bool { return row > 97 })))
			w.must(err)
			w.expect(run, states)
			if run.Phase != ledger.Finished || renewed != 1 {
				t.Errorf("the run ended as %s (%s) after %d renewals", run.Phase, run.Stop, renewed)
			}
			w.onceEach()
		})
	}
}
