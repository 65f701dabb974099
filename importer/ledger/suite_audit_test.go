package ledger

import (
	"testing"
	"time"
)

var auditCases = cases{
	"deeds are listed the latest first, page by page, whatever is in them": deedsAreListedTheLatestFirst,
}

func deedsAreListedTheLatestFirst(t *testing.T, l *Ledger) {
	ctx := t.Context()
	for n, d := range []AuditEntry{
		{Who: "ines", Action: "sign_in", Result: "done"},
		{Action: "sign_in", Result: "refused", Note: "no such name"},
		{Who: "ines", Action: "run", Target: "job\x00 \xff<b>", Result: "failed"},
	} {
		d.At, d.Origin = noon.Add(time.Duration(n)*time.Minute), "10.0.0.7"
		must(t, l.AddAuditEntry(ctx, d))
	}
	all, err := l.AuditEntries(ctx, AuditFilter{})
	must(t, err)
	if len(all) != 3 || all[0].Action != "run" || all[2].Who != "ines" || all[0].Target != "job\ufffd \ufffd<b>" || !all[1].At.Equal(noon.Add(time.Minute)) {
		t.Fatalf("%+v", all)
	}
	signIns, err := l.AuditEntries(ctx, AuditFilter{Action: "sign_in", Limit: 1})
	must(t, err)
	same(t, signIns, all[1:2])
	older, err := l.AuditEntries(ctx, AuditFilter{Before: all[1].ID})
	must(t, err)
	same(t, older, all[2:])
}
