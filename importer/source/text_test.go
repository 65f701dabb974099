package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
)

// reading is a file as read to its end or to the first fault.
type reading struct {
	header   []string
	rows     []string // "2: a|b", "3/5: a|b" when the line is another than the row, "4: | [blank]" when skipped
	fault    string
	hint     string
	detected Detected
}

// readFile reads a file under the options.
func readFile(t testing.TB, path string, o Options) reading {
	t.Helper()
	s, err := Open(t.Context(), path, o)
	if err != nil {
		return faulted(t, reading{}, err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	return readSourceRows(t, s)
}

func readSourceRows(t testing.TB, s *Source) reading {
	t.Helper()
	r := readAllOf(t, s, s.Rows(t.Context()))
	if info, err := os.Stat(s.file); err != nil || info.Size() > 100_000 {
		return r // more of the same
	}
	ahead := readAllOf(t, s, s.AllRows(t.Context()))
	if diff := cmp.Diff(r, ahead, cmp.AllowUnexported(reading{})); diff != "" {
		t.Errorf("the rows are others when they are read ahead: %s", diff)
	}
	return r
}

func readAllOf(t testing.TB, s *Source, rows iter.Seq2[table.Row, error]) reading {
	t.Helper()
	r := reading{header: s.Header().Names}
	for row, err := range rows {
		if err != nil {
			r.detected = s.Detected()
			return faulted(t, r, err)
		}
		r.rows = append(r.rows, shown(row))
	}
	r.detected = s.Detected()
	return r
}

func faulted(t testing.TB, r reading, err error) reading {
	t.Helper()
	var e *format.Error
	if !errors.As(err, &e) {
		t.Errorf("%v is no *Error", err)
		return r
	}
	// Where the test keeps its files says nothing.
	r.fault, r.hint = strings.TrimPrefix(err.Error(), filepath.Dir(e.File)+string(filepath.Separator)), e.Hint
	return r
}

func shown(row table.Row) string {
	var b strings.Builder
	fmt.Fprint(&b, row.Number)
	if row.Line != row.Number {
		fmt.Fprintf(&b, "/%d", row.Line)
	}
	b.WriteString(": ")
	for i, cell := range row.Cells {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(cell.Text)
	}
	if row.Skip != "" {
		fmt.Fprintf(&b, " [%s]", row.Skip)
	}
	return b.String()
}

// textFile writes a file for the test and returns its path.
func textFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readText(t testing.TB, content string, o Options) reading {
	t.Helper()
	return readFile(t, textFile(t, "in.csv", content), o)
}

// Programs write ="00123" to keep a spreadsheet from dropping the zeros; a spreadsheet shows 00123.
func TestFormulasOfTextAreReadAsTheText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, codes string }{
		{"bare", "Ref,Mark\n=\"00123\",a\n", "2: 00123|a", "text_formula [2]"},
		{"beside cells in quotes", "Ref,Mark\n=\"00123\",\"a, b\"\n", "2: 00123|a, b", "text_formula [2]"},
		{"in quotes", "Ref,Mark\n\"=\"\"00123\"\"\",a\n", "2: 00123|a", "text_formula [2]"},
		{"empty", "Ref,Mark\n=\"\",a\n", "2: |a", "text_formula [2]"},
		{"another formula", "Ref,Mark\n=A1+B1,a\n", "2: =A1+B1|a", ""},
		{"of two texts", "Ref,Mark\n\"=\"\"a\"\"&\"\"b\"\"\",a\n", `2: ="a"&"b"|a`, ""},
		{"an equals sign alone", "Ref,Mark\n=,\"=\"\n", "2: =|=", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, Options{Delimiter: ","})
			if got.fault != "" || got.rows[0] != tt.want || sourcetest.Codes(got.detected.Warnings) != tt.codes {
				t.Errorf("%q %s %s", got.rows, sourcetest.Codes(got.detected.Warnings), got.fault)
			}
		})
	}
}

