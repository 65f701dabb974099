package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger/history"
)

var attemptsCases = cases{
	"an ordinary request has no row of its own, and is told like all others": anOrdinaryRequestIsToldLikeAllOthers,
	"an ordinary outcome is asked for what any other is":                     anOrdinaryOutcomeIsAskedForWhatAnyOtherIs,
	"an ordinary answer that was removed is kept anew":                       anOrdinaryAnswerThatWasRemovedIsKeptAnew,
}

// anOrdinaryRequestIsToldLikeAllOthers settles records in every way that leaves requests, more than fit on a page, and
// compares what is read with what was written.
func anOrdinaryRequestIsToldLikeAllOthers(t *testing.T, l *Ledger) {
	const many = 2*history.Page + 10
	begin(t, l, "1")
	var list []Record
	for seq := range int64(many) {
		r := planned("1", seq+1, fmt.Sprint("key ", seq+1))
		r.Repeatable, r.ServiceID = true, "planned"
		list = append(list, r)
	}
	add(t, l, list...)
	var want []Attempt
	rows := 0
	request := func(seq int64, number int, answer string) Attempt {
		return Attempt{Run: "1", Seq: seq, Number: number, Started: noon.Add(time.Duration(seq) * time.Millisecond), Duration: time.Duration(seq) * time.Microsecond,
			Status: 200, Verdict: "accepted", Answer: answer}
	}
	send(t, l, "1", 1, 3)
	settle(t, l, Outcome{Run: "1", Seq: 3, State: Failed, Attempts: []Attempt{request(3, 1, "busy"), request(3, 2, "busy")}})
	if _, err := l.Release(t.Context(), "1", Failed); err != nil {
		t.Fatal(err)
	}
	want = append(want, request(3, 1, "busy"), request(3, 2, "busy"))
	rows = 2
	var outcomes []Outcome
	for seq := range int64(many) {
		seq++
		id := fmt.Sprint("id-", seq)
		answer, number := `{"id":"`+id+`","ok":true}`, 1
		o := Outcome{Run: "1", Seq: seq, State: Accepted, Status: 200, Message: "done", ServiceID: id, At: noon, Sent: noon}
		switch {
		case seq == 1:
			o.Sent = time.Time{} // it had an intent
		case seq == 3:
			number = 3
		case seq == 4: // another answer
			answer = `{"id":"` + id + `","ok":"yes"}`
			rows++
		case seq == 5: // what stands for the id, and the id of the plan is not what was answered
			o.ServiceID, answer = "", `{"id":"{id}","ok":true}`
			rows++
		case seq == 6:
			o.State = Refused
			rows++
		case seq == 7:
			o.Reasons = []Reason{{Code: "noted"}}
			rows++
		}
		a := request(seq, number, answer)
		if o.State == Refused {
			a.Verdict = "refused"
		}
		o.Attempts = []Attempt{a}
		if seq%100 == 0 { // tried twice
			a.Number++
			o.Attempts = append(o.Attempts, a)
			rows += 2
		}
		want, outcomes = append(want, o.Attempts...), append(outcomes, o)
	}
	must(t, l.Commit(t.Context(), outcomes, nil))
	slices.SortFunc(want, func(a, b Attempt) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Number, b.Number)) })

	var told, timings, at []Attempt
	var seqs []int64
	for a, err := range l.AllAttempts(t.Context(), "1") {
		must(t, err)
		told = append(told, a)
	}
	same(t, told, want)
	for a, err := range l.Timings(t.Context(), "1") {
		must(t, err)
		timings = append(timings, a)
	}
	for n, a := range want {
		if a.Seq < 100 {
			at = append(at, a)
		}
		want[n].Run, want[n].Answer = "", ""
	}
	same(t, timings, want)
	for seq := range int64(99) {
		seqs = append(seqs, seq+1)
	}
	some, err := l.AttemptsAt(t.Context(), "1", seqs)
	must(t, err)
	same(t, some, at)
	one, err := l.Attempts(t.Context(), "1", 3)
	must(t, err)
	same(t, one, at[2:5])
	var written int
	must(t, l.h.Read.QueryRowContext(t.Context(), `select count(*) from attempts`).Scan(&written))
	same(t, written, rows)

	finish(t, l, "1", Finished)
	prune1(t, l, "1")
	for a, err := range l.AllAttempts(t.Context(), "1") {
		must(t, err)
		if a.Seq != 6 {
			t.Errorf("a request of record %d is left by a prune", a.Seq)
		}
	}
	if text := dumped(t, l); strings.Contains(text, `"OK":TRUE`) {
		t.Error("what the service answered is left by a prune")
	}
}

func anOrdinaryOutcomeIsAskedForWhatAnyOtherIs(t *testing.T, l *Ledger) {
	pushed(t, l, 2)
	for seq := range int64(2) { // of the second record, what is ordinary is known
		seq++
		ordinary := Outcome{Run: "1", Seq: seq, State: Accepted, Status: 201, ServiceID: "id", At: noon,
			Attempts: []Attempt{{Started: noon, Duration: time.Second, Status: 201, Verdict: "accepted", Answer: "id"}}}
		refuses := func(o Outcome) {
			t.Helper()
			if err := l.Commit(t.Context(), []Outcome{o}, nil); err == nil {
				t.Error("an ordinary outcome was taken that must not be")
			}
			state(t, l, "1", seq, Planned)
		}
		refuses(ordinary)
		alone := ordinary
		alone.Sent = noon
		refuses(alone) // it is not safe to repeat
		send(t, l, "1", seq)
		settle(t, l, ordinary)
		state(t, l, "1", seq, Accepted)
		if err := l.Commit(t.Context(), []Outcome{ordinary}, nil); err == nil {
			t.Error("an outcome was taken twice")
		}
	}
}

// anOrdinaryAnswerThatWasRemovedIsKeptAnew removes the ordinary answer of a run, as Forget and Prune do, while a
// process has it in memory.
func anOrdinaryAnswerThatWasRemovedIsKeptAnew(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	for seq := range int64(3) {
		seq++
		if seq == 3 {
			must(t, l.do(t.Context(), false, func(tx *transaction) error { return second(tx.Exec(`update runs set answer = null`)) }))
		}
		send(t, l, "1", seq)
		settle(t, l, Outcome{Run: "1", Seq: seq, State: Accepted, Status: 200, At: noon,
			Attempts: []Attempt{{Run: "1", Seq: seq, Number: 1, Started: noon, Status: 200, Verdict: "accepted", Answer: "done"}}})
	}
	list, err := l.Attempts(t.Context(), "1", 3)
	must(t, err)
	same(t, len(list), 1)
	same(t, list[0].Answer, "done")
}
