package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/planning"
	"docketsync/importer/ledger/unchanged"
	"docketsync/mapping/reason"
)

var quietCases = cases{
	"whoever writes what is known, it is of the epoch in which it was written":                 whoeverWritesWhatIsKnown,
	"an export in the same order is recollected whole, and nothing of it is written twice":     anExportInTheSameOrderIsRecollectedWhole,
	"rows that were put in, taken out and moved do not keep the others from being recollected": rowsThatWerePutIn,
	"what something was learnt of since the last run is not recollected":                       whatSomethingWasLearntOfSinceTheLastRunIsNotRecollected,
	"nothing is recollected once something was taken out of what is known":                     nothingIsRecollectedOnceSomethingWasTakenOutOfWhatIsKnown,
	"what is recollected has the payload that it had":                                          whatIsRecollectedHasThePayloadThatItHad,
	"segments that are pruned while a run takes them over are written again":                   segmentsThatArePrunedWhileARunTakesThemOverAreWrittenAgain,
	"records of one key are united, wherever they were written":                                recordsOfOneKeyAreUnitedWhereverTheyWereWritten,
	"quiet records are found by key, seq and filter, and in the history of a key":              quietRecordsAreFoundByKey,
	"nights of all kinds come back as they were written, until they are pruned":                nightsOfAllKinds,
}

// beginExport begins a run that reads a whole export.
func beginExport(t testing.TB, l *Ledger, id string) Run {
	t.Helper()
	run := Run{ID: id, Job: "marks", Kind: Push, Operation: "update_trademark", Scope: "marks", Phase: Reading, Started: noon, Export: &Export{Rows: 1}}
	must(t, l.Begin(t.Context(), run))
	return run
}

// quietOne returns a quiet record of a run.
func quietOne(run string, seq int64, key string, row int) Record {
	return Record{Run: run, Seq: seq, Scope: "marks", Key: key, Action: None, State: Unchanged, Digest: fmt.Sprintf("%032x", len(key)), Rows: []Row{{Number: row}},
		ServiceID: fmt.Sprintf("0b5e4c5a-7f11-4b7e-9a55-%012d", len(key))}
}

// places returns where a record is.
func places(r Record) (list []unchanged.Place) {
	for _, row := range r.Rows {
		list = append(list, unchanged.Place{Source: row.Source, Number: row.Number})
	}
	return list
}

// plan writes a run of unchanged records in the order of their keys ("" for a seq without a key), and returns how many
// were recollected.
func plan(t testing.TB, l *Ledger, id string, keys []string) (recalled int, records []Record) {
	t.Helper()
	run := beginExport(t, l, id)
	recalled, records = planRest(t, l, run, recall(t, l, run), keys)
	finish(t, l, id, Finished)
	return recalled, records
}

func recall(t testing.TB, l *Ledger, run Run) *planning.Baseline {
	t.Helper()
	r, err := l.Baseline(t.Context(), run)
	must(t, err)
	return r
}

func planRest(t testing.TB, l *Ledger, run Run, r *planning.Baseline, keys []string) (recalled int, records []Record) {
	t.Helper()
	defer r.Close()
	w, err := l.UnchangedWriter(t.Context(), run)
	must(t, err)
	for n, key := range keys {
		if key == "" {
			continue
		}
		record := quietOne(run.ID, int64(n+1), key, n+2)
		records = append(records, record)
		same, err := r.Same(t.Context(), key, record.Digest)
		must(t, err)
		if same.Found() {
			recalled++
			w.Again(record.Seq, same, places(record))
		} else {
			w.Add(record.Seq, record.Key, record.Digest, record.ServiceID, places(record))
		}
		if n%1000 == 999 {
			must(t, w.Flush(t.Context(), false))
		}
	}
	must(t, w.Flush(t.Context(), true))
	return recalled, records
}

func recordsOf(t testing.TB, l *Ledger, run string, f RecordFilter) (list []Record) {
	t.Helper()
	for r, err := range l.Records(t.Context(), run, f) {
		must(t, err)
		list = append(list, r)
	}
	return list
}

func numbered(from, to int) (keys []string) {
	for n := from; n < to; n++ {
		keys = append(keys, fmt.Sprintf("TM-%05d", n))
	}
	return keys
}

