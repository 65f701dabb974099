package certificate_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"docketsync/importer/certificate"
	"docketsync/importer/ledger"
)

// portfolio is a run of marks of which one office is rare and some dates are near.
func portfolio(t testing.TB, marks int) *book {
	b := newBook(t)
	n := b.night()
	for i := range marks {
		office, expires := "EM", fmt.Sprintf("20%02d-06-15", 40+i%10)
		switch i {
		case 11:
			office = "LI"
		case 20:
			expires = "2026-11-20" // over when the run ended
		case 21:
			expires = "2026-11-21"
		case 22:
			expires = "2026-12-24"
		}
		n.send(mark(i+2, fmt.Sprintf("TM-%03d", i), office, fmt.Sprintf("Mark %d", i), "Registered", expires, "Acme"), ledger.Accepted)
	}
	n.plan(reject(mark(marks+2, "TM-X", "XX", "Rejected", "Registered", "2026-11-22", "Acme"), unknownOffice[0], unknownOffice[1], unknownOffice[2]))
	n.end()
	return b
}

func TestTheSampleSaysWhyEachRecordIsInIt(t *testing.T) {
	t.Parallel()
	cert := portfolio(t, 40).certify(8)
	if len(cert.Sample) != 8 {
		t.Fatalf("%d records are in the sample", len(cert.Sample))
	}
	why := map[string]string{}
	for _, s := range cert.Sample {
		why[s.Key] = strings.Join(s.Why, "; ")
	}
	for key, want := range map[string]string{
		"TM-000": "the first in the source", "TM-039": "the last in the source", "TM-021": "expiry_date is 2026-11-21", "TM-022": "expiry_date is 2026-12-24",
		"TM-011": "a rare office: LI (1)",
	} {
		if !strings.Contains(why[key], want) {
			t.Errorf("%s is in the sample because %q, want %q", key, why[key], want)
		}
	}
	if why["TM-020"] != "" && !strings.Contains(why["TM-020"], "drawn") || why["TM-X"] != "" {
		t.Errorf("in the sample are a date that is over or a record that is not in: %q", why)
	}
}

// TestTheDrawCanBeMadeAgain draws by the rule of the package comment, from the keys alone.
func TestTheDrawCanBeMadeAgain(t *testing.T) {
	t.Parallel()
	cert := portfolio(t, 40).certify(8)
	var keys []string
	for i := range 40 {
		keys = append(keys, fmt.Sprintf("TM-%03d", i))
	}
	place := func(key string) []byte {
		sum := sha256.Sum256([]byte("7\x00update_trademark\x00" + key))
		return sum[:]
	}
	slices.SortFunc(keys, func(a, b string) int { return bytes.Compare(place(a), place(b)) })
	drawn := 0
	for _, s := range cert.Sample {
		if slices.Contains(s.Why, "drawn by the seed") {
			drawn++
			if at := slices.Index(keys, s.Key); at >= 8 {
				t.Errorf("%s is in place %d of the draw", s.Key, at)
			}
		}
	}
	if drawn < 3 {
		t.Errorf("only %d records were drawn", drawn)
	}
	other, err := certificate.Build(t.Context(), portfolio(t, 40).led.Reader, []string{cert.Runs[0].ID}, certificate.Options{Seed: 8, Size: 8})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(keysOf(other)) == fmt.Sprint(keysOf(cert)) {
		t.Error("another seed draws the same records")
	}
}

func keysOf(cert *certificate.Certificate) (keys []string) {
	for _, s := range cert.Sample {
		keys = append(keys, s.Key)
	}
	return keys
}

