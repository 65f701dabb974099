package importer_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/rows"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// drawnColumns are the columns of drawn files, and usualCells what they usually contain.
var (
	drawnColumns = []string{"Ref", "Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta"}
	usualCells   = map[string][]string{
		"Ref":     {"K-1", "K-1", "k 01", "K-2", "K-3", "K-4", "K-5", "Ключ"},
		"Alpha":   {mark1, company, strings.ToUpper(company)},
		"Beta":    {"SOL", "Luna <é> & co", "R", "Registered", "EU 018", "M-1"},
		"Gamma":   {"2014-12-25", "2024-01-13", "2024-03-01", ""},
		"Delta":   {"7", "12.50", "0", "12345678901234567890"},
		"Epsilon": {"yes", "no", "x"},
		"Zeta":    {"https://x.example/1", "http://x.example/é"},
		"Eta":     {"Known", "KNOWN TOO", "9"},
	}
	// usualColumn is the column that a field of a type mostly takes.
	usualColumn = map[payload.Type]string{payload.TypeGUID: "Alpha", payload.TypeGUIDs: "Alpha", payload.TypeText: "Beta", payload.TypeDate: "Gamma",
		payload.TypeNumber: "Delta", payload.TypeBool: "Epsilon", payload.TypeURL: "Zeta", payload.TypeComponents: "Beta"}
)

// drawMapping draws a mapping that loads: each required field and some of the others, from columns, constants and
// expressions, with steps that suit its type.
func drawMapping(t *rapid.T, op payload.Operation, scope string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "operation: %s\nscope: %s\n", op, scope)
	b.WriteString(rapid.SampledFrom([]string{"key: Ref\n", "key: Ref\n", "key: [Ref, Alpha]\n", "key: {expr: 'upper(row[\"Ref\"])'}\n"}).Draw(t, "key"))
	fmt.Fprintf(&b, "rows: {group: %v, fill: %v%s}\n", rapid.Bool().Draw(t, "group"), rapid.Bool().Draw(t, "fill"),
		rapid.SampledFrom([]string{"", `, skip: 'row["Alpha"] == "Dead"'`, `, only: 'row["Beta"] != ""'`}).Draw(t, "filter"))
	b.WriteString(rapid.SampledFrom([]string{"", "dates: [DD/MM/YYYY]\n", "dates: [DD/MM/YYYY, MM/DD/YYYY, D MMMM YYYY]\n"}).Draw(t, "dates"))
	b.WriteString(rapid.SampledFrom([]string{"", "blanks: [\"-\", n/a]\n"}).Draw(t, "blanks"))
	b.WriteString(rapid.SampledFrom([]string{"", "empty: null\n", "empty: keep\n", "empty: omit\n", "empty: reject\n"}).Draw(t, "empty"))
	b.WriteString(rapid.SampledFrom([]string{"", "checks: off\n", "checks: warn\n", "checks: warn\n", "checks: warn\n", "checks: error\n"}).Draw(t, "checks"))
	fmt.Fprintf(&b, "lookups:\n  ids: {inline: {Known: %s, Knówn too: %s, \"9\": %s}}\nfields:\n", mark1, company, class9)
	for _, target := range payload.Fields(op, payload.Switches{}) {
		if target.Required || rapid.IntRange(0, 3).Draw(t, "mapped") == 0 {
			drawField(t, &b, "  ", target)
		}
	}
	return b.String()
}

