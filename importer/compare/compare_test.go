package compare_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/payload"
	"docketsync/importer"
	"docketsync/importer/compare"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/rows"
	"docketsync/importer/source"
	"docketsync/mapping"
)

const marksMapping = `operation: update_trademark
key: Our Ref
rows:
  skip: 'row["Status"] == "Dead"'
dates: [DD/MM/YYYY]
lookups:
  registries: registries.csv
  clients: clients.csv
fields:
  id: Id
  registry_id: {column: Office, lookup: registries}
  client_agent_id: {column: Client, lookup: clients}
  mark_text: Mark
  registration_number: Reg No
  application_number: App No
  application_date: Filed
  status: {column: Status, values: {R: Registered, P: Pending}, default: Unknown}
  notes: {columns: [Notes, Remarks], join: "; "}
  do_not_create_file: {value: true}
`

var header = []string{"Our Ref", "Id", "Office", "Client", "Mark", "Reg No", "App No", "Filed", "Status", "Notes", "Remarks", "Unused"}

// firm is all that a plan is made from.
type firm struct {
	rows                [][]string
	registries, clients map[string]string
	mapping             string
	switches            payload.Switches
	options             source.Options
	version             string
	day                 time.Time
}

func guid(n int) string { return fmt.Sprintf("0b5e4c5a-7f11-4b7e-9a55-%012d", n) }

// newFirm is a firm with so many marks, whose values are drawn by a seed.
func newFirm(marks int, seed uint64) *firm {
	draw := rand.New(rand.NewPCG(seed, 1))
	f := &firm{registries: map[string]string{}, clients: map[string]string{}, mapping: marksMapping, version: "1.0.0", day: time.Date(2026, 3, 6, 18, 0, 0, 0, time.UTC)}
	for n := range 20 {
		f.registries[fmt.Sprintf("Office %02d", n)] = guid(1000 + n)
	}
	for n := range 200 {
		f.clients[fmt.Sprintf("Client %03d", n)] = guid(2000 + n)
	}
	for n := range marks {
		defer func() {
			if kind := n%40 - 3; kind == 3 || kind == 4 || kind == 6 { // what is gone or rejected changes for no other reason
				f.set(n, "Client", "Client 001")
				f.set(n, "Status", "R")
			} else if kind == 7 {
				f.set(n, "Status", "P")
			}
		}()
		f.rows = append(f.rows, []string{
			ref(n), guid(100_000 + n), fmt.Sprintf("Office %02d", draw.IntN(20)), fmt.Sprintf("Client %03d", draw.IntN(200)), fmt.Sprintf("MARK %d", draw.IntN(1000)),
			fmt.Sprint(1_000_000 + draw.IntN(900_000)), fmt.Sprint(draw.IntN(1_000_000)), fmt.Sprintf("%02d/%02d/2019", 1+draw.IntN(28), 1+draw.IntN(12)),
			[]string{"R", "P", ""}[draw.IntN(3)], fmt.Sprintf("note %d", draw.IntN(9)), "", fmt.Sprint(draw.IntN(99)),
		})
	}
	return f
}

func ref(n int) string { return fmt.Sprintf("TM-%06d", n) }

// copied is the firm with rows and tables of its own.
func (f *firm) copied() *firm {
	c := *f
	c.registries, c.clients, c.rows = maps.Clone(f.registries), maps.Clone(f.clients), make([][]string, len(f.rows))
	for n := range c.rows {
		c.rows[n] = slices.Clone(f.rows[n])
	}
	return &c
}

func (f *firm) set(n int, column, text string) string {
	at := slices.Index(header, column)
	old := f.rows[n][at]
	f.rows[n][at] = text
	return old
}

func (f *firm) replace(t testing.TB, old, now string) {
	t.Helper()
	if !strings.Contains(f.mapping, old) {
		t.Fatalf("the mapping has no %q", old)
	}
	f.mapping = strings.Replace(f.mapping, old, now, 1)
}