func segments(t testing.TB, l *Ledger) (n int) {
	t.Helper()
	must(t, l.h.Read.QueryRowContext(t.Context(), `select count(*) from segments`).Scan(&n))
	return n
}

// isSame asks a new run about one record.
func isSame(t testing.TB, l *Ledger, id, key string) bool {
	t.Helper()
	r := recall(t, l, beginExport(t, l, id))
	defer r.Close()
	same, err := r.Same(t.Context(), key, quietOne("", 0, key, 0).Digest)
	must(t, err)
	return same.Found()
}

// sendKey sends one record in a run of its own in the same scope, with the given end.
func sendKey(t testing.TB, l *Ledger, id, key string, end State, why ...Reason) {
	t.Helper()
	r := planned(id, 1, key)
	must(t, l.Begin(t.Context(), Run{ID: id, Job: "another", Kind: Push, Scope: "marks", Phase: Pushing, Started: noon}))
	r.Scope = "marks"
	add(t, l, r)
	send(t, l, id, 1)
	settle(t, l, Outcome{Run: id, Seq: 1, State: end, Reasons: why})
}

// nightsOfAllKinds changes an export at random, night after night, and compares what the ledger says about each night
// with what was written.
func nightsOfAllKinds(t *testing.T, l *Ledger) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
	keys, next := numbered(0, 3000), 3000
	for _, key := range keys[:1000] {
		must(t, l.do(t.Context(), true, func(tx *transaction) error {
			return second(tx.Exec(`insert into known (scope, key, digest, service_id, run_no, accepted_at) values ('marks', $1, '', '', 0, 0)`, key))
		}))
	}
	var before []string
	for night := range longer(12, 25) {
		id := fmt.Sprint("night ", night)
		_, records := plan(t, l, id, keys)
		same(t, recordsOf(t, l, id, RecordFilter{}), records)
		same(t, tally(t, l, id), []Count{{Action: None, State: Unchanged, N: len(records)}})
		if night > 0 {
			last := fmt.Sprint("night ", night-1)
			same(t, gone(t, l, last, id), fmt.Sprint(slices.DeleteFunc(slices.Clone(before), func(key string) bool {
				return key == "" || key >= "TM-01000" || slices.Contains(keys, key)
			})))
			if random.IntN(2) == 0 {
				prune1(t, l, last)
			}
		}
		before = slices.Clone(keys)
		for range random.IntN(40) {
			switch at := random.IntN(len(keys)); random.IntN(4) {
			case 0:
				keys = slices.Delete(keys, at, min(at+1+random.IntN(3), len(keys)))
			case 1:
				keys = slices.Insert(keys, at, fmt.Sprintf("TM-%05d", next))
				next++
			case 2:
				keys = slices.Insert(slices.Delete(slices.Clone(keys), at, at+1), random.IntN(len(keys)), keys[at])
			case 3:
				keys = slices.Insert(keys, at, "") // a record that is not quiet
			}
		}
	}
	for night := range longer(12, 25) {
		prune1(t, l, fmt.Sprint("night ", night))
	}
	same(t, segments(t, l), 0)
}

