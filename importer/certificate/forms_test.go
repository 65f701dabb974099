package certificate_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
)

// hostile are values that somebody might put into a cell to make a certificate do something.
var hostile = []string{
	`<script>pwned=1</script>`, `</style><script>pwned=2</script>`, `"><img src=x onerror=pwned=3>`, `{{.Verdict}}`, `]]></t><f>1</f>`,
	`=HYPERLINK("http://example.invalid","x")`, `+1+cmd|'/c calc'!A1`, `-1+1`, `@SUM(1)`, "\t=1", "a\x01b",
}

// besieged is a migration in which every text is hostile.
func besieged(t testing.TB) *book {
	b := newBook(t)
	n := b.night(func(r *ledger.Run) {
		r.Job = hostile[0]
		r.Sources[0].File, r.Sources[0].Sheet = "/exports/"+hostile[2], hostile[5]
		r.Sources[0].Header = append([]string{}, hostile[:8]...)
		r.Counts.Skipped = map[string]int{hostile[1]: 1}
	})
	for i, h := range hostile {
		n.send(mark(i+2, "r"+h, h, h, h, "", h), ledger.Accepted)
		n.plan(reject(mark(i+100, "x"+h, h, h, h, "", h), h, h, h))
	}
	n.end(func(r *ledger.Run) { r.Phase, r.Stop = ledger.Stopped, strings.Join(hostile, " ") })
	return b
}

func TestHostileCellsStayTextInTheWorkbook(t *testing.T) {
	t.Parallel()
	data := written(t, besieged(t).certify(30))[1]
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range archive.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(part.Name, "xl/worksheets/") && bytes.Contains(text, []byte("<f>")) {
			t.Errorf("%s holds a formula", part.Name)
		}
	}
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all strings.Builder
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			all.WriteString(strings.Join(row, "\x1f") + "\x1f")
		}
	}
	for _, h := range hostile {
		if want := strings.ReplaceAll(h, "\x01", "\ufffd"); !strings.Contains(all.String(), want) {
			t.Errorf("%q is not in the workbook", want)
		}
	}
}

// TestTheWorkbookHasTheNumbersOfTheJSON reads the sheets back.
func TestTheWorkbookHasTheNumbersOfTheJSON(t *testing.T) {
	t.Parallel()
	cert := migration(t).certify(4)
	f, err := excelize.OpenReader(bytes.NewReader(written(t, cert)[1]))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := strings.Join(f.GetSheetList(), ", "); got != "Certificate, Not imported, Reconciliation, Totals, Sample" {
		t.Errorf("the sheets are %s", got)
	}
	has := func(sheet string, want ...string) {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if strings.Contains("\x1f"+strings.Join(row, "\x1f")+"\x1f", "\x1f"+strings.Join(want, "\x1f")+"\x1f") {
				return
			}
		}
		t.Errorf("%s has no row with %q", sheet, want)
	}
	has("Certificate", cert.Verdict)
	has("Certificate", "Rows read", "16")
	has("Certificate", "Imported", "5")
	has("Certificate", "counted in a later run", "4")
	has("Not imported", "update trademark", "TM-7")
	has("Not imported", "all", "2")
	has("Reconciliation", "client", "all", "", "7", "5", "-2")
	has("Totals", "SHA-256 of the imported keys", cert.Operations[0].Hashes.OfIn, "5")
	has("Sample", cert.Sample[0].Key)
}

// TestTheJSONSaysEverythingByItsName keeps the form stable.
func TestTheJSONSaysEverythingByItsName(t *testing.T) {
	t.Parallel()
	var read map[string]any
	if err := json.Unmarshal(written(t, migration(t).certify(4))[2], &read); err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"form", "verdict", "complete", "adds_up", "service", "from", "until", "runs", "overall", "operations", "not_in", "seed", "sample_size", "sample"} {
		if _, there := read[member]; !there {
			t.Errorf("there is no member %s", member)
		}
	}
	if read["form"] != "docketsync-certificate/1" {
		t.Errorf("the form is %v", read["form"])
	}
}

// TestFurtherValuesAreCountedTogether shows that what differs is not lost behind the values that the page has room for.
func TestFurtherValuesAreCountedTogether(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night()
	for i := range 70 {
		client := fmt.Sprintf("Client %02d", i)
		r := mark(2*i+2, fmt.Sprintf("TM-%02d", i), "EM", "Ash", "Registered", "", client)
		n.plan(reject(r, "no", "client_agent_id", "no"))
		if i >= 65 {
			n.send(mark(2*i+3, fmt.Sprintf("TX-%02d", i), "EM", "Ash", "Registered", "", client), ledger.Accepted)
		}
	}
	n.end()
	page := string(written(t, b.certify(0))[0])
	want := `<tr class="part further differs"><th scope="row">65 further values, in the workbook</th><td class="n">65</td><td class="n">0</td><td class="n">− 65</td></tr>`
	if !strings.Contains(page, want) {
		t.Errorf("the further values are not shown as %s", want)
		if _, rest, ok := strings.Cut(page, `class="part further`); ok {
			t.Log(rest[:300])
		}
	}
}

// BenchmarkCertificate is a migration of 100,000 marks, with all its files. peak-MB is the heap that it holds at most.
func BenchmarkCertificate(b *testing.B) {
	book := portfolio(b, 100_000)
	for _, n := range book.runs {
		n.records, n.outcomes = nil, nil
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most.Store(max(most.Load(), now.HeapAlloc))
			}
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		cert := book.certify(12)
		if cert.Overall.In != 100_000 || cert.Overall.NotIn != 1 {
			b.Fatalf("the account is %+v", cert.Overall)
		}
		if _, err := cert.Write(b.TempDir(), nil); err != nil {
			b.Fatal(err)
		}
	}
	close(done)
	b.ReportMetric(float64(most.Load()-before.HeapAlloc)/(1<<20), "peak-MB")
}

// TestTheCoverIsWhatIsSigned has on the first page whose migration it is, what, from where and when, the totals, the limits and the
// signatures, and the rest behind it.
func TestTheCoverIsWhatIsSigned(t *testing.T) {
	t.Parallel()
	cert := migration(t).certify(40)
	cert.Firm = "Whitcombe & Vance"
	cover, annex, ok := strings.Cut(string(written(t, cert)[0]), `<h2 class="annex">Annex</h2>`)
	if !ok {
		t.Fatal("there is no annex")
	}
	for _, want := range []string{"<dd>Whitcombe &amp; Vance</dd>", " marks to update</dd>", "<dt>From</dt><dd>", "<dt>When</dt><dd>", cert.Verdict, `data-path="overall.not_in"`,
		"part 2 of the annex lists", "Update trademark: accepted by the service", "For the firm", "Signature"} {
		if !strings.Contains(cover, want) {
			t.Errorf("the cover does not have %q", want)
		}
	}
	if !strings.Contains(annex, "1 The account") || strings.Contains(annex, "For the firm") {
		t.Error("the annex is not what is behind the signatures")
	}
	if got := strings.Count(annex, `<article class="record"`); got != len(cert.Shown()) || got > len(cert.Operations) {
		t.Errorf("the page has %d records of the sample of %d", got, len(cert.Sample))
	}
}
