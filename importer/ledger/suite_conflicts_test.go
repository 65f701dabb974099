package ledger

import (
	"encoding/json"
	"errors"
	"testing"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/forget"
)

var conflictCases = cases{
	"conflicts are settled at once, or none is":                                                         conflictsAreSettledAtOnce,
	"an update that is held for a conflict is released by nobody, whether it may have been sent or not": anUpdateHeldForAConflictIsReleasedByNobody,
	"what is known of conflicts goes when its record is forgotten":                                      whatIsKnownOfConflictsGoes,
}

func heldBy(r Record, by string) decisions.HeldUpdate {
	r.Message = "it was changed"
	return decisions.HeldUpdate{Conflict: decisions.Conflict{Scope: r.Scope, Key: r.Key, Run: r.Run, Seq: r.Seq, Why: "changed", Seen: decisions.Stamp{At: "t1", By: by}, Theirs: json.RawMessage(`{"name":"theirs"}`), Ours: r.Payload, Digest: r.Digest}, Record: r}
}

func anUpdateHeldForAConflictIsReleasedByNobody(t *testing.T, l *Ledger) {
	beginAs(t, l, "1", Push, Pushing)
	var list []Record
	for n, key := range []string{"a", "b", "c"} {
		r := planned("1", int64(n+1), key)
		r.Action, r.Repeatable = Update, n < 2
		list = append(list, r)
	}
	add(t, l, list...)
	_, _, err := l.Recover(t.Context(), "1") // a and b may have been sent
	must(t, err)
	must(t, l.HoldConflicts(t.Context(), "1", []decisions.HeldUpdate{heldBy(record(t, l, "1", 2), "Ann"), heldBy(record(t, l, "1", 3), "Ann")}))
	_, err = l.Hold(t.Context(), "1")
	must(t, err)
	n, err := l.Release(t.Context(), "1", Held)
	must(t, err)
	same(t, n, 1)
	for seq, want := range map[int64]State{1: Planned, 2: Held, 3: Held} {
		same(t, record(t, l, "1", seq).State, want)
	}
	open, err := l.OpenConflicts(t.Context(), "1")
	must(t, err)
	same(t, len(open), 2)
	same(t, open[0].Seen, decisions.Stamp{At: "t1", By: "Ann"})
	must(t, l.SettleConflict(t.Context(), open[0], decisions.Settled{Side: decisions.Theirs, Fields: []string{"name"}, Who: "Bo"}))
	if err := l.SettleConflict(t.Context(), open[0], decisions.Settled{Side: decisions.Ours, Who: "Cy"}); !errors.Is(err, decisions.ErrNoConflict) {
		t.Errorf("it was settled twice: %v", err)
	}
	decided, err := l.Decisions(t.Context(), "1", 2)
	must(t, err)
	same(t, []any{len(decided), string(decided[0].Decision), decided[0].Who}, []any{1, "theirs", "Bo"})
	v, err := l.Verify(t.Context(), chain.Head{})
	must(t, err)
	same(t, len(v.Misfits), 0)
}

func conflictsAreSettledAtOnce(t *testing.T, l *Ledger) {
	beginAs(t, l, "1", Push, Pushing)
	var held []decisions.HeldUpdate
	for n, key := range []string{"a", "b", "c"} {
		add(t, l, planned("1", int64(n+1), key))
		held = append(held, heldBy(record(t, l, "1", int64(n+1)), "Ann"))
	}
	must(t, l.HoldConflicts(t.Context(), "1", held))
	open, err := l.OpenConflicts(t.Context(), "1")
	must(t, err)
	must(t, l.SettleConflict(t.Context(), open[1], decisions.Settled{Side: decisions.Ours, Who: "Cy"}))
	for n := range open {
		open[n].Settled = decisions.Settled{Side: decisions.Theirs, Who: "Bo"}
	}
	open[2].Side = "fields"
	if saved, err := l.SettleConflicts(t.Context(), open); err == nil || saved != nil {
		t.Errorf("with one that is not valid, %d are saved: %v", len(saved), err)
	}
	open[2].Side, open[2].Run = decisions.Theirs, "another"
	if saved, err := l.SettleConflicts(t.Context(), open); err == nil || saved != nil {
		t.Errorf("with one that cannot be saved, %d are saved: %v", len(saved), err)
	}
	left, err := l.OpenConflicts(t.Context(), "1")
	must(t, err)
	same(t, len(left), 2)
	open[2].Run = "1"
	saved, err := l.SettleConflicts(t.Context(), open)
	must(t, err)
	same(t, []string{saved[0].Key, saved[1].Key}, []string{"a", "c"})
	v, err := l.Verify(t.Context(), chain.Head{})
	must(t, err)
	same(t, len(v.Misfits), 0)
}

func whatIsKnownOfConflictsGoes(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	r := planned("1", 1, "a")
	r.Action = Update
	add(t, l, r)
	must(t, l.HoldConflicts(t.Context(), "1", []decisions.HeldUpdate{heldBy(record(t, l, "1", 1), "Ann Moreau")}))
	must(t, l.SaveStamps(t.Context(), r.Scope, []decisions.Stamped{{Key: "a", Run: "1", Stamp: decisions.Stamp{At: "t0", By: "Ann Moreau"}}}))
	must(t, l.AddListed(t.Context(), "1", []decisions.Listed{{ID: "x", Stamp: decisions.Stamp{At: "t1", By: "Ann Moreau"}, Fields: json.RawMessage(`{}`)}}))
	_, err := l.Forget(t.Context(), forget.Subject{Keys: []string{"a"}}, func(*forget.Traces) error { return nil })
	must(t, err)
	for _, table := range []string{"conflicts", "stamps", "listed"} {
		var n int
		must(t, l.h.Read.QueryRowContext(t.Context(), `select count(*) from `+table).Scan(&n))
		if n > 0 {
			t.Errorf("%s still has %d rows", table, n)
		}
	}
}
