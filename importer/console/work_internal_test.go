package console

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

func TestNamesOfUploadsLeadNowhere(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"rejects.xlsx": "rejects.xlsx", "Zürich 1.xlsx": "Z_rich_1.xlsx", "../../etc/passwd.csv": "passwd.csv", `C:\a\b.csv`: "b.csv",
		".csv": "file.csv", "..": "file.", "": "file", "...hidden.csv": "hidden.csv", "a\x00b.csv": "a_b.csv", "a.csv/": "file",
		strings.Repeat("x", 300) + ".csv": strings.Repeat("x", 100) + ".csv", "<script>.csv": "_script_.csv",
	} {
		if got := uploadName(given); got != want {
			t.Errorf("%q is kept as %q, want %q", given, got, want)
		}
	}
}

func TestPaceIsThatOfThePhase(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	reading := importer.Progress{Phase: ledger.Reading, Rows: 5000}
	pushing := func(settled int) importer.Progress {
		return importer.Progress{Phase: ledger.Pushing, Rows: 5000, To: 100, Sent: map[ledger.State]int{ledger.Accepted: settled}}
	}
	p := pace{}.at(noon, importer.Progress{}, reading)
	p = p.at(noon.Add(time.Minute), reading, pushing(10))
	p = p.at(noon.Add(2*time.Minute), pushing(10), pushing(20))
	rate, left := p.measure(noon.Add(time.Minute+10*time.Second), pushing(40))
	if rate != "3.0 a second" || left != "about 20s" {
		t.Errorf("%s, %s left", rate, left)
	}
	if rate, left := p.measure(noon.Add(time.Minute), pushing(40)); rate != "" || left != "" {
		t.Errorf("before any time has passed: %s, %s left", rate, left)
	}
	if rate, _ := (pace{}).measure(noon, pushing(40)); rate != "" {
		t.Errorf("of a run that was never seen: %s", rate)
	}
}

func TestTallyTellsHowFarARunIs(t *testing.T) {
	t.Parallel()
	counts := []ledger.Count{{Action: ledger.None, State: ledger.Unchanged, N: 50}, {Action: ledger.None, State: ledger.Rejected, N: 3},
		{Action: ledger.Create, State: ledger.Planned, N: 10}, {Action: ledger.Create, State: ledger.Sending, N: 2},
		{Action: ledger.Create, State: ledger.Accepted, N: 20}, {Action: ledger.Update, State: ledger.InDoubt, N: 1}}
	got := tallied(ledger.Run{Job: "marks", Phase: ledger.Pushing, Counts: ledger.Counts{Read: 90}}, counts)
	want := importer.Progress{Job: "marks", Phase: ledger.Pushing, Rows: 90, Records: 86, To: 33, Sent: map[ledger.State]int{ledger.Accepted: 20, ledger.InDoubt: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecisionsOfAFormAreReadAsAWhole(t *testing.T) {
	t.Parallel()
	form := url.Values{
		"doubt-0": {"run 1 0"}, "key-0": {"A"}, "decision-0": {"exists"}, "id-0": {" 3F2504E0-4f89-41d3-9a0c-0305e82c3301 "}, "note-0": {"seen"},
		"doubt-1": {"run 2 1"}, "key-1": {"B"}, // nothing is said
		"doubt-2": {"run 3 0"}, "key-2": {"C"}, "decision-2": {"absent"}, "id-2": {"3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
		"doubt-3": {"run 4 0"}, "key-3": {"D"}, "decision-3": {"perhaps"},
		"doubt-4": {"nonsense"}, "key-4": {"E"}, "decision-4": {"leave"},
		"doubt-5": {"run 6 2"}, "key-5": {"F"}, "decision-5": {"leave"},
	}
	list, wrong := readSaid(form)
	if len(list) != 5 || list[0] != (said{Run: "run", Seq: 1, Decision: ledger.Exists, ID: "3F2504E0-4f89-41d3-9a0c-0305e82c3301", Note: "seen", Key: "A"}) {
		t.Errorf("read %+v", list)
	}
	if list[4] != (said{Run: "run", Seq: 6, Known: 2, Decision: ledger.Leave, Key: "F"}) {
		t.Errorf("read %+v", list[4])
	}
	want := []string{"C: an id goes with “it is there” only", "D: that is no decision", "E: the form does not say which record is meant"}
	if diff := cmp.Diff(want, wrong); diff != "" {
		t.Error(diff)
	}
}
