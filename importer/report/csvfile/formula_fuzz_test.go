package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
)

// FuzzReportCSV writes any two cells, reads them back (line breaks as line feeds), and splits the file as a spreadsheet of another country would: no
// cell of it begins as a formula does.
func FuzzReportCSV(f *testing.F) {
	for _, seed := range []string{"", "x;=1+1;y", "=1", "'=1", "''=1", "x,+1", "x\t@SUM(A1)", "a\r\n-b", "a\n=1", "\t", "\r=1", "\r\n", "a,\r\nb", `x;"=1"`, `x;"\r=1`, `"=1`,
		"＝1", "it's", "a;'b", ";;=", "=cmd|' /C calc'!A0", " =1 ", "a;\r=1", "\n=1", `";=1`, `"`, `a;"";+1`, "'\r\n", "a;'\r\n=", "a;'\n=", "a;\r\r\n=", "a;\"\n", "'\n", "", "\n\n", "\"\t=", ",\"\"\r\n"} {
		f.Add(seed, "plain")
		f.Add("plain", seed)
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		read := func(text string) string { return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n") }
		want := []string{read(first), read(second)}
		var file bytes.Buffer
		out := bufio.NewWriter(&file)
		line := Begin(out, "one", "two")
		if err := line(first, second); err != nil || out.Flush() != nil {
			t.Fatal(err)
		}
		lines, err := Read(file.String())
		if err != nil || len(lines) != 2 || len(lines[1]) != 2 || lines[1][0] != want[0] || lines[1][1] != want[1] {
			t.Fatalf("%q was read back as %q, %v", want, lines, err)
		}
		for _, separator := range ",;\t" {
			for _, split := range []func(string, rune) [][]string{asQuoted, asPlain} {
				for _, cells := range split(strings.TrimPrefix(file.String(), byteOrderMark), separator) {
					for _, cell := range cells {
						if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
							t.Errorf("split at %q, %q of %q is a formula", separator, cell, file.String())
						}
					}
				}
			}
		}
	})
}

// asQuoted splits as programs do that go by quotes, and bear stray ones.
func asQuoted(text string, separator rune) [][]string {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = separator, true, -1
	all, _ := r.ReadAll() // what was read before an error
	return all
}

// asPlain splits as programs do that know no quotes, or take them away.
func asPlain(text string, separator rune) (lines [][]string) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		var cells []string
		for _, cell := range strings.Split(line, string(separator)) {
			cells = append(cells, strings.Trim(cell, `"`))
		}
		lines = append(lines, cells)
	}
	return lines
}

// What is written without a closer look is what the closer look would have written.
func TestPlainCellsAreInert(t *testing.T) {
	t.Parallel()
	for first := range rune(256) {
		for second := range rune(256) {
			for _, text := range []string{string(first), string([]rune{first, second}), string([]rune{'a', first, second, '7'})} {
				if isPlain(text) && (inert(text) != text || strings.ContainsAny(text, ",\"\r\n;\t") || strings.TrimSpace(text) != text) {
					t.Fatalf("%q is written as it is", text)
				}
			}
		}
	}
}
