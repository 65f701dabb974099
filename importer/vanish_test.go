package importer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	reports "docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/stop"
)

const updatesMapping = `
operation: update_case
key: Ref
fields:
  id:             Id
  name:           Title
  number:         Ref
  file_client_id: {value: null}
  file_status_id: {value: ` + status + `}
  user_id:        {value: ` + user + `}
  active:         {value: true}
  components:     []
`

// listedCase is a case as the service shows it.
type listedCase struct {
	ID     string `json:"id"`
	Number string `json:"number"`
	Active bool   `json:"active"`
}

func (w *world) cases() (cases []listedCase) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.base+"/v1/lists/files?take=100", nil)
	w.must(err)
	request.Header["subscription-key"], request.Header[".Service.AuthCookie"] = []string{"key"}, []string{"cookie"}
	response, err := http.DefaultClient.Do(request)
	w.must(err)
	defer response.Body.Close()
	var list struct{ Items []listedCase }
	w.must(json.NewDecoder(response.Body).Decode(&list))
	return list.Items
}

// inactive returns the numbers of the inactive cases.
func (w *world) inactive() string {
	var numbers []string
	for _, c := range w.cases() {
		if !c.Active {
			numbers = append(numbers, c.Number)
		}
	}
	slices.Sort(numbers)
	return strings.Join(numbers, " ")
}

// updates returns a job of updates for n existing cases, and its rows, header first.
func (w *world) updates(n int) (job func(rows []string) importer.Job, rows []string) {
	w.t.Helper()
	w.run(w.job("cases", casesMapping, cases(1, n)))
	rows = []string{"Ref,Id,Title"}
	existing := w.cases()
	slices.SortFunc(existing, func(a, b listedCase) int { return strings.Compare(a.Number, b.Number) })
	for _, c := range existing {
		rows = append(rows, c.Number+","+c.ID+",Case "+c.Number)
	}
	return func(rows []string) importer.Job {
		job := w.job("updates", updatesMapping, strings.Join(rows, "\n")+"\n")
		job.Policy.DeactivateVanished = true
		return job
	}, rows
}

func without(rows []string, numbers ...int) []string {
	var left []string
	for n, row := range rows {
		if !slices.Contains(numbers, n) {
			left = append(left, row)
		}
	}
	return left
}

func TestVanishedCasesAreTurnedInactiveOnceAndComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(6)
	w.expect(w.run(job(rows)), "accepted 6")
	run := w.run(job(without(rows, 2, 4)))
	w.expect(run, "accepted 2, unchanged 4")
	if run.Export.Vanished != 2 || w.inactive() != "M-00002 M-00004" {
		t.Errorf("%d vanished, %q are inactive", run.Export.Vanished, w.inactive())
	}
	run = w.run(job(without(rows, 2, 4)))
	w.expect(run, "unchanged 4")
	if run.Export.Vanished != 0 {
		t.Errorf("%d vanished a second time", run.Export.Vanished)
	}
	w.expect(w.run(job(without(rows, 4))), "accepted 1, unchanged 4")
	if w.inactive() != "M-00004" {
		t.Errorf("%q are inactive", w.inactive())
	}
}

// A refused deactivation is tried again when a refused row would be. Until then it can be acknowledged, although it has
// no row.
func TestARefusedDeactivationIsNotSentEveryNight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(6)
	w.expect(w.run(job(rows)), "accepted 6")
	gone := job(without(rows, 2))
	gone.Policy.RetryRefused = 24 * time.Hour
	run, err := w.with(func(o *apiclient.Options) { o.Paths[payload.UpdateCase] = "/v1/nowhere" }).Run(t.Context(), gone)
	w.must(err)
	w.expect(run, "refused 1, unchanged 5")
	asked := w.state().Requests
	for range 2 {
		run = w.run(gone)
		w.expect(run, "rejected 1, unchanged 5")
	}
	if w.state().Requests != asked || w.inactive() != "" {
		t.Errorf("%d requests were sent, %q are inactive", w.state().Requests-asked, w.inactive())
	}
	s, err := reports.Build(t.Context(), w.book.Reader, run.ID)
	w.must(err)
	if list := s.Remedies(""); len(list) != 1 || list[0].Do != "Change each one in the service by hand, and acknowledge it." {
		t.Errorf("what is to be done is %+v", list)
	}
	for r, err := range w.book.Acknowledgeable(t.Context(), run.ID) {
		w.must(err)
		w.must(w.book.Acknowledge(t.Context(), []ledger.Record{r}, "Ines", ""))
		if len(r.Notes) > 0 {
			t.Errorf("%s, which is not sent, has the notes %v", r.Key, r.Notes)
		}
	}
	run = w.run(gone)
	if known, err := w.book.AcknowledgedIn(t.Context(), run); err != nil || len(known) != 1 {
		t.Errorf("%v is acknowledged in the next run, %v", known, err)
	}
	dir := t.TempDir()
	paths, err := files.Write(t.Context(), w.book.Reader, run.ID, dir)
	w.must(err)
	if paths.Rejects != "" {
		t.Errorf("%s has no row to correct", paths.Rejects)
	}
	if c := s.Causes[0]; c.Rows != 0 || !strings.Contains(c.Hint, "acknowledge it: docketsync rejects "+s.Run.Name+" KEY --acknowledge") {
		t.Errorf("the cause is %+v", c)
	}
	gone.Policy.RetryRefused = 0
	w.expect(w.run(gone), "accepted 1, unchanged 5")
}

