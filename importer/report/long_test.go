package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
)

// Of a long run, the page and the JSON form list every problem and some of the rest, and say where all of it is.
func TestALongRunIsListedUpToABound(t *testing.T) {
	t.Parallel()
	const allOf = "docketsync report matters-1 --json --all"
	b := migration(t, 2500)
	doc := b.json()
	summary, records := doc["summary"].(map[string]any), doc["records"].([]any)
	if len(records) != 1025 || fmt.Sprint(summary["records_listed"]) != "1025" || summary["full_list"] != allOf {
		t.Errorf("%d records are listed, the summary says %v, all: %v", len(records), summary["records_listed"], summary["full_list"])
	}
	rejected := 0
	for _, r := range records {
		if r.(map[string]any)["outcome"] == "rejected" {
			rejected++
		} else if tries := r.(map[string]any)["attempts"].([]any); len(tries) != 1 || r.(map[string]any)["payload"] == nil {
			t.Errorf("listed without what was sent: %v", r)
		}
	}
	if summary["adds_up"] != true || rejected != 25 || strings.Contains(fmt.Sprint(summary), "problems_unlisted") {
		t.Errorf("%d rejects are listed, %v", rejected, summary["discrepancies"])
	}
	page := b.page()
	for _, want := range []string{"Of the 2,475 records without problems, the first 1,000 are listed. report.csv has a line for every row",
		"the console shows any record", allOf, "the 1,025 records listed, of 2,500"} {
		if !strings.Contains(strings.ReplaceAll(page.plain, "&#39;", "'"), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if lines := b.csv(); len(lines) != 2501 {
		t.Errorf("%d lines of CSV", len(lines))
	}
	var all bytes.Buffer
	b.must(files.WriteRecords(t.Context(), &all, b.led.Reader, b.run.ID[:30]))
	lines := strings.Split(strings.TrimSpace(all.String()), "\n")
	if len(lines) != 2500 {
		t.Fatalf("%d records are printed", len(lines))
	}
	for n, line := range lines {
		var r struct {
			Seq     int64           `json:"seq"`
			Outcome string          `json:"outcome"`
			Payload json.RawMessage `json:"payload"`
			Tries   []any           `json:"attempts"`
		}
		b.must(json.Unmarshal([]byte(line), &r))
		if r.Seq != int64(n+1) || (r.Outcome == "created") != (len(r.Payload) > 0 && len(r.Tries) == 1) {
			t.Fatalf("line %d: %.200s", n+1, line)
		}
	}
}

// The lines of many rows are compressed, and take the place of those that are not.
func TestManyLinesAreCompressed(t *testing.T) {
	t.Parallel()
	b, dir := newBook(t), t.TempDir()
	var rows []ledger.Row
	for n := range 20_001 {
		rows = append(rows, rowOf(0, n+2))
	}
	b.send(ledger.Record{Key: "K", Payload: matter("r", "n"), Rows: rows}, ledger.Outcome{State: ledger.Accepted, Status: 201})
	b.end()
	folder := filepath.Join(dir, files.Folder(b.run))
	b.must(os.Mkdir(folder, 0o700))
	b.must(os.WriteFile(filepath.Join(folder, report.CSVFile), []byte("an older version's"), 0o600))
	written, err := files.Write(t.Context(), b.led.Reader, b.run.ID, dir)
	b.must(err)
	if names := listed(t, folder); filepath.Base(written.CSV) != "report.csv.gz" || strings.Contains(strings.Join(names, " "), "report.csv ") {
		t.Errorf("%s is told, %v are there", written.CSV, names)
	}
	packed, err := os.Open(written.CSV)
	b.must(err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	b.must(err)
	text, err := io.ReadAll(unpacked)
	b.must(err)
	if lines := strings.Count(string(text), "\r\n"); lines != 20_002 || !strings.HasPrefix(string(text), "\ufeffoutcome,") {
		t.Errorf("%d lines: %.80q", lines, text)
	}
}

// Whoever waits is told how far the files are, from more than nothing to at most all, without a step back.
func TestWritingTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	b := migration(t, 2500)
	var told []int
	_, err := files.WriteSummary(t.Context(), b.led.Reader, b.summary(), t.TempDir(), func(percent int) { told = append(told, percent) })
	b.must(err)
	if len(told) < 5 || told[0] <= 0 || told[len(told)-1] > 100 || told[len(told)-1] < 60 {
		t.Fatalf("told: %v", told)
	}
	for n := range told[1:] {
		if told[n+1] <= told[n] {
			t.Fatalf("told: %v", told)
		}
	}
}
