package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/planning"
)

var planCases = cases{
	"a key that the run has already is left out and named, the others are added":               aKeyThatTheRunHasAlreadyIsLeftOutAndNamed,
	"records are read in brief, and requests without their words":                              recordsAreReadInBrief,
	"records of which little is kept come back, and conflicts are found among them and others": recordsOfWhichLittleIsKeptComeBack,
	"what is known briefly is the same without payload and time":                               whatIsKnownBrieflyIsTheSameWithoutPayloadAndTime,
	"conflicts are found in batches of every size":                                             conflictsAreFoundInBatchesOfEverySize,
	"a seq stands for one record":                                                              aSeqStandsForOneRecord,
	"keys are compared byte by byte":                                                           keysAreComparedByteByByte,
	"a record of the first pass is replaced whole":                                             aRecordOfTheFirstPassIsReplacedWhole,
	"records are replaced all or none, and read by their seqs":                                 recordsAreReplacedAllOrNoneAndReadByTheirSeqs,
	"the keys that are known are listed by scope, beyond one page":                             theKeysThatAreKnownAreListedByScopeBeyondOnePage,
	"what was about to be sent cannot be replaced":                                             whatWasAboutToBeSentCannotBeReplaced,
	"records are listed by state and action, from a place, up to a limit, beyond one page":     recordsAreListedByStateAndAction,
	"what is planned comes with what it takes to send and settle it":                           whatIsPlannedComesWithWhatItTakesToSendAndSettleIt,
	"the ledger can be read and written while records are listed":                              theLedgerCanBeReadAndWrittenWhileRecordsAreListed,
	"staged rows are grouped by key, in order of first appearance":                             stagedRowsAreGroupedByKeyInOrderOfFirstAppearance,
	"staged rows are cleared, beyond one part":                                                 stagedRowsAreClearedBeyondOnePart,
	"a key of more rows than are held comes in parts, between others":                          aKeyOfMoreRowsThanAreHeldComesInParts,
	"rows that go while they are grouped are an error":                                         rowsThatGoWhileTheyAreGroupedAreAnError,
	"groups can be written as records while they are read, beyond one page":                    groupsCanBeWrittenAsRecordsWhileTheyAreRead,
	"a plan is removed, a run that may have sent something is kept":                            aPlanIsRemoved,
}

func seqs(t testing.TB, l *Ledger, run string, f RecordFilter) (list []int64) {
	t.Helper()
	for r, err := range l.Records(t.Context(), run, f) {
		must(t, err)
		list = append(list, r.Seq)
	}
	return list
}

func groups(t testing.TB, l *Ledger, run string) (list []model.Group) {
	t.Helper()
	for g, err := range l.Groups(t.Context(), run, 1000) {
		must(t, err)
		list = append(list, g)
	}
	return list
}

func aKeyThatTheRunHasAlreadyIsLeftOutAndNamed(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	add(t, l, planned("1", 1, "a"), planned("2", 1, "b"))
	conflicts, err := l.Add(t.Context(), []Record{
		planned("1", 2, "b"), planned("1", 3, "a"), planned("1", 4, ""), planned("1", 5, "b"), planned("1", 6, ""), planned("1", 7, "A"),
	})
	must(t, err)
	same(t, conflicts, []int{1, 3})
	same(t, seqs(t, l, "1", RecordFilter{}), []int64{1, 2, 4, 6, 7})
}

func recordsOfWhichLittleIsKeptComeBack(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	bare := func(seq int64, key string) Record {
		return Record{Run: "1", Seq: seq, Scope: "create_case", Key: key, Action: None, State: Unchanged, Digest: "d", ServiceID: "s", Rows: []Row{{Number: 2}}}
	}
	conflicts, err := l.Add(t.Context(), []Record{
		bare(1, "a"), planned("1", 2, "b"), planned("1", 3, "a"), bare(4, "b"), bare(5, "c"), bare(6, "c"), planned("1", 7, "d"),
	})
	must(t, err)
	same(t, conflicts, []int{2, 3, 5})
	same(t, seqs(t, l, "1", RecordFilter{}), []int64{1, 2, 5, 7})
	same(t, record(t, l, "1", 5), bare(5, "c"))
}

