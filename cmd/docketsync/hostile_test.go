package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/xuri/excelize/v2"
)

// obeyed is what a terminal would act on.
func obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || strings.ContainsRune("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r)
}

// TestNothingCommandsTheTerminal has control characters in cells, headers, names of files, sheets, fields and keys, and in what the
// service says, and asks every command that shows them for text and for JSON.
func TestNothingCommandsTheTerminal(t *testing.T) {
	t.Parallel()
	const (
		words = "\x1b]0;owned\a \u009b31m \u0085 \u202egnp\u2066 \x7f \x1b[1mstrong\x1b[0m"
		seen  = `\u001b]0;owned\u0007 \u009b31m \u0085 \u202egnp\u2066 \u007f \u001b[1mstrong\u001b[0m`
		sheet = "S\u009b31m\u202egnp" // XML takes no others
	)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"successful": false, "message": "no " + words, "errors": []string{words}})
	}))
	t.Cleanup(service.Close)
	dir := t.TempDir()
	quoted := `"` + seen[:len(seen)-len(` \u001b[1mstrong\u001b[0m`)] + `"` // YAML spells them as JSON does
	file := "a\x1b[2J\u009b\u202e.csv"
	book := excelize.NewFile()
	if err := book.SetSheetName("Sheet1", sheet); err != nil {
		t.Fatal(err)
	}
	for cell, text := range map[string]string{"A1": "Ref", "B1": "Mark\u009b31m", "A2": "B-1\u202e", "B2": "\u009b31m\u2066"} {
		if err := book.SetCellStr(sheet, cell, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.SaveAs(filepath.Join(dir, "book.xlsx")); err != nil {
		t.Fatal(err)
	}
	head := quoted[1 : len(quoted)-1]
	mapping := "operation: update_trademark\nkey: Ref\nfields:\n  id: {value: 7b4a78ea-edbd-5e59-97ce-fb39c3302daa}\n" +
		"  registry_id: {value: 93241af7-dc2e-5f9e-9b63-49ab58654820}\n  mark_text: {column: %s}\n  application_date: %s\n  application_number: Ref\n  do_not_create_file: {value: true}\n"
	for name, text := range map[string]string{
		"docketsync.yaml": "service: {base_url: '" + service.URL + "', paths: {update_trademark: /v1/firms/trademark}, subscription_key: {env: KEY}}\njobs:\n" +
			"  - {name: marks, source: \"a\\e[2J\\u009b\\u202e.csv\", mapping: marks.yaml}\n  - {name: book, source: book.xlsx, mapping: book.yaml}\n",
		"marks.yaml": fmt.Sprintf(mapping, quoted, "Filed"),
		"book.yaml":  fmt.Sprintf(mapping, `"Mark\u009b31m"`, "{column: Filed, optional: true}"),
		file: "Ref," + strings.NewReplacer(`\u001b`, "\x1b", `\u0007`, "\a", `\u009b`, "\u009b", `\u0085`, "\u0085", `\u202e`, "\u202e", `\u2066`, "\u2066", `\u007f`, "\x7f").Replace(head) +
			",Filed,Unused " + words + "\nA-1,SOL " + words + ",2024-03-01,x\nA-2 " + words + ",LUNA,01/" + words + ",x\nA-3,MAR,2024-03-01," + words + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shown := 0
	for _, line := range [][]string{
		{"rows", file}, {"rows", "book.xlsx"}, {"rows", "book.xlsx", "--sheet", "none" + words}, {"rows", "none" + words},
		{"check"}, {"check", words}, {"plan", "marks"}, {"plan", "book"}, {"preview", "marks", "--row", "2"}, {"preview", "marks", "--row", "3"},
		{"preview", "marks", "--key", words}, {"preview", "book", "--row", "2"}, {"run"}, {"run", words}, {"runs"}, {"report"}, {"report", words},
		{"doubts"}, {"init", file, "--out", "proposed"}, {"--" + words},
	} {
		for _, form := range [][]string{nil, {"--json"}, {"--verbose"}} {
			code, out := programWith(t, dir, []string{"KEY=the-key-of-the-firm"}, append(append([]string{}, line...), form...)...)
			if n := strings.IndexFunc(out, obeyed); n >= 0 {
				t.Errorf("%q %q (exit %d) writes %+q", line, form, code, out[max(0, n-80):min(len(out), n+40)])
			}
			if strings.Contains(out, `\u009b31m`) {
				shown++
			}
		}
	}
	if shown < 30 {
		t.Errorf("only %d of the commands show such words at all", shown)
	}
}
