package importer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/forget"
	"docketsync/importer/rows"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

func TestEveryRowIsAccountedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	run := w.run(w.job("matters", casesMapping, "Ref,Title,Status\n"+
		"M-1,One,Open\n"+ // row 2
		",,\n"+ // blank
		"M-2,Two,Dead\n"+ // filtered
		"M-3,,Open\n"+ // no name
		"M-4,Four,Maybe\n"+ // unknown status
		"M-5,Five,Closed\n"+
		"M-5,Five,Closed\n"+ // the same again
		"M-6,Six,Open\n"+
		"M-6,Sixth,Open\n"+ // contradicts
		",No key,Open\n"))
	w.expect(run, "accepted 2, rejected 4")
	if got := run.Counts; got.Read != 10 || got.InRecords != 8 || got.Skipped["blank"] != 1 || len(got.Skipped) != 2 {
		t.Errorf("counts are %+v", got)
	}
	for _, record := range w.records(run) {
		if record.Key == "M-6" && (len(record.Rows) != 2 || record.Rows[0].Number != 9 || record.Rows[1].Number != 10 || record.Rows[0].Cells == nil) {
			t.Errorf("the contradicting rows are stored as %+v", record.Rows)
		}
	}
	if n := w.state().Cases; n != 2 {
		t.Errorf("the service holds %d cases, want 2", n)
	}
}

func TestSameInputTwiceSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 20))
	w.expect(w.run(job), "accepted 20")
	sent := w.state().Requests
	w.expect(w.run(job), "unchanged 20")
	if again := w.state().Requests; again != sent {
		t.Errorf("the second run sent %d requests", again-sent)
	}
}

const marksMapping = `
operation: update_trademark
key: Ref
fields:
  id:                 Id
  registry_id:        {value: ` + registry + `}
  mark_text:          Mark
  application_number: App
  do_not_create_file: {value: true}
`

func TestBackAndForthSendsBoth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	file := func(text string) string { return "Ref,Id,Mark,App\nT1," + mark1 + "," + text + ",018\n" }
	w.expect(w.run(w.job("marks", marksMapping, file("A"))), "accepted 1")
	changed := w.run(w.job("marks", marksMapping, file("B")))
	w.expect(changed, "accepted 1")
	if previous := string(w.records(changed)[0].Previous); !strings.Contains(previous, `"mark_text":"A"`) {
		t.Errorf("the payload before the change is kept as %s", previous)
	}
	w.expect(w.run(w.job("marks", marksMapping, file("A"))), "accepted 1")
	w.expect(w.run(w.job("marks", marksMapping, file("A"))), "unchanged 1")
	if n := w.state().Requests; n != 3 {
		t.Errorf("the service was asked %d times, want 3", n)
	}
}

func TestDryRunsSendNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 5))
	for _, dry := range []func(context.Context, importer.Job) (ledger.Run, error){w.importer().Plan, w.importer().Check, w.importer().Plan} {
		run, err := dry(t.Context(), job)
		w.must(err)
		w.expect(run, "planned 5")
	}
	if n := w.state().Requests; n != 0 {
		t.Errorf("dry runs sent %d requests", n)
	}
	w.expect(w.run(job), "accepted 5")
}

func TestCreatedCaseThatChangedIsNotCreatedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.run(w.job("matters", casesMapping, "Ref,Title,Status\nM-1,One,Open\n"))
	run := w.run(w.job("matters", casesMapping, "Ref,Title,Status\nM-1,Uno,Open\n"))
	w.expect(run, "unchanged 1")
	if notes := w.records(run)[0].Notes; len(notes) != 1 || notes[0].Code != "changed_since_created" {
		t.Errorf("the change is noted as %v", notes)
	}
}

// TestContradictionOfAnUnchangedRowKeepsItsCells has a row that was first taken as unchanged, and so was stored without
// its cells. A reject has to show all its rows.
func TestContradictionOfAnUnchangedRowKeepsItsCells(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.run(w.job("matters", casesMapping, "Ref,Title,Status\nM-1,One,Open\n"))
	run := w.run(w.job("matters", casesMapping, "Ref,Title,Status\nM-1,One,Open\nM-1,Other,Open\n"))
	w.expect(run, "rejected 1")
	for _, row := range w.records(run)[0].Rows {
		if !strings.Contains(string(row.Cells), "M-1") {
			t.Errorf("row %d is stored with cells %s", row.Number, row.Cells)
		}
	}
}

func TestNothingIsSentTwiceUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{Seed: seed, DropBefore: 0.1, DropAfter: 0.1, FailBefore: 0.05, FailAfter: 0.05, BusyBefore: 0.05, HTML: 0.05, Truncate: 0.05})
			job := w.job("matters", casesMapping, cases(1, 120))
			run := w.run(job)
			w.onceEach()
			doubts, accepted := 0, 0
			for _, record := range w.records(run) {
				switch record.State {
				case ledger.InDoubt:
					doubts++
				case ledger.Accepted:
					accepted++
				}
			}
			if doubts == 0 || accepted == 0 {
				t.Fatalf("%d in doubt and %d accepted: the faults did not bite", doubts, accepted)
			}
			// A later run sends again what failed, but never what is in doubt.
			w.box.SetFaults(sandbox.Faults{})
			again := w.run(job)
			w.onceEach()
			for _, record := range w.records(again) {
				if record.State != ledger.Unchanged && record.State != ledger.InDoubt && record.State != ledger.Accepted {
					t.Errorf("%s is %s after the second run", record.Key, record.State)
				}
			}
			if held := int(w.state().Cases); held < 120-doubts || held > 120 {
				t.Errorf("the service holds %d cases, with %d in doubt of 120", held, doubts)
			}
		})
	}
}

// TestInterrupt stops a run after some records. What was in flight is settled, the rest is held, and the next start
// resumes the same run.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 300))
	ctx, cancel := context.WithCancel(t.Context())
	i := w.importer()
	var mu sync.Mutex
	sent := 0
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		result := w.client.Send(ctx, p, repeatable)
		mu.Lock()
		defer mu.Unlock()
		if sent++; sent == 50 {
			cancel()
		}
		return result
	}
	i.Drain = nil // the client is used again below
	first, err := i.Run(ctx, job)
	w.must(err)
	if first.Phase != ledger.Stopped || first.StopCode != stop.Interrupted {
		t.Fatalf("the run ended as %s (%s)", first.Phase, first.StopCode)
	}
	w.addsUp(first)
	for _, record := range w.records(first) {
		if record.State != ledger.Accepted && record.State != ledger.Held {
			t.Errorf("%s is %s after the interrupt", record.Key, record.State)
		}
	}
	second := w.run(job)
	if second.ID != first.ID {
		t.Errorf("the second start made a new run instead of going on")
	}
	w.expect(second, "accepted 300")
	if state := w.state(); state.Cases != 300 || state.Requests != 300 {
		t.Errorf("the service holds %d cases after %d requests", state.Cases, state.Requests)
	}
}

func TestResumeWithOtherInputPlansAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	ctx, cancel := context.WithCancel(t.Context())
	i := w.importer()
	i.Drain = nil
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		defer cancel()
		return w.client.Send(ctx, p, repeatable)
	}
	first, err := i.Run(ctx, w.job("matters", casesMapping, cases(1, 100)))
	w.must(err)
	second := w.run(w.job("matters", casesMapping, cases(1, 110)))
	if second.ID == first.ID {
		t.Error("a run went on although its input had changed")
	}
	old, err := w.book.Run(t.Context(), first.ID)
	w.must(err)
	if old.StopCode != stop.Superseded {
		t.Errorf("the old run ended as %q", old.StopCode)
	}
	if state := w.state(); state.Cases != 110 || state.Requests != 110 {
		t.Errorf("the service holds %d cases after %d requests", state.Cases, state.Requests)
	}
}

// TestSignInLost invalidates the cookie midway: the rest is held, the run is stopped, and nothing counts as rejected.
func TestSignInLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{CookieAfter: 30})
	job := w.job("matters", casesMapping, cases(1, 100))
	run := w.run(job)
	if run.Phase != ledger.Stopped || run.StopCode != "sign_in" {
		t.Fatalf("the run ended as %s (%s)", run.Phase, run.StopCode)
	}
	w.expect(run, "accepted 30, held 70")
	// The next start, with a client that can sign in, resumes the same run.
	i, _ := w.signingIn()
	again, err := i.Run(t.Context(), job)
	w.must(err)
	w.expect(again, "accepted 100")
	w.onceEach()
	if again.ID != run.ID {
		t.Error("the second start made a new run instead of going on")
	}
}

// signingIn returns an importer whose client can get a new cookie.
func (w *world) signingIn() (*importer.Importer, *apiclient.Client) {
	client := w.connect(func(o *apiclient.Options) {
		o.SignIn = apiclient.SignIn{Path: "/v1/login", User: "ada", Password: "open sesame"}
	})
	i := w.importer()
	i.Send, i.SendLast, i.Drain = client.Send, client.SendLast, client.Drain
	return i, client
}

