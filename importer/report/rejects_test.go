package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
	"docketsync/importer/report/files"
	"docketsync/importer/source"
	"docketsync/mapping/table"
)

// rejects writes the workbook of rejects and returns its path.
func (b *book) rejects() string {
	b.t.Helper()
	var out bytes.Buffer
	b.must(files.WriteOne(b.t.Context(), &out, b.led.Reader, b.run.ID, "rejects.xlsx"))
	path := filepath.Join(b.t.TempDir(), "rejects.xlsx")
	b.must(os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// sheet reads a sheet of a workbook as a person sees it.
func (b *book) sheet(path, name string) [][]string {
	b.t.Helper()
	f, err := excelize.OpenFile(path)
	b.must(err)
	defer f.Close()
	rows, err := f.GetRows(name)
	b.must(err)
	return rows
}

// read reads a workbook as the importer does; rows without their own columns in front.
func (b *book) read(path string, o source.Options) (header []string, rows [][]table.Cell) {
	b.t.Helper()
	s, err := source.Open(b.t.Context(), path, o)
	b.must(err)
	defer s.Close()
	header = s.Header().Names
	own := 0
	for own < len(header) && strings.HasPrefix(header[own], "docketsync:") {
		own++
	}
	for r, err := range s.Rows(b.t.Context()) {
		b.must(err)
		if r.Skip != "" {
			b.t.Errorf("row %d would be skipped: %s", r.Number, r.Skip)
		}
		cells := make([]table.Cell, 0, len(r.Cells))
		for _, c := range r.Cells[min(own, len(r.Cells)):] {
			cells = append(cells, table.Cell{Kind: c.Kind, Text: c.Text, Shown: c.Shown})
		}
		rows = append(rows, cells)
	}
	return header[own:], rows
}

func reject(key string, reasons []ledger.Reason, rows ...ledger.Row) ledger.Record {
	if reasons == nil {
		reasons = []ledger.Reason{{Code: "x", Message: "wrong"}}
	}
	return ledger.Record{Key: key, State: ledger.Rejected, Action: ledger.None, Rows: rows, Reasons: reasons}
}

// TestRejectsComeBackAsTheyWere reads a workbook of rejects as the importer would, and finds every cell of the kind and
// with the text that it had.
func TestRejectsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	cells := []any{
		"text", "00123", " padded ", "=1+1", "+49 89 1234", "-5", "@cell", "'quoted", "12", "1e5", "TRUE", "2024-03-01", "#N/A",
		"line\nbreak", "carriage\r\nreturn", "tab\tin", "_x000D_ stays", "_x005F_", "_x005F_x0041_", "_x0041__x0042_", "_x00", "&amp; <b>", "\u2028", "\u00a0nbsp\u00a0", "\ufffd", "</t><f>1</f>", "Łódź 株式会社 🙂", "",
		n("0"), n("-17"), n("0.5"), n("1323722"), n("123456789012345"), n("-0.000001"), n("99999999999"),
		map[string]string{"n": "0042", "shown": "TM-0042", "format": `"TM-"0000`}, map[string]string{"n": "1234.50", "shown": "", "format": `"€"#,##0.00`},
		d("2024-03-01"), d("1900-03-01"), d("9999-12-31"), d("2024-02-29"), d("2024-03-01T13:30:00"), d("2024-12-31T23:59:59"), d("2024-03-01T13:30:00.125"),
		map[string]string{"d": "2024-03-01", "shown": "", "format": "mmm-yy"},
		clock("13:30:00"), clock("00:00:00"), clock("23:59:59"), yes("TRUE"), yes("FALSE"), nil, "last",
	}
	header := make([]string, len(cells))
	for i := range header {
		header[i] = fmt.Sprintf("Column %d", i+1)
	}
	// How days are shown does not change what they are.
	b := newBook(t, func(r *ledger.Run) {
		r.Sources[0].Header, r.Sources[0].DateFormats = header, map[int]string{}
		for i := range header {
			r.Sources[0].DateFormats[i] = []string{"dd/mm/yyyy", "[$-409]d\\-mmm\\-yy;@", `"am "d". "mmmm yyyy`}[i%3]
		}
	})
	b.plan(reject("a", nil, row(2, cells...)))
	b.plan(reject("b", nil, row(3, cells...)))
	b.end()
	gotHeader, rows := b.read(b.rejects(), source.Options{})
	if diff := cmp.Diff(header, gotHeader); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	var want []table.Cell
	b.must(unmarshal(b.records[0].Rows[0].Cells, &want))
	for i := range want {
		if want[i].Text == "" {
			want[i] = table.Cell{} // an empty text and no cell are the same in a worksheet
		}
	}
	for _, got := range rows {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cells (-want +got):\n%s", diff)
		}
	}
	if len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestRejectsAreReadByTheSameJob shows that the rows are found whatever the job says about its own source: its sheet, its header
// and its footer are not those of the workbook; and that rows which somebody has filtered away are read.
func TestRejectsAreReadByTheSameJob(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.plan(reject("a", nil, row(2, "a", "one")))
	b.plan(reject("b", nil, row(3, "b", "two")))
	b.end()
	path := b.rejects()
	f, err := excelize.OpenFile(path)
	b.must(err)
	b.must(f.SetRowVisible("Rejects", 3, false))
	b.must(f.Save())
	b.must(f.Close())
	for name, o := range map[string]source.Options{
		"nothing said":          {},
		"another sheet":         {Sheet: "Matters"},
		"a sheet by number":     {Sheet: "1"},
		"a header further down": {Header: 3, HeaderRows: 2},
		"no header":             {NoHeader: true},
		"a footer":              {Footer: "(?i)^wrong", FooterRows: 1},
		"no hidden rows":        {Hidden: "skip"},
		"a text file":           {Format: "csv", Delimiter: "semicolon", Columns: []string{"Rows", "Records", "What is wrong"}},
	} {
		header, rows := b.read(path, o)
		if len(rows) != 2 || rows[0][0].Text != "a" || rows[1][1].Text != "two" || header[0] != "Ref" {
			t.Errorf("%s: read %v under %v", name, rows, header)
		}
	}
}

// TestWhatNoCellHoldsStaysText shows what becomes of numbers and dates that a worksheet would change.
func TestWhatNoCellHoldsStaysText(t *testing.T) {
	t.Parallel()
	cells := []any{n("1234567890123456"), n("12345678901234567890"), n("12.50"), n("007"), n("-0"), d("1899-12-31"), d("1900-02-28"), d("10000-01-01"), "end"}
	b := newBook(t, func(r *ledger.Run) {
		r.Sources[0].Header = []string{"A1", "B1", "C1", "D1", "E1", "F1", "G1", "H1", "I1"}
	})
	b.plan(reject("a", nil, row(2, cells...)))
	b.end()
	_, rows := b.read(b.rejects(), source.Options{})
	for i, want := range []string{"1234567890123456", "12345678901234567890", "12.50", "007", "-0", "1899-12-31", "1900-02-28", "10000-01-01"} {
		kind := table.Text
		if i == 0 {
			kind = table.Number // as a text it would no longer be rejected as rounded
		}
		if got := rows[0][i]; got.Kind != kind || got.Text != want {
			t.Errorf("got %v %q, want %v %q", got.Kind, got.Text, kind, want)
		}
	}
}

// TestSpreadsheetErrorsStayErrors shows that an error that nobody has corrected is not imported as a text.
func TestSpreadsheetErrorsStayErrors(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.plan(reject("a", nil, row(2, "a", formula("#N/A"), formula("#REF!"), formula("(not calculated)"), "z")))
	b.end()
	_, rows := b.read(b.rejects(), source.Options{})
	for _, got := range rows[0][1:4] {
		if got.Kind != table.Error {
			t.Errorf("got %v %q, want an error", got.Kind, got.Text)
		}
	}
}

func TestRejectsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	path := b.rejects()
	f, err := excelize.OpenFile(path)
	b.must(err)
	defer f.Close()
	if sheets := f.GetSheetList(); !slices.Equal(sheets, []string{"Causes", "Rejects"}) {
		t.Errorf("sheets %v", sheets)
	}
	rows := b.sheet(path, "Rejects")
	want := [][]string{
		{"docketsync: reasons", "docketsync: row", "docketsync: cells", "docketsync: record", "Ref", "Title", "Opened", "Attorney", "Notes"},
		{"D56: \"P. Quist\" is not in the table attorneys. Add it to lookups/attorneys.csv, or write \"P. Quill\" as the table does.", "matters.xlsx, Matters row 56", "D56", "3f4a5b/55", "M-0055", "Nordwind, second action", "2026-04-03", "P. Quist"},
		{"C57: \"03/04/2026\" may be a day in two months. Write it with the month in letters, 3 Apr 2026, or say in the mapping which comes first.\nD57: \"P. Quist\" is not in the table attorneys. Add it to lookups/attorneys.csv, or write \"P. Quill\" as the table does.",
			"matters.xlsx, Matters row 57", "C57 D57", "3f4a5b/56", "M-0056", "Kestrel Yachts", "03/04/2026", "P. Quist"},
	}
	if diff := cmp.Diff(want, rows[:3]); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if len(rows) != 1+6 {
		t.Errorf("%d lines for 6 rejected rows", len(rows))
	}
	for cell, wrong := range map[string]bool{"G3": true, "H3": true, "F3": false, "H2": true, "G2": false} {
		id, err := f.GetCellStyle("Rejects", cell)
		b.must(err)
		s, err := f.GetStyle(id)
		b.must(err)
		if coloured := len(s.Fill.Color) > 0; coloured != wrong {
			t.Errorf("%s coloured %v, want %v", cell, coloured, wrong)
		}
	}
	comments, err := f.GetComments("Rejects")
	b.must(err)
	if len(comments) != 4 || comments[0].Cell != "H2" || !strings.Contains(comments[0].Paragraph[0].Text, "is not in the table attorneys") {
		t.Errorf("comments %+v", comments)
	}
	causes := strings.Join(slices.Concat(b.sheet(path, "Causes")...), "\n")
	for _, want := range []string{
		"1 failed record is not in this workbook: the next run sends them automatically.", "2 held records are not in this workbook", "1 record in doubt is not in this workbook: the service may already have them",
		"may be a day in two months", "number \"M-0059\" is used already", "C57 of matters.xlsx, Matters “03/04/2026” (M-0056)",
	} {
		if !strings.Contains(causes, want) {
			t.Errorf("%q is not on the sheet of causes:\n%s", want, causes)
		}
	}
	if strings.Contains(causes, "connection broke") || strings.Contains(fmt.Sprint(rows), "M-0060") {
		t.Error("a record in doubt is among the rejects: it could be made twice")
	}
}

