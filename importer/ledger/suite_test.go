package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
)

// cases are functions by the sentence that each of them proves.
type cases map[string]func(*testing.T, *Ledger)

// suite is the conformance suite: everything here runs on both engines.
func suite() cases {
	all := cases{}
	for _, some := range []cases{runCases, attemptsCases, bundleCases, conflictCases, integrityCases, auditCases, evidenceCases, commitCases, doubtCases, duesCases, exportCases, forgetCases, identitiesCases, orderCases, planCases, pruneCases, pushesCases, quietCases, resolveCases, searchCases, shardsCases, toldCases, wallCases} {
		maps.Copy(all, some)
	}
	return all
}

var runCases = cases{
	"a run comes back as it was saved":                                     aRunComesBackAsItWasSaved,
	"a run is found by the beginning of its id, if that is one run's":      aRunIsFoundByTheBeginningOfItsId,
	"a run is found by its name and by its number, which no other run has": aRunIsFoundByItsNameAndByItsNumber,
	"runs are listed newest first, by job, kind and phase":                 runsAreListedNewestFirstByJobKindAndPhase,
	"a record comes back as it was added":                                  aRecordComesBackAsItWasAdded,
	"a ledger belongs to the firm that used it first":                      aLedgerBelongsToTheFirmThatUsedItFirst,
	"the connections of a reader refuse to write":                          theConnectionsOfAReaderRefuseToWrite,
}

// noon is the time at which tests settle things.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func TestSQLite(t *testing.T) {
	t.Parallel()
	for name, test := range suite() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := newLedger()
			must(t, err)
			path := filepath.Join(t.TempDir(), "ledger.db")
			must(t, os.WriteFile(path, made, 0o600))
			l := open(t, path)
			test(t, l)
			fitsAfter(t, l, name)
		})
	}
}

// newLedger is an unused ledger, made once: making it takes longer than most cases.
var newLedger = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ledger.db")
	l, err := Open(context.Background(), path)
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func aLedgerBelongsToTheFirmThatUsedItFirst(t *testing.T, l *Ledger) {
	belongs := func(firm, want string) {
		t.Helper()
		owner, err := l.BelongTo(t.Context(), firm)
		must(t, err)
		same(t, owner, want)
	}
	belongs("acme", "acme")
	belongs("birch", "acme")
	must(t, l.BelongToAny(t.Context()))
	belongs("birch", "birch")
	belongs("acme", "birch")
}

func open(t testing.TB, dsn string) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	l.w.Now = func() time.Time { return noon }
	return l
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// begin begins a push run in its second pass, with this process pushing it. With beginAs alone, no process has a range
// of it.
func begin(t testing.TB, l *Ledger, id string) {
	t.Helper()
	beginAs(t, l, id, Push, Ready)
	run, err := l.Run(t.Context(), id)
	must(t, err)
	run.Phase = Pushing
	must(t, l.SaveRun(t.Context(), run))
}

func beginAs(t testing.TB, l *Ledger, id string, kind Kind, phase Phase) {
	t.Helper()
	must(t, l.Begin(t.Context(), Run{ID: id, Job: "matters", Kind: kind, Operation: "create_case", Scope: "create_case", Phase: phase, Started: noon}))
}

// planned returns a record that is to be sent.
func planned(run string, seq int64, key string) Record {
	payload := fmt.Sprintf(`{"name":"%s of %s"}`, key, run)
	return Record{
		Run: run, Seq: seq, Scope: "create_case", Key: key, Action: Create, State: Planned, Digest: "d-" + key + "-" + run,
		Payload: json.RawMessage(payload), Rows: []Row{{Number: int(seq) + 1, Cells: json.RawMessage(`["a",null]`)}},
	}
}

func add(t testing.TB, l *Ledger, records ...Record) {
	t.Helper()
	conflicts, err := l.Add(t.Context(), records)
	must(t, err)
	if len(conflicts) > 0 {
		t.Fatalf("conflicts %v", conflicts)
	}
}

