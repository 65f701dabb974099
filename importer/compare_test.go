package importer_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/importer/source"
)

// told returns what a check says about the records of a run, one "key rejected: message" or "key noted: message" per
// line.
func (w *world) told(run ledger.Run, check string) string {
	w.t.Helper()
	var lines []string
	for _, r := range w.records(run) {
		for kind, list := range map[string][]ledger.Reason{"rejected": r.Reasons, "noted": r.Notes} {
			for _, reason := range list {
				if reason.Code == check {
					lines = append(lines, fmt.Sprintf("%s %s: %s", r.Key, kind, reason.Message))
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}

func (w *world) tells(run ledger.Run, check string, lines ...string) {
	w.t.Helper()
	if got, want := w.told(run, check), strings.Join(lines, "\n"); got != want {
		w.t.Errorf("%s says\n%s\nwant\n%s", check, got, want)
	}
}

const differOnly = "2 records have keys that differ only in case, accents, spaces, punctuation, leading zeros or look-alike letters: "

func TestTwinKeysAreNotBothCreated(t *testing.T) {
	t.Parallel()
	const file = "Ref,Title,Status\nAB-7,Seven,Open\nM-1,One,Open\nab-07,Seven,Open\n"
	for _, c := range []struct {
		checks, states, kind string
	}{
		{"", "accepted 1, rejected 2", "rejected"},
		{"checks: {twin_key: error}\n", "accepted 1, rejected 2", "rejected"},
		{"checks: {twin_key: warn}\n", "accepted 3", "noted"},
		{"checks: {twin_key: off}\n", "accepted 3", ""},
	} {
		t.Run(c.checks, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			run := w.run(w.job("matters", casesMapping+c.checks, file))
			w.expect(run, c.states)
			if c.kind == "" {
				w.tells(run, "twin_key")
				return
			}
			w.tells(run, "twin_key", "AB-7 "+c.kind+": "+differOnly+`"AB-7" in row 2, "ab-07" in row 4`,
				"ab-07 "+c.kind+": "+differOnly+`"ab-07" in row 4, "AB-7" in row 2`)
			for _, r := range w.records(run) {
				if r.State == ledger.Rejected && (len(r.Rows) != 1 || r.Rows[0].Cells == nil || r.Payload != nil || r.Reasons[0].Row != r.Rows[0].Number) {
					t.Errorf("the reject is kept as %+v", r)
				}
			}
		})
	}
}

// TestTwinOfWhatAnEarlierRunCreated sends an export from a system that now writes its references in another way.
func TestTwinOfWhatAnEarlierRunCreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	head := "Ref,Title,Status\n"
	w.expect(w.run(w.job("matters", casesMapping, head+"AB-7,Seven,Open\nAB-8,Eight,Open\n")), "accepted 2")
	again := w.run(w.job("matters", casesMapping, head+"ab-0007,Seven,Open\nAB-9,Nine,Open\n"))
	w.expect(again, "accepted 1, rejected 1")
	if said := w.told(again, "twin_key"); !strings.Contains(said, `: "ab-0007" in row 2, "AB-7", which was created on `) || strings.Contains(said, "AB-8") {
		t.Errorf("it says %s", said)
	}
	beside := w.run(w.job("matters", casesMapping, head+"ab-0007,Seven,Open\nAB-7,Seven,Open\n"))
	w.expect(beside, "rejected 1, unchanged 1")
	w.tells(beside, "twin_key", "ab-0007 rejected: "+differOnly+`"ab-0007" in row 2, "AB-7" in row 3 (which the service already has)`)
	// Another title: a new key with the same content is asked about whatever the checks say.
	warned := w.run(w.job("matters", casesMapping+"checks: {twin_key: warn}\n", head+"ab-0007,Seventh,Open\n"))
	w.expect(warned, "accepted 1")
	if said := w.told(warned, "twin_key"); !strings.HasPrefix(said, "ab-0007 noted: ") {
		t.Errorf("it says %s", said)
	}
	w.expect(w.run(w.job("matters", casesMapping, head+"ab-0007,Seventh,Open\nAB-7,Seven,Open\n")), "unchanged 2")
}

func TestTwinOfWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.leaveInDoubt("AB-7")
	run := w.run(w.job("matters", casesMapping, "Ref,Title,Status\nab 7,Seven,Open\n"))
	w.expect(run, "rejected 1")
	w.tells(run, "twin_key", "ab 7 rejected: "+differOnly+`"ab 7" in row 2, "AB-7", which an earlier run may have created`)
}

func TestOneNumberUnderTwoKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	text := strings.Replace(casesMapping, "number:           Ref", "number:           No", 1)
	w.write("more.csv", "Ref,No,Title,Status\nD,M/0012,Again,Open\nE,14,Other,Open\n")
	job := w.job("matters", text, "Ref,No,Title,Status\nA,M-12,One,Open\nB,M-13,Two,Open\nC,m 12,,Open\n")
	header := source.Options{Header: 1}
	job.Inputs[0].Options = header
	job.Inputs = append(job.Inputs, rows.Input{Path: filepath.Join(w.dir, "more.csv"), Options: header})
	run := w.run(job)
	w.expect(run, "accepted 2, rejected 3")
	first, second := filepath.Join(w.dir, "matters.csv"), filepath.Join(w.dir, "more.csv")
	a, c, d := fmt.Sprintf(`"A" in %s row 2`, first), fmt.Sprintf(`"C" in %s row 4`, first), fmt.Sprintf(`"D" in %s row 2`, second)
	const shared = " rejected: 3 records have one number (\"M-12\"): "
	w.tells(run, "number_repeated", "A"+shared+a+", "+c+", "+d, "C"+shared+c+", "+a+", "+d, "D"+shared+d+", "+a+", "+c)
}