func TestTextRecords(t *testing.T) {
	t.Parallel()
	headless := Options{NoHeader: true, Delimiter: "comma"}
	tests := []struct {
		name, in string
		o        Options
		want     []string
	}{
		{"quotes inside quotes are doubled", "a,\"x \"\"y\"\" z\"\n", headless, []string{`1: a|x "y" z`}},
		{"line breaks inside quotes stay as they are and count as lines", "\"a\r\nb\nc\",d\ne,f\n", headless, []string{"1: a\r\nb\nc|d", "2/4: e|f"}},
		{"a blank line is a row", "a,b\n\nc,d\n\n\n", headless, []string{"1: a|b", "2: | [blank]", "3: c|d", "4: | [blank]", "5: | [blank]"}},
		{"a row of blanks is blank", "a,b\n , \u00a0\t\nc,d", headless, []string{"1: a|b", "2:  | \u00a0\t [blank]", "3: c|d"}},
		{"CR alone ends a row", "a,b\rc,d\r", headless, []string{"1: a|b", "2: c|d"}},
		{"kinds of line ends may be mixed", "a,b\nc,d\r\ne,f\rg,h", headless, []string{"1: a|b", "2: c|d", "3: e|f", "4: g|h"}},
		{"a last line without a line break is a row", "a,b\nc,", headless, []string{"1: a|b", "2: c|"}},
		{"an empty cell in quotes is empty", "\"\",b\n", headless, []string{"1: |b"}},
		{"blanks around a cell are kept", " a , b\n", headless, []string{"1:  a | b"}},
		{"blanks around quotes are not", "a, \"b,c\" ,d\n", headless, []string{"1: a|b,c|d"}},
		{"quotes as characters", "a\"b,\"c\"\n", Options{NoHeader: true, Delimiter: ",", Quote: "none"}, []string{`1: a"b|"c"`}},
		{"another quote", "'a,b',\"c\"\n", Options{NoHeader: true, Delimiter: ",", Quote: "'"}, []string{`1: a,b|"c"`}},
		{"a backslash escapes quotes, itself, delimiters and line breaks, and is itself before all else", `"a \"b\" \\ \n",c\,d,e\` + "\nf\n",
			Options{NoHeader: true, Delimiter: ",", Escape: "backslash"}, []string{`1: a "b" \ \n|c,d|e` + "\nf"}},
		{"a backslash before a line break of two characters", "a,b\\\r\nc\r\nd,e\r\n", Options{NoHeader: true, Delimiter: ",", Escape: "backslash"}, []string{"1: a|b\r\nc", "2/3: d|e"}},
		{"a delimiter of several characters", "a||b|c||\"d||e\"\n", Options{NoHeader: true, Delimiter: "||"}, []string{"1: a|b|c|d||e"}},
		{"a delimiter beyond ASCII", "a§b§\"c§\"\n", Options{NoHeader: true, Delimiter: "§"}, []string{"1: a|b|c§"}},
		{"one column", "a,b\n\"c\"\n", Options{NoHeader: true, Delimiter: "none"}, []string{"1: a,b", "2: c"}},
		{"space as delimiter", "a \"b c\"\n", Options{NoHeader: true, Delimiter: "space"}, []string{"1: a|b c"}},
		{"a tab is no blank where it is the delimiter", "a\t\t\"b\"\t\n", Options{NoHeader: true, Delimiter: `\t`}, []string{"1: a||b|"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, tt.o)
			if diff := cmp.Diff(tt.want, got.rows); diff != "" || got.fault != "" {
				t.Errorf("%s\n%s", got.fault, diff)
			}
		})
	}
}

func TestTextRecordsAcrossBuffers(t *testing.T) {
	t.Parallel()
	// Rows and line breaks fall on every place relative to the reader's buffer.
	for shift := range 5 {
		var in strings.Builder
		in.WriteString(strings.Repeat("x", shift) + ",1\r\n")
		rows := 1
		for in.Len() < 5*(64<<10) {
			fmt.Fprintf(&in, "%d,\"%s\r\n\"\"%d\"\"\",z\r\n", rows, strings.Repeat("é", rows%300), rows)
			rows++
		}
		got := readText(t, in.String(), Options{NoHeader: true, Delimiter: ","})
		if len(got.rows) != rows || got.fault != "" {
			t.Fatalf("shift %d: %d rows of %d: %s", shift, len(got.rows), rows, got.fault)
		}
		n := rows - 1
		if want := fmt.Sprintf("%d/%d: %d|%s\r\n\"%d\"|z", rows, 2*n, n, strings.Repeat("é", n%300), n); got.rows[n] != want {
			t.Errorf("shift %d: last row is %q, not %q", shift, got.rows[n], want)
		}
		if got.detected.LineEnds != "CRLF" {
			t.Errorf("line ends are %q", got.detected.LineEnds)
		}
	}
}

func TestTextFaults(t *testing.T) {
	t.Parallel()
	small := format.Limits{Cell: 100, Record: 1000, Columns: 5}
	tests := []struct {
		name, in string
		o        Options
		fault    string
	}{
		{"a stray quote in a cell without quotes", "a,b\n\n\"x\ny\",5\"\n\"\",\n", Options{}, `in.csv, row 3 (line 4), column B: there is a quote in the middle of the cell`},
		{"text behind a closing quote", "a,b\n1,\"x\"y\n\"2\",z\n", Options{}, `in.csv, row 2, column B: there is a quote in the middle of the cell`},
		{"a quote that is never closed", "a,b\n1,2\n3,\"x\n4,5\n6,7\n", Options{}, `in.csv, row 3, column B: the quote that opens the cell is never closed`},
		{"a quote that is never closed, with lines and doubled quotes behind it", "a,b\n3,\"x\ny \"\"z\"\"\n4,5\n", Options{}, `in.csv, row 2, column B: the quote that opens the cell is never closed`},
		{"a quote that swallows a row", "Ref,Mark,App\nT1,\"SOL,1\nT2,LUNA\",2\nT3,x,3\n", Options{}, `in.csv, row 2, column B: a quote opens in line 2 and closes in line 3, and these lines look like rows of their own`},
		{"a quote that swallows a row, read leniently", "Ref,Mark,App\nT1,\"SOL,1\nT2,LUNA\",2\nT3,x,3\n", Options{Lenient: true}, `in.csv, row 2, column B: a quote opens in line 2 and closes in line 3, and these lines look like rows of their own`},
		{"a quote that swallows rows without numbers", "Client,Mark,Note\r\nAcme,SOL,x\r\n\"Smith, J\",LUNA,\"y\r\nBolt,Inc,z\r\nCork,,\"\r\n", Options{}, `in.csv, row 3, column C: a quote opens in line 3 and closes in line 5, and these lines look like rows of their own`},
		{"a byte that is no UTF-8", "a,b\nx,Müller \xfcber\né,é\nö,ö\n", Options{}, `in.csv, row 2, column B: byte 0xFC is not a valid character in utf-8 (after "Müller ")`},
		{"an unpaired surrogate", "\xff\xfea\x00,\x00b\x00\n\x00c\x00,\x00x\x00\x00\xd8y\x00", Options{}, `in.csv, row 2, column B: 0x00D8 at offset 16 is not a valid character in utf-16le (after "x")`},
		{"half a character at the end", "\xfe\xff\x00a\x00\n\x00b\x00", Options{}, `in.csv, row 2, column A: 0x00 at offset 8 is not a valid character in utf-16be (after "b")`},
		{"a number beyond Unicode in UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00\x00\x00\x11\x00", Options{}, `in.csv, row 1, column A: 0x00001100 at offset 8 is not a valid character in utf-32le (after "a")`},
		{"a byte that the code page lacks", "a,b\nx,y\x81z\n", Options{Encoding: "windows-1252"}, `in.csv, row 2, column B: 0x81 at offset 7 is not a valid character in windows-1252 (after "y")`},
		{"a broken pair in a double-byte encoding", "a,b\nx,\x83\x65\x83\n", Options{Encoding: "shift_jis"}, `in.csv, row 2, column B: 0x83 at offset 8 is not a valid character in shift_jis (after "テ")`},
		{"a NUL character", "a,b\nx,y\x00z\n", Options{}, `in.csv, row 2, column B: the cell contains a NUL character: the file is damaged, is not text, or has another encoding`},
		{"a cell over the limit", "a,b\nx,\"" + strings.Repeat("y", 101) + "\"\n", Options{Limits: small}, `in.csv, row 2, column B: the cell holds more than 1 KiB`},
		{"a row over the limit", "a,b\nx," + strings.Repeat("y", 100_000) + "\n", Options{Limits: small}, `in.csv, row 2: the row is longer than 1 KiB`},
		{"stray quotes everywhere, read leniently", "a,b\n" + strings.Repeat("1,2\n", 70_000) + strings.Repeat("\"a,b,c\n", 100_000), Options{Lenient: true},
			`in.csv, row 70275: there are too many stray quotes to tell which ones belong to cells`},
		{"too many cells", "a,b\n1,2,3,4,5,6\n", Options{Limits: small}, `in.csv, row 2: the row has more than 5 cells`},
		{"too many cells in quotes", "a,b\n1,2,3,4,5,\"6\"\n", Options{Limits: small}, `in.csv, row 2: the row has more than 5 cells`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, tt.o)
			if got.fault != tt.fault {
				t.Errorf("got  %s\nwant %s", got.fault, tt.fault)
			}
			if got.hint == "" {
				t.Error("there is no hint what to do")
			}
		})
	}
}

func TestTextLenient(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in, codes string
		want            []string
	}{
		{"a quote in the middle is a character", "a,b\n5\" pipe,2\n3,\"4\"\n", "stray_quote [2]", []string{`2: 5" pipe|2`, "3: 3|4"}},
		{"a quote inside quotes is a character", "a,b\n\"say \"hi\" now\",2\n3,4\n", "stray_quote [2]", []string{`2: say "hi" now|2`, "3: 3|4"}},
		{"a quote never closed does not swallow the rows below", "a,b\n\"x,2\n3,4\n\"5\",6\n", "stray_quote [2]", []string{`2: "x|2`, "3: 3|4", "4: 5|6"}},
		{"a quote that another cell would close does not swallow rows", "a,b\n\"x,2\n3,\"4\"\n5,6\n", "stray_quote [2]", []string{`2: "x|2`, "3: 3|4", "4: 5|6"}},
		{"a cell over several lines with stray quotes", "a,b\n\"say \"hi\" right\nnow\",2\n3,4\n", "stray_quote [2]", []string{"2: say \"hi\" right\nnow|2", "3/4: 3|4"}},
		{"a quote never closed in the last row", "a,b\n1,2\n\"x,2\n", "stray_quote [3]", []string{"2: 1|2", `3: "x|2`}},
		{"a row that never fits", "a,b\n1,2\n\"x\n3,4\n", "stray_quote [3], ragged_rows [3]", []string{"2: 1|2", `3: "x|`, "4: 3|4"}},
		{"a good cell over several lines", "a,b\n\"x\ny\",2\n", "", []string{"2: x\ny|2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, Options{Lenient: true, Delimiter: ",", Quote: `"`})
			if diff := cmp.Diff(tt.want, got.rows); diff != "" || got.fault != "" {
				t.Errorf("%s\n%s", got.fault, diff)
			}
			if got := sourcetest.Codes(got.detected.Warnings); got != tt.codes {
				t.Errorf("warnings are %q, not %q", got, tt.codes)
			}
		})
	}
}

// Lines in quotes are rows where they look like those of the file. An address is none, and who sets the quote says that there are none.
func TestQuotesThatSwallowRows(t *testing.T) {
	t.Parallel()
	const rows = "Ref,Mark,App\nT1,\"SOL,1\nT2,LUNA\",2\nT3,x,3\n"
	for name, tt := range map[string]struct {
		in   string
		o    Options
		want []string
	}{
		"an address of a narrow table": {"Ref,Address,Day\nM1,\"Acme, Inc.\nLondon, UK\",x\nM2,y,z\n", Options{}, []string{"2: M1|Acme, Inc.\nLondon, UK|x", "3/4: M2|y|z"}},
		"a note with numbers":          {"Ref,Mark,Note\nM1,x,\"1, 2\n3, 4\nM2, 5, 6\"\nM3,y,z\n", Options{}, []string{"2: M1|x|1, 2\n3, 4\nM2, 5, 6", "3/5: M3|y|z"}},
		"rows, where the quote is set": {rows, Options{Quote: `"`}, []string{"2: T1|SOL,1\nT2,LUNA|2", "3/4: T3|x|3"}},
		"a list of a narrow table":     {"Ref,Seats\nM1,\"Acme, Inc.\nR2 House, London\"\nM2,y\n", Options{}, []string{"2: M1|Acme, Inc.\nR2 House, London", "3/4: M2|y"}},
		"a line with as many commas":   {"Client,Mark,Note\nAcme,SOL,\"one\ntwo, three, four\nfive\"\n", Options{}, []string{"2: Acme|SOL|one\ntwo, three, four\nfive"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, tt.o)
			if diff := cmp.Diff(tt.want, got.rows); diff != "" || got.fault != "" {
				t.Errorf("%s\n%s", got.fault, diff)
			}
		})
	}
}

func TestTextLenientWithBackslashes(t *testing.T) {
	t.Parallel()
	in := "a,b\n1,\"x \\\" y\"\n2,\"x\\\n3,\"y\" z\n4,5\n"
	got := readText(t, in, Options{Lenient: true, Delimiter: ",", Escape: "backslash"})
	want := []string{`2: 1|x " y`, "3: 2|\"x\n3|\"y\" z", "4/5: 4|5"}
	if diff := cmp.Diff(want, got.rows); diff != "" || got.fault != "" {
		t.Errorf("%s\n%s", got.fault, diff)
	}
}

func TestDetectedIsWholeJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(readText(t, "Ref;Name\n1;M\xfcller\n\n2;x;y\n", Options{}).detected)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"format":"csv","encoding":"windows-1252","encoding_why":"not UTF-8, and plausible as Windows-1252","delimiter":"semicolon","delimiter_why":"2 of 3 rows examined have 2 cells",` +
		`"quote":"\"","escape":"double","line_ends":"LF","header_row":1,"header_rows":1,"header_why":"the first row that is not blank holds only names","above_header":0,"columns":2,` +
		`"rows":3,"skipped":{"blank":1},"warnings":[` +
		`{"code":"encoding_guessed","message":"the file is not UTF-8; read as Windows-1252 it says \"Müller\"","hint":"If that is right, set source: {file: …, encoding: windows-1252}, or with --file: --encoding windows-1252; if not, name the encoding that the file was saved in, or save it as UTF-8."},` +
		`{"code":"ragged_rows","message":"rows of 3 cells where the header has 2","hint":"Their cells may stand under the wrong names: compare them with the file. Such rows of a text file are rejected unless ragged is keep.","rows":[4],"count":1}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func TestRowsCanBeReadAgain(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), textFile(t, "in.csv", "a,b\n1,2\n\n3,4,5\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, second := readSourceRows(t, s), readSourceRows(t, s)
	if diff := cmp.Diff(first, second, cmp.AllowUnexported(reading{})); diff != "" || len(first.rows) != 3 {
		t.Errorf("%v\n%s", first, diff)
	}
}

func TestBlanksAroundQuotesGiveAWarning(t *testing.T) {
	t.Parallel()
	got := readText(t, "a,b\n \"1\",2\n3,\"4\" \n\"5\",\" 6 \"\n", Options{})
	if sourcetest.Codes(got.detected.Warnings) != "blanks_around_quotes [2 3]" || got.rows[2] != "4: 5| 6 " {
		t.Errorf("%s %q", sourcetest.Codes(got.detected.Warnings), got.rows)
	}
}

func TestRowsThatAreProbablyNoDataGiveWarnings(t *testing.T) {
	t.Parallel()
	got := readText(t, "Ref,Mark,Owner,Date\n1,A,B,C\nNote to the clerk,,,\n,Grand total,2,\nTotal: ,,,9\nTotale S.A.,x,y,z\nTotaliser,x,y,z\n", Options{})
	if sourcetest.Codes(got.detected.Warnings) != "looks_like_total [4 5], lone_cell [3]" || len(got.detected.Skipped) > 0 {
		t.Errorf("%s %v", sourcetest.Codes(got.detected.Warnings), got.detected.Skipped)
	}
}

// A row that sums up the ones above is no record; one whose name begins like that is.
func TestTotalsAreNoRecords(t *testing.T) {
	t.Parallel()
	const in = "Ref,Matters,Fees\nA-1,1,2\nTotal,1 matter,2\nGrand total,,\nSumme: 12,,\nTotal Oil,12,1\nGrand Hyatt,C-2,2\nTotals Ltd,x,\nA-2,Total,3\n"
	const drawn = "Ref,Note\n---,-----\nA-1,-\n=== ,\n-,x\n__,_\n"
	const ended = "Ref,Matters,Fees\nA-1,1,2\n*** End of report ***,,\n***,1,2\nAverage,12,1\nPrinted by,Ines,\n"
	const flagged = "Ref,Mark,Owner\nA-1,x,Acme\n*** HOLD *** A-2,Sun,Acme\nAverage,Moon,Acme\nPrinted by,Stars,Acme\n"
	parts := sourcetest.Book("", "", "", sourcetest.Sheet{Name: "S", Data: sourcetest.SmallTable + `<row r="3"><c t="str"><v>Ergebnisse</v></c><c><v>2</v></c></row>`})
	parts["xl/worksheets/_rels/sheet1.xml.rels"] = `<Relationships xmlns="r"><Relationship Id="t" Type="x/table" Target="../tables/table1.xml"/></Relationships>`
	parts["xl/tables/table1.xml"] = `<table xmlns="` + sourcetest.SpreadsheetNS + `" ref="A1:B3" totalsRowCount="1"/>`
	book := string(sourcetest.Archive(t, parts))
	parts["xl/tables/table1.xml"] = `<table xmlns="` + sourcetest.SpreadsheetNS + `" ref="B1:B3" totalsRowCount="1"/>`
	beside := string(sourcetest.Archive(t, parts))
	const rejects = "docketsync: reasons,docketsync: row,Ref,Matters\nit is a total,3,Total,1 matter\ncorrected,2,A-1,1\n"
	for _, test := range []struct {
		in, keep string
		want     []int
	}{{in, "", []int{3, 4, 5}}, {in, "keep", nil}, {drawn, "", []int{2, 4, 6}}, {rejects, "", []int{2}}, {ended, "", []int{3, 5, 6}}, {flagged, "", nil}, {beside, "", nil}, {book, "", []int{3}}, {book, "keep", nil}} {
		s, err := Open(t.Context(), textFile(t, "in", test.in), Options{Totals: test.keep})
		if err != nil {
			t.Fatal(err)
		}
		var refused []int
		for row, err := range s.Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if len(row.Faults) > 0 && row.Faults[0].Code == "row_total" {
				refused = append(refused, row.Number)
			}
		}
		if !slices.Equal(refused, test.want) {
			t.Errorf("totals: %q: rows %v are refused, want %v", test.keep, refused, test.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What is sent is not read by a guess: of "Dvořák" in Windows-1250 Windows-1252 would make "Dvoøák". Each refusal names the settings that are right one way
// and the other, and whoever has seen the rows has the first of them set.
func TestWhatIsGuessedIsNotSent(t *testing.T) {
	t.Parallel()
	const (
		encoded   = "Ref,Name\n1,Dvo\xf8\xe1k\n"
		delimited = "Ref,Mark;Class,Note;Day\n1,a;b,c;d\n2,e;f,g;h\n"
		noted     = "Ref,Client,Opened\n,,(date)\n1,Acme,x\n"
	)
	quoted := "a|b\n5\" pipe|1\n" + strings.Repeat("6|7\n", 256<<10/4) + "\"x\"|2\n"
	for _, test := range []struct {
		name, path       string
		columns          []string
		says, one, other string
		settled          Options
	}{
		{"an encoding", textFile(t, "in.csv", encoded), nil, `in.csv: the file is not UTF-8; read as Windows-1252 it says "Dvoøák"`, "encoding: windows-1252}", "name the encoding",
			Options{Encoding: "windows-1252"}},
		{"a delimiter", textFile(t, "in.csv", delimited), nil, "detected as comma (all 3 rows examined have 3 cells), but semicolon fits nearly as well: all 3 rows examined have 3 cells",
			"delimiter: comma}", "delimiter: semicolon.", Options{Delimiter: "comma"}},
		{"a delimiter, and columns of the other", textFile(t, "in.csv", delimited), []string{"Day"}, "detected as comma", "delimiter: comma}", "delimiter: semicolon.", Options{Delimiter: "comma"}},
		{"a delimiter that the columns prove", textFile(t, "in.csv", delimited), []string{"Ref"}, "", "", "", Options{}},
		{"a delimiter that the columns prove, below a title", textFile(t, "in.csv", "Export of May\n"+delimited), []string{"Ref"}, "", "", "", Options{}},
		{"one column that the columns prove", textFile(t, "in.csv", "Full Legal Name\nAnn van Lee\nJo del Smith\n"), []string{"Full Legal Name"}, "", "", "", Options{}},
		{"blanks", textFile(t, "in.csv", "Ref Mark Day\nA1 ACME 2024-01-01\n"), nil, "detected as none", "delimiter: none}", "delimiter: space.", Options{Delimiter: "none"}},
		{"a header", textFile(t, "in.csv", noted), []string{"Ref"}, "row 2: rows 1 to 2 were taken for the header together", "header_rows: 2}", "header_rows: 1.", Options{HeaderRows: 2}},
		{"a header of a workbook", bookFile(t, nil, "S", [][]any{{"Ref", "Opened"}, {nil, "(date)"}, {"A1", "x"}}), nil, `sheet "S", row 2: rows 1 to 2`, "header_rows: 2}", "header_rows: 1.",
			Options{HeaderRows: 2}},
		{"a header that the columns prove", textFile(t, "in.csv", noted), []string{"Ref", "Opened (date)"}, "", "", "", Options{}},
		{"quotes as characters", textFile(t, "in.csv", quoted), nil, "row 65539: a cell is in quotes", "quote: none}", `quote: '"'`, Options{Quote: "none"}},
		{"quotes as characters throughout", textFile(t, "in.csv", "a|b\n5\" pipe|1\n6|7\n"), nil, "", "", "", Options{}},
		{"two at once", textFile(t, "in.csv", "Ref,Name\n,(full)\n1,Dvo\xf8\xe1k\n"), nil, `together; the file is not UTF-8`, "header_rows: 2}", "encoding: windows-1252}",
			Options{Encoding: "windows-1252", HeaderRows: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), test.path, Options{Columns: test.columns})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			settled := s.Detected().Settled(Options{})
			if diff := cmp.Diff(test.settled, settled); diff != "" {
				t.Errorf("settled as (-want +got)\n%s", diff)
			}
			if again, err := Open(t.Context(), test.path, Options{Columns: test.columns, Certain: true}); err == nil {
				again.Close()
				if test.says != "" {
					t.Error("it was not refused")
				}
			} else if refused := faulted(t, reading{}, err); test.says == "" || !strings.Contains(refused.fault, test.says) ||
				!strings.Contains(refused.hint, test.one) || !strings.Contains(refused.hint, test.other) {
				t.Errorf("refused with %q and the hint %q", refused.fault, refused.hint)
			}
			settled.Certain, settled.Columns = true, test.columns
			again, err := Open(t.Context(), test.path, settled)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if diff := cmp.Diff(readSourceRows(t, s).rows, readSourceRows(t, again).rows); diff != "" {
				t.Errorf("the rows differ once it is set:\n%s", diff)
			}
		})
	}
}

// longText is a table of a length that no memory holds; it is made while it is read.
type longText struct {
	left int64
	row  []byte
	at   int
}

func (l *longText) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) {
		copied := copy(p[n:], l.row[l.at:])
		n, l.at = n+copied, (l.at+copied)%len(l.row)
	}
	l.left -= int64(n)
	return n, nil
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	row := []byte("TM000001,MARK,EM,000000007,2024-03-01,\"9, 35\",Soci\u00e9t\u00e9 G\u00e9n\u00e9rale,Registered,renewal due,x\n")
	peak := func(size int64) (rows int, heap uint64) {
		open := func() (io.ReadCloser, error) { return io.NopCloser(&longText{left: size, row: row}), nil }
		o := Options{NoHeader: true}
		if err := o.validate(); err != nil {
			t.Fatal(err)
		}
		s := &Source{file: "in.csv", options: o, tally: newTally(o)}
		if err := s.openPlain(t.Context(), row, s.file, open); err != nil {
			t.Fatal(err)
		}
		if err := s.findHeaders(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, err := range s.Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if rows++; rows%20_000 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				heap = max(heap, m.HeapAlloc)
			}
		}
		return rows, heap
	}
	size := int64(2 << 20)
	if long() {
		size = 8 << 20
	}
	fewRows, few := peak(size)
	manyRows, many := peak(10 * size)
	if manyRows < 9*fewRows || many > few+2<<20 {
		t.Errorf("%d rows took %d bytes, %d rows %d", fewRows, few, manyRows, many)
	}
}

func TestCancelledReadingEnds(t *testing.T) {
	t.Parallel()
	path := textFile(t, "in.csv", "a,b\n"+strings.Repeat("1,2\n", 10*256))
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, read := range map[string]func(context.Context) iter.Seq2[table.Row, error]{"Rows": s.Rows, "AllRows": s.AllRows} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		rows, end := 0, error(nil)
		for _, err := range read(ctx) {
			if end = err; err == nil {
				rows++
			}
			cancel()
		}
		if rows == 0 || rows > 2*256 || !errors.Is(end, context.Canceled) {
			t.Errorf("%s: %d rows came, and then %v", name, rows, end)
		}
	}
	cancel()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open gave %v", err)
	}
}
