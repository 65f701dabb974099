package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/outcome"
)

var whole = &ledger.Export{Columns: []ledger.Column{}}

func exported(r *ledger.Run) { r.Export = whole }

var accepted = ledger.Outcome{State: ledger.Accepted, Status: 201}

// correctedNights are three runs of a job: a night that rejects six records, the morning after that imports corrected rows of it,
// and the next night.
func correctedNights(t testing.TB) (night, morning, next *book) {
	night = newBook(t)
	because := func(message string) []ledger.Reason { return []ledger.Reason{{Code: "x", Message: message}} }
	night.plan(reject("A", because("no such date"), row(2, "A", "One", "31/02/2026", "JO", nil)))
	night.plan(reject("B", because("no such attorney"), row(3, "B", "Two", d("2026-03-01"), "PQ", nil)))
	night.plan(reject("C", because("no title"), row(4, "C", nil, d("2026-03-01"), "JO", nil)))
	night.send(ledger.Record{Key: "D", Payload: matter("D", "Four"), Rows: []ledger.Row{row(5, "D", "Four")}}, accepted)
	night.send(ledger.Record{Key: "E", Payload: matter("E", "Five"), Rows: []ledger.Row{row(6, "E", "Five", nil, "JO", nil)}},
		ledger.Outcome{State: ledger.Refused, Status: 400, Message: "the number is used already"})
	night.plan(reject("", because("the key is empty"), row(7, nil, "Six", d("2026-03-01"), "JO", nil)))
	night.end(exported)

	own := []string{"docketsync: reasons", "docketsync: row", "docketsync: cells", "docketsync: record"}
	morning = night.next("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f0002", 4, func(r *ledger.Run) {
		r.Sources = []ledger.Source{{File: "/reports/rejects.xlsx", Sheet: "Rejects", Header: append(own, night.run.Sources[0].Header...)}}
	})
	back := func(number, seq int, cells ...any) ledger.Row {
		return row(number, append([]any{"was wrong", "matters.xlsx row 9", "C9", fmt.Sprintf("3f4a5b/%d", seq)}, cells...)...)
	}
	morning.send(ledger.Record{Key: "A", Payload: matter("A", "One"), Rows: []ledger.Row{back(2, 1, "A", "One", d("2026-02-28"), "JO", nil)}}, accepted)
	morning.plan(reject("B", because("no such attorney"), back(3, 2, "B", "Two", d("2026-03-01"), "PQ", nil)))
	morning.send(ledger.Record{Key: "F", Payload: matter("F", "Six"), Rows: []ledger.Row{back(4, 6, "F", "Six", d("2026-03-01"), "JO", nil)}}, accepted)
	morning.send(ledger.Record{Key: "G", Payload: matter("G", "Seven"), Rows: []ledger.Row{back(5, 4, "G", "Seven", nil, "JO", nil)}}, accepted) // 4 was not rejected
	morning.end()

	next = night.next("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f0003", 24)
	next.send(ledger.Record{Key: "A", Action: ledger.Update, Payload: matter("A", "One more"), Rows: []ledger.Row{row(2, "A", "One more", d("2026-02-28"), "JO", nil)}}, accepted)
	for _, key := range []string{"D", "F", "G"} {
		next.plan(ledger.Record{Key: key, State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{row(len(next.records) + 2)}})
	}
	next.send(ledger.Record{Key: "B", Payload: matter("B", "Two"), Rows: []ledger.Row{row(6, "B", "Two", d("2026-03-01"), "PQ", nil)}}, accepted)
	next.plan(reject("C", because("no title"), row(7, "C", nil, d("2026-03-01"), "JO", nil)))
	next.send(ledger.Record{Key: "E", Payload: matter("E-1", "Five"), Rows: []ledger.Row{row(8, "E", "Five", nil, "PQ", "again")}}, accepted)
	next.send(ledger.Record{Key: "H", Payload: matter("H", "Eight"), Rows: []ledger.Row{row(9, "H", "Eight")}}, accepted)
	next.end(exported)
	return night, morning, next
}

