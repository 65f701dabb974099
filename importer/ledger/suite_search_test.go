package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"docketsync/importer/ledger/search"
)

var searchCases = cases{
	"a record is found by the beginning of whatever somebody knows of it":                       aRecordIsFoundByTheBeginningOfWhateverSomebodyKnowsOfIt,
	"what is not searchable yet is found by its key and its id, and is told of":                 whatIsNotSearchableYetIsFoundByItsKeyAndItsId,
	"a resumed run, and one that was pruned, are searchable as they are now":                    aRunThatWasGoneOnWith,
	"a search over several parts and runs gives each record once, and says that there are more": aSearchOverSeveralPartsAndRunsGivesEachRecordOnce,
}

// end ends a run in a phase.
func end(t testing.TB, l *Ledger, id string, phase Phase) {
	t.Helper()
	run, err := l.Run(t.Context(), id)
	must(t, err)
	run.Phase, run.Ended = phase, l.w.Now()
	must(t, l.SaveRun(t.Context(), run))
}

func aRecordIsFoundByTheBeginningOfWhateverSomebodyKnowsOfIt(t *testing.T, l *Ledger) {
	begin(t, l, "one")
	mark := planned("one", 1, "TM-7/2024")
	mark.Payload = json.RawMessage(`{"id":"0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0001","mark_text":"THE GÖLDEN  Star","application_number":"87/654,321","registration_number":5551234,"notes":"secret"}`)
	folder := planned("one", 2, "Acme")
	folder.Payload = json.RawMessage(`{"name":"Acme files","files":[{"name":"Contract","number":4711}]}`)
	reject := planned("one", 3, "M-3")
	reject.State, reject.Payload, reject.Action = Rejected, nil, None
	reject.Rows = []Row{{Number: 4, Cells: json.RawMessage(`["Blue Moon",null,{"n":"99812"}]`)}}
	same := Record{Run: "one", Seq: 4, Scope: "create_case", Key: "M-4", Action: None, State: Unchanged, Rows: []Row{{Number: 5}}}
	odd := planned("one", 5, "odd\x00\xff")
	odd.Payload, odd.Digest = json.RawMessage(`{}`), "d"
	add(t, l, mark, folder, reject, same, odd)
	send(t, l, "one", 1)
	settle(t, l, Outcome{Run: "one", Seq: 1, State: Accepted, ServiceID: "0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0002"})
	end(t, l, "one", Stopped)
	for text, want := range map[string]string{
		"gold": "[TM-7/2024 mark_text]", "Golden star": "[TM-7/2024 mark_text]", "star": "[TM-7/2024 mark_text]",
		"87654": "[TM-7/2024 application_number]", "555-1234": "[TM-7/2024 registration_number]", "tm 7": "[TM-7/2024 key]",
		"TM-7/2024": "[TM-7/2024 key]", "4711": "[Acme number]", "contr": "[Acme name]", "blue": "[M-3 cell]", "998": "[M-3 cell]",
		"0B7A1C52-0F4E-4A5E-9A65-6D1F2A1C0002": "[TM-7/2024 id]", "{0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0001}": "[TM-7/2024 id]",
		"odd": "[odd\x00\xff key]", "secret": "[]", "oldenstar": "[]", "M-4": "[M-4 key]", "m4": "[]", "": "[]", " - ": "[]", "%": "[]",
	} {
		whole, err := l.Searchable(t.Context())
		must(t, err)
		if !whole.Whole() {
			must(t, l.MakeSearchable(t.Context()))
		}
		list, more, err := l.Search(t.Context(), text, 10)
		must(t, err)
		found := []string{}
		for _, f := range list {
			found = append(found, f.Key+" "+f.Field)
		}
		if got := fmt.Sprint(found); got != want || more {
			t.Errorf("%q finds %s, want %s", text, got, want)
		}
	}
}

func whatIsNotSearchableYetIsFoundByItsKeyAndItsId(t *testing.T, l *Ledger) {
	begin(t, l, "one")
	add(t, l, planned("one", 1, "M-1"))
	send(t, l, "one", 1)
	const id = "0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0003"
	settle(t, l, Outcome{Run: "one", Seq: 1, State: Accepted, ServiceID: id})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, l.MakeSearchable(ctx))
	for text, want := range map[string]int{"M-1": 1, id: 1, "m1": 0} {
		list, _, err := l.Search(t.Context(), text, 10)
		must(t, err)
		if len(list) != want {
			t.Errorf("%s: %v", text, list)
		}
	}
	end(t, l, "one", Finished)
	got, err := l.Searchable(t.Context())
	must(t, err)
	same(t, got, search.Searchable{Runs: 0, Of: 1})
}

func aRunThatWasGoneOnWith(t *testing.T, l *Ledger) {
	beginAs(t, l, "one", Push, Pushing)
	add(t, l, planned("one", 1, "M-1"), planned("one", 2, "M-2"))
	end(t, l, "one", Stopped)
	must(t, l.MakeSearchable(t.Context()))
	send(t, l, "one", 1, 2)
	settle(t, l, Outcome{Run: "one", Seq: 1, State: Accepted, ServiceID: "new-id"})
	settle(t, l, Outcome{Run: "one", Seq: 2, State: Accepted})
	l.w.Now = func() time.Time { return noon.Add(time.Hour) }
	end(t, l, "one", Finished)
	got, err := l.Searchable(t.Context())
	must(t, err)
	same(t, got, search.Searchable{Runs: 0, Of: 1})
	if _, err := l.Prune(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	must(t, l.MakeSearchable(t.Context()))
	for _, text := range []string{"new id", "m2 of one"} {
		if list, _, err := l.Search(t.Context(), text, 10); err != nil || len(list) != 1 {
			t.Errorf("%s: %v %v", text, list, err)
		}
	}
}

func aSearchOverSeveralPartsAndRunsGivesEachRecordOnce(t *testing.T, l *Ledger) {
	for _, run := range []string{"one", "two"} {
		begin(t, l, run)
		for n := range search.SearchPage + 3 {
			add(t, l, planned(run, int64(n+1), fmt.Sprintf("M-%04d", n)))
		}
		end(t, l, run, Finished)
	}
	must(t, l.MakeSearchable(t.Context()))
	list, more, err := l.Search(t.Context(), "m", 10)
	must(t, err)
	if len(list) != 10 || !more {
		t.Errorf("%d found, more %v", len(list), more)
	}
	list, more, err = l.Search(t.Context(), fmt.Sprintf("m%04d", search.SearchPage+2), 10)
	must(t, err)
	same(t, list, []search.Found{{Scope: "create_case", Key: fmt.Sprintf("M-%04d", search.SearchPage+2), Field: search.FieldKey}})
	same(t, more, false)
}
