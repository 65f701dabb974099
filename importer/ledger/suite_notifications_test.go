package ledger

import (
	"testing"
	"time"

	"docketsync/importer/ledger/occurrences"
)

var toldCases = cases{
	"what a channel was told is kept by job and channel, the last of it": whatAChannelWasToldIsKeptByJobAndChannel,
	"doubts are counted over all runs, their echoes not":                 doubtsAreCountedOverAllRunsTheirEchoesNot,
}

func whatAChannelWasToldIsKeptByJobAndChannel(t *testing.T, l *Ledger) {
	ctx := t.Context()
	none, err := l.NotificationState(ctx, "matters", "mail")
	must(t, err)
	same(t, none, occurrences.NotificationState{})
	first := occurrences.NotificationState{State: "broken", Cause: "rejects", Since: noon, At: noon}
	later := occurrences.NotificationState{State: "broken", Cause: "in_doubt", Since: noon, At: noon.Add(24 * time.Hour)}
	must(t, l.SaveNotificationState(ctx, "matters", "mail", first))
	must(t, l.SaveNotificationState(ctx, "matters", "chat", first))
	must(t, l.SaveNotificationState(ctx, "marks", "mail", occurrences.NotificationState{State: "well", Since: noon, At: noon}))
	must(t, l.SaveNotificationState(ctx, "matters", "mail", later))
	for _, want := range []struct {
		job, channel string
		told         occurrences.NotificationState
	}{{"matters", "mail", later}, {"matters", "chat", first}, {"marks", "mail", occurrences.NotificationState{State: "well", Since: noon, At: noon}}, {"marks", "chat", occurrences.NotificationState{}}} {
		got, err := l.NotificationState(ctx, want.job, want.channel)
		must(t, err)
		same(t, got, want.told)
	}
	must(t, l.Writable(ctx))
}

func doubtsAreCountedOverAllRunsTheirEchoesNot(t *testing.T, l *Ledger) {
	ctx := t.Context()
	begin(t, l, "one")
	add(t, l, planned("one", 1, "M-1"), planned("one", 2, "M-2"))
	must(t, l.Commit(ctx, nil, []Intent{{Run: "one", Seq: 1}, {Run: "one", Seq: 2}}))
	n, err := l.Doubtful(ctx)
	must(t, err)
	same(t, n, 0)
	must(t, l.Commit(ctx, []Outcome{{Run: "one", Seq: 1, State: InDoubt, At: noon}, {Run: "one", Seq: 2, State: Accepted, At: noon}}, nil))
	begin(t, l, "two")
	echo := planned("two", 1, "M-1")
	echo.State = InDoubt
	add(t, l, echo)
	n, err = l.Doubtful(ctx)
	must(t, err)
	same(t, n, 1)
}
