package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/mapping/reason"
)

// unknown is the reason of a name that a lookup does not have.
func unknown(row int, name string) ledger.Reason {
	return ledger.Reason{Code: "lookup_unknown", Field: "client_id", Column: "Client", Cell: fmt.Sprintf("C%d", row), Row: row, Value: name,
		Message: fmt.Sprintf("%q is not in the lookup \"clients\"", name), Hint: "Add it."}
}

func checked(t *testing.T) *book {
	return newBook(t, func(r *ledger.Run) { r.Kind = ledger.Check })
}

// Each kind of problem is told once, with exact counts and the values at fault, those of the most rows first.
func TestProblemsAreToldOncePerKind(t *testing.T) {
	t.Parallel()
	b := checked(t)
	reject := func(row int, reasons ...ledger.Reason) {
		b.plan(ledger.Record{Key: fmt.Sprint(row), State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{rowOf(0, row)}, Reasons: reasons})
	}
	reject(2, unknown(2, "Nobody"))
	reject(3, unknown(3, "Acme Ltd"))
	reject(4, unknown(4, "Acme Ltd"), unknown(4, "Nowhere"))
	reject(5, ledger.Reason{Code: "required_empty", Field: "name", Cell: "B5", Row: 5, Message: "empty"})
	b.plan(ledger.Record{Key: "6", Rows: []ledger.Row{rowOf(0, 6)}, Notes: []ledger.Reason{{Code: "registered_without_number", Field: "status", Row: 6, Message: "odd"}}})
	b.end()
	var got []string
	for _, p := range b.summary().Problems {
		line := fmt.Sprintf("%s %s %s: %d rows, %d records", p.Outcome, p.Code, p.Field, p.Rows, p.Records)
		for _, v := range p.Values {
			line += fmt.Sprintf("; %s %d at %s", v.Value, v.Rows, v.Example.Cell)
		}
		got = append(got, line)
	}
	want := []string{
		"rejected lookup_unknown client_id: 3 rows, 3 records; Acme Ltd 2 at C3; Nobody 1 at C2; Nowhere 1 at C4",
		"rejected required_empty name: 1 rows, 1 records",
		" registered_without_number status: 1 rows, 1 records",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// A check lists what needs a look, and has no line for every row; its workbook has every reject.
func TestACheckListsWhatNeedsALook(t *testing.T) {
	t.Parallel()
	b := checked(t)
	for row := 2; row < 100; row++ {
		r := ledger.Record{Key: fmt.Sprintf("K%d", row), Rows: []ledger.Row{rowOf(0, row, "x")}, Payload: matter("r", "n")}
		if row%10 == 0 {
			r.State, r.Action, r.Payload, r.Reasons = ledger.Rejected, ledger.None, nil, []ledger.Reason{unknown(row, "X")}
		}
		if row == 55 {
			r.Notes = []ledger.Reason{{Code: "odd", Message: "odd"}}
		}
		b.plan(r)
	}
	b.end()
	s := b.summary()
	if s.Listed != 10 || s.Records.Total != 98 {
		t.Errorf("%d of %d records listed, want 10 of 98", s.Listed, s.Records.Total)
	}
	files, err := files.WriteSummary(t.Context(), b.led.Reader, s, t.TempDir(), nil)
	b.must(err)
	if files.CSV != "" || files.Rejects == "" {
		t.Errorf("a check wrote %+v", files)
	}
	data, err := os.ReadFile(files.JSON)
	b.must(err)
	if n := strings.Count(string(data), `{"seq":`); n != 10 || !strings.Contains(string(data), `"key":"K55"`) || !strings.Contains(string(data), `"records_listed":10`) {
		t.Errorf("the JSON lists %d records", n)
	}
	page, err := os.ReadFile(files.HTML)
	b.must(err)
	for _, want := range []string{"Records to review", "filter the 10 records that a check lists, of 98"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(page), "report.csv") {
		t.Error("the page speaks of a file that is not there")
	}
}

// The names that lookups do not have come as lines for the lookup's own file, spellings that one line serves as one.
func TestMissingNames(t *testing.T) {
	t.Parallel()
	run := ledger.Run{Sources: []ledger.Source{{File: "m.csv"}}}
	m := cause.NewMissing(run, reason.LookupUnknown, func(field string) string {
		return map[string]string{"client_id": "clients"}[field]
	})
	for row, name := range []string{"Acme Ltd", "nobody", "NOBODY", " =Formula"} {
		m.Add(ledger.Record{Key: fmt.Sprint(row), Rows: []ledger.Row{rowOf(0, row)}, Reasons: []ledger.Reason{unknown(row, name), unknown(row, name)}})
	}
	other := unknown(9, "Elsewhere")
	other.Field = "user_id"
	m.Add(ledger.Record{Rows: []ledger.Row{rowOf(0, 9)}, Reasons: []ledger.Reason{other, {Code: "required_empty", Field: "client_id", Value: "x"}}})
	var b bytes.Buffer
	form := files.FillIn{Header: []string{"Country", "Company", "Id"}, Name: 1, Near: func(name string) (string, string) {
		if name == "Acme Ltd" {
			return "ACME Limited", "1234"
		}
		return "", ""
	}}
	if err := form.Write(&b, m.Of("clients")); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"Country", "Company", "Id", "rows", "for example", "similar name", "its id"},
		{"", "nobody", "", "2", "C1 of m.csv “nobody” (1)", "", ""},
		{"", "Acme Ltd", "", "1", "C0 of m.csv “Acme Ltd” (0)", "ACME Limited", "1234"},
		{"", "'=Formula", "", "1", "C3 of m.csv “ =Formula” (3)", "", ""},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if len(m.Of("users")) != 0 {
		t.Error("a field that goes through no lookup misses names")
	}
}
