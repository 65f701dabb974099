package ledger

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/fault"
)

var bundleCases = cases{
	"what records hold comes back byte for byte":             whatRecordsHoldComesBack,
	"whatever alone is said of a record comes back":          whateverAloneIsSaidComesBack,
	"a bundle that is gone or damaged is an error, not less": aBundleThatIsGoneIsAnError,
	"a plan that is removed leaves no bundle":                aPlanThatIsRemovedLeavesNoBundle,
}

func whatRecordsHoldComesBack(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	var list []Record
	for _, run := range []string{"1", "2"} {
		for n := range int64(2*bundle.Size + 3) {
			r := planned(run, n+1, fmt.Sprint("k", n))
			switch n % 5 {
			case 1:
				r.Body, r.Previous = []byte(`{"b": "é\u0000"}`), []byte(`{ "p" : 1.50 }`)
			case 2:
				r.Rows = append(r.Rows, Row{Source: 3, Number: 8}, Row{Number: 9, Cells: []byte(`["ü",{"n":"1.0"}]`)})
			case 3:
				r.Payload, r.Rows[0].Cells = nil, nil // nothing is held
			case 4:
				r.State, r.Action, r.Payload, r.Reasons = Rejected, None, nil, []Reason{{Code: "c", Message: "m"}}
			}
			list = append(list, r)
		}
	}
	half := len(list)/2 + 5
	add(t, l, list[:half]...)
	add(t, l, list[half:]...)
	same(t, append(recordsOf(t, l, "1", RecordFilter{}), recordsOf(t, l, "2", RecordFilter{})...), list)
	scattered, err := l.RecordsAt(t.Context(), "2", []int64{2, 40, 66})
	must(t, err)
	half = len(list) / 2
	same(t, scattered, []Record{list[half+1], list[half+39], list[half+65]})
	changed := list[1]
	changed.Notes = []Reason{{Code: "n", Message: "noted"}}
	must(t, l.Replace(t.Context(), changed))
	same(t, record(t, l, "1", 2), changed)
	pending, err := l.Pending(t.Context(), "1", 0, 2)
	must(t, err)
	same(t, []any{pending[0].Payload, pending[1].Payload, pending[1].Body}, []any{list[0].Payload, list[1].Payload, list[1].Body})
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	same(t, known(t, l, "k0").Payload, list[0].Payload)
}

// A record with no more contents than most is inserted in a different way.
func whateverAloneIsSaidComesBack(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	for n, say := range []func(*Record){
		func(*Record) {},
		func(r *Record) { r.Reasons = []Reason{{Code: "c", Message: "m"}} },
		func(r *Record) { r.Notes = []Reason{{Code: "n", Message: "noted"}} },
		func(r *Record) { r.Entries = []Entry{{Language: "l", Class: "9", Text: "t"}} },
		func(r *Record) { r.Status = 409 },
		func(r *Record) { r.Message = "said" },
		func(r *Record) { r.Attempts = 2 },
		func(r *Record) { r.Settled = time.UnixMicro(1_700_000_000_000_000).UTC() },
		func(r *Record) { r.ServiceID = "id" },
		func(r *Record) { r.Repeatable = !r.Repeatable },
	} {
		r := planned("1", int64(n)+1, fmt.Sprint("k", n))
		say(&r)
		add(t, l, r)
		same(t, record(t, l, "1", r.Seq), r)
	}
}

func aBundleThatIsGoneIsAnError(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	for _, text := range []string{`update bundles set content = cast('x' as {bytes})`, `delete from bundles`} {
		text = l.h.Engine.Dialect().Words.Replace(text)
		must(t, l.do(t.Context(), false, func(tx *transaction) error { return tx.Run(text) }))
		_, byRecord := l.Record(t.Context(), "1", 2)
		_, byPlan := l.Pending(t.Context(), "1", 0, 9)
		_, byKey := l.Known(t.Context(), "create_case", []string{"a"})
		for what, err := range map[string]error{"Record": byRecord, "Pending": byPlan, "Known": byKey} {
			if !errors.Is(err, fault.ErrCorrupt) || !strings.Contains(err.Error(), "'docketsync verify'") { // a check of the file finds nothing
				t.Errorf("%s: %s: %v", text, what, err)
			}
		}
	}
}

func aPlanThatIsRemovedLeavesNoBundle(t *testing.T, l *Ledger) {
	beginAs(t, l, "1", Plan, Finished)
	begin(t, l, "2")
	var list []Record
	for n := range int64(3 * bundle.Size) {
		list = append(list, planned("1", n+1, fmt.Sprint("k", n)))
	}
	add(t, l, list...)
	add(t, l, planned("2", 1, "k"))
	must(t, l.RemoveRun(t.Context(), "1"))
	same(t, len(held(t, l, 1)), 0)
	same(t, len(held(t, l, 2)), 1)
}