// TestSignInIsRenewedMidway invalidates each cookie after 30 requests: all sending waits for one new cookie and
// continues, and the ledger counts what had to be sent again.
func TestSignInIsRenewedMidway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{CookieAfter: 30})
	i, client := w.signingIn()
	run, err := i.Run(t.Context(), w.job("matters", casesMapping, cases(1, 100)))
	w.must(err)
	w.expect(run, "accepted 100")
	w.onceEach()
	repeated := 0
	for attempt, err := range w.book.AllAttempts(t.Context(), run.ID) {
		w.must(err)
		if attempt.Number > 1 {
			repeated++
		}
	}
	stats := client.Stats()
	if stats.Renewals != 3 {
		t.Errorf("%d sign-ins for 100 records with 30 to a cookie", stats.Renewals)
	}
	if most := 3 * 4; repeated == 0 || repeated > most || int(stats.Extra) != repeated {
		t.Errorf("%d requests beyond one for each record (%d by the client's account), want at most %d: one for each worker and cookie", repeated, stats.Extra, most)
	}
}

func TestBadFileSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 2000)+"M-9,\"never closed,Open\n")
	run, err := w.importer().Run(t.Context(), job)
	if err == nil || !strings.Contains(err.Error(), "row 2002") {
		t.Errorf("the file was taken, or the error does not name the row: %v", err)
	}
	if run.Phase != ledger.Stopped || run.StopCode != stop.Input {
		t.Errorf("the run ended as %s (%s)", run.Phase, run.StopCode)
	}
	if n := w.state().Requests; n != 0 {
		t.Errorf("%d requests were sent from a broken file", n)
	}
	w.write("matters.csv", cases(1, 10))
	w.expect(w.run(job), "accepted 10")
}

// goodsField are goods without ids, of the classes 9 and 35.
const goodsField = `  good_and_services:
    item:
      id:              {value: null}
      language_id:     {value: ` + language + `}
      search_class_id: {column: Class, values: {"9": ` + class9 + `, "35": ` + class35 + `}}
      text:            Goods
`

func TestGoodsAreSentOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	text := marksMapping + goodsField
	file := func(mark string, goods ...string) string {
		var b strings.Builder
		b.WriteString("Ref,Id,Mark,App,Class,Goods\n")
		for _, g := range goods {
			fmt.Fprintf(&b, "T1,%s,%s,018,%s\n", mark1, mark, g)
		}
		return b.String()
	}
	goods := func() int64 { return w.state().Goods }
	w.expect(w.run(w.job("marks", text, file("A", "9,software"))), "accepted 1")
	w.expect(w.run(w.job("marks", text, file("B", "9,software"))), "accepted 1")
	if goods() != 1 {
		t.Errorf("an entry was sent again: the service holds %d", goods())
	}
	w.expect(w.run(w.job("marks", text, file("B", "9,software", "35,retail"))), "accepted 1")
	if goods() != 2 {
		t.Errorf("the service holds %d entries, want 2", goods())
	}
	changed := w.run(w.job("marks", text, file("C", "9,games", "35,retail")))
	w.expect(changed, "accepted 1")
	if goods() != 2 {
		t.Errorf("a changed text became another entry: the service holds %d", goods())
	}
	unchanged := w.run(w.job("marks", text, file("C", "9,games", "35,retail")))
	w.expect(unchanged, "unchanged 1")
	for _, run := range []ledger.Run{changed, unchanged} {
		r := w.records(run)[0]
		if len(r.Notes) != 1 || r.Notes[0].Code != "entry_text_changed" || !r.Stale().Any() || r.Print() == "" {
			t.Errorf("the changed text is reported as %v, and acknowledged as %q", r.Notes, r.Print())
		}
	}
}