func drawField(t *rapid.T, b *strings.Builder, indent string, target payload.Field) {
	column, other := usualColumn[target.Type], rapid.SampledFrom(drawnColumns).Draw(t, "other")
	if target.Type == payload.TypeComponents {
		other = "Gamma"
	}
	if rapid.IntRange(0, 15).Draw(t, "odd") == 0 {
		column = rapid.SampledFrom(drawnColumns).Draw(t, "column")
	}
	forms := map[payload.Type][]string{
		payload.TypeGUID:  {"{value: " + company + "}", "{column: Eta, lookup: ids}", "{column: COLUMN, default: " + user + "}", "{column: Eta, lookup: ids, default: Known}"},
		payload.TypeGUIDs: {"{columns: [Eta, Eta], lookup: ids}", "{column: COLUMN, split: \";\"}", "{value: [" + user + "]}"},
		payload.TypeText: {"COLUMN", "COLUMN", "{columns: [COLUMN, OTHER], join: \"; \"}", "{expr: 'trim(row[\"COLUMN\"]) + \"/\" + upper(row[\"OTHER\"])'}", "{value: \"a <é> text\"}",
			"{column: COLUMN, values: {R: Registered, \"-\": }, unknown: keep, default: none}", "{column: COLUMN, trim: false, empty: keep}", "{column: COLUMN, max: 20, truncate: true, default: x}"},
		payload.TypeURL:        {"COLUMN", "{value: https://marks.example/1.png}"},
		payload.TypeDate:       {"COLUMN", "{column: COLUMN, dates: [YYYY-MM-DD, DD.MM.YY], pivot: 50}", "{value: 2024-03-01}"},
		payload.TypeBool:       {"{value: yes}", "{column: COLUMN, default: no, yes: [Live], unknown: default}", "COLUMN"},
		payload.TypeNumber:     {"COLUMN", "{expr: 'digits(row[\"COLUMN\"])', default: 7}", "{value: 12345678901234567890}"},
		payload.TypeComponents: {"[]", "{items: {" + class9 + ": COLUMN, " + class35 + ": {column: OTHER, type: date}}}", "{items: {" + class9 + ": {column: Eta, lookup: ids}}}"},
	}
	if target.Type == payload.TypeItems {
		fmt.Fprintf(b, "%s%s:\n%s  item:\n", indent, target.Name, indent)
		for _, inner := range target.Items {
			if inner.Required {
				drawField(t, b, indent+"    ", inner)
			}
		}
		return
	}
	form := rapid.SampledFrom(forms[target.Type]).Draw(t, target.Name)
	form = strings.NewReplacer("COLUMN", column, "OTHER", other).Replace(form)
	fmt.Fprintf(b, "%s%s: %s\n", indent, target.Name, form)
}

// drawCell draws what stands in a cell of a text file.
func drawCell(t *rapid.T) string {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return strings.ReplaceAll(rapid.String().Draw(t, "text"), "\x00", "") // which is no text file
	case 1:
		return rapid.SampledFrom([]string{"", " ", "\u00a0", "-", "n/a", "\ufeff", "Dead", "#N/A", "Live", "KNOWN TOO"}).Draw(t, "blank")
	case 2:
		return strings.Repeat(rapid.SampledFrom([]string{"x", "é", "𝄞 ", "a\n", "\"", "\u0301"}).Draw(t, "of"), rapid.SampledFrom([]int{254, 255, 5000, 30000}).Draw(t, "many"))
	case 3:
		return rapid.StringMatching(`-?0?[0-9]{1,25}(\.[0-9]{1,3}0)?(E5)?`).Draw(t, "number")
	case 4:
		return rapid.SampledFrom([]string{"01/03/2024", "31/02/2024", "13/12/2014", "03/04/2024", "2024-03-01", "2024-03-01T10:00:00Z", "1 mars 2020", "01.03.49", "2999-01-01"}).Draw(t, "date")
	}
	return rapid.SampledFrom(usualCells[rapid.SampledFrom(drawnColumns).Draw(t, "column")]).Draw(t, "elsewhere")
}

// drawRow draws a row of usual cells, some of them wild.
func drawRow(t *rapid.T, wild int) []string {
	row := make([]string, len(drawnColumns))
	for n, name := range drawnColumns {
		if row[n] = rapid.SampledFrom(usualCells[name]).Draw(t, name); rapid.IntRange(0, 19).Draw(t, "wild") < wild {
			row[n] = drawCell(t)
		}
	}
	return row
}

// drawFile draws rows whose keys are often those of others, or nearly.
func drawFile(t *rapid.T) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(drawnColumns) // into memory
	wild := max(0, rapid.IntRange(-4, 4).Draw(t, "wildness"))
	for range rapid.IntRange(1, 12).Draw(t, "rows") {
		_ = w.Write(drawRow(t, wild))
	}
	w.Flush()
	return b.String()
}

var drawnDay = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// TestWhatIsPlannedIsWhatIsSent maps random rows with random mappings, twice with the same result. The payload that a
// plan shows is byte for byte the one that the client makes of it.
func TestWhatIsPlannedIsWhatIsSent(t *testing.T) {
	t.Parallel()
	for _, op := range payload.Operations {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			payloads := 0
			rapid.Check(t, func(t *rapid.T) {
				if plannedIsSent(t, drawMapping(t, op, "s")) {
					payloads++
				}
			})
			if payloads == 0 {
				t.Error("no payload was drawn")
			}
		})
	}
}

