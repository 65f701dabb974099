package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/browsertest"
	"docketsync/importer/console/setup"
)

// strangersMarks is how many marks each of the exports of strangers has.
const strangersMarks = 12

// germanExport is what a docketing program writes in Germany: semicolons, Windows-1252, days with dots, decimal commas, classes in one
// cell and goods in the next, a sum, and a line of one cell that says who printed it.
func germanExport(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("Aktenzeichen;Marke;Amt;Mandant;Anmelde-Nr.;Anmeldetag;Reg.-Nr.;Eintragungstag;Status;Klassen;Waren und Dienstleistungen;Gebühr EUR\r\n")
	for n := range strangersMarks {
		day := func(year int) string { return fmt.Sprintf("%02d.%02d.%d", 13+n, 1+n, year) }
		fmt.Fprintf(&b, "M-20%02d/01%02d;ÜBERFLÜGE %d;%s;%s;30%d;%s;30%d;%s;%s;\"9; 35\";\"Klasse 9: Software; Messgeräte / Klasse 35: Werbung\";%d,50\r\n", n, n, n,
			[]string{"DPMA", "EUIPO"}[n%2], []string{"Größ GmbH", "Köhler & Söhne KG"}[n%2], 1000+n, day(2015), 5000+n, day(2016), []string{"eingetragen", "angemeldet"}[n%2], 290+n)
	}
	b.WriteString("Summe: 12 Akten;;;;;;;;;;;3.540,00\r\nAusgedruckt am 03.02.2026 08:14 von Käthe Groß\r\n")
	text, err := charmap.Windows1252.NewEncoder().String(b.String())
	path := filepath.Join(t.TempDir(), "markenbestand.csv")
	if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// spanishExport is a portfolio as a Spanish agency sends it: a cover, a sheet for each kind of office with a title above, merged
// cells, a subtotal for each office, and days as cells, as 3-mar-2024 and as 03/03/2024.
func spanishExport(t *testing.T) string {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	err := errors.Join(book.SetSheetName("Sheet1", "Portada"), book.SetCellValue("Portada", "B2", "Quintana & Asociados"))
	months := []string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"}
	n := 0
	for _, sheet := range []string{"Nacionales", "Unión Europea"} {
		_, made := book.NewSheet(sheet)
		err = errors.Join(err, made, book.SetCellValue(sheet, "A1", "Cartera de marcas"), book.MergeCell(sheet, "A1", "H1"),
			book.SetSheetRow(sheet, "A3", &[]any{"Expediente", "Marca", "Oficina", "Clase", "Productos y servicios", "Nº solicitud", "F. solicitud", "Situación"}))
		row := 4
		for range 2 { // offices
			for range strangersMarks / 4 {
				day := time.Date(2012+n%9, time.Month(1+n), 13+n, 0, 0, 0, 0, time.UTC)
				var shown any = fmt.Sprintf("%d-%s-%d", day.Day(), months[n], day.Year())
				if n%2 == 1 {
					shown = day.Format("02/01/2006")
				}
				err = errors.Join(err, book.SetSheetRow(sheet, fmt.Sprintf("A%d", row), &[]any{fmt.Sprintf("ES-%d", 700+n), fmt.Sprintf("SEÑORÍO %d", n), "OEPM",
					33, "vinos; licores", fmt.Sprintf("M30%d", n), shown, "Concedida"}))
				row, n = row+1, n+1
			}
			err = errors.Join(err, book.SetSheetRow(sheet, fmt.Sprintf("A%d", row), &[]any{"Subtotal OEPM"}),
				book.MergeCell(sheet, fmt.Sprintf("A%d", row), fmt.Sprintf("C%d", row)), book.SetCellValue(sheet, fmt.Sprintf("D%d", row), strangersMarks/4))
			row += 2
		}
		err = errors.Join(err, book.SetSheetRow(sheet, fmt.Sprintf("A%d", row), &[]any{"TOTAL " + sheet, nil, nil, row}))
	}
	path := filepath.Join(t.TempDir(), "cartera.xlsx")
	if err = errors.Join(err, book.SaveAs(path)); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStrangersExportsNeedNoEditor takes the exports of two strangers from an empty folder to a report without an open question, with a
// spreadsheet for the ids.
func TestStrangersExportsNeedNoEditor(t *testing.T) {
	t.Parallel()
	for name, export := range map[string]func(*testing.T) string{"german": germanExport, "spanish": spanishExport} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := export(t)
			walkOnTheCommandLine(t, file)
		})
	}
}

