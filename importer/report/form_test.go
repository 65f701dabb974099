package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/importer/report/files"
)

func (b *book) json() map[string]any {
	b.t.Helper()
	var out bytes.Buffer
	b.must(files.WriteOne(b.t.Context(), &out, b.led.Reader, b.run.ID, "report.json"))
	var doc map[string]any
	decoder := json.NewDecoder(bytes.NewReader(out.Bytes()))
	decoder.UseNumber()
	b.must(decoder.Decode(&doc))
	return doc
}

func (b *book) csv() [][]string {
	b.t.Helper()
	var out bytes.Buffer
	b.must(files.WriteOne(b.t.Context(), &out, b.led.Reader, b.run.ID, "report.csv"))
	text, marked := strings.CutPrefix(out.String(), "\ufeff")
	if !marked {
		b.t.Error("the CSV file does not begin with a byte order mark")
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	b.must(err)
	return lines
}

func TestJSONHoldsEveryRecord(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	doc := b.json()
	if doc["form"] != "docketsync-report/2" {
		t.Errorf("form %v", doc["form"])
	}
	summary, records := doc["summary"].(map[string]any), doc["records"].([]any)
	if summary["adds_up"] != true || len(records) != 63 {
		t.Errorf("adds_up %v, %d records", summary["adds_up"], len(records))
	}
	counted := map[string]int{}
	for _, r := range records {
		counted[r.(map[string]any)["outcome"].(string)]++
	}
	want := map[string]int{}
	for _, c := range summary["records"].(map[string]any)["by_outcome"].([]any) {
		count := c.(map[string]any)
		if n, _ := count["records"].(json.Number).Int64(); n > 0 {
			want[count["outcome"].(string)] = int(n)
		}
	}
	if !maps.Equal(counted, want) {
		t.Errorf("records %v, summary %v", counted, want)
	}
	doubt := records[59].(map[string]any)
	attempts := doubt["attempts"].([]any)
	want1 := map[string]any{"number": json.Number("1"), "started": "2026-11-21T06:02:03.4Z", "duration_ms": json.Number("1200"), "verdict": "in_doubt", "error": "connection reset by peer"}
	if diff := cmp.Diff([]any{want1}, attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

// TestDigitsSurvive shows that a number goes from the payload into every form with the digits it had.
func TestDigitsSurvive(t *testing.T) {
	t.Parallel()
	const digits = "12345678901234567890.1000"
	b := newBook(t)
	b.send(ledger.Record{Key: "F-1", Payload: json.RawMessage(`{"name":"Halvorsen","files":[{"number":` + digits + `}]}`),
		Rows: []ledger.Row{row(2, n(digits))}}, ledger.Outcome{State: ledger.Accepted, Status: 201})
	b.end()
	var out bytes.Buffer
	b.must(files.WriteOne(t.Context(), &out, b.led.Reader, b.run.ID, "report.json"))
	if !strings.Contains(out.String(), `"number":`+digits) || !strings.Contains(out.String(), `{"n":"`+digits+`"}`) {
		t.Errorf("the digits are gone from %s", out.String())
	}
	if detail := b.page().details[0]; !strings.Contains(detail, `["files[0].number",["`+digits+`"]`) {
		t.Errorf("the digits are gone from the page: %s", detail)
	}
}

func TestEachRecordOfJSONStandsOnItsLine(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end()
	var out bytes.Buffer
	b.must(files.WriteOne(t.Context(), &out, b.led.Reader, b.run.ID, "report.json"))
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	for _, line := range lines[3 : len(lines)-1] {
		if !json.Valid([]byte(strings.TrimSuffix(line, ","))) {
			t.Errorf("not a record: %s", line)
		}
	}
	if len(lines) != 63+4 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestCSVHasALineForEveryRow(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	lines := b.csv()
	at := func(name string) int { return slices.Index(lines[0], name) }
	if len(lines)-1 != b.run.Counts.InRecords {
		t.Errorf("%d lines for %d rows", len(lines)-1, b.run.Counts.InRecords)
	}
	var pair [][]string
	for _, line := range lines {
		if line[at("key")] == "M-0058" || line[at("key")] == "M-0056" {
			pair = append(pair, []string{line[at("outcome")], line[at("row")], line[at("cells")], line[at("reasons")]})
		}
	}
	want := [][]string{
		{"rejected", "57", "C57 D57", "\"03/04/2026\" may be a day in two months\n\"P. Quist\" is not in the table attorneys"},
		{"rejected", "59", "", `rows 59, 60 have the same key "M-0058" and different values`},
		{"rejected", "60", "", `rows 59, 60 have the same key "M-0058" and different values`},
	}
	if diff := cmp.Diff(want, pair); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestCSVIsRFC4180(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.plan(ledger.Record{Key: "a,\"b\"\r\nc\nd", State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{row(2)}, Reasons: []ledger.Reason{{Code: "x", Message: " padded "}}})
	b.end()
	var out bytes.Buffer
	b.must(files.WriteOne(t.Context(), &out, b.led.Reader, b.run.ID, "report.csv"))
	text := out.String()
	for _, want := range []string{"\"a,\"\"b\"\"\r\nc\nd\"", `," padded ",`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if !strings.HasSuffix(text, "\r\n") || strings.Count(text, "outcome,action,key,file,sheet,row,cells,reasons,what to do") != 1 {
		t.Errorf("header or line ends: %q", text)
	}
}

func TestWrittenAgainFilesAreReplaced(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	dir := t.TempDir()
	written, err := files.Write(t.Context(), b.led.Reader, b.run.ID[:20], dir)
	b.must(err)
	want := filepath.Join(dir, "matters-2026-11-21-060200-3f4a5b")
	if written.Dir != want || written.HTML != filepath.Join(want, "report.html") || written.Rejects != filepath.Join(want, "rejects.xlsx") {
		t.Errorf("files %+v", written)
	}
	b.must(os.WriteFile(written.JSON, []byte("{half"), 0o600))
	if _, err := files.Write(t.Context(), b.led.Reader, b.run.ID, dir); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(written.JSON); err != nil || !json.Valid(data) {
		t.Errorf("report.json was not replaced: %v", err)
	}
	if names := listed(t, written.Dir); !slices.Equal(names, []string{"rejects.xlsx", "report.csv", "report.html", "report.json"}) {
		t.Errorf("the folder holds %v", names)
	}
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestHalfAReportIsNotSeen shows that a report which cannot be written to its end leaves the earlier one alone, and
// nothing behind.
func TestHalfAReportIsNotSeen(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end()
	dir := t.TempDir()
	written, err := files.Write(t.Context(), b.led.Reader, b.run.ID, dir)
	b.must(err)
	before, err := os.ReadFile(written.CSV)
	b.must(err)
	broken := ledger.Record{Run: b.run.ID, Scope: b.run.Scope, Seq: 64, Key: "broken", State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{{Number: 70, Cells: json.RawMessage(`[{"zz":"of no known kind"}]`)}}}
	_, err = b.led.Add(t.Context(), []ledger.Record{broken})
	b.must(err)
	if _, err = files.Write(t.Context(), b.led.Reader, b.run.ID, dir); err == nil || !strings.Contains(err.Error(), "record 64") || !strings.Contains(err.Error(), "row 70") {
		t.Errorf("got the error %v", err)
	}
	after, err := os.ReadFile(written.CSV)
	b.must(err)
	if names := listed(t, written.Dir); !bytes.Equal(before, after) || len(names) != 4 {
		t.Errorf("the earlier report was touched; the folder holds %v", names)
	}
}

func TestWithoutRejectsThereIsNoWorkbook(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.send(ledger.Record{Key: "M-1", Payload: matter("M-1", "Halvorsen"), Rows: []ledger.Row{row(2, "M-1")}}, ledger.Outcome{State: ledger.Failed, Message: "down"})
	b.end()
	dir := t.TempDir()
	stale := filepath.Join(dir, "matters-2026-11-21-060200-3f4a5b")
	b.must(os.MkdirAll(stale, 0o755))
	b.must(os.WriteFile(filepath.Join(stale, "rejects.xlsx"), []byte("of an earlier writing"), 0o600))
	files, err := files.Write(t.Context(), b.led.Reader, b.run.ID, dir)
	b.must(err)
	if names := listed(t, files.Dir); files.Rejects != "" || slices.Contains(names, "rejects.xlsx") {
		t.Errorf("rejects %q, folder %v", files.Rejects, names)
	}
}

func TestJobNameCannotLeaveTheFolder(t *testing.T) {
	t.Parallel()
	for _, job := range []string{"../../etc", `..\..\windows`, "/root", ".", "", "a/b\x00c", "NUL: matters?", strings.Repeat("ä", 200)} {
		b := newBook(t, func(r *ledger.Run) { r.Job = job })
		b.end()
		dir := t.TempDir()
		files, err := files.Write(t.Context(), b.led.Reader, b.run.ID, dir)
		b.must(err)
		if filepath.Dir(files.Dir) != dir || strings.ContainsAny(filepath.Base(files.Dir), `/\:?`) || strings.HasPrefix(filepath.Base(files.Dir), ".") {
			t.Errorf("job %q: %s", job, files.Dir)
		}
	}
}

// halfWriter fails after some bytes, as a full disk does.
type halfWriter struct{ left int }

func (h *halfWriter) Write(p []byte) (int, error) {
	if len(p) > h.left {
		return h.left, io.ErrShortWrite
	}
	h.left -= len(p)
	return len(p), nil
}

func TestFullDiskIsReported(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end()
	for name, write := range map[string]func(io.Writer) error{
		"json": func(w io.Writer) error { return files.WriteOne(t.Context(), w, b.led.Reader, b.run.ID, "report.json") },
		"csv":  func(w io.Writer) error { return files.WriteOne(t.Context(), w, b.led.Reader, b.run.ID, "report.csv") },
		"html": func(w io.Writer) error { return files.WriteOne(t.Context(), w, b.led.Reader, b.run.ID, "report.html") },
		"rejects": func(w io.Writer) error {
			return files.WriteOne(t.Context(), w, b.led.Reader, b.run.ID, "rejects.xlsx")
		},
	} {
		if err := write(&halfWriter{2000}); err == nil {
			t.Errorf("%s: no error where the disk is full", name)
		}
	}
}