// TestRejectedTwinsAreToldAtOnce has two rows that are rejected for other reasons: whoever corrects them learns about
// both problems at once.
func TestRejectedTwinsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	run := w.run(w.job("matters", casesMapping, "Ref,Title,Status\nAB-7,,Open\nM-1,One,Open\nab-07,,Open\n"))
	w.expect(run, "accepted 1, rejected 2")
	w.tells(run, "twin_key", "AB-7 rejected: "+differOnly+`"AB-7" in row 2, "ab-07" in row 4`, "ab-07 rejected: "+differOnly+`"ab-07" in row 4, "AB-7" in row 2`)
}

// TestProgressOfAPlanEndsWithWhatIsToBeSent checks that the final count leaves out what a comparison rejects.
func TestProgressOfAPlanEndsWithWhatIsToBeSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	i := w.importer()
	last := 0
	i.Progress = func(p importer.Progress) { last = p.To }
	_, err := i.Plan(t.Context(), w.job("matters", casesMapping, "Ref,Title,Status\nAB-7,Seven,Open\nM-1,One,Open\nab-07,Seven,Open\n"))
	w.must(err)
	if last != 1 {
		t.Errorf("%d are to be sent, want 1", last)
	}
}

// TestProgressThatWasToldStaysAsItIs keeps all progress that was reported, as a console does to show it later.
func TestProgressThatWasToldStaysAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	i := w.importer()
	var told []importer.Progress
	var settled []int
	i.Progress = func(p importer.Progress) {
		told, settled = append(told, p), append(settled, p.Settled())
	}
	_, err := i.Run(t.Context(), w.job("matters", casesMapping, cases(1, 5)))
	w.must(err)
	if last := settled[len(settled)-1]; last != 5 {
		t.Errorf("%d records were settled in the end, of 5", last)
	}
	for n, p := range told {
		if p.Settled() != settled[n] {
			t.Errorf("progress %d said %d settled, and says %d later", n, settled[n], p.Settled())
		}
	}
}

func TestTwoUpdatesOfOneMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	run := w.run(w.job("marks", marksMapping, "Ref,Id,Mark,App\nT1,"+mark1+",SOL,018\nT2,"+strings.ToUpper(mark1)+",LUNA,EU-19\n"))
	w.expect(run, "rejected 2")
	if said := w.told(run, "id_repeated"); !strings.Contains(said, `"T1" in row 2, "T2" in row 3`) {
		t.Errorf("it says %s", said)
	}
	if n := w.state().Requests; n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestManyWithOneNumber has more records with one number than a reason can name, and more than are read at once.
func TestManyWithOneNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	text := strings.Replace(casesMapping, "number:           Ref", "number:           No", 1)
	var b strings.Builder
	b.WriteString("Ref,No,Title,Status\n")
	const n = 1200
	for i := range n {
		fmt.Fprintf(&b, "K%d,N1,Case,Open\n", i+1)
	}
	job := w.job("matters", text, b.String())
	job.Inputs[0].Options.Header = 1
	run, err := w.importer().Check(t.Context(), job)
	w.must(err)
	w.addsUp(run)
	w.expect(run, fmt.Sprintf("rejected %d", n))
	for _, r := range w.records(run) {
		if len(r.Reasons) != 1 || !strings.HasSuffix(r.Reasons[0].Message, " and 1190 more") || !strings.Contains(r.Reasons[0].Message, fmt.Sprintf(": %q in row ", r.Key)) {
			t.Fatalf("%s is told %v", r.Key, r.Reasons)
		}
	}
}

// TestEqualRowsAreOneRecordAndNoTwins repeats a row: both are one record, which is not compared with itself.
func TestEqualRowsAreOneRecordAndNoTwins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	run := w.run(w.job("matters", casesMapping, "Ref,Title,Status\nA-1,One,Open\nA-1,One,Open\n"))
	w.expect(run, "accepted 1")
	w.tells(run, "twin_key")
}
