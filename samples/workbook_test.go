package samples_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// clientBook is the list of clients as accounting keeps it.
func clientBook(t *testing.T) *excelize.File {
	t.Helper()
	b := book{t: t, f: excelize.NewFile(), sheet: "Clients"}
	b.do(b.f.SetSheetName("Sheet1", b.sheet))
	b.row(1, "Client No", "Client", "Id")
	for i, c := range companies {
		b.row(i+2, c.number, c.name, strings.ToUpper(guid("company", c.number)))
	}
	return b.f
}

// matterHeader is the header of the matter list, in its fourth row.
var matterHeader = []any{"Matter No", "Client No", "Client", "Matter Name", "Type", "Responsible", "Co-supervisors", "Opened", "Closed", "Status",
	"Language", "Budget", "Remarks"}

// matterBook is the matter list as the practice management prints it: a cover, and the list below its title.
func matterBook(t *testing.T) *excelize.File {
	t.Helper()
	b := book{t: t, f: excelize.NewFile(), sheet: "Cover"}
	b.do(b.f.SetSheetName("Sheet1", b.sheet))
	b.row(2, nil, "Marlowe Quintana & Partner – Intellectual Property")
	b.row(3, nil, "London · Madrid · München · Wien · São Paulo · Paris · København")
	b.row(5, nil, "Matter list, printed for the transfer", time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC))
	b.sheet = "Matters"
	_, err := b.f.NewSheet(b.sheet)
	b.do(err)
	b.row(1, "Matter list – all offices")
	b.do(b.f.MergeCell(b.sheet, "A1", "M1"))
	b.row(2, "printed 03-Feb-2026 08:14 by PHW; open, and closed since 2005")
	b.row(4, matterHeader...)
	row := 5
	list := mistaken(matters())
	for i, m := range list {
		if i > 0 && i%17 == 0 {
			b.blank(row) // the printout leaves a blank line now and then
			row++
		}
		b.matter(row, i, m)
		row++
	}
	b.row(row+1, "Total", nil, nil, fmt.Sprintf("%d matters", len(list)))
	b.do(b.f.SetCellFormula(b.sheet, cell("L", row+1), fmt.Sprintf("SUM(L5:L%d)", row-1)))
	b.dress()
	return b.f
}

// book writes cells and fails the test when it cannot.
type book struct {
	t     *testing.T
	f     *excelize.File
	sheet string
}

func (b *book) do(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *book) row(number int, values ...any) {
	b.t.Helper()
	b.do(b.f.SetSheetRow(b.sheet, cell("A", number), &values))
}

func cell(column string, row int) string { return column + strconv.Itoa(row) }

// dateFormats are the ways in which the printout shows dates; the offices set up their own.
var dateFormats = []string{"dd/mm/yyyy", "d-mmm-yy", "[$-409]dd-mmm-yyyy;@", "yyyy-mm-dd", "dd.mm.yyyy"}

// blank writes a row whose cells have a border and nothing else.
func (b *book) blank(row int) {
	b.t.Helper()
	line, err := b.f.NewStyle(&excelize.Style{Border: []excelize.Border{{Type: "bottom", Style: 1, Color: "BCCCDC"}}})
	b.do(err)
	b.do(b.f.SetCellStyle(b.sheet, cell("A", row), cell("M", row), line))
}

// dress gives the list the look that a printout has.
func (b *book) dress() {
	b.t.Helper()
	for column, width := range map[string]float64{"A": 13, "B": 10, "C": 34, "D": 46, "E": 21, "G": 15, "M": 30} {
		b.do(b.f.SetColWidth(b.sheet, column, column, width))
	}
	bold, err := b.f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"D9E2EC"}}})
	b.do(err)
	b.do(b.f.SetCellStyle(b.sheet, "A4", "M4", bold))
	b.do(b.f.SetPanes(b.sheet, &excelize.Panes{Freeze: true, YSplit: 4, TopLeftCell: "A5", ActivePane: "bottomLeft"}))
	active, err := b.f.GetSheetIndex(b.sheet)
	b.do(err)
	b.f.SetActiveSheet(active)
}