// TestWhatStaysIsSaidEveryNight takes a date and a class out of an export, which no update removes from the service,
// and puts them back.
func TestWhatStaysIsSaidEveryNight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	text := marksMapping + "  application_date: {column: Filed, dates: YYYY-MM-DD}\n" + goodsField
	const software, games, retail = "9,software", "9,games", "35,retail"
	night := func(states, date, mark string, notes string, goods ...string) {
		t.Helper()
		var b strings.Builder
		for _, g := range goods {
			fmt.Fprintf(&b, "T1,%s,%s,018,%s,%s\n", mark1, mark, date, g)
		}
		run := w.run(w.job("marks", text, "Ref,Id,Mark,App,Filed,Class,Goods\n"+b.String()))
		w.expect(run, states)
		var said []string
		r := w.records(run)[0]
		for _, note := range r.Notes {
			said = append(said, strings.Join(strings.Fields(note.Code+" "+note.Form+" "+note.Value), " "))
		}
		slices.Sort(said)
		if got := strings.Join(said, "; "); got != notes || r.Stale().Any() != (notes != "") {
			t.Errorf("noted %q, want %q", got, notes)
		}
	}
	const day = "2024-03-01"
	const both = "stays_in_service 2024-03-01T00:00:00Z; stays_in_service retail"
	night("accepted 1", day, "A", "", software, retail)
	night("accepted 1", "", "A", both, software)
	night("unchanged 1", "", "A", both, software)
	night("accepted 1", "", "B", both, software)
	night("accepted 1", day, "B", "entry_text_changed back retail", software, retail)
	night("accepted 1", day, "B", "entry_text_changed back retail; entry_text_changed games", games, retail)
	night("accepted 1", day, "B", "entry_text_changed back retail; entry_text_changed back software", software, retail)
	night("unchanged 1", day, "B", "entry_text_changed back retail; entry_text_changed back software", software, retail)
	if got := w.state().Goods; got != 2 {
		t.Errorf("the service holds %d entries, want 2", got)
	}
}

// TestGoodsAreRememberedOfTheMark has marks that change their keys, and a key that changes its mark.
func TestGoodsAreRememberedOfTheMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	text := marksMapping + goodsField
	night := func(states string, goods int64, rows ...string) ledger.Run {
		t.Helper()
		job := w.job("marks", text, "Ref,Id,Mark,App,Class,Goods\n"+strings.Join(rows, "\n")+"\n")
		job.Guards.IDsChanged = 1
		run, err := w.importer().Run(t.Context(), job)
		w.must(err)
		w.expect(run, states)
		if got := w.state().Goods; got != goods {
			t.Errorf("the service holds %d entries, want %d", got, goods)
		}
		return run
	}
	night("accepted 1", 1, "T1,"+mark1+",A,018,9,software")
	night("unchanged 1", 1, "2024-TM-1,"+mark1+",A,018,9,software")
	night("accepted 1", 1, "B1,"+mark1+",B,018,9,software")
	night("unchanged 1", 1, "B1,"+mark1+",B,018,9,software")
	night("accepted 1", 1, "T1,"+mark1+",C,018,9,software")
	night("accepted 1", 1, "Q1,"+mark1+",B,018,9,software") // as sent under B1, but the service now holds what was sent under T1
	run := night("held 1", 1, "Q1,"+mark2+",B,018,9,software")
	if len(run.Guards) != 1 || run.Guards[0].Name != guard.IDsChanged {
		t.Errorf("the guards that fired are %+v", run.Guards)
	}
	through := func(goods int64, row string) {
		t.Helper()
		w.expect(w.run(w.job("marks", text, "Ref,Id,Mark,App,Class,Goods\n"+row+"\n")), "accepted 1")
		if got := w.state().Goods; got != goods {
			t.Errorf("the service holds %d entries, want %d", got, goods)
		}
	}
	through(2, "Q1,"+mark2+",B,018,9,software")
	night("accepted 1", 2, "Q2,"+mark2+",C,018,9,software")
	night("accepted 1", 2, "Q1,"+mark2+",B,018,9,software") // as was accepted under this key, and since under the other
	night("accepted 1", 3, "V1,"+mark3+",A,018,9,software")
	through(3, "V1,"+mark1+",D,018,9,software") // which has its goods of other keys
}

// TestGoodsAreRememberedOfTheIDThatAKeyNamedBefore has a key that names a mark, then another one, then the first again.
func TestGoodsAreRememberedOfTheIDThatAKeyNamedBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	text := marksMapping + goodsField
	for _, night := range []struct {
		id, goods string
		want      int64
	}{{mark1, "software", 1}, {mark2, "games", 2}, {mark2, "games|software", 3}, {mark1, "software", 3}, {mark2, "software|games", 3}} {
		var b strings.Builder
		for _, goods := range strings.Split(night.goods, "|") {
			fmt.Fprintf(&b, "K1,%s,A,018,9,%s\n", night.id, goods)
		}
		w.expect(w.run(w.job("marks", text, "Ref,Id,Mark,App,Class,Goods\n"+b.String())), "accepted 1")
		if got := w.state().Goods; got != night.want {
			t.Errorf("with %s of %s the service holds %d entries, want %d", night.goods, night.id, got, night.want)
		}
	}
}

