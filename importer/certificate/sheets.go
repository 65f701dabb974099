package certificate

import (
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/report/wording"
)

// account is the first sheet: the verdict, the account, the runs, and room to sign.
func (w *workbook) account(cert *Certificate) {
	w.sheet("Certificate", []float64{58, 16, 16, 16, 16, 16, 16, 40})
	if cert.Rehearsal != "" {
		w.put(w.bold, cert.Rehearsal)
	}
	w.put(w.title, "Migration certificate")
	w.put(w.quiet, fmt.Sprintf("%s, %s to %s", cert.Service, cert.From.Format("2006-01-02"), cert.Until.Format("2006-01-02")))
	w.put(w.bold, cert.Verdict)
	for _, list := range [][]string{cert.Discrepancies, cert.Reservations} {
		for _, text := range list {
			w.put(w.plain, text)
		}
	}
	w.put(w.plain)
	header := []string{"Account"}
	for _, op := range cert.Operations {
		header = append(header, words(op.Operation))
	}
	if len(cert.Operations) != 1 {
		header = append(header, "all")
	}
	w.put(w.head, texts(header)...)
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
	w.put(w.head, texts([]string{"Run", "Rows read", "Records", "Counted here", "Counted later", "Corrected", "Pruned", "Sources"})...)
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

func (w *workbook) notIn(cert *Certificate) {
	w.sheet("Not imported", []float64{18, 20, 14, 12, 40, 70, 40}, "Operation", "Reference", "How it ended", "Records", "Where", "Why", "Advice")
	for _, c := range cert.NotIn.Causes {
		w.put(w.bold, words(c.Operation), "", strings.TrimSpace(words(string(c.Outcome))+" "+c.By), c.Records, "for example "+c.Example, c.Message, c.Hint)
	}
	w.put(w.bold, "", "", "all", cert.NotIn.Records, "", "")
	for _, i := range cert.NotIn.List {
		why := i.Why
		if i.Earlier != "" {
			why += "\nAn earlier version was imported by run " + i.Earlier + "."
		}
		w.put(w.plain, words(i.Operation), i.Key, words(string(i.Outcome)), "", i.Where, why, "")
	}
	if more := cert.NotIn.Records - len(cert.NotIn.List); more > 0 {
		w.put(w.quiet, fmt.Sprintf("and %s more, in the reports of the runs", wording.Thousands(more)))
	}
}

func (w *workbook) reconciliation(cert *Certificate) {
	w.sheet("Reconciliation", []float64{18, 12, 50, 44, 12, 12, 12}, "Operation", "By", "Value", "Sent", "Source", "Imported", "Difference")
	for _, op := range cert.Operations {
		for _, d := range op.Breakdown {
			for _, g := range d.Groups {
				style := w.plain
				if g.Missing() != 0 {
					style = w.wrong
				}
				w.put(style, words(op.Operation), d.Name, g.Text, strings.Join(g.Sent, "\n"), g.Source, g.In, -g.Missing())
			}
			w.put(w.bold, words(op.Operation), d.Name, "all", "", d.Source, d.In, d.In-d.Source)
			if d.Unknown > 0 {
				w.put(w.quiet, words(op.Operation), d.Name, wording.Counted(d.Unknown, "record")+" whose entries are not known")
			}
		}
	}
}

func (w *workbook) controls(cert *Certificate) {
	w.sheet("Totals", []float64{18, 34, 30, 14, 12, 14, 12, 12, 12, 12, 12, 12, 12, 50}, "Operation", "Field", "From", "Filled in the source", "of these imported",
		"Filled in the service", "Values", "Lost", "Added", "As shown", "Converted", "Read back", "Stored differently", "Sums, dates, values lost")
	for _, op := range cert.Operations {
		for _, c := range op.Controls {
			style := w.plain
			if c.Lost+c.Differing > 0 {
				style = w.wrong
			}
			from := strings.Join(c.Columns, ", ")
			if from == "" {
				from = c.From
			}
			w.put(style, words(op.Operation), label(c), from, c.SourceFilled, c.InFilled, c.SentFilled, c.Values, c.Lost, c.Added, c.Same, c.Converted, c.ReadBack, c.Differing, totalsText(c))
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

func totalsText(c Control) string {
	var parts []string
	if s := c.Sum; s != nil {
		parts = append(parts, fmt.Sprintf("sum sent %s; of the records with cells: sent %s, source %s", s.Sent, s.Beside, s.Source))
	}
	if s := c.Span; s != nil {
		parts = append(parts, fmt.Sprintf("%d dates, %s to %s", s.Dates, s.Earliest, s.Latest))
		if s.Cells > 0 {
			parts = append(parts, fmt.Sprintf("source %d dates, %s to %s", s.Cells, s.First, s.Last))
		}
	}
	if len(c.Words) > 0 {
		parts = append(parts, "lost"+quoted(c.Words))
	}
	return strings.Join(parts, "\n")
}

func (w *workbook) sample(cert *Certificate) {
	w.sheet("Sample", []float64{6, 20, 26, 10, 20, 44, 44, 8, 30}, "No", "Reference", "Field", "Cell", "Column", "In the source", "Sent", "Correct", "Remarks")
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
			name := strings.TrimSpace(label(Control{Field: l.Field, Name: l.Name}) + "\n" + l.How)
			w.put(w.plain, n+1, s.Key, name, strings.Join(cell, "\n"), strings.Join(column, "\n"), strings.Join(text, "\n"), l.Sent,
				excelize.Cell{StyleID: w.box, Value: ""}, excelize.Cell{StyleID: w.box, Value: ""})
		}
	}
}