// TestCorrectedRecordsAreNamed shows that a run says which records had been rejected before: by the marks of rows that come from
// rejects.xlsx, also where the key was corrected, and by key in the next whole export, unless they went in meanwhile.
func TestCorrectedRecordsAreNamed(t *testing.T) {
	t.Parallel()
	night, morning, next := correctedNights(t)
	if c := night.summary().Corrected; c != nil {
		t.Errorf("the first night corrected %+v", c)
	}
	for _, test := range []struct {
		of   *book
		want corrected.Corrected
	}{
		{morning, corrected.Corrected{Records: 2, Rows: 2, Again: 1, List: []corrected.Correction{
			{Seq: 1, Key: "A", Run: night.run.ID, Since: night.run.Started, Was: "No such date", Cells: []corrected.CorrectedCell{{Column: "Opened", Cell: "G2", Before: "31/02/2026", Now: "2026-02-28"}}},
			{Seq: 3, Key: "F", Run: night.run.ID, Since: night.run.Started, Was: "The key is empty", Cells: []corrected.CorrectedCell{{Column: "Ref", Cell: "E4", Now: "F"}}},
		}}},
		{next, corrected.Corrected{Records: 2, Rows: 2, Again: 1, List: []corrected.Correction{
			{Seq: 5, Key: "B", Run: morning.run.ID, Since: morning.run.Started, Was: "No such attorney", Cells: []corrected.CorrectedCell{}},
			{Seq: 7, Key: "E", Run: night.run.ID, Since: night.run.Started, Was: "The number is used already", Cells: []corrected.CorrectedCell{
				{Column: "Attorney", Cell: "D8", Before: "JO", Now: "PQ"}, {Column: "Notes", Cell: "E8", Now: "again"}}},
		}}},
	} {
		s := test.of.summary()
		if s.Corrected == nil {
			t.Fatalf("run %s corrected nothing", test.of.run.ID)
		}
		if diff := cmp.Diff(test.want, *s.Corrected, cmpopts.IgnoreUnexported(corrected.Correction{})); diff != "" {
			t.Errorf("run %s (-want +got):\n%s", test.of.run.ID, diff)
		}
	}
}

// TestCorrectedRowsOfOneRecord shows what is said of records that were made of several rows: each row is compared with the one
// that it was, also when two rows with one key have become two records; and what is not known is not claimed.
// A column whose header was respelled since is the same one, and so is who corrected a cell of it.
func TestCorrectedCellsUnderARespelledHeader(t *testing.T) {
	t.Parallel()
	night := newBook(t)
	night.plan(reject("C", []ledger.Reason{{Code: "x", Message: "no title"}}, row(2, "C", nil, d("2026-03-01"), "JO", nil)))
	night.end(exported)
	header := night.run.Sources[0].Header
	night.must(night.led.Correct(t.Context(), night.run.Job, "C", nil, []ledger.CellCorrection{{Nth: -3, Column: header[1], New: "Three", Who: "Ines"}}))
	next := night.next("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f0002", 24, func(r *ledger.Run) {
		r.Sources = []ledger.Source{{File: "matters.xlsx", Header: slices.Clone(header)}}
		r.Sources[0].Header[1] = strings.ToUpper(header[1]) + " "
	})
	next.send(ledger.Record{Key: "C", Payload: matter("C", "Three"), Rows: []ledger.Row{row(2, "C", "Three", d("2026-03-01"), "JO", nil)}}, accepted)
	next.end(exported)
	c := next.summary().Corrected
	if c == nil || len(c.List) != 1 {
		t.Fatalf("corrected were %+v", c)
	}
	want := []corrected.CorrectedCell{{Column: strings.ToUpper(header[1]) + " ", Cell: "B2", Now: "Three", By: "Ines"}}
	if diff := cmp.Diff(want, c.List[0].Cells); diff != "" {
		t.Error(diff)
	}
}