func TestASampleSetsTheCellBesideTheValue(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night()
	n.send(mark(17, "TM-1", "EM", "Ashcombe", "Registered", "2027-03-01", "Acme"), ledger.Accepted)
	n.end()
	s := b.certify(4).Sample[0]
	if s.Where != "marks.xlsx, Marks, row 17" || s.ServiceID != "service-TM-1" {
		t.Errorf("the sample is %+v", s)
	}
	lines := map[string]certificate.Line{}
	for _, l := range s.Lines {
		lines[l.Field] = l
	}
	office := lines["registry_id"]
	if len(office.Cells) != 1 || office.Cells[0] != (certificate.Cell{Column: "Office", Cell: "B17", Text: "EM"}) || office.How != "looked up in registries" || len(office.Sent) != 36 {
		t.Errorf("the office is %+v", office)
	}
	if expiry := lines["expiry_date"]; expiry.Cells[0].Cell != "F17" || expiry.Cells[0].Text != "2027-03-01" || expiry.Sent != "2027-03-01T00:00:00Z" {
		t.Errorf("the date is %+v", expiry)
	}
	if constant := lines["do_not_create_file"]; len(constant.Cells) > 0 || constant.Sent != "true" || constant.How != "constant in the mapping" {
		t.Errorf("the constant is %+v", constant)
	}
}

// TestEntriesStandBesideTheirOwnRows has a folder of three rows, of which the second has no state: no later state may move up.
func TestEntriesStandBesideTheirOwnRows(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night(func(r *ledger.Run) {
		r.Operation, r.Scope = "create_folder", "create_folder"
		r.Sources[0].Header = []string{"Folder", "File", "State"}
		r.Sources[0].Origins = []ledger.Origin{{Field: "name", From: "column", Columns: []int{0}}, {Field: "files.name", From: "column", Columns: []int{1}},
			{Field: "files.file_status_id", From: "column", Columns: []int{2}, Lookup: "states"}}
	})
	n.send(ledger.Record{Key: "A", Action: ledger.Create,
		Payload: []byte(`{"name":"A","files":[{"name":"one","file_status_id":"s-open"},{"name":"two","file_status_id":"s-default"},{"name":"three"}]}`),
		Rows:    []ledger.Row{cells(2, "A", "one", "Open"), cells(3, "A", "two", nil), cells(4, "A", "three", "n/a")}}, ledger.Accepted)
	n.end()
	cert := b.certify(4)
	got := map[string]string{}
	for _, l := range cert.Sample[0].Lines {
		text := ""
		for _, c := range l.Cells {
			text += c.Cell + "=" + c.Text
		}
		got[l.Field] = text + " → " + l.Sent
	}
	want := map[string]string{
		"name": "A2=A → A", "files.name [1]": "B2=one → one", "files.name [2]": "B3=two → two", "files.name [3]": "B4=three → three",
		"files.file_status_id [1]": "C2=Open → s-open", "files.file_status_id [2]": " → s-default",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the lines are\n%q, want\n%q", got, want)
	}
	for _, d := range cert.Operations[0].Breakdown {
		for _, g := range d.Groups {
			if d.Name == "status" && (g.Text == "Open") != (len(g.Sent) == 1 && g.Sent[0] == "s-open") {
				t.Errorf("a state stands under another's name: %+v", g)
			}
		}
	}
}

func TestARunThatKeptNoOriginsShowsItsCellsUnpaired(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night(func(r *ledger.Run) { r.Sources[0].Origins = nil })
	n.send(mark(17, "TM-1", "EM", "Ashcombe", "Registered", "2027-03-01", "Acme"), ledger.Accepted)
	n.end()
	cert := b.certify(4)
	bare := 0
	for _, l := range cert.Sample[0].Lines {
		if l.How == "the run did not record which field this cell was for" {
			bare++
		} else if len(l.Cells) > 0 {
			t.Errorf("nobody knows that %+v belongs together", l)
		}
	}
	if bare != len(markHeader) {
		t.Errorf("%d cells are shown, want %d", bare, len(markHeader))
	}
	if d := cert.Operations[0].Breakdown[1]; d.Groups[0].Known || d.Source != 1 || d.In != 1 {
		t.Errorf("by office: %+v", d)
	}
}