// TestRowsOfOneRecordStayTogether shows that the innocent rows of a record are written with the guilty one, since the
// record goes in as a whole; those of files with the same columns on one sheet.
func TestRowsOfOneRecordStayTogether(t *testing.T) {
	t.Parallel()
	header := []string{"Folder", "File", "Number"}
	b := newBook(t, func(r *ledger.Run) {
		r.Operation = "create_folder"
		r.Sources = []ledger.Source{{File: "a.csv", Header: header}, {File: "b.csv", Header: header}, {File: "c.csv", Header: []string{"Folder", "Other"}}}
	})
	b.plan(reject("Folder 1", []ledger.Reason{{Code: "number_invalid", Cell: "C3", Row: 3, Message: "no number"}},
		rowOf(0, 2, "Folder 1", "one", "1"), rowOf(0, 3, "Folder 1", "two", "x"), rowOf(1, 2, "Folder 1", "three", "3")))
	b.plan(reject("Folder 2", nil, rowOf(2, 2, "Folder 2", "other")))
	b.end()
	path := b.rejects()
	rows := b.sheet(path, "Rejects")
	var got []string
	for _, r := range rows[1:] {
		got = append(got, strings.Join(r[:3], " | "))
	}
	want := []string{
		"nothing is wrong here: another row of Folder 1 needs correcting, and they are imported together | a.csv row 2 | ",
		"C3: No number. | a.csv row 3 | C3",
		"nothing is wrong here: another row of Folder 1 needs correcting, and they are imported together | b.csv row 2 | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if other := b.sheet(path, "Rejects 2"); len(other) != 2 || other[1][4] != "Folder 2" {
		t.Errorf("the file with other columns: %v", other)
	}
	for sheet, want := range map[string]string{"": "Folder 1", "Rejects 2": "Folder 2"} {
		if _, cells := b.read(path, source.Options{Sheet: sheet}); cells[0][0].Text != want {
			t.Errorf("with sheet %q, %q was read first", sheet, cells[0][0].Text)
		}
	}
	s, err := source.Open(t.Context(), path, source.Options{})
	b.must(err)
	defer s.Close()
	if warnings := fmt.Sprint(s.Detected().Warnings); !strings.Contains(warnings, `the rows on "Rejects 2" have other columns and were not read`) {
		t.Errorf("nobody is told of the rows that are not read: %s", warnings)
	}
	if causes := fmt.Sprint(b.sheet(path, "Causes")); !strings.Contains(causes, "The rows of c.csv have columns of their own and are on the sheet Rejects 2") {
		t.Errorf("the sheet of causes does not say where the rows of c.csv are: %s", causes)
	}
}

