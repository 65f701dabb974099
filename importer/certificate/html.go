package certificate

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"docketsync/importer/report/wording"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var pageStyle string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"thousands": wording.Thousands, "count": wording.Counted, "base": wording.BaseName, "upper": wording.UpperFirst, "words": words, "label": label, "plural": wording.Plural,
	"day": func(t time.Time) string { return t.UTC().Format("2 January 2006") }, "date": day,
	"moment": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") },
	"stamp":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"inc":    func(n int) int { return n + 1 },
}).Parse(pageTemplate))

// pagePolicy forbids the page everything but its own style: whatever text finds its way into it can neither run nor ask anything
// of the network.
var pagePolicy = fmt.Sprintf("default-src 'none'; style-src %s; img-src data:; base-uri 'none'; form-action 'none'", styleDigest(pageStyle))

func styleDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// What the page shows of long lists. The workbook and the JSON have everything.
const (
	shownGroups = 60
	shownItems  = 100
	shownCauses = 60
)

// WriteHTML writes the certificate as one page that needs nothing else, to be read and to be printed.
func (cert *Certificate) WriteHTML(w io.Writer) error {
	return page.Execute(w, newView(cert))
}

// view is what the template shows.
type view struct {
	*Certificate
	Policy, Style any
	Columns       []string
	Rows          []accountRow
	Sections      []sectionView
	Causes        []Cause
	MoreCauses    int
	Items         []Item
	MoreItems     int
}

// accountRow is a row of the account: a number for each operation and, where there are several, for all.
type accountRow struct {
	Label, Class string
	Numbers      []number
}

// number is a number on the page and where it stands in the JSON form.
type number struct {
	N    int
	Path string
}

// sectionView is what is shown of one operation.
type sectionView struct {
	Op         Operation
	Index      int
	Dimensions []dimensionView
	Left       []Unmapped // columns that hold something
}

type dimensionView struct {
	Dimension
	Index       int
	Shown       []groupView
	Further     *Group // all others together, nil for none
	Unit, Title string
}

type groupView struct {
	Group
	Index int
}

func newView(cert *Certificate) view {
	v := view{Certificate: cert, Policy: template.HTMLAttr(fmt.Sprintf("content=%q", pagePolicy)), Style: template.CSS(pageStyle)}
	for _, op := range cert.Operations {
		v.Columns = append(v.Columns, words(op.Operation))
	}
	if len(cert.Operations) != 1 {
		v.Columns = append(v.Columns, "all")
	}
	v.Rows = cert.accountRows()
	for n, op := range cert.Operations {
		v.Sections = append(v.Sections, newSectionView(n, op))
	}
	v.Causes = cert.NotIn.Causes[:min(len(cert.NotIn.Causes), shownCauses)]
	v.MoreCauses = len(cert.NotIn.Causes) - len(v.Causes)
	v.Items = cert.NotIn.List[:min(len(cert.NotIn.List), shownItems)]
	v.MoreItems = cert.NotIn.Records - len(v.Items)
	return v
}

// accountRows is the account as a table.
func (cert *Certificate) accountRows() (rows []accountRow) {
	add := func(label, class, path string, of func(Account) int) {
		row := accountRow{Label: label, Class: class}
		sum := 0
		for n, op := range cert.Operations {
			row.Numbers = append(row.Numbers, number{of(op.Account), fmt.Sprintf("operations.%d.account.%s", n, path)})
			sum += of(op.Account)
		}
		if len(cert.Operations) != 1 {
			row.Numbers = append(row.Numbers, number{of(cert.Overall), "overall." + path})
			sum += of(cert.Overall)
		}
		if sum > 0 || !strings.HasSuffix(class, "part") {
			rows = append(rows, row)
		}
	}
	add("Rows read", "head", "rows_read", func(a Account) int { return a.Read })
	for _, skip := range cert.Overall.Skipped {
		add("skipped: "+skip.Reason, "part", "rows_skipped."+skip.Reason, func(a Account) int { return a.skippedFor(skip.Reason) })
	}
	add("in records", "sum", "rows_in_records", func(a Account) int { return a.InRecords })
	add("Records of all runs", "head", "records_of_runs", func(a Account) int { return a.Planned })
	add("counted in a later run", "part", "superseded", func(a Account) int { return a.Superseded })
	add("corrected under another key", "part", "corrected", func(a Account) int { return a.Corrected })
	add("pruned from the ledger", "part", "removed", func(a Account) int { return a.Removed })
	add("records, each once", "sum", "records", func(a Account) int { return a.Records })
	add("created", "part", "created", func(a Account) int { return a.Created })
	add("updated", "part", "updated", func(a Account) int { return a.Updated })
	add("already up to date", "part", "already", func(a Account) int { return a.Already })
	add("Imported", "sum", "in", func(a Account) int { return a.In })
	add("of these, changed in the source since", "note part", "outdated", func(a Account) int { return a.Outdated })
	add("of these, confirmed by a person", "note part", "vouched", func(a Account) int { return a.Vouched })
	add("rejected by docketsync", "part", "rejected", func(a Account) int { return a.Rejected })
	add("refused by the service", "part", "refused", func(a Account) int { return a.Refused })
	add("failed", "part", "failed", func(a Account) int { return a.Failed })
	add("in doubt", "part", "in_doubt", func(a Account) int { return a.InDoubt })
	add("never sent", "part", "held", func(a Account) int { return a.Held })
	add("no outcome", "part", "other", func(a Account) int { return a.Other })
	add("Not imported", "sum", "not_in", func(a Account) int { return a.NotIn })
	return rows
}

func (a Account) skippedFor(reason string) int {
	for _, skip := range a.Skipped {
		if skip.Reason == reason {
			return skip.Rows
		}
	}
	return 0
}

func newSectionView(n int, op Operation) sectionView {
	s := sectionView{Op: op, Index: n}
	for i, d := range op.Breakdown {
		v := dimensionView{Dimension: d, Index: i, Unit: "records", Title: "By " + d.Name}
		if d.List {
			v.Unit = "entries"
		}
		shown := min(len(d.Groups), shownGroups)
		for at, g := range d.Groups[:shown] {
			v.Shown = append(v.Shown, groupView{g, at})
		}
		if more := d.Groups[shown:]; len(more) > 0 {
			v.Further = &Group{Text: wording.Counted(len(more), "further value")}
			for _, g := range more {
				v.Further.Source, v.Further.In = v.Further.Source+g.Source, v.Further.In+g.In
			}
		}
		s.Dimensions = append(s.Dimensions, v)
	}
	for _, u := range op.Unmapped {
		if u.Filled > 0 {
			s.Left = append(s.Left, u)
		}
	}
	return s
}

// words is an operation as a person reads it.
func words(operation string) string { return strings.ReplaceAll(operation, "_", " ") }