func send(t testing.TB, l *Ledger, run string, seqs ...int64) {
	t.Helper()
	var intents []Intent
	for _, seq := range seqs {
		intents = append(intents, Intent{Run: run, Seq: seq})
	}
	must(t, l.Commit(t.Context(), nil, intents))
}

func settle(t testing.TB, l *Ledger, o Outcome) {
	t.Helper()
	if o.At.IsZero() {
		o.At = noon
	}
	must(t, l.Commit(t.Context(), []Outcome{o}, nil))
}

func record(t testing.TB, l *Ledger, run string, seq int64) Record {
	t.Helper()
	r, err := l.Record(t.Context(), run, seq)
	must(t, err)
	return r
}

func state(t testing.TB, l *Ledger, run string, seq int64, want State) {
	t.Helper()
	if got := record(t, l, run, seq).State; got != want {
		t.Errorf("record %d of run %s is %s, want %s", seq, run, got, want)
	}
}

func known(t testing.TB, l *Ledger, key string) history.LastAccepted {
	t.Helper()
	found, err := l.Known(t.Context(), "create_case", []string{key})
	must(t, err)
	return found[key]
}

func second[T any](_ T, err error) error { return err }

func aRunComesBackAsItWasSaved(t *testing.T, l *Ledger) {
	run := Run{
		ID: "0195-aa", Job: "matters", Kind: Push, Operation: "create_case", Scope: "create_case", Phase: Reading,
		Fingerprint: "f", Started: noon,
	}
	must(t, l.Begin(t.Context(), run))
	got, err := l.Run(t.Context(), run.ID)
	must(t, err)
	run.Name = "matters-1"
	same(t, got, run)
	run.Phase, run.Stop, run.StopCode, run.Ended = Stopped, "it was\x00 stopped", "input", noon.Add(time.Minute)
	run.Sources = []Source{{File: "a.xlsx", Sheet: "Müller", SHA256: "ff", Header: []string{"A", ""}}}
	run.Counts = Counts{Read: 3, InRecords: 2, Skipped: map[string]int{"blank": 1}}
	run.Notes = json.RawMessage(`{"encoding": "utf-8"}`)
	must(t, l.SaveRun(t.Context(), run))
	got, err = l.Run(t.Context(), run.ID)
	must(t, err)
	run.Stop = "it was\ufffd stopped"
	same(t, got, run)
}

func aRunIsFoundByTheBeginningOfItsId(t *testing.T, l *Ledger) {
	for _, id := range []string{"0195-aa", "0195-ab", "0196-aa", "0195-aab"} {
		begin(t, l, id)
	}
	for prefix, want := range map[string]string{"0196": "0196-aa", "0196-a": "0196-aa", "0195-AB": "0195-ab", "0195-aa": "0195-aa", "0195-aab": "0195-aab"} {
		got, err := l.Run(t.Context(), prefix)
		must(t, err)
		same(t, got.ID, want)
	}
	if _, err := l.Run(t.Context(), "0195"); err == nil || errors.Is(err, handle.ErrNotFound) {
		t.Errorf("several runs: %v", err)
	}
	for _, prefix := range []string{"02", "0195-aac"} {
		if _, err := l.Run(t.Context(), prefix); !errors.Is(err, handle.ErrNotFound) {
			t.Errorf("%s: %v", prefix, err)
		}
	}
}

func aRunIsFoundByItsNameAndByItsNumber(t *testing.T, l *Ledger) {
	for _, id := range []string{"0195-aa", "0195-ab", "0195-ac"} {
		must(t, l.Begin(t.Context(), Run{ID: id, Job: "Case-2", Kind: Push, Phase: Reading, Scope: id, Started: noon}))
	}
	must(t, l.RemoveRun(t.Context(), "0195-ac"))
	must(t, l.Begin(t.Context(), Run{ID: "0195-ad", Job: "marks", Kind: Plan, Phase: Reading, Scope: "m", Started: noon}))
	for said, want := range map[string]string{"Case-2-1": "0195-aa", "case-2-2": "0195-ab", "2": "0195-ab", " MARKS-4 ": "0195-ad"} {
		got, err := l.Run(t.Context(), said)
		must(t, err)
		same(t, got.ID, want)
	}
	for _, said := range []string{"3", "Case-2-3", "marks-1", "case-2-", "-1", "-", "Case-2"} {
		if got, err := l.Run(t.Context(), said); !errors.Is(err, handle.ErrNotFound) {
			t.Errorf("%s is %s (%v)", said, got.Name, err)
		}
	}
}

