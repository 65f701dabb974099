package importer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
)

const checkedCases = "operation: create_case\nkey: Ref\nfields:\n  name: Name\n  number: Ref\n  active: {value: true}\n" +
	"  file_template_id: {value: " + template + "}\n  user_id: {value: " + user + "}\n"

// A check keeps only the place of a record that would go in. Even so, if a later row contradicts it, the reject has the
// cells of both rows, as in a run. A check and a run say the same about every row.
func TestCheckKeepsLittleAndSaysWhatARunSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	var csv strings.Builder
	csv.WriteString("Ref,Name\n")
	for row := range 2_500 {
		fmt.Fprintf(&csv, "R%d,Name %d\n", row, row)
	}
	csv.WriteString("R2000,Another\nR1500,Name 1500\nR9999,\nr2200,Twin\n")
	job := w.job("cases", checkedCases, csv.String())
	check, err := w.importer().Check(t.Context(), job)
	w.must(err)
	w.addsUp(check)
	w.expect(check, "planned 2498, rejected 4") // R2200 and r2200 may be one
	whole := 0
	for _, r := range w.records(check) {
		if r.State == ledger.Planned && len(r.Payload) > 0 {
			whole++
		}
		if r.Key == "R2000" {
			if len(r.Rows) != 2 || string(r.Rows[0].Cells) != `["R2000","Name 2000"]` || string(r.Rows[1].Cells) != `["R2000","Another"]` || r.Reasons[0].Code != "duplicate_key" {
				t.Errorf("the contradicted record is %+v", r)
			}
		}
	}
	listed := 0
	for range w.importer().Ledger.Records(t.Context(), check.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
		listed++
	}
	if listed > 1000+1 { // R1500 is made of two rows
		t.Errorf("%d records that are in order are listed", listed)
	}
	if whole > 1000 {
		t.Errorf("%d records keep their payload, though nobody will look at them", whole)
	}
	plan, err := w.importer().Plan(t.Context(), job)
	w.must(err)
	w.expect(plan, "planned 2498, rejected 4")
	checked := w.records(check)
	for n, planned := range w.records(plan) {
		if c := checked[n]; planned.Key != c.Key || planned.State != c.State || fmt.Sprint(planned.Reasons) != fmt.Sprint(c.Reasons) {
			t.Errorf("plan says %s %s %v, check %s %s %v", planned.Key, planned.State, planned.Reasons, c.Key, c.State, c.Reasons)
		}
	}
}

// What a preview says about a record is what a run does with it, for every row of a file.
func TestPreviewSaysWhatARunDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("cases", strings.Replace(checkedCases, "fields:", "rows: {skip: {old: 'row[\"Name\"] == \"Old\"'}}\nfields:", 1),
		"Ref,Name\nA,One\nB,\nC,Three\nC,Drei\nD,Old\nE,Five\nE,Five\n,Nobody\n\n")
	before := ""
	for row := 2; row <= 11; row++ {
		p, err := w.importer().Preview(t.Context(), job, rows.Spot{Row: row})
		var nowhere *rows.SpotError
		if errors.As(err, &nowhere) {
			before += fmt.Sprintf("%d nowhere; ", row)
			continue
		}
		w.must(err)
		before += strings.TrimSpace(fmt.Sprintf("%d %s %s%s %s", row, p.Key, p.Would, p.Skip, p.Action)) + "; "
	}
	const want = "2 A planned create; 3 B rejected none; 4 C rejected none; 5 C rejected none; 6  filtered: old; 7 E planned create; 8 E planned create; 9  rejected none; 10  blank; 11 nowhere; "
	if before != want {
		t.Errorf("previews\n%s\nwant\n%s", before, want)
	}
	run := w.run(job)
	w.expect(run, "accepted 2, rejected 3")
	for _, key := range []string{"A", "E"} {
		p, err := w.importer().Preview(t.Context(), job, rows.Spot{Key: key})
		w.must(err)
		if p.Would != ledger.Unchanged || p.Known == nil || p.Known.Run != run.ID {
			t.Errorf("%s, which was sent, is %s: %+v", key, p.Would, p.Known)
		}
	}
}