// TestRejectsAreSavedAsTheSheetOfRows saves the workbook of rejects as CSV: its rows are what is open, and the sheet of causes is known for what it is.
func TestRejectsAreSavedAsTheSheetOfRows(t *testing.T) {
	t.Parallel()
	b := newBook(t, func(*ledger.Run) {})
	b.plan(reject("a", nil, row(2, "a")))
	b.end()
	path := b.rejects()
	f, err := excelize.OpenFile(path)
	b.must(err)
	defer f.Close()
	if open := f.GetSheetName(f.GetActiveSheetIndex()); open != "Rejects" {
		t.Errorf("it opens on %q", open)
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, cells := range b.sheet(path, "Causes") {
		b.must(w.Write(append(cells, make([]string, 9-len(cells))...)))
	}
	w.Flush()
	saved := filepath.Join(t.TempDir(), "rejects.csv")
	b.must(os.WriteFile(saved, out.Bytes(), 0o600))
	if _, err := source.Open(t.Context(), saved, source.Options{}); err == nil || !strings.Contains(err.Error(), "this is the sheet Causes of rejects.xlsx") {
		t.Errorf("the sheet of causes: %v", err)
	}
}

// TestRejectsOfRejects shows that docketsync's own columns are not written a second time, and that repeated and missing
// header names stay as they are.
func TestRejectsOfRejects(t *testing.T) {
	t.Parallel()
	b := newBook(t, func(r *ledger.Run) {
		r.Sources[0].Header = []string{"docketsync: reasons", "docketsync: row", "docketsync: cells", "docketsync: record", "Class", "Goods", "Class", "", "Goods"}
	})
	b.plan(reject("a", []ledger.Reason{{Code: "x", Cell: "G2", Row: 2, Message: "no class"}}, row(2, "old reason", "matters.xlsx row 9", "C9", "aa/1", "9", "software", "99", "x", "nothing", "beyond")))
	b.end()
	rows := b.sheet(b.rejects(), "Rejects")
	if diff := cmp.Diff([]string{"docketsync: reasons", "docketsync: row", "docketsync: cells", "docketsync: record", "Class", "Goods", "Class", "", "Goods"}, rows[0]); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"G2: No class.", "matters.xlsx, Matters row 2", "G2", "3f4a5b/1", "9", "software", "99", "x", "nothing", "beyond"}, rows[1]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

// TestWhatNoWorksheetHoldsIsNamed shows that a record is left out whole, and named, rather than cut.
func TestWhatNoWorksheetHoldsIsNamed(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.plan(reject("long", nil, row(2, "long", strings.Repeat("ä", 32768)), row(3, "long", "short")))
	b.plan(reject("full", nil, row(4, "full", strings.Repeat("ä", 32767))))
	b.plan(reject("bare", nil, row(5)))
	b.plan(reject("bell", nil, row(6, "bell", "ding\x07")))
	b.plan(reject("half", []ledger.Reason{{Code: "cell_split", Row: 8, Cell: "B8", Message: "the row below may be its rest"}}, row(8, "half", "Acme")))
	b.plan(reject("dead", []ledger.Reason{{Code: "row_hidden", Row: 7, Message: "the row is hidden"}}, row(7, "dead", "closed")))
	b.end()
	path := b.rejects()
	rows := b.sheet(path, "Rejects")
	if len(rows) != 2 || rows[1][4] != "full" || rows[1][5] != strings.Repeat("ä", 32767) {
		t.Errorf("%d lines", len(rows))
	}
	causes := fmt.Sprint(b.sheet(path, "Causes"))
	for _, want := range []string{"long (rows 2 and 3) is not in this workbook: cell B2 is longer than", "bare (row 5) is not in this workbook: the cells of row 5 were not kept", "bell (row 6) is not in this workbook: cell B6 holds the character U+0007",
		"dead (row 7) is not in this workbook: its row is hidden there", "half (row 8) is not in this workbook: the rest of a cell may stand in another row"} {
		if !strings.Contains(causes, want) {
			t.Errorf("%q is not on the sheet of causes: %s", want, causes)
		}
	}
}

// TestMoreRejectsThanNotes shows that many rejects get by with a bounded number of notes on cells.
func TestMoreRejectsThanNotes(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	for i := range 5010 {
		number := i + 2
		b.plan(reject(fmt.Sprint(i), []ledger.Reason{{Code: "x", Cell: fmt.Sprintf("A%d", number), Row: number, Message: "wrong"}}, row(number, fmt.Sprint(i), "name")))
	}
	b.end()
	path := b.rejects()
	f, err := excelize.OpenFile(path)
	b.must(err)
	defer f.Close()
	comments, err := f.GetComments("Rejects")
	b.must(err)
	if rows := b.sheet(path, "Rejects"); len(comments) != 5000 || len(rows) != 5011 {
		t.Errorf("%d notes, %d lines", len(comments), len(rows))
	}
	if causes := fmt.Sprint(b.sheet(path, "Causes")); !strings.Contains(causes, "The first 5,000 wrong cells have a note") {
		t.Error("the sheet of causes does not say that some cells have no note")
	}
}
