package report_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
	"docketsync/importer/report/wording"
)

// hostile are values that somebody might put into a cell, or a service into an answer, to make a report do something.
var hostile = []string{
	`<script>pwned=1</script>`, `</script><script>pwned=2</script>`, `<!--<script>`, `"><img src=x onerror=pwned=3>`, `' onmouseover='pwned=4`,
	`<svg/onload=pwned=5>`, `javascript:pwned=6`, `{{.Run}}`, "${pwned=7}", `]]></t><f>1</f>`, `&lt;b&gt;`, `</style><style>*{display:none}`, `</title><script>pwned=8</script>`,
	`=HYPERLINK("http://example.invalid","x")`, `+1+cmd|'/c calc'!A1`, `-1+1`, `@SUM(1)`, "\t=1", "\r=1", "\n=1", `＝1+1`, `＋1`, `－1`, `＠SUM(1)`, "a\u2028b\u2029c", "\\u003cscript\\u003e", `__proto__`, "A\u202e21\u2066\u200bB",
}

// besieged is a run in which every text is hostile. The run before it rejected what this one corrects, for hostile reasons.
func besieged(t testing.TB) *book {
	t.Helper()
	all := strings.Join(hostile, " ")
	earlier := newBook(t, func(r *ledger.Run) {
		r.Job, r.Operation = all, "update_case"
		r.Sources = []ledger.Source{{File: "/exports/" + hostile[0] + ".xlsx", Sheet: hostile[1], SHA256: hostile[2], Header: append(hostile[:len(hostile):len(hostile)], "Last"),
			Origins: []ledger.Origin{{Field: "registry_id", From: "column", Columns: []int{0}}, {Field: "file_client_id", From: "column", Columns: []int{1}}}}}
	})
	for i, h := range hostile {
		earlier.plan(reject("c"+h, []ledger.Reason{{Code: h, Message: h}}, row(i+2, h+h, "changed")))
	}
	earlier.end(func(r *ledger.Run) { r.Phase, r.Stop, r.StopCode = ledger.Stopped, all, all })
	b := earlier.next("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c", 1, func(r *ledger.Run) {
		r.StopCode = hostile[0]
		r.Guards = []ledger.Guard{{Name: hostile[0], Column: hostile[3], Message: all}}
		r.Passed = &ledger.Passed{By: all, At: began}
		r.Counts.Skipped = map[string]int{hostile[0]: 1, hostile[15]: 2}
		notes, err := json.Marshal([]any{map[string]any{"format": hostile[0], hostile[1]: hostile[3], "warnings": []any{hostile[0], map[string]string{"message": hostile[1], "hint": hostile[3]}}}})
		if err != nil {
			t.Fatal(err)
		}
		r.Notes = notes
	})
	cells := make([]any, 0, len(hostile))
	for _, h := range hostile {
		cells = append(cells, h)
	}
	for i, h := range hostile {
		text, err := json.Marshal(h)
		b.must(err)
		payload := json.RawMessage(`{"name":` + string(text) + `,` + string(text) + `:[` + string(text) + `]}`)
		reason := ledger.Reason{Code: h, Field: h, Column: h, Cell: h, Value: h, Message: h, Hint: h, Row: 2*i + 2}
		b.plan(ledger.Record{Key: "r" + h, State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{row(2*i+2, cells...)}, Reasons: []ledger.Reason{reason}, Notes: []ledger.Reason{reason}})
		b.send(ledger.Record{Key: h, Action: ledger.Update, Payload: payload, Previous: json.RawMessage(`{"name":"before"}`), Rows: []ledger.Row{row(2*i+3, cells...)}, Notes: []ledger.Reason{reason}},
			ledger.Outcome{State: ledger.Refused, Status: 400, Message: h, ServiceID: h, Reasons: []ledger.Reason{reason},
				Attempts: []ledger.Attempt{{Duration: time.Millisecond, Status: 400, Verdict: h, Error: h, Answer: h}}})
	}
	for i, h := range hostile {
		b.send(ledger.Record{Key: "c" + h, Action: ledger.Update, Payload: json.RawMessage(`{"name":"now"}`), Rows: []ledger.Row{row(2*len(hostile)+i+4, append([]any{h}, cells[1:]...)...)}},
			ledger.Outcome{State: ledger.Accepted, Status: 200})
	}
	b.end(func(r *ledger.Run) { r.Phase, r.Stop = ledger.Stopped, all })
	return b
}

func TestHostileValuesStayTextInJSON(t *testing.T) {
	t.Parallel()
	b := besieged(t)
	records := b.json()["records"].([]any)
	for i, h := range hostile {
		record := records[2*i+1].(map[string]any)
		if record["key"] != h || record["message"] != h || record["payload"].(map[string]any)["name"] != h || record["attempts"].([]any)[0].(map[string]any)["answer"] != h {
			t.Errorf("%q came out as %v", h, record)
		}
	}
}