func whatIsKnownBrieflyIsTheSameWithoutPayloadAndTime(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	for n, run := range []string{"1", "2", "1"} {
		r := planned(run, int64(n+1), fmt.Sprint("key ", n))
		add(t, l, r)
		send(t, l, run, r.Seq)
		settle(t, l, Outcome{Run: run, Seq: r.Seq, State: Accepted, ServiceID: "s", Entries: []Entry{{Text: "software"}}})
	}
	keys := []string{"key 0", "key 1", "key 2", "key 3"}
	whole, err := l.Known(t.Context(), "create_case", keys)
	must(t, err)
	for key, k := range whole {
		k.Payload, k.AcceptedAt = nil, time.Time{}
		whole[key] = k
	}
	briefly, err := l.KnownBriefly(t.Context(), "create_case", keys)
	must(t, err)
	same(t, briefly, whole)
}

func conflictsAreFoundInBatchesOfEverySize(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	next := int64(0)
	for _, size := range []int{1, 2, 3, 49, 50, 51, 63, 100, 113, 1000} {
		var batch []Record
		for n := range size {
			next++
			batch = append(batch, planned("1", next, fmt.Sprint("key ", size, " ", n)))
		}
		add(t, l, batch...)
		for n := range batch {
			batch[n].Seq += 1000000
		}
		if size > 2 {
			batch[1].Key, batch[size-1].Key = "", fmt.Sprint("new ", size)
		}
		conflicts, err := l.Add(t.Context(), batch)
		must(t, err)
		want := size
		if size > 2 {
			want -= 2
		}
		if len(conflicts) != want || slices.Contains(conflicts, 1) && size > 2 {
			t.Errorf("size %d: conflicts %v", size, conflicts)
		}
	}
}

func aSeqStandsForOneRecord(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"))
	if _, err := l.Add(t.Context(), []Record{planned("1", 2, "b"), planned("1", 1, "c")}); err == nil {
		t.Error("no error")
	}
	same(t, seqs(t, l, "1", RecordFilter{}), []int64{1})
}

