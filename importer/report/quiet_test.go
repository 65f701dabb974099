package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/unchanged"
)

// quietly adds n records to the run that are unchanged, and of which there is nothing more to say. Their rows follow from a
// number on. It is called when all others are planned.
func (b *book) quietly(n, from int) (rows int) {
	b.t.Helper()
	w, err := b.led.UnchangedWriter(b.t.Context(), b.run)
	b.must(err)
	for i := range n {
		place := row(from + i)
		w.Add(int64(len(b.records)+i+1), fmt.Sprintf("Q-%06d", i), "d", "", []unchanged.Place{{Source: place.Source, Number: place.Number}})
	}
	b.must(w.Flush(b.t.Context(), true))
	return n
}

func TestManyUnchangedRecordsAreToldByTheirNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ quiet, listed, unlisted, lines int }{
		{1_000 - 1, 63 + 999, 0, 63 + 999}, {1_000, 62, 1_001, 63 + 1_000}, {10_000 - 1, 62, 10_000, 63 + 9_999}, {10_000, 62, 10_001, 62},
	} {
		b := morning(t)
		more := b.quietly(test.quiet, 1000)
		b.end(interrupted, func(r *ledger.Run) { r.Counts.Read, r.Counts.InRecords = r.Counts.Read+more, r.Counts.InRecords+more })
		doc := b.json()
		summary := doc["summary"].(map[string]any)
		if got := len(doc["records"].([]any)); got != test.listed {
			t.Errorf("%d records are listed, want %d", got, test.listed)
		}
		if got := fmt.Sprint(summary["unchanged_unlisted"]); got != fmt.Sprint(test.unlisted) && (test.unlisted > 0 || got != "<nil>") {
			t.Errorf("%s are not listed, want %d", got, test.unlisted)
		}
		if summary["adds_up"] != true || !strings.Contains(fmt.Sprint(summary["records"]), fmt.Sprintf("total:%d", 63+test.quiet)) {
			t.Errorf("the account is %v %v", summary["discrepancies"], summary["records"])
		}
		lines, page := b.csv(), b.page()
		if got, want := len(lines), 1+test.lines+1; got < want || got > want+5 { // some records have several rows
			t.Errorf("%d lines of CSV, want %d", got, want)
		}
		if said := strings.Contains(page.plain, " unchanged records with nothing to report are not listed"); said != (test.unlisted > 0) {
			t.Errorf("that records are not listed is said: %v", said)
		}
		// The one with a note is always listed.
		if text, _ := json.Marshal(doc["records"]); !strings.Contains(string(text), "changed_since_created") {
			t.Error("a note on an unchanged record is lost")
		}
	}
}

// A row that stands in two records is found where one of them is kept apart.
func TestQuietRowsAreCounted(t *testing.T) {
	t.Parallel()
	b := morning(t)
	more := b.quietly(3, 55)
	b.end(func(r *ledger.Run) {
		r.Counts.Read, r.Counts.InRecords = r.Counts.Read+more+1, r.Counts.InRecords+more+1
	})
	said := fmt.Sprint(b.json()["summary"].(map[string]any)["discrepancies"])
	for _, want := range []string{"The run counted 68 rows in records, but its records are made of 67.", "stands in more than one record; there are 3 such rows"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not among %s", want, said)
		}
	}
}

// A night on which nothing changed has a page that says so, and no table.
func TestPageOfAQuietNight(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	more := b.quietly(12_345, 2)
	b.end(func(r *ledger.Run) { r.Counts.Read, r.Counts.InRecords = more, more })
	page := b.page()
	for _, want := range []string{"All 12,345 matters were already up to date; nothing has changed.", "No record needs attention.", "The counts add up."} {
		if !strings.Contains(page.plain, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