func whoeverWritesWhatIsKnown(t *testing.T, l *Ledger) {
	epochs := func() (of map[string]int64, now int64) {
		t.Helper()
		of = map[string]int64{}
		rows, err := l.h.Read.QueryContext(t.Context(), `select key, epoch from known`)
		must(t, err)
		for rows.Next() {
			var key string
			var epoch int64
			must(t, rows.Scan(&key, &epoch))
			of[key] = epoch
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
		must(t, l.h.Read.One(t.Context(), `select epoch from epochs where scope = 'marks'`, nil, &now))
		return of, now
	}
	byHand := func(text string) {
		t.Helper()
		must(t, l.do(t.Context(), false, func(tx *transaction) error {
			_, err := tx.Exec(text)
			return err
		}))
	}
	plan(t, l, "night 1", []string{"x"})
	for n, key := range []string{"sent", "hand", "other"} {
		sendKey(t, l, fmt.Sprint("first ", n), key, Accepted)
	}
	first, epoch := epochs()
	same(t, first, map[string]int64{"sent": epoch, "hand": epoch, "other": epoch})
	plan(t, l, "night 2", []string{"x"})
	_, later := epochs()
	if later <= epoch {
		t.Fatalf("the epoch is %d after %d", later, epoch)
	}
	sendKey(t, l, "second", "sent", Accepted)
	byHand(`update known set digest = 'edited' where key = 'hand'`)
	byHand(`insert into known (scope, key, digest, service_id, run_no, accepted_at) values ('marks', 'new', '', 'id', 1, 1)`)
	byHand(`insert into known (scope, key, digest, service_id, run_no, accepted_at, epoch) values ('marks', 'wrong', '', 'id', 1, 1, 1000)`)
	got, _ := epochs()
	same(t, got, map[string]int64{"sent": later, "hand": later, "new": later, "wrong": later, "other": epoch})
}

func anExportInTheSameOrderIsRecollectedWhole(t *testing.T, l *Ledger) {
	keys := numbered(0, 3000)
	recalled, _ := plan(t, l, "1", keys)
	same(t, recalled, 0)
	before := segments(t, l)
	for night := range 3 {
		id := fmt.Sprint("night ", night)
		recalled, records := plan(t, l, id, keys)
		same(t, recalled, len(keys))
		same(t, recordsOf(t, l, id, RecordFilter{}), records)
	}
	same(t, segments(t, l), before)
	var ranges int
	must(t, l.h.Read.QueryRowContext(t.Context(), `select max(n) from (select count(*) as n from ranges group by run_no) as s`).Scan(&ranges))
	same(t, ranges, (len(keys)+1023)/1024)
}

func rowsThatWerePutIn(t *testing.T, l *Ledger) {
	plan(t, l, "1", numbered(0, 20_000))
	keys := slices.Concat([]string{"new 1", "new 2", ""}, numbered(0, 50), []string{"TM-19999"}, numbered(60, 5000), numbered(14_000, 19_000), []string{"TM-00055"}, numbered(19_000, 19_999))
	recalled, records := plan(t, l, "2", keys)
	if lost := len(records) - recalled; lost > 2+1+1+1000 {
		t.Errorf("%d records were not recollected", lost)
	}
	same(t, recordsOf(t, l, "2", RecordFilter{}), records)
	recalled, _ = plan(t, l, "3", keys)
	same(t, recalled, len(records))
}

func whatSomethingWasLearntOfSinceTheLastRunIsNotRecollected(t *testing.T, l *Ledger) {
	all := []string{"accepted", "new", "doubted", "failed", "refused", "settled", "named", "as it was"}
	for _, key := range all {
		if key != "new" { // of all others something is known when the last run plans
			sendKey(t, l, "before "+key, key, Accepted)
		}
	}
	sendKey(t, l, "before", "stored otherwise", Accepted, Reason{Code: reason.Differs, Field: "name"}) // which no setting of the last run said
	all = append([]string{"stored otherwise"}, all...)
	plan(t, l, "1", all)
	sendKey(t, l, "0", "new", Accepted)
	sendKey(t, l, "2", "accepted", Accepted)
	sendKey(t, l, "3", "doubted", InDoubt)
	sendKey(t, l, "4", "failed", Failed)
	sendKey(t, l, "5", "refused", Refused)
	sendKey(t, l, "6", "settled", InDoubt)
	must(t, l.Resolve(t.Context(), "6", 1, decisions.Exists, "id", "Ada", ""))
	folders := planned("7", 1, "a folder")
	begin(t, l, "7")
	add(t, l, folders)
	send(t, l, "7", 1)
	settle(t, l, Outcome{Run: "7", Seq: 1, State: Accepted, Also: []Identity{{Scope: "marks", Key: "named", ServiceID: "x"}}})
	for _, key := range all[:len(all)-1] {
		if isSame(t, l, "asks for "+key, key) {
			t.Errorf("%s is recollected", key)
		}
	}
	if !isSame(t, l, "asks", "as it was") {
		t.Error("what is as it was is not recollected")
	}
}

func nothingIsRecollectedOnceSomethingWasTakenOutOfWhatIsKnown(t *testing.T, l *Ledger) {
	sendKey(t, l, "before", "b", Accepted)
	plan(t, l, "1", []string{"a", "b"})
	must(t, l.do(t.Context(), false, func(tx *transaction) error { return second(tx.Exec(`delete from known where key = 'b'`)) }))
	if isSame(t, l, "2", "a") || isSame(t, l, "3", "b") {
		t.Error("it is")
	}
	plan(t, l, "4", []string{"a"})
	if !isSame(t, l, "5", "a") {
		t.Error("a run made since is not recollected")
	}
}

func whatIsRecollectedHasThePayloadThatItHad(t *testing.T, l *Ledger) {
	plan(t, l, "1", []string{"a", "b", "c"})
	r := recall(t, l, beginExport(t, l, "2"))
	defer r.Close()
	for key, digest := range map[string]string{"a": "another", "b": ""} {
		if same, err := r.Same(t.Context(), key, digest); err != nil || same.Found() {
			t.Errorf("%s: %v, %v", key, same.Found(), err)
		}
	}
}

func segmentsThatArePrunedWhileARunTakesThemOverAreWrittenAgain(t *testing.T, l *Ledger) {
	keys := numbered(0, 2500)
	plan(t, l, "1", keys)
	run := beginExport(t, l, "2")
	r := recall(t, l, run)
	same1, err := r.Same(t.Context(), keys[0], quietOne("", 0, keys[0], 0).Digest)
	must(t, err)
	same(t, prune1(t, l, "1"), len(keys))
	same(t, segments(t, l), 0)
	w, err := l.UnchangedWriter(t.Context(), run)
	must(t, err)
	first := quietOne("2", 1, keys[0], 2)
	w.Again(1, same1, places(first))
	must(t, w.Flush(t.Context(), true))
	_, rest := planRest(t, l, run, r, append([]string{""}, keys[1:]...))
	same(t, recordsOf(t, l, "2", RecordFilter{}), append([]Record{first}, rest...))
}

func recordsOfOneKeyAreUnitedWhereverTheyWereWritten(t *testing.T, l *Ledger) {
	run := beginExport(t, l, "1")
	planRest(t, l, run, recall(t, l, run), []string{"a", "b", "c", "d", "e", "b", "", "a"})
	r := planned("1", 7, "f")
	add(t, l, r)
	first, err := l.Record(t.Context(), "1", 2)
	must(t, err)
	first.Rows = append(first.Rows, Row{Number: 7}, Row{Number: 8})
	other := record(t, l, "1", 1)
	other.Rows = append(other.Rows, Row{Number: 9})
	must(t, l.Unite(t.Context(), "1", []planning.Union{{First: first, Late: []int64{6, 7}}, {First: other, Late: []int64{8}}}))
	same(t, seqs(t, l, "1", RecordFilter{}), []int64{1, 2, 3, 4, 5})
	same(t, record(t, l, "1", 1), other)
	same(t, record(t, l, "1", 2), first)
	if err := l.Unite(t.Context(), "1", []planning.Union{{First: first, Late: []int64{6}}}); !errors.Is(err, handle.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
	same(t, tally(t, l, "1"), []Count{{Action: None, State: Unchanged, N: 5}})
}

func quietRecordsAreFoundByKey(t *testing.T, l *Ledger) {
	keys := numbered(0, 1500)
	plan(t, l, "1", keys)
	plan(t, l, "2", keys[1:])
	sendKey(t, l, "3", "TM-00700", Accepted)
	plan(t, l, "4", keys)
	want := quietOne("2", 700, "TM-00700", 701)
	same(t, record(t, l, "2", 700), want)
	got, err := l.RecordByKey(t.Context(), "2", "TM-00700")
	must(t, err)
	same(t, got, want)
	list, err := l.RecordsAt(t.Context(), "2", []int64{1, 700, 1500})
	must(t, err)
	same(t, list, []Record{quietOne("2", 1, "TM-00001", 2), want})
	for limit, runs := range map[int]string{0: "[4 3 2 1]", 2: "[4 3]"} {
		list, err := l.History(t.Context(), "marks", "TM-00700", limit)
		must(t, err)
		var found []string
		for _, r := range list {
			found = append(found, r.Run)
		}
		same(t, fmt.Sprint(found), runs)
	}
	for name, f := range map[string]RecordFilter{"others": {States: []State{Planned}}, "remarkable": {Remarkable: true}, "sent": {Actions: []Action{Create}}} {
		if list := recordsOf(t, l, "2", f); len(list) != 0 {
			t.Errorf("%s: %d records", name, len(list))
		}
	}
	same(t, seqs(t, l, "2", RecordFilter{After: 1200, Limit: 3, States: []State{Unchanged}}), []int64{1201, 1202, 1203})
}