// A case that moved from the export of one job to that of another job of the scope, which ran in between, is still
// there.
func TestACaseInTheExportOfAnotherJobIsNotTurnedInactive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(4)
	w.expect(w.run(job(rows)), "accepted 4")
	w.expect(w.run(w.job("moved", updatesMapping, rows[0]+"\n"+rows[2]+"\n")), "unchanged 1")
	w.expect(w.run(job(without(rows, 2, 4))), "accepted 1, unchanged 2")
	if w.inactive() != "M-00004" {
		t.Errorf("%q are inactive", w.inactive())
	}
}

// A case in the exports of two jobs is still there when one of them no longer has it, however long ago the other was
// read.
func TestACaseThatStaysInAnOlderExportOfAnotherJobIsNotTurnedInactive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(4)
	w.expect(w.run(job(rows)), "accepted 4")
	w.expect(w.run(w.job("other", updatesMapping, rows[0]+"\n"+rows[1]+"\n")), "unchanged 1")
	w.expect(w.run(w.job("other", updatesMapping, rows[0]+"\n"+rows[2]+"\n"+rows[3]+"\n")), "unchanged 2")
	w.expect(w.run(w.job("gone", updatesMapping, rows[0]+"\n"+rows[4]+"\n")), "unchanged 1")
	w.expect(w.run(job(rows)), "unchanged 4")
	last := job(without(rows, 1, 2, 4))
	last.Jobs = []string{"updates", "other"}
	w.expect(w.run(last), "accepted 2, unchanged 1")
	if w.inactive() != "M-00001 M-00004" {
		t.Errorf("%q are inactive", w.inactive())
	}
	// A key that was migrated once and is no longer read does not keep its case active for ever.
	w.expect(w.run(job(rows)), "accepted 2, unchanged 2")
	for range 6 {
		w.expect(w.run(job(rows)), "unchanged 4")
	}
	last = job(without(rows, 2))
	last.Jobs = []string{"updates", "other"}
	w.expect(w.run(last), "accepted 1, unchanged 3")
	if w.inactive() != "M-00002" {
		t.Errorf("%q are inactive", w.inactive())
	}
}

// A key has not vanished if another key, new or old, names its case.
func TestACaseUnderAnotherKeyIsNotTurnedInactive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(4)
	w.expect(w.run(job(rows)), "accepted 4")
	rows[2] = strings.Replace(rows[2], "M-00002,", "Q-77,", 1)
	w.expect(w.run(job(without(rows, 4))), "accepted 2, unchanged 2")
	if w.inactive() != "M-00004" {
		t.Errorf("%q are inactive", w.inactive())
	}
	rows[2] = strings.Replace(rows[2], "Q-77,", "M-00002,", 1)
	w.expect(w.run(job(without(rows, 4))), "accepted 1, unchanged 2") // the service holds the number Q-77
	if w.inactive() != "M-00004" {
		t.Errorf("%q are inactive", w.inactive())
	}
}

// A row without a known id may be the case that seems to have vanished, under another key.
func TestNothingIsTurnedInactiveWhileANewRowHasNoID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(4)
	w.expect(w.run(job(rows)), "accepted 4")
	rows[2] = "Q-77,no id,Case M-00002"
	w.expect(w.run(job(rows)), "held 1, rejected 1, unchanged 3")
	if w.inactive() != "" {
		t.Errorf("%q are inactive", w.inactive())
	}
}

func TestVanishedAreOnlyCountedUnlessTheFirmWantsMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.expect(w.run(w.job("cases", casesMapping, cases(1, 5))), "accepted 5")
	run := w.run(w.job("cases", casesMapping, cases(3, 4)))
	w.expect(run, "accepted 1, unchanged 3")
	var gone []string
	for key, err := range w.book.Vanished(t.Context(), run.Export.Base, run.ID) {
		w.must(err)
		gone = append(gone, key)
	}
	if run.Export.Vanished != 2 || fmt.Sprint(gone) != "[M-00001 M-00002]" || w.inactive() != "" {
		t.Errorf("%d vanished: %v; inactive %q", run.Export.Vanished, gone, w.inactive())
	}
}

// A row without a key may be any of the cases that seem to have vanished.
func TestNothingIsTurnedInactiveWhileRowsHaveNoKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(6)
	w.run(job(rows))
	keyless := slices.Clone(rows)
	keyless[2] = keyless[2][strings.Index(keyless[2], ","):]
	w.expect(w.run(job(keyless)), "held 1, rejected 1, unchanged 5")
	// The decision is still open, and comes with the next whole export.
	w.expect(w.run(job(rows)), "unchanged 6")
	w.expect(w.run(job(keyless)), "held 1, rejected 1, unchanged 5")
	w.expect(w.run(job(without(rows, 2))), "accepted 1, unchanged 5")
	if w.inactive() != "M-00002" {
		t.Errorf("%q are inactive", w.inactive())
	}
}