// TestGoodsAreRememberedWhereALookupWasShifted has a night on which each key names the mark of the next one, and then
// corrects it.
func TestGoodsAreRememberedWhereALookupWasShifted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	for _, night := range []struct {
		first, second, mark string
		want                int64
	}{{mark1, mark2, "A", 2}, {mark2, mark3, "B", 3}, {mark1, mark2, "C", 3}} {
		rows := fmt.Sprintf("T1,%s,%[3]s1,018,9,software\nT2,%[2]s,%[3]s2,019,9,software\n", night.first, night.second, night.mark)
		w.expect(w.run(w.job("marks", marksMapping+goodsField, "Ref,Id,Mark,App,Class,Goods\n"+rows)), "accepted 2")
		if got := w.state().Goods; got != night.want {
			t.Errorf("with %+v the service holds %d entries", night, got)
		}
	}
}

// TestTwoJobsOfAScopeComeToRest has two jobs that name the same marks by different keys and send different fields of
// them.
func TestTwoJobsOfAScopeComeToRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	byRef, byApp := marksMapping, strings.Replace(marksMapping, "key: Ref", "key: App", 1)+"  notes: Ref\n"
	for night := range 4 {
		states := "accepted 1"
		if night > 1 {
			states = "unchanged 1"
		}
		rows := "Ref,Id,Mark,App\nT1," + mark1 + ",A,018\n"
		for name, text := range map[string]string{"marks": byRef, "apps": byApp} {
			if run := w.run(w.job(name, text, rows)); night != 1 {
				w.expect(run, states)
			}
		}
	}
}

// TestTwoJobsThatOverwriteEachOtherAreStopped has two jobs send different values under the same keys, first in one
// scope and then in scopes of their own.
func TestTwoJobsThatOverwriteEachOtherAreStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const export = "Ref,Id,Mark,App\nT1," + mark1 + ",A,018\nT2," + mark2 + ",B,019\n"
	noted := marksMapping + "  notes: Ref\n"
	night := func(name, text, states, fired string) {
		t.Helper()
		job := w.job(name, text, export)
		job.Jobs, job.Guards.Scope = []string{"marks", "notes"}, true
		core, logged := observer.New(zap.WarnLevel)
		importer := w.importer()
		importer.Log = zap.New(core)
		run, err := importer.Run(t.Context(), job)
		w.must(err)
		w.expect(run, states)
		var said string
		for _, g := range run.Guards {
			said += g.Message
		}
		if (fired == "") != (said == "") || !strings.Contains(said, fired) {
			t.Errorf("%s: guards say %q, want %q", name, said, fired)
		}
		report, err := json.Marshal(run)
		w.must(err)
		// Whoever may see this job may not be allowed to see the other one; the operator is.
		if strings.Contains(fired, "another job") && (strings.Contains(said, "job notes") || strings.Contains(string(report), `"notes":2`) || logged.FilterField(zap.String("other_job", "notes")).Len() != 1) {
			t.Errorf("the guard says %q, the log %+v", said, logged.All())
		}
	}
	night("marks", marksMapping, "accepted 2", "")
	night("notes", noted, "accepted 2", "") // its first
	night("marks", marksMapping, "held 2", "2 records are the same as in the last run, but another job has sent other values since")
	night("notes", noted, "unchanged 2", "")
	// Few records stop nothing, and have a note.
	few := w.job("marks", marksMapping, export)
	few.Jobs, few.Guards.Scope, few.Guards.Least = []string{"marks", "notes"}, true, 3
	run := w.run(few)
	w.expect(run, "accepted 2")
	for _, r := range w.records(run) {
		if len(r.Notes) == 0 || r.Notes[0].Code != reason.Overwrites || strings.Contains(r.Notes[0].Message, "job notes") {
			t.Errorf("%s is noted %+v", r.Key, r.Notes)
		}
	}
	// A scope of its own lets both come to rest, though the job of it was the last that sent something.
	shared := w.job("notes", noted, export)
	shared.Jobs, shared.Guards.Scope = []string{"marks", "notes"}, true
	w.expect(w.run(shared), "held 2")
	run, err := w.importer().RunAccepting(t.Context(), shared, "ada", "")
	w.must(err)
	w.expect(run, "accepted 2")
	apart := strings.Replace(noted, "key: Ref", "scope: notes\nkey: Ref", 1)
	night("notes", apart, "held 2", "the scope of the mapping")
	job := w.job("notes", apart, export)
	job.Guards.Scope = true
	run, err = w.importer().RunAccepting(t.Context(), job, "ada", "")
	w.must(err)
	w.expect(run, "accepted 2")
	night("marks", marksMapping, "accepted 2", "")
	for range 2 {
		night("marks", marksMapping, "unchanged 2", "")
		night("notes", apart, "unchanged 2", "")
	}
}

