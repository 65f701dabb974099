package report

import (
	"testing"

	"docketsync/importer/ledger"
)

// What a person has to see to is listed first, and what follows it in the run does not crowd it out.
func TestListingIsBoundedKindByKind(t *testing.T) {
	t.Parallel()
	var l listing
	next := int64(0)
	add := func(n int, r ledger.Record) {
		for range n {
			next++
			r.Seq = next
			l.add(r, false)
		}
	}
	add(listedLater+5, ledger.Record{State: ledger.Held})
	add(listedOthers+7, ledger.Record{State: ledger.Accepted})
	add(listedNoted+2, ledger.Record{State: ledger.Accepted, Notes: []ledger.Reason{{Code: "odd"}}})
	add(listedRejects+3, ledger.Record{State: ledger.Rejected})
	add(2, ledger.Record{State: ledger.Unchanged})
	list := l.seqs()
	if want := listedLater + listedOthers + listedNoted + listedRejects + 2; len(list) != want {
		t.Errorf("%d records are listed, want %d", len(list), want)
	}
	if l.missing() != 5+2+3 || l.others.leftOut != 7 {
		t.Errorf("%d problems and %d others are left out", l.missing(), l.others.leftOut)
	}
	add(listedOthers, ledger.Record{State: ledger.Unchanged})
	if got := len(l.seqs()); got != len(list)-2 {
		t.Errorf("%d records are listed with too many unchanged ones", got)
	}
}

// A few records of very many rows take no more room than many of one, and those that went well leave room for the others.
func TestListingIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	var held budget
	listed := map[ledger.State]int{}
	for range 40 {
		for _, state := range []ledger.State{ledger.Accepted, ledger.Rejected} {
			if held.takes(Entry{Record: ledger.Record{State: state, Rows: []ledger.Row{{Cells: make([]byte, listedBytes/16)}, {Cells: make([]byte, listedBytes/16)}}}}) {
				listed[state]++
			}
		}
	}
	if listed[ledger.Accepted] != 1 || listed[ledger.Rejected] != 7 {
		t.Errorf("listed: %v", listed)
	}
}

// A check lists what would not go in, and what has a note.
func TestListingOfACheck(t *testing.T) {
	t.Parallel()
	l := listing{check: true}
	for n, r := range []ledger.Record{{State: ledger.Planned}, {State: ledger.Rejected}, {State: ledger.Unchanged}, {State: ledger.Planned, Notes: []ledger.Reason{{Code: "odd"}}}} {
		r.Seq = int64(n + 1)
		l.add(r, n == 0)
	}
	if list := l.seqs(); len(list) != 2 || list[0] != 2 || list[1] != 4 {
		t.Errorf("listed: %v", list)
	}
}