// A deactivation that failed is tried again.
func TestFailedDeactivationIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(3)
	w.run(job(rows))
	w.box.SetFaults(sandbox.Faults{FailBefore: 1})
	i := w.with(func(o *apiclient.Options) { o.Retry.Total = 1 })
	run, err := i.Run(t.Context(), job(without(rows, 1)))
	w.must(err)
	w.expect(run, "failed 1, unchanged 2")
	w.box.SetFaults(sandbox.Faults{})
	w.expect(w.run(job(without(rows, 1))), "accepted 1, unchanged 2")
	if w.inactive() != "M-00001" {
		t.Errorf("%q are inactive", w.inactive())
	}
}

// A rejected row has not vanished, nor has a row that corrected rejects do not repeat.
func TestRejectedRowsAndCorrectedRejectsLetNothingVanish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(4)
	w.run(job(rows))
	bad := slices.Clone(rows)
	bad[2] = strings.Split(bad[2], ",")[0] + ",no id,Case"
	run := w.run(job(bad))
	w.expect(run, "rejected 1, unchanged 3")
	corrected := job(rows[:3])
	corrected.Partial = true
	partial := w.run(corrected)
	w.expect(partial, "unchanged 2")
	if run.Export.Vanished != 0 || partial.Export != nil || w.inactive() != "" {
		t.Errorf("%d vanished, the corrected rows are %+v, inactive %q", run.Export.Vanished, partial.Export, w.inactive())
	}
}

// stopped runs a job that its guards must stop.
func (w *world) stopped(job importer.Job) ledger.Run {
	w.t.Helper()
	run, err := w.importer().Run(w.t.Context(), job)
	w.must(err)
	if run.StopCode != stop.Guard || len(run.Guards) == 0 || run.Passed != nil {
		w.t.Fatalf("the run ended as %s (%s): %s", run.Phase, run.StopCode, run.Stop)
	}
	return run
}

// A run that was accepted and then interrupted is resumed without another question, whether its plan can be resumed or
// must be made anew because it uses the ledger.
func TestRunThatWasLetThroughGoesOnUnasked(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"its plan is resumed": updatesMapping,
		"its plan is made anew": strings.Replace(strings.Replace(updatesMapping, "fields:", "lookups:\n  ids: {ledger: create_case}\nfields:", 1),
			"id:             Id", "id: {column: Ref, lookup: ids}", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			_, rows := w.updates(20)
			job := func(title string) importer.Job {
				job := w.job("updates", text, strings.ReplaceAll(strings.Join(rows, "\n"), ",Case", ","+title)+"\n")
				job.Guards = guard.Limits{Changes: 20, Least: 10}
				return job
			}
			w.expect(w.run(job("Case")), "accepted 20")
			w.stopped(job("Matter"))
			run := w.interrupted(job("Matter"), 7)
			if run.StopCode != stop.Interrupted || run.Passed == nil || run.Passed.By != "Ada" {
				t.Fatalf("the run ended as %s (%s), let through by %+v", run.Phase, run.StopCode, run.Passed)
			}
			last := w.run(job("Matter"))
			if last.Phase != ledger.Finished || last.Passed == nil || last.Passed.By != "Ada" {
				t.Errorf("the run ended as %s: %s, let through by %+v", last.Phase, last.Stop, last.Passed)
			}
			w.expect(w.run(job("Matter")), "unchanged 20")
		})
	}
}

// interrupted runs a job past its guards as Ada, and interrupts it after that many requests.
func (w *world) interrupted(job importer.Job, after int) ledger.Run {
	w.t.Helper()
	ctx, interrupt := context.WithCancel(w.t.Context())
	defer interrupt()
	i := w.importer()
	i.Concurrency = 1
	sent := 0
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		if sent++; sent == after {
			interrupt()
		}
		return w.client.Send(context.WithoutCancel(ctx), p, repeatable)
	}
	i.Drain = nil
	run, err := i.RunAccepting(ctx, job, "Ada", "")
	w.must(err)
	return run
}

// An outage on one night is no reason to stop the next run.
func TestWhatAnOutageLeftUnsentFiresNoGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(20)
	night := func(title string) importer.Job {
		job := job(strings.Split(strings.ReplaceAll(strings.Join(rows, "\n"), ",Case", ","+title), "\n"))
		job.Guards = guard.Limits{Changes: 90, Least: 10}
		return job
	}
	w.expect(w.run(night("Case")), "accepted 20")
	w.box.SetFaults(sandbox.Faults{FailBefore: 1})
	outage := night("Matter")
	outage.Guards = guard.Limits{}
	i := w.with(func(o *apiclient.Options) { o.Retry.Total = 1 })
	run, err := i.Run(t.Context(), outage)
	w.must(err)
	w.expect(run, "failed 20")
	w.box.SetFaults(sandbox.Faults{})
	w.expect(w.run(night("Matter")), "accepted 20")
	w.stopped(night("File"))
}