// TestWhatAFileSentUnderAnotherKeyIsLearntOfTheMark has a partial file change a mark under another key, between two
// nights on which the mark's own row stays the same.
func TestWhatAFileSentUnderAnotherKeyIsLearntOfTheMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const head = "Ref,Id,Mark,App\n"
	whole := head + "T1," + mark1 + ",A,018\n" + "T3," + mark2 + ",C,020\n"
	w.expect(w.run(w.job("marks", marksMapping, whole)), "accepted 2")
	for range 2 {
		w.expect(w.run(w.job("marks", marksMapping, whole)), "unchanged 2")
	}
	part := w.job("marks", marksMapping, head+"T2,"+mark1+",B,018\n")
	part.Partial = true
	w.expect(w.run(part), "accepted 1")
	w.expect(w.run(w.job("marks", marksMapping, whole)), "accepted 1, unchanged 1")
	w.expect(w.run(w.job("marks", marksMapping, whole)), "unchanged 2")
}

// TestAnUpdateInDoubtIsKnownByItsID has the first update of a mark return under another key while it is in doubt.
func TestAnUpdateInDoubtIsKnownByItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{DropAfter: 1})
	const head = "Ref,Id,Mark,App\n"
	text := strings.Replace(marksMapping, "  do_not_create_file: {value: true}\n", "", 1)
	w.expect(w.run(w.job("marks", text, head+"T1,"+mark1+",A,018\n")), "in_doubt 1")
	run := w.run(w.job("marks", text, head+"T2,"+mark1+",A,018\n"))
	w.expect(run, "rejected 1")
	job := w.job("marks", text, head+"T2,"+mark1+",A,018\n")
	if p, err := w.importer().Preview(t.Context(), job, rows.Spot{Key: "T2"}); err != nil || p.Would != ledger.Rejected || p.Reasons[0].Code != reason.OtherInDoubt {
		t.Errorf("the preview says %s, %+v: %v", p.Would, p.Reasons, err)
	}
	if said := w.records(run)[0].Reasons[0].Message; !strings.Contains(said, `"T2" is the record that was sent under the key "T1" on `) {
		t.Errorf("said: %s", said)
	}
	if got := w.state().Cases; got > 1 {
		t.Errorf("the update was sent again, and created %d cases", got)
	}
	w.box.SetFaults(sandbox.Faults{})
	w.expect(w.run(w.job("marks", text, head+"T3,"+mark2+",A,018\n")), "accepted 1")
	w.box.SetFaults(sandbox.Faults{DropAfter: 1})
	const goodsHead = "Ref,Id,Mark,App,Class,Goods\n"
	withGoods := text + goodsField
	w.expect(w.run(w.job("marks", withGoods, goodsHead+"T4,"+mark2+",B,019,9,software\n")), "in_doubt 1")
	w.expect(w.run(w.job("marks", withGoods, goodsHead+"T3,"+mark2+",C,019,9,software\n")), "rejected 1")
	if got := w.state().Goods; got > 1 {
		t.Errorf("the goods were sent again: the service holds %d entries", got)
	}
}

// TestAPartIsNoWayPastAGuard sends what a guard stopped as a file that is not a whole export, and swapped ids in such a
// file.
func TestAPartIsNoWayPastAGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const head = "Ref,Id,Mark,App\n"
	w.expect(w.run(w.job("marks", marksMapping, head+"T1,"+mark1+",A,018\nT2,"+mark2+",B,019\n")), "accepted 2")
	send := func(partial bool, rows, states string, fired ...string) {
		t.Helper()
		job := w.job("marks", marksMapping, head+rows)
		job.Partial, job.Guards.MaxChanges, job.Guards.IDsChanged = partial, 1, 1
		run, err := w.importer().Run(t.Context(), job)
		w.must(err)
		w.expect(run, states)
		var names []string
		for _, g := range run.Guards {
			names = append(names, g.Name)
		}
		if !slices.Equal(names, fired) {
			t.Errorf("the guards %q fired, want %q", names, fired)
		}
	}
	changed := "T1," + mark1 + ",A2,018\nT2," + mark2 + ",B2,019\n"
	send(false, changed, "held 2", guard.MaxChanges)
	send(true, changed, "held 2", guard.MaxChanges)
	send(true, "T1,"+mark1+",A2,018\n", "accepted 1")
	send(true, "T1,"+mark2+",A3,018\n", "held 1", guard.IDsChanged)
	job := w.job("marks", marksMapping, head+"T1,"+mark2+",A3,018\n")
	job.Partial, job.Guards.IDsChanged = true, 1
	run, err := w.importer().RunAccepting(t.Context(), job, "ada", "")
	w.must(err)
	w.expect(run, "accepted 1")
	send(true, "T1,"+mark1+",A2,018\n", "held 1", guard.IDsChanged)
	send(false, "T1,"+mark1+",A2,018\nT2,"+mark2+",B,019\n", "held 2", guard.MaxChanges, guard.IDsChanged)
}

