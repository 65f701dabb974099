package report_test

import (
	"fmt"
	"testing"

	"docketsync/importer/ledger"
)

// TestRecordsAreFoundByOfficeAndClient shows that the table filters by the columns that are called office and client, or that the
// mapping takes these from, wherever they stand in each file.
func TestRecordsAreFoundByOfficeAndClient(t *testing.T) {
	t.Parallel()
	m := newBook(t, func(r *ledger.Run) {
		r.Operation, r.Sources = "update_trademark", []ledger.Source{
			{File: "london.csv", Header: []string{"Client No", "Ref", "Where", "Country", "Client"}, Origins: []ledger.Origin{{Field: "registry_id", From: "column", Columns: []int{2}}, {Field: "client_agent_id", From: "column", Columns: []int{0}}}},
			{File: "munich.csv", Header: []string{"Mandant", "Akte", "AMT"}},
		}
	})
	for i := range 2500 { // more than a block of the page's data
		office, client := []string{"EUIPO", "UKIPO", "USPTO"}[i%3], fmt.Sprintf("Client <%d>", i%7)
		key := fmt.Sprintf("TM-%04d", i)
		cells := rowOf(0, i+2, "00112", key, office, "nowhere", client)
		if i%2 == 1 {
			cells = rowOf(1, i+2, client, key, office)
		}
		m.plan(reject(key, nil, cells))
	}
	m.end()
	b := newTab(t)
	b.open(m)
	choose := func(label, option string) {
		b.refreshed(fmt.Sprintf(`(list => { list.value = [...list.options].find(o => o.text === %q).value; list.dispatchEvent(new Event('change')); })(
			[...document.querySelectorAll('.tools label')].find(l => l.firstChild.textContent === %q).querySelector('select'))`, option, label))
	}
	choose("Office", "UKIPO")
	if got := b.status(); got != "1–50 of 833 records (2,500 in all)" {
		t.Errorf("one office: %q", got)
	}
	choose("Client", "Client <4>")
	if got := b.status(); got != "1–50 of 119 records (2,500 in all)" {
		t.Errorf("one office and client: %q", got)
	}
	if got := b.Text("tr.line .name"); got != "UKIPO · Client <4>" {
		t.Errorf("the row says %q", got)
	}
	choose("Office", "any")
	choose("File", "munich.csv")
	if got := b.status(); got != "1–50 of 178 records (2,500 in all)" {
		t.Errorf("one client in one file: %q", got)
	}
	b.refreshed(`[...document.querySelectorAll('.tools button')].pop().click()`)
	if got := b.status(); got != "1–50 of 2,500 records" {
		t.Errorf("all again: %q", got)
	}
	b.quiet()
}
