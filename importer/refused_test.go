package importer_test

import (
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/mapping/reason"
)

const ownersMapping = `
operation: create_case
key: Ref
fields:
  name:             Title
  number:           Ref
  active:           {value: true}
  file_template_id: {value: ` + template + `}
  user_id:          Owner
`

// TestARefusedRecordIsNotSentAgainAsItIs has the service refuse two owners that it does not know. They are not sent
// again before retry.refused has passed, unless the row has changed or somebody says so.
func TestARefusedRecordIsNotSentAgainAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const unknown, other = "0b5e4c5a-7f11-4b7e-9a55-00000000dead", "0b5e4c5a-7f11-4b7e-9a55-00000000beef"
	export := "Ref,Title,Owner\nM-1,One," + user + "\nM-2,Two," + unknown + "\nM-3,Three," + unknown + "\n"
	night := func(export string, at time.Time, wait time.Duration) (ledger.Run, int) {
		t.Helper()
		job := w.job("matters", ownersMapping, export)
		job.Policy.RetryRefused = wait
		job.Guards = guard.Limits{Rejects: 1, MaxChanges: 1, Least: 1} // a refusal is neither a worse export nor a change
		i := w.importer()
		i.Now = func() time.Time { return at }
		before := w.state().Requests
		run, err := i.Run(t.Context(), job)
		w.must(err)
		w.addsUp(run)
		return run, int(w.state().Requests - before)
	}
	first := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	expect := func(run ledger.Run, sent int, states string, want int) {
		t.Helper()
		w.expect(run, states)
		if sent != want {
			t.Errorf("%d requests were sent, want %d", sent, want)
		}
	}
	run, sent := night(export, first, 24*time.Hour)
	expect(run, sent, "accepted 1, refused 2", 3)
	run, sent = night(export, first.Add(23*time.Hour), 24*time.Hour)
	expect(run, sent, "rejected 2, unchanged 1", 0)
	reasons := w.records(run)[0].Reasons
	for _, record := range w.records(run) {
		if record.State == ledger.Rejected {
			reasons = record.Reasons
		}
	}
	if len(reasons) != 1 || reasons[0].Code != reason.RefusedBefore || !strings.Contains(reasons[0].Message, "user") ||
		!strings.Contains(reasons[0].Hint, "not sent again before "+moment.Of(first.Add(24*time.Hour))) || !strings.Contains(reasons[0].Hint, "--retry-refused") {
		t.Errorf("the reasons are %+v", reasons)
	}
	run, sent = night(export, first.Add(23*time.Hour), -1)
	expect(run, sent, "rejected 2, unchanged 1", 0)
	changed := strings.Replace(export, "M-3,Three,"+unknown, "M-3,Three,"+other, 1)
	run, sent = night(changed, first.Add(23*time.Hour), 24*time.Hour)
	expect(run, sent, "refused 1, rejected 1, unchanged 1", 1)
	run, sent = night(changed, first.Add(25*time.Hour), 24*time.Hour)
	expect(run, sent, "refused 1, rejected 1, unchanged 1", 1)
	run, sent = night(changed, first.Add(26*time.Hour), 0)
	expect(run, sent, "refused 2, unchanged 1", 2)
	run, sent = night(changed, first, 24*time.Hour) // the clock was ahead, and nobody waits for that day
	expect(run, sent, "refused 2, unchanged 1", 2)
}

// TestWhatIsNotSentDoesNotStopEveryNight has the service refuse dates whose day and month changed places, which a person
// has let through. The guard asks about what is sent, once.
func TestWhatIsNotSentDoesNotStopEveryNight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	dated := marksMapping + "  status_date: Day\n"
	export := func(one, two string) string {
		return "Ref,Id,Mark,App,Day\nT1," + mark1 + ",A,018," + one + "\nT2," + mark2 + ",B,019," + two + "\n"
	}
	job := func(text string) importer.Job {
		job := w.job("marks", dated, text)
		job.Policy.RetryRefused = 24 * time.Hour
		job.Guards = guard.Limits{DaysSwapped: 2, Least: 2}
		return job
	}
	w.expect(w.run(job(export("2024-03-01", "2024-04-02"))), "accepted 2")
	swapped := job(export("2024-01-03", "2024-02-04"))
	if run := w.run(swapped); len(run.Guards) == 0 || run.Guards[0].Name != guard.DaysSwapped {
		t.Fatalf("%+v", run.Guards)
	}
	w.box.SetFaults(sandbox.Faults{Refuse: 1})
	run, err := w.importer().RunAccepting(t.Context(), swapped, "ada", "")
	w.must(err)
	w.expect(run, "refused 2")
	for range 2 {
		if run = w.run(swapped); len(run.Guards) > 0 {
			t.Fatalf("nothing is sent, and the run is stopped: %+v", run.Guards)
		}
		w.expect(run, "rejected 2")
	}
}