// TestAnotherScopeStopsTheJob gives a mapping another scope, under which nothing is known.
func TestAnotherScopeStopsTheJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.expect(w.run(w.job("matters", casesMapping, cases(1, 4))), "accepted 4")
	job := w.job("matters", "scope: other\n"+casesMapping, cases(1, 4))
	job.Guards.Scope = true
	run, err := w.importer().Run(t.Context(), job)
	w.must(err)
	w.expect(run, "held 4")
	if len(run.Guards) != 1 || run.Guards[0].Name != guard.Scope || !strings.Contains(run.Guards[0].Message, `"other", and was "create_case" in the last run`) {
		t.Errorf("the guards that fired are %+v", run.Guards)
	}
	w.onceEach()
	w.expect(w.run(w.job("matters", "scope: other\n"+casesMapping, "Ref,Title,Status\nM-9,Nine,Open\n")), "accepted 1")
	part := w.job("matters", casesMapping, "Ref,Title,Status\nM-9,Nine,Open\n")
	part.Guards.Scope, part.Partial = true, true
	run, err = w.importer().Run(t.Context(), part)
	w.must(err)
	w.expect(run, "held 1")
	job = w.job("matters", casesMapping, "Ref,Title,Status\nM-9,Nine,Open\n")
	job.Guards.Scope = true
	back, err := w.importer().Run(t.Context(), job)
	w.must(err)
	w.expect(back, "held 1")
}

// TestWhatWasCreatedUnderAnotherScopeStopsTheJob renames, splits and changes a job together with its scope: after a run
// that finished, after one that was stopped, and while creates are in doubt.
func TestWhatWasCreatedUnderAnotherScopeStopsTheJob(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults sandbox.Faults
		first  int
		now    string
		fired  string
		jobs   []string
	}{
		"renamed":      {now: cases(1, 4), fired: `4 records were created before under the scope "create_case"`},
		"one of them":  {now: cases(4, 3), fired: `1 record was created before under the scope "create_case"`},
		"row changed":  {now: strings.ReplaceAll(cases(1, 1), "Open", "Closed"), fired: "1 record was created"},
		"part sent":    {first: 2, now: cases(1, 4), fired: "2 records were created"},
		"in doubt":     {faults: sandbox.Faults{DropAfter: 1}, now: strings.ReplaceAll(cases(1, 4), "Open", "Closed"), fired: "4 records were created"},
		"other record": {now: strings.ReplaceAll(cases(1, 4), "Case", "Matter")},
		"other office": {now: strings.ReplaceAll(cases(1, 1), "Open", "Closed"), jobs: []string{"matters", "madrid"}},
		"many of them": {now: strings.ReplaceAll(cases(1, 4), "Open", "Closed"), jobs: []string{"matters", "madrid"}, fired: "4 records were created"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.faults)
			i := w.importer()
			i.First = test.first
			_, err := i.Run(t.Context(), w.job("matters", casesMapping, cases(1, 4)))
			w.must(err)
			w.box.SetFaults(sandbox.Faults{})
			job := w.job("madrid", "scope: madrid\n"+casesMapping, test.now)
			job.Guards.Scope, job.Guards.Least, job.Jobs = true, 3, test.jobs
			run := w.run(job)
			if fired := test.fired == "" && len(run.Guards) == 0 || test.fired != "" && len(run.Guards) == 1 && strings.HasPrefix(run.Guards[0].Message, test.fired); !fired || test.fired != "" && run.StopCode != stop.Guard {
				t.Errorf("%s: the guards say %+v, want %q", run.StopCode, run.Guards, test.fired)
			}
		})
	}
}

// TestWhatWasForgottenIsNotCreatedUnderAnotherScope gives a mapping another scope, in which a record was forgotten.
func TestWhatWasForgottenIsNotCreatedUnderAnotherScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.expect(w.run(w.job("matters", casesMapping, cases(1, 4))), "accepted 4")
	_, err := w.book.Forget(t.Context(), forget.Subject{Keys: []string{"M-00002"}}, func(*forget.Traces) error { return nil })
	w.must(err)
	job := w.job("madrid", "scope: madrid\n"+casesMapping, cases(2, 1))
	job.Guards.Scope = true
	run := w.run(job)
	w.expect(run, "held 1")
	if len(run.Guards) != 1 || !strings.HasPrefix(run.Guards[0].Message, `1 record has the key of one that was forgotten under the scope "create_case"`) {
		t.Errorf("the guards say %+v", run.Guards)
	}
}