// plannedIsSent maps drawn rows, and reports whether they made a payload.
func plannedIsSent(t *rapid.T, text string) bool {
	compiled, err := mapping.Parse("m.yaml", []byte(text), mapping.Options{Today: drawnDay})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	rows := drawRows(t)
	if !compiled.Grouped() {
		rows = rows[:1]
	}
	first, reasons := bound(t, compiled).Map(rows)
	again, reasonsAgain := bound(t, compiled).Map(rows)
	if first.Key != again.Key || !bytes.Equal(first.Payload, again.Payload) || !slices.EqualFunc(reasons, reasonsAgain, func(a, b reason.Reason) bool { return reflect.DeepEqual(a, b) }) || !slices.Equal(first.Traits, again.Traits) {
		t.Fatalf("mapped twice:\n%s %s %v\n%s %s %v", first.Key, first.Payload, reasons, again.Key, again.Payload, reasonsAgain)
	}
	if len(reasons) > 0 {
		return false
	}
	sent, err := payload.Encode(compiled.Operation(), first.Payload, payload.Switches{})
	if err != nil || !bytes.Equal(sent.Body, first.Payload) {
		t.Fatalf("planned %s\nsent    %s\n%v\n%s", first.Payload, sent.Body, err, text)
	}
	return true
}

// drawRows draws the rows of one record, which mostly agree.
func drawRows(t *rapid.T) []table.Row {
	var rows []table.Row
	wild := max(0, rapid.IntRange(-3, 3).Draw(t, "wildness"))
	for n := range rapid.IntRange(1, 3).Draw(t, "rows") {
		row := table.Row{Number: n + 2}
		for column, text := range drawRow(t, wild) {
			cell := table.Cell{Kind: table.Text, Text: text}
			if n > 0 && rapid.IntRange(0, 9).Draw(t, "same") > 0 {
				cell = rows[0].Cells[column]
			}
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

func bound(t *rapid.T, m *mapping.Mapping) *mapping.Mapper {
	mapper, err := m.Bind(table.Header{Names: drawnColumns}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return mapper
}

// TestCheckAndRunAgree takes random files through check, plan and run. Check and plan send nothing. All three reject
// the same rows for the same reasons. Every row is in one record, and each record of the run ends in one outcome.
func TestCheckAndRunAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	states := map[ledger.State]int{}
	draws := 0
	rapid.Check(t, func(t *rapid.T) {
		draws++
		if draws > longer(15, 100) { // each draw is three runs on disk
			return
		}
		text := drawMapping(t, payload.Operations[draws%len(payload.Operations)], fmt.Sprint("s", draws))
		name := fmt.Sprint("drawn", draws)
		compiled, err := mapping.Parse(name+".yaml", []byte(text), mapping.Options{Today: drawnDay})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		job := importer.Job{Name: name, Mapping: compiled, MappingText: []byte(text), Sources: lookups.Sources{MappingDir: w.dir},
			Inputs: []rows.Input{{Path: w.write(name+".csv", drawFile(t)), Options: source.Options{Header: 1, HeaderRows: 1}}}}
		before := w.state().Requests
		checked, err := w.importer().Check(w.t.Context(), job)
		w.must(err)
		told := w.verdicts(checked)
		planned, err := w.importer().Plan(w.t.Context(), job)
		w.must(err)
		if after := w.state().Requests; after != before {
			t.Fatalf("check and plan sent %d requests", after-before)
		}
		if again := w.verdicts(planned); !maps.Equal(told, again) {
			t.Fatalf("check says %v and plan %v", told, again)
		}
		run, err := w.importer().Run(w.t.Context(), job)
		w.must(err)
		if run.Phase != ledger.Finished {
			t.Fatalf("the run ended as %s: %s", run.Phase, run.Stop)
		}
		if ran := w.verdicts(run); !maps.Equal(told, ran) {
			t.Fatalf("check says %v and run %v\n%s", told, ran, text)
		}
		for _, r := range []ledger.Run{checked, planned, run} {
			w.addsUp(r)
		}
		for _, r := range w.records(run) {
			states[r.State]++
			switch r.State {
			case ledger.Accepted, ledger.Refused, ledger.Rejected:
			default:
				t.Fatalf("%s ended as %s: %s", r.Key, r.State, r.Message)
			}
		}
	})
	if states[ledger.Rejected] == 0 || states[ledger.Accepted]+states[ledger.Refused] == 0 {
		t.Errorf("the draws became %v", states)
	}
}

// verdicts says for each row whether its record is rejected before sending, and why. A row in two records is an error.
func (w *world) verdicts(run ledger.Run) map[string]string {
	w.t.Helper()
	told := map[string]string{}
	for _, r := range w.records(run) {
		verdict := "sent"
		if r.State == ledger.Rejected {
			verdict = ""
			for _, reason := range r.Reasons {
				verdict += fmt.Sprintf("%s %s %d; ", reason.Code, reason.Field, reason.Row)
			}
		}
		for _, row := range r.Rows {
			at := fmt.Sprintf("%s row %d", filepath.Base(run.Sources[row.Source].File), row.Number)
			if told[at] != "" {
				w.t.Errorf("%s is in two records", at)
			}
			told[at] = verdict
		}
	}
	return told
}