// job writes the files of a firm and makes the job of them.
func (f *firm) job(t testing.TB, dir string) importer.Job {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, strings.Join(header, ","))
	for _, row := range f.rows {
		fmt.Fprintln(&text, strings.Join(row, ","))
	}
	write(t, filepath.Join(dir, "marks.csv"), text.String())
	for name, table := range map[string]map[string]string{"registries.csv": f.registries, "clients.csv": f.clients} {
		text := "name,id\n"
		for _, name := range slices.Sorted(maps.Keys(table)) {
			text += name + "," + table[name] + "\n"
		}
		write(t, filepath.Join(dir, name), text)
	}
	m, err := mapping.Parse("marks.yaml", []byte(f.mapping), mapping.Options{Switches: f.switches, Today: f.day})
	if err != nil {
		t.Fatal(err)
	}
	return importer.Job{Name: "marks", Mapping: m, MappingText: []byte(f.mapping), Inputs: []rows.Input{{Path: filepath.Join(dir, "marks.csv"), Options: f.options}},
		Sources: lookups.Sources{MappingDir: dir}, Policy: decide.Policy{Switches: f.switches}}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func openLedger(t testing.TB) *ledger.Ledger {
	t.Helper()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	return book
}

// plan plans the firm's job into a ledger of its own, and writes the plan to a file.
func (f *firm) plan(t testing.TB) (path string, book *ledger.Ledger, run ledger.Run) {
	t.Helper()
	book, dir := openLedger(t), t.TempDir()
	job := f.job(t, dir)
	i := &importer.Importer{Ledger: book, Version: f.version, Now: func() time.Time { return f.day }}
	run, err := i.Plan(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := report.Build(t.Context(), book.Reader, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "marks.plan")
	if _, err := planfile.Write(t.Context(), book.Reader, path, job, summary, "http://127.0.0.1", nil, f.version); err != nil {
		t.Fatal(err)
	}
	return path, book, run
}

// expected is what is to be found of records: of each change the field, how certain its causes are, and what they are.
type expected map[string][]string

func (e expected) add(key, what string) {
	e[key] = append(e[key], what)
	slices.Sort(e[key])
}

// found is what a comparison says of a record.
func (e expected) found(d *compare.Difference) {
	say := func(field string, f compare.Finding) {
		text := string(d.Change) + field + " " + string(f.Certainty)
		for _, c := range f.Causes {
			text += " " + string(c.Kind) + ":" + c.Of
		}
		e.add(d.Key, text)
	}
	if d.Finding != nil {
		say("", *d.Finding)
	}
	for _, f := range d.Fields {
		say(" "+f.Field, f.Finding)
	}
}

// compared are the differences between two plans, by their keys.
func compared(t testing.TB, old, now compare.Plan) (expected, *compare.Result) {
	t.Helper()
	differences := expected{}
	result, err := compare.Compare(t.Context(), old, now, func(d *compare.Difference) error {
		differences.found(d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return differences, result
}

func ofFile(t testing.TB, path string) compare.Plan {
	t.Helper()
	file, err := planfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return compare.OfFile(path, file)
}

// seed is one kind of change, made in a copy of a firm: it says what must be found of which records.
type seed struct {
	name   string
	change func(t testing.TB, f *firm, expect expected)
}

// some are the numbers of rows that a kind of change is made in: no two kinds have one in common.
func some(kind int) []int {
	list := make([]int, 7)
	for n := range list {
		list[n] = 40*n + kind + 3
	}
	return list
}

// with are the rows that have a text in a column.
func (f *firm) with(column, text string) (list []int) {
	at := slices.Index(header, column)
	for n, row := range f.rows {
		if row[at] == text {
			list = append(list, n)
		}
	}
	return list
}

func seeds() []seed {
	return []seed{
		{"a cell", func(t testing.TB, f *firm, expect expected) {
			for _, n := range some(0) {
				f.set(n, "Mark", "ANOTHER")
				expect.add(ref(n), "different mark_text proven cell:Mark")
			}
		}},
		{"a cell that another field is joined of", func(t testing.TB, f *firm, expect expected) {
			for _, n := range some(1) {
				f.set(n, "Remarks", "urgent")
				expect.add(ref(n), "different notes proven cell:Remarks")
			}
		}},
		{"a cell that is looked up", func(t testing.TB, f *firm, expect expected) {
			for _, n := range some(2) {
				f.set(n, "Office", map[bool]string{true: "Office 07", false: "Office 08"}[f.rows[n][2] != "Office 07"])
				expect.add(ref(n), "different registry_id proven cell:Office")
			}
		}},
		{"a cell that is looked up in another table", func(t testing.TB, f *firm, expect expected) {
			for _, n := range some(6) {
				f.set(n, "Client", "Client 107")
				expect.add(ref(n), "different client_agent_id proven cell:Client")
			}
		}},
		{"a name's id in a lookup", func(t testing.TB, f *firm, expect expected) {
			for _, n := range f.with("Client", "Client 042") {
				expect.add(ref(n), "different client_agent_id proven lookup:clients")
			}
			f.clients["Client 042"] = guid(9999)
		}},
		{"a word that the mapping does not know", func(t testing.TB, f *firm, expect expected) {
			for _, n := range some(7) {
				f.set(n, "Status", "Z")
				expect.add(ref(n), "different status proven cell:Status")
			}
		}},
		{"a line of the mapping", func(t testing.TB, f *firm, expect expected) {
			f.replace(t, "P: Pending", "P: Filed")
			for _, n := range f.with("Status", "P") {
				expect.add(ref(n), "different status proven mapping:fields.status.values.P")
			}
		}},
		{"rows that are new and gone", func(t testing.TB, f *firm, expect expected) {
			for at, n := range some(3) {
				key := fmt.Sprintf("NEW-%d", at)
				expect.add(ref(n), "gone proven row:")
				expect.add(key, "new proven row:")
				f.set(n, "Our Ref", key)
			}
		}},
		{"a row that cannot be mapped any more", func(t testing.TB, f *firm, expect expected) {
			for _, n := range some(4) {
				f.set(n, "Filed", "soon")
				expect.add(ref(n), "different application_date proven cell:Filed")
			}
		}},
		{"a column that no field is read from", func(t testing.TB, f *firm, _ expected) {
			for _, n := range some(5) {
				f.set(n, "Unused", "x")
			}
		}},
	}
}

// TestEachCauseIsFound makes changes of each kind, by themselves and all at once, and expects just these to be found.
func TestEachCauseIsFound(t *testing.T) {
	t.Parallel()
	const marks = 400
	check := func(t *testing.T, list ...seed) {
		old := newFirm(marks, 7)
		now, expect := old.copied(), expected{}
		for _, s := range list {
			s.change(t, now, expect)
		}
		before, oldBook, _ := old.plan(t)
		after, newBook, newRun := now.plan(t)
		differences, result := compared(t, ofFile(t, before), ofFile(t, after))
		if diff := cmp.Diff(expect, differences); diff != "" {
			t.Errorf("of the plan files, other causes were found (-expected +found):\n%s", diff)
		}
		if got := result.Same + result.Different + result.Gone; got != marks || result.Added+result.Gone+result.Different != len(expect) {
			t.Errorf("%d same, %d different, %d gone, %d new", result.Same, result.Different, result.Gone, result.Added)
		}
		was, err := compare.OfRun(t.Context(), oldBook.Reader, "marks-1")
		if err != nil {
			t.Fatal(err)
		}
		is, err := compare.OfRun(t.Context(), newBook.Reader, newRun.ID)
		if err != nil {
			t.Fatal(err)
		}
		differences, _ = compared(t, was, is)
		if diff := cmp.Diff(expect, differences); diff != "" {
			t.Errorf("of the runs, other causes were found (-expected +found):\n%s", diff)
		}
	}
	for _, s := range seeds() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			check(t, s)
		})
	}
	t.Run("all at once", func(t *testing.T) {
		t.Parallel()
		check(t, seeds()...)
	})
	t.Run("all at once, with a later version on another day", func(t *testing.T) {
		t.Parallel()
		later := seed{"", func(_ testing.TB, f *firm, _ expected) { f.version, f.day = "1.1.0", f.day.AddDate(0, 0, 7) }}
		list := slices.DeleteFunc(seeds(), func(s seed) bool { return s.name == "a name's id in a lookup" })
		check(t, append(list, later)...)
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		check(t)
	})
}

// TestASettingIsFound changes how payloads are spelled, and how a file is read.
func TestASettingIsFound(t *testing.T) {
	t.Parallel()
	old := newFirm(50, 3)
	before, _, _ := old.plan(t)
	spelled := old.copied()
	spelled.switches.RegistrationNumberAsInteger = true
	after, _, _ := spelled.plan(t)
	expect := expected{}
	for n := range 50 {
		expect.add(ref(n), "different registration_number proven switch:registration_number_as_integer")
	}
	differences, result := compared(t, ofFile(t, before), ofFile(t, after))
	if diff := cmp.Diff(expect, differences); diff != "" {
		t.Errorf("(-expected +found):\n%s", diff)
	}
	if len(result.Groups) != 1 || result.Groups[0].Records() != 50 || len(result.Groups[0].Samples) != 5 {
		t.Errorf("the groups are %+v", result.Groups)
	}

	old.set(4, "Mark", "CAF\xc3\x89")
	before, _, _ = old.plan(t)
	read := old.copied()
	read.options.Encoding = "windows-1252"
	after, _, _ = read.plan(t)
	expect = expected{ref(4): {"different mark_text proven switch:encoding"}}
	if differences, _ := compared(t, ofFile(t, before), ofFile(t, after)); !cmp.Equal(expect, differences) {
		t.Errorf("of another encoding is found\n%v", differences)
	}
}

// TestAFilterIsFound leaves rows out by the mapping, and takes others out of the export at once.
func TestAFilterIsFound(t *testing.T) {
	t.Parallel()
	old := newFirm(50, 3)
	before, _, _ := old.plan(t)
	now, expect := old.copied(), expected{}
	now.replace(t, `row["Status"] == "Dead"`, `row["Client"] == "`+old.rows[9][3]+`"`)
	for _, n := range old.with("Client", old.rows[9][3]) {
		expect.add(ref(n), "gone proven mapping:rows.skip")
	}
	now.rows = slices.Delete(now.rows, 48, 49)
	expect[ref(48)] = []string{"gone proven row:"}
	after, _, _ := now.plan(t)
	if differences, _ := compared(t, ofFile(t, before), ofFile(t, after)); !cmp.Equal(expect, differences) {
		t.Errorf("(-expected +found):\n%s", cmp.Diff(expect, differences))
	}
}

// TestAVersionIsFound gives a plan another version and other values, as a release would that maps otherwise. With a lookup changed as
// well, nobody can know which of the two it was, and it is said so.
func TestAVersionIsFound(t *testing.T) {
	t.Parallel()
	old := newFirm(50, 3)
	before, _, _ := old.plan(t)
	now := old.copied()
	now.version = "2.0.0"
	after, _, _ := now.plan(t)
	reseal(t, after, func(line string) string {
		if strings.Contains(line, ref(7)) {
			line = strings.NewReplacer(`"mark_text":"`, `"mark_text":"THE `, `"digest":"`, `"digest":"0`).Replace(line)
		}
		return line
	})
	expect := expected{ref(7): {"different mark_text proven version:"}}
	if differences, _ := compared(t, ofFile(t, before), ofFile(t, after)); !cmp.Equal(expect, differences) {
		t.Errorf("found %v", differences)
	}

	now.clients[old.rows[9][3]] = guid(9999)
	expect = expected{}
	for _, n := range old.with("Client", old.rows[9][3]) {
		expect.add(ref(n), "different client_agent_id either lookup:clients version:")
	}
	after, _, _ = now.plan(t)
	if differences, _ := compared(t, ofFile(t, before), ofFile(t, after)); !cmp.Equal(expect, differences) {
		t.Errorf("(-expected +found):\n%s", cmp.Diff(expect, differences))
	}
}

// TestWhatWasUnchangedIsComparedWithWhatTheServiceHeld compares a plan in which a record was unchanged, so that only its digest is kept, with one in
// which it is updated from just that.
func TestWhatWasUnchangedIsComparedWithWhatTheServiceHeld(t *testing.T) {
	t.Parallel()
	book := openLedger(t)
	plan := func(id string, r ledger.Record) compare.Plan {
		run := ledger.Run{ID: id, Job: "marks", Kind: ledger.Push, Operation: "update_trademark", Scope: "marks", Phase: ledger.Reading, Fingerprint: "f", Started: time.Now(),
			Sources: []ledger.Source{{SHA256: id, Header: []string{"Ref", "Mark"}, Origins: []ledger.Origin{{Field: "mark_text", Columns: []int{1}}}}},
			Made:    &ledger.Made{Version: "1.0.0", Mapping: "m", Text: "operation: update_trademark\n"}}
		if err := book.Begin(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		r.Run, r.Seq, r.Scope, r.Key = id, 1, "marks", "M-1"
		if _, err := book.Add(t.Context(), []ledger.Record{r}); err != nil {
			t.Fatal(err)
		}
		if run.Phase = ledger.Finished; book.SaveRun(t.Context(), run) != nil {
			t.Fatal("the run could not be ended")
		}
		p, err := compare.OfRun(t.Context(), book.Reader, id)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	before, after := []byte(`{"mark_text":"OLD"}`), []byte(`{"mark_text":"NEW"}`)
	same := ledger.Record{Action: ledger.None, State: ledger.Unchanged, Digest: decide.Digest(before), Rows: []ledger.Row{{Number: 2}}}
	changed := ledger.Record{Action: ledger.Update, State: ledger.Planned, Digest: decide.Digest(after), Payload: after, Previous: before, Rows: []ledger.Row{{Number: 2, Cells: []byte(`["M-1","NEW"]`)}}}
	other := changed
	other.Previous = []byte(`{"mark_text":"ANOTHER"}`)
	unchanged, updated, updatedElse := plan("a1", same), plan("a2", changed), plan("a3", other)
	for _, c := range []struct {
		old, now compare.Plan
		want     string
	}{{unchanged, updated, "mark_text OLD NEW"}, {updated, unchanged, "mark_text NEW OLD"}, {unchanged, updatedElse, ""}} {
		got := ""
		result, err := compare.Compare(t.Context(), c.old, c.now, func(d *compare.Difference) error {
			if f := d.Fields[0]; f.Old != nil && f.New != nil {
				got = f.Field + " " + f.Old.Text + " " + f.New.Text
			}
			return nil
		})
		if err != nil || got != c.want || len(result.Groups) != 1 || result.Groups[0].Words() != "a cell of the export that one of the plans does not keep" {
			t.Errorf("found %q, want %q: %+v %v", got, c.want, result, err)
		}
	}
}

// reseal changes the lines of a plan and seals it again.
func reseal(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	forged := ""
	for _, line := range lines[:len(lines)-1] {
		forged += change(line)
	}
	sum := sha256.Sum256([]byte(forged))
	write(t, path, forged+fmt.Sprintf("{\"seal\":%q}\n", hex.EncodeToString(sum[:])))
}

// BenchmarkCompare compares plans of 100,000 records, files and runs, beside a check of the same export. It gives the ratio of their times.
func BenchmarkCompare(b *testing.B) {
	marks := benchMarks()
	old := newFirm(marks, 7)
	hundredth, line := old.copied(), old.copied()
	for n := 0; n < marks; n += 100 {
		hundredth.set(n, "Mark", "ANOTHER")
	}
	line.replace(b, "default: Unknown", "default: Other")
	line.replace(b, "P: Pending", "P: Filed")
	before, oldBook, oldRun := old.plan(b)
	checked := func() time.Duration {
		began := time.Now()
		i := &importer.Importer{Ledger: openLedger(b)}
		if _, err := i.Check(b.Context(), old.job(b, b.TempDir())); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for name, now := range map[string]*firm{"nothing": old, "a hundredth": hundredth, "two thirds": line} {
		after, newBook, newRun := now.plan(b)
		b.Run(name, func(b *testing.B) {
			var files, runs, checks time.Duration
			for b.Loop() {
				began := time.Now()
				compared(b, ofFile(b, before), ofFile(b, after))
				files += time.Since(began)
				was, err := compare.OfRun(b.Context(), oldBook.Reader, oldRun.ID)
				if err != nil {
					b.Fatal(err)
				}
				is, err := compare.OfRun(b.Context(), newBook.Reader, newRun.ID)
				if err != nil {
					b.Fatal(err)
				}
				began = time.Now()
				compared(b, was, is)
				runs += time.Since(began)
				checks += checked()
			}
			b.ReportMetric(float64(files)/float64(checks), "files/check")
			b.ReportMetric(float64(runs)/float64(checks), "runs/check")
		})
	}
}

func benchMarks() int { return 40_000 }