// TestAnotherOperationStopsTheJob has a job create what it has updated until now.
func TestAnotherOperationStopsTheJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	updates, rows := w.updates(4)
	w.expect(w.run(updates(rows)), "accepted 4")
	job := w.job("updates", casesMapping, cases(11, 4))
	job.Guards.Scope = true
	run := w.run(job)
	w.expect(run, "held 4")
	if len(run.Guards) != 1 || !strings.HasPrefix(run.Guards[0].Message, "the operation of the mapping is create_case, and was update_case in the last run") {
		t.Errorf("the guards say %+v", run.Guards)
	}
}

// TestWhatIsComparedWithWhatWasAcceptedIsGuardedFromTheFirstRun swaps ids and days before any run has finished, and
// under a new name of the job with other columns.
func TestWhatIsComparedWithWhatWasAcceptedIsGuardedFromTheFirstRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		job, head, more string
		jobs            []string
	}{
		"after a part":               {job: "updates", jobs: []string{"updates"}},
		"under another name":         {job: "cases", head: ",More", more: ",x", jobs: []string{"cases"}},
		"beside what others updated": {job: "cases", jobs: []string{"cases", "updates"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			updates, rows := w.updates(6)
			i := w.importer()
			i.First = 5
			_, err := i.Run(t.Context(), updates(rows))
			w.must(err)
			swapped := []string{rows[0] + test.head}
			for n := 1; n < len(rows); n++ {
				id := strings.Split(rows[len(rows)-n], ",")
				own := strings.Split(rows[n], ",")
				for at, name := range strings.Split(rows[0], ",") {
					if name == "Id" {
						own[at] = id[at]
					}
				}
				swapped = append(swapped, strings.Join(own, ",")+test.more)
			}
			job := w.job(test.job, updatesMapping, strings.Join(swapped, "\n")+"\n")
			job.Guards.IDsChanged, job.Jobs = 1, test.jobs
			run := w.run(job)
			if run.StopCode != stop.Guard || len(run.Guards) != 1 || run.Guards[0].Name != guard.IDsChanged {
				t.Errorf("%s: the guards say %+v", run.StopCode, run.Guards)
			}
		})
	}
}

func TestUpdateCaseTakesItsIDFromTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.run(w.job("matters", casesMapping, cases(1, 3)))
	run := w.run(w.job("updates", `
operation: update_case
key: Ref
lookups:
  cases: {ledger: create_case}
fields:
  id:             {column: Ref, lookup: cases}
  name:           Title
  file_status_id: {value: `+status+`}
  file_client_id: {value: `+company+`}
  user_id:        {value: `+user+`}
  components:     []
  active:         {value: true}
`, "Ref,Title\nM-00001,Uno\nM-00002,Dos\nM-77777,Unknown\n"))
	w.expect(run, "accepted 2, rejected 1")
}

// TestTextsThatLostCharactersStopTheNight has somebody save an export in a program that knows no accents, and then only
// two titles corrected.
func TestTextsThatLostCharactersStopTheNight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	updates, rows := w.updates(5)
	night := func(titles ...string) ledger.Run {
		titled, column := slices.Clone(rows), slices.Index(strings.Split(rows[0], ","), "Title")
		for n, title := range titles {
			cells := strings.Split(rows[n+1], ",")
			cells[column] = title
			titled[n+1] = strings.Join(cells, ",")
		}
		job := updates(titled)
		job.Guards = guard.Limits{CharactersLost: 3, Least: 3}
		return w.run(job)
	}
	w.expect(night("Krąg", "Łada", "Müller", "Škoda", "Plain"), "accepted 5")
	stopped := night("Krag", "Lada", "Muller", "Skoda", "Plain")
	if len(stopped.Guards) != 1 || stopped.Guards[0].Name != guard.CharactersLost || !strings.HasPrefix(stopped.Guards[0].Message, "in 4 records a text only lost characters") {
		t.Errorf("%s: %+v", stopped.StopCode, stopped.Guards)
	}
	if two := night("Krag", "Lada", "Müller", "Škoda", "Plain"); len(two.Guards) != 0 {
		t.Errorf("%+v", two.Guards)
	}
}