func TestCorrectedRowsOfOneRecord(t *testing.T) {
	t.Parallel()
	night := newBook(t)
	night.plan(reject("A", nil, row(2, "A", "One", nil, "JO", nil), row(3, "A", "Other", nil, "PQ", nil)))
	night.plan(reject("B", nil, row(4, "B", "Two", nil, "JO", nil), row(5, "B", "Two Ltd", nil, "JO", nil)))
	night.plan(reject("C", nil, row(6)))
	night.end(exported)
	next := night.next("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f0002", 24, func(r *ledger.Run) {
		r.Sources = []ledger.Source{{File: "rejects.xlsx", Header: append([]string{"docketsync: record"}, night.run.Sources[0].Header...)}}
	})
	next.send(ledger.Record{Key: "A-2", Payload: matter("A-2", "Other"), Rows: []ledger.Row{row(3, "3f4a5b/1", "A-2", "Other", nil, "PQ", nil)}}, accepted)
	next.send(ledger.Record{Key: "B", Payload: matter("B", "Two"), Rows: []ledger.Row{row(4, "3f4a5b/2", "B", "Two", nil, "JO", nil)}}, accepted)
	next.send(ledger.Record{Key: "C", Payload: matter("C", "Three"), Rows: []ledger.Row{row(6, "3f4a5b/3", "C", "Three", nil, "JO", nil)}}, accepted)
	next.end()
	want := []corrected.Correction{
		{Key: "A-2", Cells: []corrected.CorrectedCell{{Column: "Ref", Cell: "B3", Before: "A", Now: "A-2"}}, Note: "It was made of 2 rows, and is made of 1 row now."},
		{Key: "B", Cells: []corrected.CorrectedCell{}, Note: "It was made of 2 rows, and is made of 1 row now."},
		{Key: "C", Cells: []corrected.CorrectedCell{}, Note: "The rows that were rejected are no longer kept."},
	}
	if diff := cmp.Diff(want, next.summary().Corrected.List, cmpopts.IgnoreUnexported(corrected.Correction{}), cmpopts.IgnoreFields(corrected.Correction{}, "Seq", "Run", "Since", "Was")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if page := next.page().plain; strings.Contains(page, "something else was mended") {
		t.Error("the page claims that nothing in the row was corrected where that is not known")
	}
}

// TestACheckSaysWhatWasCorrected shows that a check is compared with the one before it.
func TestACheckSaysWhatWasCorrected(t *testing.T) {
	t.Parallel()
	first := newBook(t, func(r *ledger.Run) { r.Kind = ledger.Check })
	first.plan(reject("A", nil, row(2, "A", "One", "31/02/2026")))
	first.plan(reject("B", nil, row(3, "B", "Two")))
	first.end()
	second := first.next("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f0002", 1)
	second.plan(ledger.Record{Key: "A", Payload: matter("A", "One"), Rows: []ledger.Row{row(2, "A", "One", d("2026-02-28"))}})
	second.plan(reject("B", nil, row(3, "B", "Two")))
	second.end()
	page := second.page().plain
	for _, want := range []string{"1 record rejected before would be imported now. 1 was rejected again.", "31/02/2026"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if strings.Contains(page, "the corrected records</span>") {
		t.Error("the page offers to show records that the table of a check does not have")
	}
}

// TestLastRunsOfTheJob shows what the chart of the last runs is made of: the runs that sent, up to this one, the oldest first.
func TestLastRunsOfTheJob(t *testing.T) {
	t.Parallel()
	night, morning, next := correctedNights(t)
	planned := night.next("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f0004", 25, func(r *ledger.Run) { r.Kind = ledger.Plan })
	planned.end()
	of := func(b *book, records map[outcome.Outcome]int) report.PastRun {
		return report.PastRun{ID: b.run.ID, Name: b.summary().Run.Name, Started: b.run.Started, Records: records}
	}
	want := []report.PastRun{
		of(night, map[outcome.Outcome]int{outcome.Created: 1, outcome.Rejected: 5}),
		of(morning, map[outcome.Outcome]int{outcome.Created: 3, outcome.Rejected: 1}),
		of(next, map[outcome.Outcome]int{outcome.Created: 3, outcome.Updated: 1, outcome.Rejected: 1, outcome.Unchanged: 3}),
	}
	for n, b := range []*book{night, morning, next} {
		if diff := cmp.Diff(want[:n+1], b.summary().LastRuns); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", n, diff)
		}
	}
	if diff := cmp.Diff(want, planned.summary().LastRuns); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
	page := next.page().plain
	for _, text := range []string{"The last 3 runs", "at most 4 records imported, at most 5 not imported", "<td>this one</td>"} {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not in the page", text)
		}
	}
	if strings.Contains(night.page().plain, "The last 1 runs") {
		t.Error("a single run is compared with itself")
	}
}
