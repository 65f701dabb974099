package certificate

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// cellLength is how much a worksheet's cell holds, in UTF-16 units.
const cellLength = 32767

// workbook writes sheet after sheet. Every text goes in as a text, never as a formula; the first trouble ends it.
type workbook struct {
	file   *excelize.File
	stream *excelize.StreamWriter
	row    int
	err    error

	plain, head, title, bold, wrong, box, quiet int
}

// WriteXLSX writes the certificate as a workbook: the account, everything that is not in, the reconciliation, the totals and the
// sample, set up for printing. folder is where the rows of large sheets are kept meanwhile, "" for the system's.
func (cert *Certificate) WriteXLSX(out io.Writer, folder string) error {
	w := &workbook{file: excelize.NewFile(excelize.Options{TmpDir: folder})}
	w.file.SetZipWriter(func(to io.Writer) excelize.ZipWriter { return newParts(to) })
	defer w.file.Close()
	w.styles()
	w.account(cert)
	w.notIn(cert)
	w.reconciliation(cert)
	w.controls(cert)
	w.sample(cert)
	w.close()
	if w.err == nil {
		at := cert.Until.Format("2006-01-02T15:04:05Z")
		w.err = w.file.SetDocProps(&excelize.DocProperties{Creator: "docketsync", LastModifiedBy: "docketsync", Title: "Migration certificate", Created: at, Modified: at})
	}
	if w.err == nil {
		_, w.err = w.file.WriteTo(out)
	}
	if w.err != nil {
		return fmt.Errorf("write the certificate as a workbook: %w", w.err)
	}
	return nil
}

func (w *workbook) styles() {
	top := &excelize.Alignment{Vertical: "top", WrapText: true}
	thin := func(color string, sides ...string) (list []excelize.Border) {
		for _, side := range sides {
			list = append(list, excelize.Border{Type: side, Color: color, Style: 1})
		}
		return list
	}
	fill := func(color string) excelize.Fill {
		return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{color}}
	}
	for _, s := range []struct {
		into  *int
		style excelize.Style
	}{
		{&w.plain, excelize.Style{Alignment: top}},
		{&w.quiet, excelize.Style{Alignment: top, Font: &excelize.Font{Color: "5F6670", Size: 9}}},
		{&w.bold, excelize.Style{Alignment: top, Font: &excelize.Font{Bold: true}}},
		{&w.title, excelize.Style{Font: &excelize.Font{Bold: true, Size: 14}}},
		{&w.head, excelize.Style{Alignment: top, Font: &excelize.Font{Bold: true}, Fill: fill("F1EEE8"), Border: thin("23272D", "bottom")}},
		{&w.wrong, excelize.Style{Alignment: top, Fill: fill("F8D9D2")}},
		{&w.box, excelize.Style{Alignment: top, Border: thin("5F6670", "left", "right", "top", "bottom")}},
	} {
		if id, err := w.file.NewStyle(&s.style); err != nil && w.err == nil {
			w.err = err
		} else {
			*s.into = id
		}
	}
}

// sheet begins a sheet with a header, which is repeated on every page that is printed.
func (w *workbook) sheet(name string, widths []float64, header ...string) {
	w.close()
	if w.err != nil {
		return
	}
	if w.stream == nil {
		w.err = w.file.SetSheetName("Sheet1", name)
	} else {
		_, w.err = w.file.NewSheet(name)
	}
	if w.err != nil {
		return
	}
	if w.stream, w.err = w.file.NewStreamWriter(name); w.err != nil {
		return
	}
	w.row = 0
	for n, width := range widths {
		w.keep(w.stream.SetColWidth(n+1, n+1, width))
	}
	if len(header) > 0 {
		w.keep(w.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
		w.put(w.head, texts(header)...)
		w.keep(w.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: "'" + name + "'!$1:$1", Scope: name}))
	}
	landscape, pages, fit := "landscape", 0, true
	w.keep(w.file.SetPageLayout(name, &excelize.PageLayoutOptions{Orientation: &landscape, FitToHeight: &pages}))
	w.keep(w.file.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}))
	w.keep(w.file.SetHeaderFooter(name, &excelize.HeaderFooterOptions{OddFooter: "&L" + name + "&R&P / &N"}))
}

func (w *workbook) keep(err error) {
	if w.err == nil {
		w.err = err
	}
}

// close ends the sheet that is being written.
func (w *workbook) close() {
	if w.stream != nil && w.err == nil {
		w.err = w.stream.Flush()
	}
}

// put writes a row in one style. A value that has a style of its own keeps it.
func (w *workbook) put(style int, values ...any) {
	if w.err != nil {
		return
	}
	w.row++
	cells := make([]any, len(values))
	for n, value := range values {
		cell, own := value.(excelize.Cell)
		if !own {
			cell = excelize.Cell{StyleID: style, Value: value}
		}
		if text, ok := cell.Value.(string); ok {
			cell.Value = writable(text)
		}
		cells[n] = cell
	}
	w.err = w.stream.SetRow(fmt.Sprintf("A%d", w.row), cells)
}

func texts(list []string) []any {
	values := make([]any, len(list))
	for n, text := range list {
		values[n] = text
	}
	return values
}

// writable is a text as a worksheet can hold it. Characters that no XML document can hold are shown as U+FFFD, and a text that is
// too long ends with how long it was; certificate.json has both as they are.
func writable(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, text)
	if len(text) <= cellLength || len(utf16.Encode([]rune(text))) <= cellLength {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s … (%d characters)", string(runes[:cellLength/3]), len(runes))
}