func TestHostileValuesStayTextInCSV(t *testing.T) {
	t.Parallel()
	for _, line := range besieged(t).csv()[1:] {
		for n, text := range line {
			if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r\n") || strings.ContainsAny(string([]rune(text + " ")[:1]), "＝＋－＠") {
				t.Errorf("column %d begins like a formula: %q", n, text)
			}
		}
		if key := csvfile.Plain(line[2]); !isHostile(key) && !isHostile(strings.TrimPrefix(key, "r")) && !isHostile(strings.TrimPrefix(key, "c")) && !isHostile(strings.TrimPrefix(key, "'")) {
			t.Errorf("the key %q is not as it was", key)
		}
	}
}

func isHostile(text string) bool {
	for _, h := range hostile {
		// A quoted line break of any kind reads as a line feed.
		if strings.ReplaceAll(text, "\r", "\n") == strings.ReplaceAll(h, "\r", "\n") {
			return true
		}
	}
	return false
}

func TestHostileValuesStayTextInXLSX(t *testing.T) {
	t.Parallel()
	b := besieged(t)
	path := b.rejects()
	archive, err := zip.OpenReader(path)
	b.must(err)
	defer archive.Close()
	for _, part := range archive.File {
		r, err := part.Open()
		b.must(err)
		data, err := io.ReadAll(r)
		b.must(err)
		if strings.HasPrefix(part.Name, "xl/worksheets/sheet") && strings.Contains(string(data), "<f") {
			t.Errorf("%s holds a formula", part.Name)
		}
		if strings.Contains(part.Name, "external") || strings.Contains(string(data), `TargetMode="External"`) {
			t.Errorf("%s points outside", part.Name)
		}
	}
	rows := b.sheet(path, "Rejects")
	for n, h := range hostile {
		if got := rows[1][4+n]; got != h {
			t.Errorf("%q came out as %q", h, got)
		}
	}
}

func TestHostileValuesStayTextInHTML(t *testing.T) {
	t.Parallel()
	p := besieged(t).page()
	body := p.whole[strings.Index(p.whole, "</style>"):]
	body, _, _ = strings.Cut(body, "<script>(() => {")
	for _, tag := range []string{"<script>pwned", "<img", "<svg/", "<style>*", "<f>", "<!--", "onerror=pwned=3>"} {
		if strings.Contains(body, tag) {
			at := strings.Index(body, tag)
			t.Errorf("%q stands in the page: …%s…", tag, body[max(0, at-80):min(len(body), at+80)])
		}
	}
	if n := strings.Count(p.whole, "<script"); n != 2+strings.Count(p.whole, `<script type="application/json" data-chunk=`) {
		t.Errorf("%d script elements", n)
	}
	for _, want := range []string{`id="corrected-title"`, "The last 2 runs", "<del>" + html.EscapeString(hostile[0]+hostile[0]) + "</del>"} {
		if !strings.Contains(p.plain, want) {
			t.Errorf("%q is not in the page, and should be for this test's sake", want)
		}
	}
	if !strings.Contains(p.plain, html.EscapeString(hostile[0])) {
		t.Error("the hostile value is not shown at all")
	}
	if strings.ContainsAny(p.plain, wording.Marks) || !strings.Contains(p.plain, "<td>rA⟨U+202E⟩21⟨U+2066⟩⟨U+200B⟩B</td>") {
		t.Error("a mark that disguises a value is not to be seen")
	}
}

// TestHostileValuesDoNothingInABrowser opens a page in which every text is hostile, opens records, searches and filters.
func TestHostileValuesDoNothingInABrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.open(besieged(t))
	b.Eval(`[...document.querySelectorAll('.open-it')].map(button => button.click()).length`)
	b.Until(`document.querySelectorAll('tr.detail').length === document.querySelectorAll('tr.line').length`)
	b.Eval(`document.querySelectorAll('details').forEach(folded => { folded.open = true; })`)
	for i := range 3 * len(hostile) {
		b.Eval(fmt.Sprintf(`(document.querySelectorAll('a[data-cause]')[%d] || {click() {}}).click()`, i))
	}
	if got := b.Eval(`typeof pwned`); got != "undefined" {
		t.Errorf("a script of the data ran: pwned = %s", b.Eval("pwned"))
	}
	if got := b.Eval(`document.querySelectorAll('main img, main style, svg[onload], [onmouseover]').length`); got != "0" {
		t.Errorf("%s elements came from the data", got)
	}
	if got := b.Eval(`/[\u200b\u202e\u2066]/.test(document.querySelector('#table').textContent) + document.querySelector('#table').textContent.match(/A⟨[^B]*B⟩B/)`); got != "falseA⟨U+202E⟩21⟨U+2066⟩⟨U+200B⟩B" {
		t.Errorf("a mark that disguises a value is not to be seen in the table: %q", got)
	}
	b.quiet()
}