func keysAreComparedByteByByte(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	keys := []string{"a", "A", "a ", " a", "ä", "a\u0308", "\xff", "\xfe", "\ufffd", "a\x00", "\x1b", "\x1b00", "\x1b1b00", "\x1bff", "0", "00", "ﬁ", "fi", "a%", "a_", "'", `"`, `\`}
	for n, key := range keys {
		r := planned("1", int64(n+1), key)
		r.Digest, r.Payload = "d", nil
		add(t, l, r)
	}
	for n, key := range keys {
		r, err := l.RecordByKey(t.Context(), "1", key)
		must(t, err)
		if r.Seq != int64(n+1) || r.Key != key {
			t.Errorf("%q found record %d with key %q", key, r.Seq, r.Key)
		}
		send(t, l, "1", r.Seq)
		settle(t, l, Outcome{Run: "1", Seq: r.Seq, State: Accepted, ServiceID: fmt.Sprint(n)})
	}
	found, err := l.Known(t.Context(), "create_case", append(keys, "b", "", keys[0]))
	must(t, err)
	if len(found) != len(keys) {
		t.Errorf("%d known, want %d", len(found), len(keys))
	}
	for n, key := range keys {
		if k := found[key]; k.ServiceID != fmt.Sprint(n) || k.Key != key {
			t.Errorf("%q: %+v", key, k)
		}
	}
}

func aRecordOfTheFirstPassIsReplacedWhole(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	r := record(t, l, "1", 1)
	r.State, r.Action, r.Payload, r.Rows = Rejected, None, nil, append(r.Rows, Row{Number: 9})
	r.Reasons = []Reason{{Code: "duplicate_key", Message: "twice"}}
	must(t, l.Replace(t.Context(), r))
	same(t, record(t, l, "1", 1), r)
	state(t, l, "1", 2, Planned)
	r.Seq = 3
	if err := l.Replace(t.Context(), r); !errors.Is(err, handle.ErrNotFound) {
		t.Errorf("replaced what is not there: %v", err)
	}
}

func recordsAreReplacedAllOrNoneAndReadByTheirSeqs(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"))
	list, err := l.RecordsAt(t.Context(), "1", []int64{3, 1, 9})
	must(t, err)
	same(t, list, []Record{record(t, l, "1", 1), record(t, l, "1", 3)})
	for n := range list {
		list[n].State, list[n].Action = Rejected, None
	}
	must(t, l.Replace(t.Context(), list...))
	state(t, l, "1", 1, Rejected)
	state(t, l, "1", 2, Planned)
	state(t, l, "1", 3, Rejected)
	list[0].State, list[1].Seq = Planned, 9
	if err := l.Replace(t.Context(), list...); !errors.Is(err, handle.ErrNotFound) {
		t.Errorf("replaced what is not there: %v", err)
	}
	state(t, l, "1", 1, Rejected)
	must(t, l.Replace(t.Context()))
	if list, err := l.RecordsAt(t.Context(), "1", nil); err != nil || list != nil {
		t.Errorf("no seqs: %v, %v", list, err)
	}
	if _, err := l.RecordsAt(t.Context(), "2", []int64{1}); !errors.Is(err, handle.ErrNotFound) {
		t.Errorf("no run: %v", err)
	}
}

func theKeysThatAreKnownAreListedByScopeBeyondOnePage(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	const n = history.KeysPerPage + 5
	var batch []Record
	var intents []Intent
	var outcomes []Outcome
	want := map[string]bool{}
	for i := range n {
		key := fmt.Sprint("key ", i)
		if i == 7 {
			key = "\x00 \xff"
		}
		want[key] = true
		r := planned("1", int64(i+1), key)
		r.Digest, r.Payload = "d", nil
		batch = append(batch, r)
		intents = append(intents, Intent{Run: "1", Seq: int64(i + 1)})
		outcomes = append(outcomes, Outcome{Run: "1", Seq: int64(i + 1), State: Accepted, At: noon})
	}
	outcomes[3].Also = []Identity{{Scope: "other", Key: "k", ServiceID: "s"}}
	add(t, l, append(batch, planned("1", n+1, "planned only"))...)
	must(t, l.Commit(t.Context(), nil, intents))
	must(t, l.Commit(t.Context(), outcomes, nil))
	seen := 0
	for key, err := range l.Keys(t.Context(), "create_case") {
		must(t, err)
		if seen++; !want[key] {
			t.Errorf("%q is listed", key)
		}
		delete(want, key)
	}
	if seen != n {
		t.Errorf("%d keys, want %d", seen, n)
	}
	for range l.Keys(t.Context(), "nobody's") {
		t.Error("a key of another scope")
	}
}

func whatWasAboutToBeSentCannotBeReplaced(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"))
	send(t, l, "1", 1, 2, 3)
	settle(t, l, Outcome{Run: "1", Seq: 2, State: Failed})
	settle(t, l, Outcome{Run: "1", Seq: 3, State: Held})
	replaced := func(seq int64, from State) {
		t.Helper()
		r := planned("1", seq, "z")
		r.State = Rejected
		var refused *handle.TransitionError
		if err := l.Replace(t.Context(), r); !errors.As(err, &refused) || refused.From != from || refused.To != Rejected {
			t.Errorf("%s: %v", from, err)
		}
		state(t, l, "1", seq, from)
	}
	replaced(1, Sending)
	replaced(2, Failed)
	replaced(3, Held)
	must(t, second(l.Release(t.Context(), "1", Held)))
	replaced(3, Planned)
}

func recordsAreListedByStateAndAction(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	var batch []Record
	for n := int64(1); n <= 2*history.Page+10; n++ {
		r := planned("1", n, fmt.Sprint(n))
		if n%2 == 0 {
			r.State, r.Action = Unchanged, None
		}
		batch = append(batch, r)
	}
	add(t, l, batch...)
	all := seqs(t, l, "1", RecordFilter{})
	if len(all) != len(batch) || !slices.IsSorted(all) {
		t.Errorf("%d records", len(all))
	}
	if odd := seqs(t, l, "1", RecordFilter{States: []State{Planned}, Actions: []Action{Create, Update}}); len(odd) != len(batch)/2 {
		t.Errorf("%d planned", len(odd))
	}
	for limit, want := range map[int]int{1: 1, history.Page: history.Page, history.Page + 1: history.Page + 1, 10 * history.Page: len(batch)} {
		if got := seqs(t, l, "1", RecordFilter{Limit: limit}); len(got) != want {
			t.Errorf("limit %d: %d records", limit, len(got))
		}
	}
	same(t, seqs(t, l, "1", RecordFilter{After: 5, Limit: 2, States: []State{Unchanged}}), []int64{6, 8})
	pending, err := l.Pending(t.Context(), "1", 3, 2)
	must(t, err)
	same(t, []int64{pending[0].Seq, pending[1].Seq}, []int64{5, 7})
}

// A record read in brief has everything that counts and lists need: all but the long texts.
func recordsAreReadInBrief(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	cells := json.RawMessage(`["TM-7","a \"]\\",{"d":"2026-03-01"},[null]]`)
	plain, several, refused := planned("1", 1, "ä/7"), planned("1", 2, "b"), planned("1", 3, "c")
	plain.Rows = []Row{{Source: 0, Number: 2, Cells: cells}}
	several.Rows = []Row{{Source: 1, Number: 3, Cells: cells}, {Source: 0, Number: 4}, {Source: 2, Number: 5, Cells: cells}}
	several.Notes = []Reason{{Code: "odd", Row: 3}}
	refused.Body, refused.Rows = json.RawMessage(`{"less":1}`), []Row{{Source: 0, Number: 6}}
	wrong := Record{Run: "1", Seq: 4, Scope: "create_case", Key: "d", Action: None, State: Rejected, Rows: []Row{{Number: 7, Cells: cells}}, Reasons: []Reason{{Code: "required_empty", Row: 7}}}
	add(t, l, plain, several, refused, wrong)
	send(t, l, "1", 1)
	send(t, l, "1", 3)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, Status: 200, ServiceID: "s", Attempts: []Attempt{
		{Started: noon, Duration: time.Second, Status: 503, Verdict: "retry", Answer: "busy"}, {Started: noon.Add(time.Minute), Duration: time.Second, Status: 200, Verdict: "accepted"}}})
	settle(t, l, Outcome{Run: "1", Seq: 3, State: Refused, Status: 400, Message: "no", Attempts: []Attempt{{Started: noon, Status: 400, Verdict: "refused", Error: "e"}}})

	whole, brief := recordsOf(t, l, "1", RecordFilter{}), recordsOf(t, l, "1", RecordFilter{Brief: true})
	for n, r := range whole {
		whole[n].Scope, whole[n].Digest, whole[n].Repeatable = "", "", false
		if r.State != Refused {
			whole[n].Payload, whole[n].Body = nil, nil
		}
		for i := range r.Rows {
			whole[n].Rows[i].Cells = nil
		}
	}
	same(t, brief, whole)
	same(t, recordsOf(t, l, "1", RecordFilter{Brief: true, States: []State{Rejected}})[0].Reasons, wrong.Reasons)

	var all, timed []Attempt
	for a, err := range l.AllAttempts(t.Context(), "1") {
		must(t, err)
		all = append(all, a)
	}
	for a, err := range l.Timings(t.Context(), "1") {
		must(t, err)
		timed = append(timed, a)
	}
	at, err := l.AttemptsAt(t.Context(), "1", []int64{1, 2, 3})
	must(t, err)
	same(t, at, all)
	for n := range all {
		all[n].Run, all[n].Error, all[n].Answer = "", "", ""
	}
	same(t, timed, all)
}

func whatIsPlannedComesWithWhatItTakesToSendAndSettleIt(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	want := planned("1", 1, "ä/7")
	want.Body, want.Repeatable, want.Free, want.Entries = json.RawMessage(`{"less":1}`), true, true, []Entry{{Language: "en", Class: "9", Text: "t"}}
	stored := want
	stored.Previous, stored.Notes = json.RawMessage(`{"before":1}`), []Reason{{Code: "odd"}}
	add(t, l, stored)
	pending, err := l.Pending(t.Context(), "1", 0, 2)
	must(t, err)
	want.Rows = nil
	same(t, pending, []Record{want})
}

func theLedgerCanBeReadAndWrittenWhileRecordsAreListed(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	for n := range 3 * history.Page {
		add(t, l, planned("1", int64(n+1), fmt.Sprint(n)))
	}
	seen := 0
	for outer, err := range l.Records(t.Context(), "1", RecordFilter{}) {
		must(t, err)
		for range l.Records(t.Context(), "1", RecordFilter{Limit: 2}) {
			for range l.Records(t.Context(), "1", RecordFilter{Limit: 2}) {
				break
			}
		}
		send(t, l, "1", outer.Seq)
		settle(t, l, Outcome{Run: "1", Seq: outer.Seq, State: Accepted})
		if seen++; seen == history.Page+3 {
			break
		}
	}
	tally, err := l.Tally(t.Context(), "1")
	must(t, err)
	same(t, tally, []Count{{Action: Create, State: Accepted, N: history.Page + 3}, {Action: Create, State: Planned, N: 2*history.Page - 3}})
}

func stagedRowsAreGroupedByKeyInOrderOfFirstAppearance(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	must(t, l.Stage(t.Context(), "2", []Staged{{Key: "z", Row: Row{Number: 1}}}))
	must(t, l.Stage(t.Context(), "1", []Staged{{Key: "b", Row: Row{Number: 2}}, {Key: "a", Row: Row{Number: 3, Source: 1, Cells: json.RawMessage(`[ 1 ]`)}}}))
	must(t, l.Stage(t.Context(), "1", nil))
	must(t, l.Stage(t.Context(), "1", []Staged{{Key: "\x00", Row: Row{Number: 4}}, {Key: "b", Row: Row{Number: 5}}, {Key: "", Row: Row{Number: 6}}, {Key: "b", Row: Row{Number: 7}}}))
	same(t, groups(t, l, "1"), []model.Group{
		{Key: "b", Size: 3, Rows: []Row{{Number: 2}, {Number: 5}, {Number: 7}}}, {Key: "a", Size: 1, Rows: []Row{{Number: 3, Source: 1, Cells: json.RawMessage(`[ 1 ]`)}}},
		{Key: "\x00", Size: 1, Rows: []Row{{Number: 4}}}, {Key: "", Size: 1, Rows: []Row{{Number: 6}}},
	})
	must(t, l.Unstage(t.Context(), "1"))
	same(t, groups(t, l, "1"), []model.Group(nil))
	if len(groups(t, l, "2")) != 1 {
		t.Error("the other run's rows are gone")
	}
}

func stagedRowsAreClearedBeyondOnePart(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	must(t, l.Stage(t.Context(), "1", slices.Repeat([]Staged{{Key: "a", Row: Row{Number: 2}}}, handle.Part+10)))
	must(t, l.Unstage(t.Context(), "1"))
	same(t, groups(t, l, "1"), []model.Group(nil))
}

func aKeyOfMoreRowsThanAreHeldComesInParts(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	var rows []Staged
	for n := range 2*planning.GroupPart + 10 {
		rows = append(rows, Staged{Key: "many", Row: Row{Number: n}})
	}
	must(t, l.Stage(t.Context(), "1", slices.Concat([]Staged{{Key: "a", Row: Row{Number: 1}}}, rows, []Staged{{Key: "b", Row: Row{Number: 2}}})))
	var got []string
	for g, err := range l.Groups(t.Context(), "1", 2*planning.GroupPart) {
		must(t, err)
		got = append(got, fmt.Sprint(g.Key, " ", g.Size, " ", len(g.Rows), " from ", g.Rows[0].Number))
	}
	same(t, got, []string{"a 1 1 from 1", "many 2010 1000 from 0", "many 2010 1000 from 1000", "many 2010 10 from 2000", "b 1 1 from 2"})
}

// Rows that are gone when their key's turn comes would leave a record short, whether a key is read whole or in parts.
func rowsThatGoWhileTheyAreGroupedAreAnError(t *testing.T, l *Ledger) {
	const most = 2
	for run, late := range map[string]int{"whole": most, "in parts": 2*most + 1} {
		begin(t, l, run)
		rows := []Staged{{Key: "first", Row: Row{Number: 1}}}
		for n := range late {
			rows = append(rows, Staged{Key: "late", Row: Row{Number: 100 + n}})
		}
		must(t, l.Stage(t.Context(), run, rows))
		var got int
		var problem error
		for group, err := range l.Groups(t.Context(), run, most) {
			if problem = err; err == nil {
				got += len(group.Rows)
				must(t, l.do(t.Context(), true, func(tx *transaction) error {
					return second(tx.Exec(`delete from staged where row_number > 100`))
				}))
			}
		}
		if !errors.Is(problem, planning.ErrStaged) || !errors.Is(problem, fault.ErrCorrupt) {
			t.Errorf("%s: %d of %d rows came, and the error is %v", run, got, len(rows), problem)
		}
	}
}

func groupsCanBeWrittenAsRecordsWhileTheyAreRead(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	const keys = 2*planning.GroupsPerPage + 5
	for round := range 3 {
		var rows []Staged
		for n := range keys {
			rows = append(rows, Staged{Key: fmt.Sprint(keys - n), Row: Row{Number: round*keys + n + 2}})
		}
		must(t, l.Stage(t.Context(), "1", rows))
	}
	seq := int64(0)
	for group, err := range l.Groups(t.Context(), "1", 1000) {
		must(t, err)
		if len(group.Rows) != 3 || group.Key != fmt.Sprint(keys-seq) {
			t.Fatalf("group %d: %+v", seq, group)
		}
		seq++
		add(t, l, planned("1", seq, group.Key))
	}
	if seq != keys {
		t.Errorf("%d groups, want %d", seq, keys)
	}
}

func aPlanIsRemoved(t *testing.T, l *Ledger) {
	beginAs(t, l, "01", Plan, Finished)
	beginAs(t, l, "02", Push, Reading)
	beginAs(t, l, "03", Push, Ready)
	for _, id := range []string{"01", "02", "03"} {
		var batch []Record
		for n := range handle.Part + 10 {
			batch = append(batch, planned(id, int64(n+1), fmt.Sprint(n)))
		}
		add(t, l, batch...)
		must(t, l.Stage(t.Context(), id, []Staged{{Key: "a", Row: Row{}}}))
	}
	must(t, l.RemoveRun(t.Context(), "01"))
	must(t, l.RemoveRun(t.Context(), "02"))
	if err := l.RemoveRun(t.Context(), "03"); err == nil || !strings.Contains(err.Error(), "ready") {
		t.Errorf("removed: %v", err)
	}
	if err := l.RemoveRun(t.Context(), "01"); !errors.Is(err, handle.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	var left int
	must(t, l.h.Read.QueryRowContext(t.Context(), `select (select count(*) from records) + (select count(*) from staged)`).Scan(&left))
	if left != handle.Part+11 {
		t.Errorf("%d rows left", left)
	}
	// A run that began afterwards is not mistaken for one that is gone.
	begin(t, l, "04")
	same(t, seqs(t, l, "04", RecordFilter{}), []int64(nil))
}