func runsAreListedNewestFirstByJobKindAndPhase(t *testing.T, l *Ledger) {
	beginAs(t, l, "1", Push, Finished)
	beginAs(t, l, "2", Plan, Finished)
	must(t, l.Begin(t.Context(), Run{ID: "3", Job: "marks", Kind: Push, Phase: Stopped, Started: noon}))
	beginAs(t, l, "4", Push, Reading)
	for _, test := range []struct {
		filter RunFilter
		want   string
	}{
		{RunFilter{}, "[4 3 2 1]"},
		{RunFilter{Job: "matters"}, "[4 2 1]"},
		{RunFilter{Limit: 2}, "[4 3]"},
		{RunFilter{Kinds: []Kind{Push}, Phases: []Phase{Stopped, Finished}}, "[3 1]"},
		{RunFilter{Job: "nobody's"}, "[]"},
	} {
		list, err := l.Runs(t.Context(), test.filter)
		must(t, err)
		ids := []string{}
		for _, run := range list {
			ids = append(ids, run.ID)
		}
		if got := fmt.Sprint(ids); got != test.want {
			t.Errorf("%+v: %s, want %s", test.filter, got, test.want)
		}
	}
}

func aRecordComesBackAsItWasAdded(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	full := Record{
		Run: "1", Seq: 7, Scope: "create_case", Key: "Ünïcode \x00 \x1b \xff key", Action: Update, State: Rejected, Digest: "d",
		Payload: json.RawMessage(`{"a" : 1.50}`), Body: json.RawMessage(`{}`), Previous: json.RawMessage(`[1]`), Repeatable: true,
		Rows:    []Row{{Source: 1, Number: 17, Cells: json.RawMessage(`[ "<a>" ]`)}, {Number: 18}},
		Reasons: []Reason{{Code: "c", Field: "f", Row: 17, Message: "m"}}, Notes: []Reason{{Code: "n"}},
		Entries:   []Entry{{Language: "l", Class: "9", Text: "software", Withheld: true}},
		ServiceID: "s", Status: 400, Message: "m", Attempts: 3, Settled: noon,
	}
	bare := Record{Run: "1", Seq: 8, Scope: "create_case", Action: None, State: Unchanged, Rows: []Row{{Number: 2}}}
	add(t, l, full, bare)
	same(t, record(t, l, "1", 7), full)
	same(t, record(t, l, "1", 8), bare)
	got, err := l.RecordByKey(t.Context(), "1", full.Key)
	must(t, err)
	same(t, got, full)
	for _, err := range []error{
		second(l.RecordByKey(t.Context(), "1", "")), second(l.RecordByKey(t.Context(), "1", "other")),
		second(l.Record(t.Context(), "1", 9)), second(l.Record(t.Context(), "2", 7)), second(l.Add(t.Context(), []Record{{Run: "2"}})),
	} {
		if !errors.Is(err, handle.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
}

func theConnectionsOfAReaderRefuseToWrite(t *testing.T, l *Ledger) {
	rows, err := l.h.Read.QueryContext(t.Context(), `delete from notifications returning job`)
	if err == nil {
		for rows.Next() {
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	if err == nil {
		t.Error("a reader has written")
	}
}

// longer returns long if DOCKETSYNC_LONG=1 is set, and otherwise short, a smaller number that tests the same.
func longer(short, long int) int {
	if os.Getenv("DOCKETSYNC_LONG") == "1" {
		return long
	}
	return short
}