func walkOnTheCommandLine(t *testing.T, file string) {
	dir := t.TempDir()
	code, out := program(t, dir, "init", file)
	if code != exit.AllIn || strings.Contains(out, "would be rejected") || strings.Contains(out, "like totals") || !strings.Contains(out, "12 records wait for") {
		t.Errorf("init ended with %d:\n%s", code, out)
	}
	lookups, err := filepath.Glob(filepath.Join(dir, "lookups", "*.csv"))
	if err != nil || len(lookups) < 4 {
		t.Fatal(err, lookups)
	}
	ids := 0
	for _, lookup := range lookups {
		text, err := os.ReadFile(lookup)
		if err != nil {
			t.Fatal(err)
		}
		filled := regexp.MustCompile(`(?m),\r?$`).ReplaceAllStringFunc(string(text), func(string) string {
			ids++
			return "," + uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(ids)}).String()
		})
		if err := os.WriteFile(lookup, []byte(filled), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out := program(t, dir, "check"); code != exit.AllIn || !strings.Contains(out, "All 12 marks would be imported.") || strings.Contains(out, "like totals") || strings.Contains(out, "single cell") || strings.Contains(out, "merged") {
		t.Errorf("check ended with %d:\n%s", code, out)
	}
	if code, out := program(t, dir, "run", "--rehearse"); code != exit.AllIn || !strings.Contains(out, "All 12 marks were imported.") {
		t.Errorf("run ended with %d:\n%s", code, out)
	}
}

// strangersID is the id that the service has for a name.
func strangersID(name string) string { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String() }

// TestConsoleTakesAStrangersExport takes the German export from an empty folder to a report without an open question, and on to the next
// export, in the browser by choosing alone.
func TestConsoleTakesAStrangersExport(t *testing.T) {
	t.Parallel()
	file := germanExport(t)
	dir := t.TempDir()
	write(t, dir, "docketsync.yaml", setup.Sandbox().Text()+"console: {listen: 127.0.0.1:0}\n") // what the first page writes
	c := startConsole(t, dir)
	tab := browsertest.Open(t)
	tab.Go(c.open)
	tab.Go(c.base + "/import")
	tab.Do(chromedp.SetUploadFiles(`input[type="file"]`, []string{file}))
	tab.Press(`.upload button`)
	tab.Look("stranger-file")
	if got := tab.Text("main"); !strings.Contains(got, "12 rows with ") || strings.Contains(got, "like totals") || strings.Contains(got, "set source") || strings.Contains(got, "Set merged") {
		t.Errorf("the page of the file says\n%s", got)
	}
	tab.Press(`.next a`)
	if got := tab.Eval(`[...document.querySelectorAll('[name="filter/how"]')].map((s) => s.value).join(" ")`); got != "skip" {
		t.Errorf("the rules are chosen as %q", got)
	}
	if got := tab.Eval(`[...document.querySelectorAll('[name=dates] option:checked')].map((o) => o.text).join("|")`); got != "as each column proves: only one form is possible|—" {
		t.Errorf("the dates are chosen as %q", got)
	}
	tab.Press(`.next a.button`)
	var tables map[string][]string
	if err := json.Unmarshal([]byte(tab.Eval(`JSON.stringify(Object.fromEntries([...document.querySelectorAll("table.names")].map((t) =>
		[t.dataset.lookup, [...t.querySelectorAll("input[name^='name/']")].map((i) => i.value)])))`)), &tables); err != nil {
		t.Fatal(err)
	}
	for lookup, names := range tables {
		var pasted strings.Builder
		for _, name := range names {
			fmt.Fprintf(&pasted, "%s\t%s\n", name, strangersID(name))
		}
		tab.Fill(`[name="paste/`+lookup+`"]`, pasted.String())
	}
	tab.Press(`.saveall button`)
	tab.Press(`button[name=then]`)
	tab.Press(`.next button`)
	for _, step := range [][2]string{{"check", `form:has(input[value="check"]) button`}, {"plan", `form:has(input[value="plan"]) button`}, {"run", `form[action$="/carry-out"] button`}} {
		tab.Press(step[1])
		tab.Until(`document.querySelector(".verdict[data-kind=` + step[0] + `]") || document.querySelector(".wrong")`)
	}
	if got := tab.Text(".verdict"); !strings.HasPrefix(got, "All 12 marks were imported.") || strings.Contains(got, "UTF-8") || strings.Contains(got, "like totals") {
		t.Errorf("the run ends with %q", got)
	}
	tab.Press(`.kicker a[href^="/jobs/"]`)
	tab.Do(chromedp.SetUploadFiles(`#next input[type=file]`, []string{file}))
	tab.Press("#next button")
	atRest(tab)
	if got := tab.Text("#plan + p"); !strings.Contains(got, "12 unchanged") {
		t.Errorf("of the next export the page says %q", got)
	}
	tab.Quiet(c.base)
}
