package importer_test

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
)

const foldersMapping = `
operation: create_folder
key: Folder
fields:
  name:      Name
  client_id: Client
  files:
    item: {name: Matter, number: Number}
`

const foldersHead = "Folder,Name,Client,Matter,Number\n"

// reject returns the only reject of a run.
func (w *world) reject(run ledger.Run) ledger.Record {
	w.t.Helper()
	var found []ledger.Record
	for _, r := range w.records(run) {
		if r.State == ledger.Rejected {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		w.t.Fatalf("%d rejects, want one", len(found))
	}
	return found[0]
}

// TestFolderWhoseRowsDisagreeIsOneReject spreads a folder with two clients, and then with two names, over a file of
// many others.
func TestFolderWhoseRowsDisagreeIsOneReject(t *testing.T) {
	t.Parallel()
	const other = "0b5e4c5a-7f11-4b7e-9a55-000000000033"
	for field, rows := range map[string][3]string{
		"client_id": {"X,The X,%s,a,1", "X,The X,%s,b,2", "X,The X," + other + ",c,3"},
		"name":      {"X,The X,%s,a,1", "X,The X,%s,b,2", "X,The Y,%s,c,3"},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			var b strings.Builder
			b.WriteString(foldersHead)
			const n = 2500
			for i := range n {
				if i%1000 == 0 {
					b.WriteString(strings.Replace(rows[i/1000], "%s", company, 1) + "\n")
				}
				fmt.Fprintf(&b, "F%d,Folder %d,%s,File %d,%d\n", i%50, i%50, company, i, i)
			}
			run := w.run(w.job("folders", foldersMapping, b.String()))
			w.expect(run, "accepted 50, rejected 1")
			r := w.reject(run)
			if len(r.Reasons) != 1 || r.Reasons[0].Code != "rows_disagree" || r.Reasons[0].Field != field ||
				!strings.Contains(r.Reasons[0].Message, " in rows 2, 1003; ") || !strings.HasSuffix(r.Reasons[0].Message, " in row 2004") {
				t.Errorf("the reject says %+v", r.Reasons)
			}
			var at []int
			for _, row := range r.Rows {
				at = append(at, row.Number)
				if !strings.HasPrefix(string(row.Cells), `["X",`) {
					t.Errorf("row %d is kept as %s", row.Number, row.Cells)
				}
			}
			if !slices.Equal(at, []int{2, 1003, 2004}) {
				t.Errorf("the reject has the rows %v", at)
			}
			if state := w.state(); state.Folders != 50 {
				t.Errorf("the service holds %d folders", state.Folders)
			}
		})
	}
}

func TestFolderOverTwoFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	second := w.write("second.csv", foldersHead+"F1,One,"+company+",b,2\nF2,Two,"+company+",c,3\n")
	job := w.job("folders", foldersMapping, foldersHead+"F1,One,"+company+",a,1\nF3,Three,"+company+",d,4\n")
	job.Inputs[0].Options.Header = 1
	job.Inputs = append(job.Inputs, rows.Input{Path: second, Options: job.Inputs[0].Options})
	run, err := w.importer().Plan(t.Context(), job)
	w.must(err)
	w.addsUp(run)
	w.expect(run, "planned 3")
	for _, r := range w.records(run) {
		if r.Key == "F1" && !strings.Contains(string(r.Payload), `"files":[{"name":"a","number":1},{"name":"b","number":2}]`) {
			t.Errorf("F1 is planned as %s", r.Payload)
		}
	}
	// One mapper cannot read both files if the second has other columns.
	w.write("second.csv", "Client,Folder,Name,Matter,Number\n"+company+",F1,One,b,2\n"+company+",F2,Two,c,3\n")
	run = w.run(job)
	w.expect(run, "accepted 2, rejected 1")
	r := w.reject(run)
	if r.Reasons[0].Code != "record_over_files" || !strings.Contains(r.Reasons[0].Message, second) || len(r.Rows) != 2 {
		t.Errorf("the reject says %+v of %d rows", r.Reasons, len(r.Rows))
	}
}

func TestFolderOfTenThousandRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const n = 10_000
	file := func(name func(i int) string) string {
		var b strings.Builder
		b.WriteString(foldersHead)
		for i := range n {
			fmt.Fprintf(&b, "F,%s,%s,File %d,%d\n", name(i), company, i, i)
		}
		return b.String()
	}
	run, err := w.importer().Plan(t.Context(), w.job("folders", foldersMapping, file(func(int) string { return "All" })))
	w.must(err)
	w.addsUp(run)
	w.expect(run, "planned 1")
	if r := w.records(run)[0]; len(r.Rows) != n || strings.Count(string(r.Payload), `"number":`) != n {
		t.Errorf("%d rows, %d files", len(r.Rows), strings.Count(string(r.Payload), `"number":`))
	}
	run, err = w.importer().Plan(t.Context(), w.job("folders", foldersMapping, file(func(i int) string { return fmt.Sprint("Name ", i%(n/2)) })))
	w.must(err)
	w.addsUp(run)
	if r := w.reject(run); len(r.Rows) != n || len(r.Reasons) != 1 || len(r.Reasons[0].Message) > 2000 || !strings.HasSuffix(r.Reasons[0].Message, "; and 4990 other values") {
		t.Errorf("%d rows with reasons of %d characters", len(r.Rows), len(r.Reasons[0].Message))
	}
}

// TestFilledFolder has the folder's own values in only one of its rows.
func TestFilledFolder(t *testing.T) {
	t.Parallel()
	file := foldersHead + "F1,,,a,1\nF2,Two," + company + ",b,2\nF1,One,,c,3\nF1,," + company + ",d,4\n"
	w := newWorld(t, sandbox.Faults{})
	run, err := w.importer().Plan(t.Context(), w.job("folders", foldersMapping, file))
	w.must(err)
	w.expect(run, "planned 1, rejected 1")
	run = w.run(w.job("folders", foldersMapping+"rows: {fill: true}\n", file))
	w.expect(run, "accepted 2")
	for _, r := range w.records(run) {
		if r.Key == "F1" && !strings.HasPrefix(string(r.Payload), `{"name":"One","client_id":"`+company+`","files":[{"name":"a","number":1},{"name":"c"`) {
			t.Errorf("F1 was sent as %s", r.Payload)
		}
	}
}

// TestFilteredFolderIsFilled filters by the folder's status, which is only in the first of its rows.
func TestFilteredFolderIsFilled(t *testing.T) {
	t.Parallel()
	const file = "Folder,Name,Client,Matter,Number,Status\nF1,One," + company + ",a,1,Live\nF1,,,b,2,\nF2,Two," + company + ",c,3,Dead\nF2,,,d,4,\nF3,Three," + company + ",e,5,Live\n"
	w := newWorld(t, sandbox.Faults{})
	text := foldersMapping + "rows: {fill: true, only: 'row[\"Status\"] == \"Live\"'}\n"
	asked := w.run(w.job("folders", text, file))
	w.expect(asked, "accepted 1, rejected 1") // nothing of F1 is created, because its other file could not be added later
	run := w.run(w.job("folders", strings.Replace(text, "fill: true", "fill: true, fill_filters: true", 1), file))
	w.expect(run, "accepted 1, unchanged 1")
	if run.Counts.Read != 5 || run.Counts.InRecords != 3 || w.state().Folders != 2 {
		t.Errorf("%+v are the rows of %d folders", run.Counts, w.state().Folders)
	}
	for _, r := range w.records(run) {
		if r.Key == "F1" && !strings.Contains(string(r.Payload), `"files":[{"name":"a","number":1},{"name":"b","number":2}]`) {
			t.Errorf("F1 was sent as %s", r.Payload)
		}
	}
}

// TestOneRowBecomesACaseAndAMark has two jobs read one file.
func TestOneRowBecomesACaseAndAMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const file = "Ref,Title,Status,Id,Mark,App\nM-1,LUMEN in the Union,Open," + mark1 + ",LUMEN,018123456\nM-2,A dispute,Open,,,\n"
	caseJob := w.job("matters", casesMapping, file)
	markJob := w.job("marks", marksMapping+"rows: {only: 'row[\"Id\"] != \"\"'}\n", file)
	markJob.Inputs = caseJob.Inputs
	for range 2 { // the two do not take each other's keys for their own
		cases, marks := w.run(caseJob), w.run(markJob)
		if cases.Counts.Read != 2 || marks.Counts.Read != 2 || marks.Counts.InRecords != 1 {
			t.Errorf("the jobs read %+v and %+v", cases.Counts, marks.Counts)
		}
	}
	if state := w.state(); state.Cases != 2 || state.Requests != 3 {
		t.Errorf("the service holds %d cases after %d requests", state.Cases, state.Requests)
	}
}

