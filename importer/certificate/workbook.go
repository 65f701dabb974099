package certificate

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/report/wording"
	"docketsync/importer/report/workbook"
)

// book is the certificate as a workbook, set up for printing.
type book struct {
	*workbook.Book
	sheet *workbook.Sheet

	plain, head, title, bold, wrong, box, quiet int
}

// WriteXLSX writes the certificate as a workbook: the account, everything that is not in, the reconciliation, the
// totals and the sample. folder holds the rows of large sheets in the meantime; "" means the system's temporary folder.
func (cert *Certificate) WriteXLSX(out io.Writer, folder string) error {
	w := &book{Book: workbook.New("Migration certificate", "", cert.Until, folder)}
	defer w.Close()
	w.Ordered()
	w.plain, w.quiet = w.Style(workbook.Look{Wrap: true}), w.Style(workbook.Look{Wrap: true, Ink: "5F6670", Size: 9})
	w.bold, w.title = w.Style(workbook.Look{Wrap: true, Bold: true}), w.Style(workbook.Look{Bold: true, Size: 14})
	w.head = w.Style(workbook.Look{Wrap: true, Bold: true, Fill: "F1EEE8", Underlined: true})
	w.wrong, w.box = w.Style(workbook.Look{Wrap: true, Fill: "F8D9D2"}), w.Style(workbook.Look{Wrap: true, Boxed: true})
	w.account(cert)
	w.notIn(cert)
	w.reconciliation(cert)
	w.controls(cert)
	w.sample(cert)
	if err := w.Write(out); err != nil {
		return fmt.Errorf("write the certificate as a workbook: %w", err)
	}
	return nil
}

// begin begins a sheet. Its header is repeated on every printed page.
func (w *book) begin(name string, widths []float64, header ...any) {
	w.sheet = w.Sheet(name, len(header) > 0, widths...)
	if len(header) > 0 {
		w.put(w.head, header...)
		w.Keep(w.File.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: "'" + name + "'!$1:$1", Scope: name}))
	}
	landscape, pages, fit := "landscape", 0, true
	w.Keep(w.File.SetPageLayout(name, &excelize.PageLayoutOptions{Orientation: &landscape, FitToHeight: &pages}))
	w.Keep(w.File.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}))
	w.Keep(w.File.SetHeaderFooter(name, &excelize.HeaderFooterOptions{OddFooter: "&L" + name + "&R&P / &N"}))
}

// put writes a row. Characters that no worksheet can hold are shown as U+FFFD, and a text that is too long ends with
// its original length; certificate.json has both unchanged.
func (w *book) put(style int, values ...any) {
	for n, value := range values {
		text, ok := value.(string)
		if !ok {
			continue
		}
		text = strings.Map(func(r rune) rune {
			if workbook.Unwritable(r) {
				return '\ufffd'
			}
			return r
		}, text)
		if !workbook.Fits(text) {
			runes := []rune(text)
			text = fmt.Sprintf("%s … (%d characters)", string(runes[:workbook.CellLength/3]), len(runes))
		}
		values[n] = text
	}
	w.sheet.Put(style, values...)
}

// account writes the first sheet: the verdict, the account, the runs, and room to sign.
func (w *book) account(cert *Certificate) {
	w.begin("Certificate", []float64{58, 16, 16, 16, 16, 16, 16, 40})
	if cert.Rehearsal != "" {
		w.put(w.bold, cert.Rehearsal)
	}
	w.put(w.title, "Migration certificate")
	w.put(w.quiet, fmt.Sprintf("%s, %s to %s", cert.Service, cert.From.Format("2006-01-02"), cert.Until.Format("2006-01-02")))
	w.put(w.bold, cert.Verdict)
	for _, text := range append(cert.Discrepancies[:len(cert.Discrepancies):len(cert.Discrepancies)], cert.Reservations...) {
		w.put(w.plain, text)
	}
	if e := cert.Evidence; e != nil {
		w.put(w.quiet, fmt.Sprintf("Evidence: entry %d, %s", e.Entry, e.Hash))
	}
	if cert.SignedWith != "" {
		w.put(w.quiet, "Signed with the key "+cert.SignedWith+"; see certificate.sig")
	}
	w.put(w.plain)
	header := []any{"Account"}
	for _, column := range cert.columns() {
		header = append(header, column)
	}
	w.put(w.head, header...)
	for _, row := range cert.accountRows() {
		style := w.bold
		if strings.HasSuffix(row.Class, "part") {
			style = w.plain
		}
		values := []any{row.Label}
		for _, n := range row.Numbers {
			values = append(values, n.N)
		}
		w.put(style, values...)
	}
	w.put(w.plain)
	w.put(w.head, "Run", "Rows read", "Records", "Counted here", "Counted later", "Corrected", "Pruned", "Sources")
	for _, r := range cert.Runs {
		var sources []string
		for _, s := range r.Sources {
			sources = append(sources, strings.TrimSpace(wording.BaseName(s.File)+" "+s.Sheet)+" SHA-256 "+s.SHA256)
		}
		w.put(w.plain, fmt.Sprintf("%s, %s, %s, %s", r.Job, words(r.Operation), r.Started.UTC().Format("2006-01-02 15:04 MST"), r.ID),
			r.Read, r.Records, r.Counted, r.Superseded, r.Corrected, r.Removed, strings.Join(sources, "\n"))
	}
	w.put(w.plain)
	for _, who := range []string{"For the migration", "For the firm"} {
		w.put(w.bold, who)
		for _, what := range []string{"Name", "Date", "Signature", "Remarks"} {
			w.put(w.box, what, "", "", "")
		}
	}
}