// budget is the agreed budget of a matter, in euro.
func budget(i int) float64 { return 500 + float64(i*25)/2 }

func (b *book) matter(row, i int, m matter) {
	b.t.Helper()
	values := []any{m.number, m.client, clientName(m.client), m.name, m.kind, m.responsible, m.others, nil, nil, m.status, m.language, budget(i), m.remarks}
	if number, err := strconv.Atoi(m.number); err == nil {
		values[0] = number
	}
	for n, value := range values {
		if value == "" {
			values[n] = nil
		}
	}
	b.row(row, values...)
	b.date(cell("H", row), i, m.opened)
	b.date(cell("I", row), i, m.closed)
	if m.responsible == "#N/A" {
		b.do(b.f.SetCellFormula(b.sheet, cell("F", row), "NA()"))
	}
}

// date writes a day as a date cell, but every ninth as text, as somebody typed it.
func (b *book) date(at string, i int, day string) {
	b.t.Helper()
	if day == "" {
		return
	}
	if i%9 == 8 || strings.Contains(day, "/") {
		b.do(b.f.SetCellStr(b.sheet, at, day))
		return
	}
	t, err := time.Parse(time.DateOnly, day)
	b.do(err)
	style, err := b.f.NewStyle(&excelize.Style{CustomNumFmt: &dateFormats[i%len(dateFormats)]})
	b.do(err)
	b.do(b.f.SetCellValue(b.sheet, at, t))
	b.do(b.f.SetCellStyle(b.sheet, at, at, style))
}

var (
	noResult = regexp.MustCompile(`<c r="(\w+)"[^>]*><f>NA\(\)</f>(?:<v>[^<]*</v>)?</c>`)
	sum      = regexp.MustCompile(`<c r="(L\d+)"[^>]*><f>(SUM\([^)]*\))</f>(?:<v>[^<]*</v>)?</c>`)
)

// packed is the workbook with the results of its formulas, which the library does not store, and its parts in the order
// of their names, so that generating it twice gives the same bytes.
func packed(t *testing.T, f *excelize.File) []byte {
	t.Helper()
	buffer, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	from, err := zip.NewReader(bytes.NewReader(buffer.Bytes()), int64(buffer.Len()))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(from.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	total := 0.0
	for i := range matters() {
		total += budget(i)
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, part := range from.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		data := noResult.ReplaceAll(text.Bytes(), []byte(`<c r="$1" t="e"><f>NA()</f><v>#N/A</v></c>`))
		data = sum.ReplaceAll(data, fmt.Appendf(nil, `<c r="$1"><f>$2</f><v>%g</v></c>`, total))
		w, err := to.CreateHeader(&zip.FileHeader{Name: part.Name, Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cells are the stored values and number formats of all sheets.
func cells(t *testing.T, data []byte) map[string]string {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	found := map[string]string{}
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for r, row := range rows {
			for c, value := range row {
				name, err := excelize.CoordinatesToCellName(c+1, r+1)
				if err != nil {
					t.Fatal(err)
				}
				found[sheet+"!"+name] = describe(t, f, sheet, name, value)
			}
		}
	}
	return found
}

func describe(t *testing.T, f *excelize.File, sheet, name, value string) string {
	t.Helper()
	kind, err := f.GetCellType(sheet, name)
	if err != nil {
		t.Fatal(err)
	}
	index, err := f.GetCellStyle(sheet, name)
	if err != nil {
		t.Fatal(err)
	}
	style, err := f.GetStyle(index)
	if err != nil {
		t.Fatal(err)
	}
	format := ""
	if style != nil && style.CustomNumFmt != nil {
		format = *style.CustomNumFmt
	}
	return fmt.Sprintf("%s (type %d, format %q)", value, kind, format)
}