// BenchmarkPlanGroups plans folders of three rows each, with the rows of a folder as far apart as possible.
func BenchmarkPlanGroups(b *testing.B) {
	for _, groups := range []int{20_000, 200_000} {
		b.Run(fmt.Sprint(groups), func(b *testing.B) {
			compiled, err := mapping.Parse("folders.yaml", []byte(foldersMapping), mapping.Options{})
			if err != nil {
				b.Fatal(err)
			}
			var most peak
			for b.Loop() {
				b.StopTimer()
				dir := b.TempDir()
				job := importer.Job{Name: "folders", Mapping: compiled, MappingText: []byte(foldersMapping), Inputs: []rows.Input{{Path: folderRows(b, dir, groups)}}}
				book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
				if err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				i := &importer.Importer{Ledger: book, Progress: func(importer.Progress) { most.look() }}
				b.StartTimer()
				run, err := i.Plan(b.Context(), job)
				if err != nil || run.Counts.InRecords != 3*groups {
					b.Fatalf("%+v: %v", run.Counts, err)
				}
				b.StopTimer()
				if err := book.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			report(b, 3*groups, &most)
		})
	}
}

func folderRows(b *testing.B, dir string, groups int) string {
	b.Helper()
	path := filepath.Join(dir, "folders.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprint(w, foldersHead)
	for file := range 3 {
		for i := range groups {
			fmt.Fprintf(w, "F-%07d,Folder %d,%s,File %d,%d\n", i, i, company, file, 3*i+file)
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// TestReasonsTellRowsOfOneNumberInTwoFilesApart has a record with row 2 of two files, one of which is wrong.
func TestReasonsTellRowsOfOneNumberInTwoFilesApart(t *testing.T) {
	t.Parallel()
	const cases = "operation: create_case\nkey: Ref\nfields:\n  name: Title\n  number: Ref\n  active: Active\n  file_template_id: {value: " + template + "}\n  user_id: {value: " + user + "}\n"
	for _, test := range []struct {
		name, mapping, first, second string
		want                         map[string]int // by code
	}{
		{"one record of rows", foldersMapping, foldersHead + "F1,One," + company + ",a,1\n", foldersHead + "F1,One," + company + ",b,x\n", map[string]int{"number_invalid": 2}},
		{"two records of one key", cases, "Ref,Title,Active\nA,One,yes\n", "Ref,Title,Active\nA,Two,what\n", map[string]int{"duplicate_key": 1, "boolean_unknown": 2}},
		{"two records of one key, the first of them wrong", cases, "Ref,Title,Active\nA,One,what\n", "Ref,Title,Active\nA,Two,yes\n", map[string]int{"duplicate_key": 1, "boolean_unknown": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			job := w.job("two", test.mapping, test.first)
			job.Inputs = append(job.Inputs, rows.Input{Path: w.write("second.csv", test.second), Options: job.Inputs[0].Options})
			run, err := w.importer().Plan(t.Context(), job)
			w.must(err)
			got := map[string]int{}
			for _, reason := range w.reject(run).Reasons {
				got[reason.Code] = reason.Source
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("the sources of the reasons are %v, want %v", got, test.want)
			}
		})
	}
}

// TestAFileOfAnotherFolderIsCreatedOnce moves a file to a new folder, from a folder that stays and from one that is
// gone. A number that stays in its folder may be used in the new one too.
func TestAFileOfAnotherFolderIsCreatedOnce(t *testing.T) {
	t.Parallel()
	const other = "0b5e4c5a-7f11-4b7e-9a55-000000000033"
	const first, second, third = "F1,One,C,a,1\n", "F1,One,C,b,2\n", "F3,Three,C,c,3\n"
	for name, test := range map[string]struct{ checks, night, states, code string }{
		"moved":                         {"", first + third + "F2,Two,C,b,2\n", "rejected 1, unchanged 2", reason.FileCreated},
		"of a folder that is gone":      {"", third + "F2,Two,C,b,2\nF2,Two,C,d,4\n", "rejected 1, unchanged 1", reason.Renamed},
		"of another client":             {"", first + third + "F2,Two," + other + ",b,2\n", "refused 1, unchanged 2", ""}, // the service does not know it
		"of a number that stays":        {"", first + second + third + "F2,Two,C,b,2\n", "accepted 1, unchanged 2", ""},
		"moved, which the mapping says": {"checks: {file_created: warn}\n", first + third + "F2,Two,C,b,2\n", "accepted 1, unchanged 2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			night := func(rows string) ledger.Run {
				return w.run(w.job("folders", test.checks+foldersMapping, foldersHead+strings.ReplaceAll(rows, ",C,", ","+company+",")))
			}
			w.expect(night(first+second+third), "accepted 2")
			night(first + third) // what is changed since is the same as in the last run from then on
			run := night(test.night)
			w.expect(run, test.states)
			if test.code != "" && w.reject(run).Reasons[0].Code != test.code {
				t.Errorf("rejected for %+v", w.reject(run).Reasons)
			}
		})
	}
}