func (w *book) notIn(cert *Certificate) {
	w.begin("Not imported", []float64{18, 20, 14, 12, 40, 70, 40}, "Operation", "Reference", "How it ended", "Records", "Where", "Why", "Advice")
	for _, c := range cert.NotIn.Causes {
		w.put(w.bold, words(c.Operation), "", strings.TrimSpace(words(c.Outcome)+" "+c.By), c.Records, "for example "+c.Example, c.Message, c.Hint)
	}
	w.put(w.bold, "", "", "all", cert.NotIn.Records, "", "")
	for _, i := range cert.NotIn.List {
		why := i.Why
		if i.Earlier != "" {
			why += "\nAn earlier version was imported by run " + i.Earlier + "."
		}
		w.put(w.plain, words(i.Operation), i.Key, words(i.Outcome), "", i.Where, why, "")
	}
	if more := cert.NotIn.Records - len(cert.NotIn.List); more > 0 {
		w.put(w.quiet, fmt.Sprintf("and %s more, in the reports of the runs", wording.Thousands(more)))
	}
}

func (w *book) reconciliation(cert *Certificate) {
	w.begin("Reconciliation", []float64{18, 12, 50, 44, 12, 12, 12}, "Operation", "By", "Value", "Sent", "Source", "Imported", "Difference")
	for _, op := range cert.Operations {
		for _, d := range op.Breakdown {
			for _, g := range d.Groups {
				style := w.plain
				if g.Missing() != 0 {
					style = w.wrong
				}
				w.put(style, words(op.Operation), d.Name, g.Text, strings.Join(g.Sent, "\n"), g.Source, g.In, -g.Missing())
			}
			w.put(w.bold, words(op.Operation), d.Name, "all", "", d.Source, d.In, -d.Missing())
			if d.Unknown > 0 {
				w.put(w.quiet, words(op.Operation), d.Name, wording.Counted(d.Unknown, "record")+" whose entries are not known")
			}
		}
	}
}

func (w *book) controls(cert *Certificate) {
	w.begin("Totals", []float64{18, 34, 30, 14, 12, 14, 12, 12, 12, 12, 12, 12, 12, 50}, "Operation", "Field", "From", "Filled in the source", "of these imported",
		"Filled in the service", "Values", "Lost", "Added", "As shown", "Converted", "Read back", "Stored differently", "Sums, dates, values lost")
	for _, op := range cert.Operations {
		for _, c := range op.Controls {
			style, from := w.plain, cmp.Or(strings.Join(c.Columns, ", "), c.From)
			if c.Lost+c.Differing > 0 {
				style = w.wrong
			}
			w.put(style, words(op.Operation), c.label(), from, c.SourceFilled, c.InFilled, c.SentFilled, c.Values, c.Lost, c.Added, c.Same, c.Converted, c.ReadBack, c.Differing, c.totals())
		}
		w.put(w.quiet, words(op.Operation), op.ReadBack())
		for _, u := range op.Unmapped {
			w.put(w.quiet, words(op.Operation), "not sent", u.Column, u.Filled)
		}
		h := op.Hashes
		w.put(w.bold, words(op.Operation), "SHA-256 of all keys", h.OfSource, h.KeysSource)
		w.put(w.bold, words(op.Operation), "SHA-256 of the imported keys", h.OfIn, h.KeysIn)
		w.put(w.bold, words(op.Operation), "SHA-256 of the imported payloads", h.OfPayloads, h.Payloads)
	}
}

// totals are the sum, the dates and the values lost of a field.
func (c Control) totals() string {
	var parts []string
	if s := c.Sum; s != nil {
		parts = append(parts, fmt.Sprintf("sum sent %s; of the records with cells: sent %s, source %s", s.Sent, s.Beside, s.Source))
	}
	if s := c.Span; s != nil {
		parts = append(parts, fmt.Sprintf("%s, %s to %s", wording.Counted(s.Dates, "date"), s.Earliest, s.Latest))
		if s.Cells > 0 {
			parts = append(parts, fmt.Sprintf("source %s, %s to %s", wording.Counted(s.Cells, "date"), s.First, s.Last))
		}
	}
	if len(c.Words) > 0 {
		parts = append(parts, "lost"+quoted(c.Words))
	}
	return strings.Join(parts, "\n")
}

func (w *book) sample(cert *Certificate) {
	w.begin("Sample", []float64{6, 20, 26, 10, 20, 44, 44, 8, 30}, "No", "Reference", "Field", "Cell", "Column", "In the source", "Sent", "Correct", "Remarks")
	box := excelize.Cell{StyleID: w.box, Value: ""}
	for n, s := range cert.Sample {
		about := strings.Join(s.Why, "; ") + ". " + s.Where
		if s.ServiceID != "" {
			about += ". In the service: " + s.ServiceID
		}
		w.put(w.bold, n+1, s.Key, words(s.Operation), "", "", strings.TrimSpace(about+". "+s.Remark), "", "", "")
		for _, l := range s.Lines {
			var cell, column, text []string
			for _, c := range l.Cells {
				cell, column, text = append(cell, c.Cell), append(column, c.Column), append(text, c.Text)
			}
			w.put(w.plain, n+1, s.Key, strings.TrimSpace(Control{Field: l.Field, Name: l.Name}.label()+"\n"+l.How), strings.Join(cell, "\n"),
				strings.Join(column, "\n"), strings.Join(text, "\n"), l.Sent, box, box)
		}
	}
}
