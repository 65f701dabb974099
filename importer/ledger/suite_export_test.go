package ledger

import (
	"cmp"
	"fmt"
	"testing"

	"docketsync/importer/ledger/handle"
)

var exportCases = cases{
	"what an export was like comes back with its run, and runs without one can be left out": whatAnExportWasLikeComesBackWithItsRun,
	"what vanished is known and has no row in the later run":                                whatVanishedIsKnownAndHasNoRowInTheLaterRun,
	"what vanished from a long run is found in parts":                                       whatVanishedFromALongRunIsFoundInParts,
	"what had changed since it was created in an earlier run counts in that one":            whatHadChangedInAnEarlierRunCountsThere,
}

// gone returns the keys that vanished between two runs.
func gone(t *testing.T, l *Ledger, base, later string) string {
	t.Helper()
	keys := []string{}
	for key, err := range l.Vanished(t.Context(), base, later) {
		must(t, err)
		keys = append(keys, key)
	}
	return fmt.Sprint(keys)
}

func whatAnExportWasLikeComesBackWithItsRun(t *testing.T, l *Ledger) {
	run := Run{ID: "1", Job: "matters", Kind: Push, Phase: Stopped, Started: noon,
		Export: &Export{
			Rows: 3, Records: 2, ToSend: 1, Stale: 1, Rejected: 1, Keyless: 1, Keys: "ff", Shift: -1, Shifted: 2, Written: noon,
			Columns: []Column{{Name: "Müller", Filled: 3, Dates: 2, Words: 1}}, Base: "0", Vanished: 4,
		},
		Guards: []Guard{{Name: "columns", Column: "Müller", Message: "m"}}, Passed: &Passed{By: "Ada", At: noon, Run: "0"},
	}
	must(t, l.Begin(t.Context(), run))
	begin(t, l, "2")
	run.Name = "matters-1"
	for _, f := range []RunFilter{{Exports: true}, {Job: "matters", Exports: true, Limit: 1}} {
		runs, err := l.Runs(t.Context(), f)
		must(t, err)
		same(t, runs, []Run{run})
	}
	run.Passed, run.Guards = nil, nil
	must(t, l.SaveRun(t.Context(), run))
	got, err := l.Run(t.Context(), "1")
	must(t, err)
	same(t, got, run)
}

func whatVanishedIsKnownAndHasNoRowInTheLaterRun(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	keys := []string{"kept", "gone", "\x1bodd", "never accepted", "rejected now", "turned inactive"}
	for n, key := range keys {
		r := planned("1", int64(n+1), key)
		if n >= 5 {
			r.Rows = nil
		}
		add(t, l, r)
		send(t, l, "1", r.Seq)
		end := Accepted
		if key == "never accepted" {
			end = Refused
		}
		settle(t, l, Outcome{Run: "1", Seq: r.Seq, State: end})
	}
	rejected := planned("2", 2, "rejected now")
	rejected.State, rejected.Action = Rejected, None
	inactive := planned("2", 3, "gone")
	inactive.Rows = nil
	add(t, l, planned("2", 1, "kept"), rejected, inactive)
	same(t, gone(t, l, "1", "2"), fmt.Sprint([]string{"gone", "\x1bodd"}))
	same(t, gone(t, l, "2", "1"), "[]")
}

func whatVanishedFromALongRunIsFoundInParts(t *testing.T, l *Ledger) {
	l.h.VanishedPart = longer(1000, handle.VanishedPart)
	most := l.h.VanishedPart
	begin(t, l, "1")
	begin(t, l, "2")
	var then, now []Record
	for n := range most + 20 {
		r := planned("1", int64(n+1), fmt.Sprint(n))
		then = append(then, r)
		if n%(most/2) != 7 {
			r.Run = "2"
			now = append(now, r)
		}
	}
	add(t, l, then...)
	add(t, l, now...)
	for _, n := range []int{8, most/2 + 8, most + 8, 9} {
		send(t, l, "1", int64(n))
		settle(t, l, Outcome{Run: "1", Seq: int64(n), State: Accepted})
	}
	same(t, gone(t, l, "1", "2"), fmt.Sprint([]string{"7", fmt.Sprint(most/2 + 7), fmt.Sprint(most + 7)}))
}

func whatHadChangedInAnEarlierRunCountsThere(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	keys := []string{"changed since", "changed again", "\x1bchanged since", "changed now", "as it was"}
	for n, key := range keys {
		add(t, l, planned("1", int64(n+1), key))
		send(t, l, "1", int64(n+1))
		settle(t, l, Outcome{Run: "1", Seq: int64(n + 1), State: Accepted})
	}
	as := func(run string, digests ...string) {
		begin(t, l, run)
		for n, digest := range digests {
			r := planned(run, int64(n+1), keys[n])
			r.State, r.Action, r.Digest = Unchanged, None, cmp.Or(digest, "d-"+keys[n]+"-1")
			add(t, l, r)
		}
	}
	as("2", "b", "b", "b", "", "")
	as("3", "b", "c", "b", "b", "")
	n, err := l.StaleStill(t.Context(), "2", "3")
	must(t, err)
	same(t, n, 2)
	n, err = l.StaleStill(t.Context(), "1", "2")
	must(t, err)
	same(t, n, 0)
}
