package ledger

import (
	"testing"
	"time"

	"docketsync/importer/ledger/decisions"
)

var auditCases = cases{
	"deeds are listed the latest first, page by page, whatever is in them":     deedsAreListedTheLatestFirst,
	"the audit trail has what was done and what was decided, the oldest first": theAuditTrailHasWhatWasDoneAndDecided,
}

func deedsAreListedTheLatestFirst(t *testing.T, l *Ledger) {
	ctx := t.Context()
	for n, d := range []decisions.AuditEntry{
		{Who: "ines", Action: "sign_in", Result: "done"},
		{Action: "sign_in", Result: "refused", Note: "no such name"},
		{Who: "ines", Action: "run", Target: "job\x00 \xff<b>", Result: "failed"},
	} {
		d.At, d.Origin = noon.Add(time.Duration(n)*time.Minute), "10.0.0.7"
		must(t, l.AddAuditEntry(ctx, d))
	}
	all, err := l.AuditEntries(ctx, decisions.AuditFilter{})
	must(t, err)
	if len(all) != 3 || all[0].Action != "run" || all[2].Who != "ines" || all[0].Target != "job\ufffd \ufffd<b>" || !all[1].At.Equal(noon.Add(time.Minute)) {
		t.Fatalf("%+v", all)
	}
	signIns, err := l.AuditEntries(ctx, decisions.AuditFilter{Action: "sign_in", Limit: 1})
	must(t, err)
	same(t, signIns, all[1:2])
	older, err := l.AuditEntries(ctx, decisions.AuditFilter{Before: all[1].ID})
	must(t, err)
	same(t, older, all[2:])
}

func theAuditTrailHasWhatWasDoneAndDecided(t *testing.T, l *Ledger) {
	begin(t, l, "a1")
	add(t, l, planned("a1", 1, "k"))
	send(t, l, "a1", 1)
	settle(t, l, Outcome{Run: "a1", Seq: 1, State: InDoubt})
	must(t, l.Resolve(t.Context(), "a1", 1, decisions.Absent, "", "Ann", "looked it up"))
	must(t, l.AskRenames(t.Context(), []Rename{{Scope: "create_case", Key: "new", Former: "old"}}))
	must(t, l.DecideRename(t.Context(), Rename{Scope: "create_case", Key: "new", Former: "old"}, NewRecord, "Bob"))
	run, err := l.Run(t.Context(), "a1")
	must(t, err)
	run.Guards, run.Passed = []Guard{{Name: "rows"}}, &Passed{By: "Cleo", At: noon.Add(-time.Minute)}
	must(t, l.SaveRun(t.Context(), run))
	must(t, l.AddAuditEntry(t.Context(), decisions.AuditEntry{At: noon.Add(time.Minute), Who: "ines", Action: "run", Target: "matters", Result: "done"}))
	for range 2 {
		trail, err := l.Trail(t.Context())
		must(t, err)
		var said []string
		for _, e := range trail {
			said = append(said, e.Who+" "+e.Action+" "+e.Target+" "+e.Result)
		}
		same(t, said, []string{"Cleo pass_guards matters-1 done", "Ann decide_doubt matters-1, record 1 absent", "Bob decide_rename new new", "ines run matters done"})
	}
}
