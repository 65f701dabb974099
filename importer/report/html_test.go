package report_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"docketsync/importer/ledger"
	"docketsync/importer/report/files"
)

// pageOf is a page taken apart: what a person sees without a script, and the data of its table.
type pageOf struct {
	plain, whole string
	index        []map[string]json.RawMessage
	texts        []string
	details      []string
}

var chunk = regexp.MustCompile(`<script type="application/json" data-chunk="(\w+)">"([A-Za-z0-9+/=]*)"</script>`)

func (b *book) page() pageOf {
	b.t.Helper()
	var out bytes.Buffer
	b.must(files.WriteOne(b.t.Context(), &out, b.led.Reader, b.run.ID, "report.html"))
	p := pageOf{whole: out.String()}
	p.plain, _, _ = strings.Cut(p.whole, `<script type="application/json" id="data">`)
	for _, found := range chunk.FindAllStringSubmatch(p.whole, -1) {
		packed, err := base64.StdEncoding.DecodeString(found[2])
		b.must(err)
		data, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
		b.must(err)
		switch found[1] {
		case "index":
			var index map[string]json.RawMessage
			b.must(json.Unmarshal(data, &index))
			p.index = append(p.index, index)
		case "text":
			p.texts = append(p.texts, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")...)
		case "detail":
			var list []json.RawMessage
			b.must(json.Unmarshal(data, &list))
			for _, detail := range list {
				p.details = append(p.details, string(detail))
			}
		}
	}
	return p
}

func TestPageSaysItWithoutAScript(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	plain := b.page().plain
	for _, want := range []string{
		"<h1>52 of 63 matters were imported, 2 were already in the service; 1 row waits for 1 id; 4 matters (5 rows) need correcting; 1 record, counted above, has a change that cannot be sent; 1 is in doubt;",
		"67 rows read = 64 in records + 3 skipped",
		"The counts add up.",
		"<b>52</b> <span><i class=\"f0\"></i>created</span>",
		"&#34;…&#34; may be a day in two months",
		"&#34;P. Quist&#34; is not in the table attorneys",
		"<td>row 57</td><td>M-0056</td>",
		"2 hidden rows were read like any others. Set hidden to keep or skip.",
		"the first visible one that holds a table",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if n := strings.Count(plain, "<svg "); n != 2 {
		t.Errorf("%d charts", n)
	}
}

func TestPageWarnsOfMiscounts(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted, func(r *ledger.Run) { r.Counts.Read += 5 })
	plain := b.page().plain
	if !strings.Contains(plain, "The counts do not add up") || !strings.Contains(plain, "72 rows were read, but 64 in records and 3 skipped make 67.") || strings.Contains(plain, "The counts add up.") {
		t.Error("the page does not say that the counts do not add up")
	}
}

// crowd is a run of many rejected records: more than two chunks of the table, and many of details.
func crowd(t testing.TB) (b *book, many int) {
	t.Helper()
	b, many = newBook(t), 4321
	for i := range many {
		b.plan(ledger.Record{Key: fmt.Sprintf("K-%05d", i), State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{row(i+2, fmt.Sprintf("K-%05d", i), fmt.Sprintf("Ärger %d", i))},
			Reasons: []ledger.Reason{{Code: "x", Message: fmt.Sprintf("wrong %d", i)}}})
	}
	b.end()
	return b, many
}

func TestPageHoldsEveryRecordInItsPlace(t *testing.T) {
	t.Parallel()
	b, many := crowd(t)
	p := b.page()
	var keys []string
	for _, index := range p.index {
		var list []string
		b.must(json.Unmarshal(index["k"], &list))
		keys = append(keys, list...)
	}
	if len(keys) != many || len(p.texts) != many || len(p.details) != many {
		t.Fatalf("%d keys, %d texts, %d details for %d records", len(keys), len(p.texts), len(p.details), many)
	}
	for i := range many {
		if keys[i] != fmt.Sprintf("K-%05d", i) || !strings.Contains(p.texts[i], fmt.Sprintf("\targer %d\t", i)) || !strings.Contains(p.details[i], fmt.Sprintf(`"wrong %d"`, i)) {
			t.Fatalf("record %d: %s, %q, %s", i, keys[i], p.texts[i], p.details[i])
		}
	}
}

func TestUpdatesShowOldAndNew(t *testing.T) {
	t.Parallel()
	b := newBook(t, func(r *ledger.Run) { r.Operation = "update_trademark" })
	b.send(ledger.Record{
		Key: "TM-1", Action: ledger.Update, Rows: []ledger.Row{row(2, "TM-1")},
		Payload:  json.RawMessage(`{"mark_text":"ACME","status":"Registered","notes":null,"good_and_services":[]}`),
		Previous: json.RawMessage(`{"mark_text":"ACME","status":"Pending","image_url":"https://x.example/a.png"}`),
	}, ledger.Outcome{State: ledger.Accepted, Status: 200})
	b.end()
	want := `"f":[["mark_text","ACME"],["status","Registered","Pending"],["notes",["null"],null],["good_and_services",["[]"],null],["image_url",null,"https://x.example/a.png",true]],"u":true`
	if detail := b.page().details[0]; !strings.Contains(detail, want) {
		t.Errorf("got %s\nwant %s", detail, want)
	}
}

// TestRejectedRowsHaveNames shows that a rejected row, which has no payload, is named from the column that names are
// read from.
func TestRejectedRowsHaveNames(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end()
	var list []string
	b.must(json.Unmarshal(b.page().index[0]["n"], &list))
	if list[54] != "Nordwind, second action" || list[0] != "Łódź Textiles v. Nordwind (1)" || list[52] != "" {
		t.Errorf("names %q, %q, %q", list[54], list[0], list[52])
	}
}
