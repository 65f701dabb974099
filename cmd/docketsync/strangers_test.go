package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"

	"docketsync/cmd/docketsync/internal/exit"
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
