package certificate

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var pageStyle string

// How much of long lists the page shows, so that it can be printed. The workbook and the JSON have everything.
const (
	shownGroups = 5 // of each dimension, among those that differ
	shownSample = 2 // one of each operation
	shownItems  = 12
	shownCauses = 10
)

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"thousands": wording.Thousands, "count": wording.Counted, "base": wording.BaseName, "upper": wording.UpperFirst, "plural": wording.Plural, "date": day,
	"words": words[string], "ended": words[outcome.Outcome], "label": Control.label,
	"causes": first[Cause](shownCauses), "items": first[Item](shownItems), "further": further,
	"day":    func(t time.Time) string { return t.UTC().Format("2 January 2006") },
	"moment": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") },
	"things": things,
	"differing": func(list []Group) []placed[Group] { // the first groups that have something missing
		return chosenOf(list, shownGroups, func(g Group) bool { return g.Missing() != 0 })
	},
	"filled": func(list []Unmapped) []Unmapped { // the columns that hold something
		return slices.DeleteFunc(slices.Clone(list), func(u Unmapped) bool { return u.Filled == 0 })
	},
	"inc":   func(n int) int { return n + 1 },
	"minus": func(a, b int) int { return a - b },
}).Parse(pageTemplate))

// WriteHTML writes the certificate as one self-contained page, to read and to print.
func (cert *Certificate) WriteHTML(w io.Writer) error {
	return wording.WritePage(w, page, page.Name(), struct {
		*Certificate
		Policy, Style any
		Columns       []string
		Rows          []accountRow
	}{cert, template.HTMLAttr(fmt.Sprintf("content=%q", report.PagePolicy(pageStyle, ""))), template.CSS(pageStyle), cert.columns(), cert.accountRows()})
}

// things counts the records of an operation, with the word that the trade uses for them.
func things(op operation) string {
	one, many := wording.Noun(op.Operation)
	verb := "update"
	if strings.HasPrefix(op.Operation, "create_") {
		verb = "create"
	}
	return wording.Counted(op.Account.Records, one, many) + " to " + verb
}

// Shown returns the records of the sample that the page has, one of each of the first operations.
func (cert *Certificate) Shown() (list []Sample) {
	of := map[string]int{}
	for _, s := range cert.Sample {
		if of[s.Operation]++; of[s.Operation] == 1 && len(list) < shownSample {
			list = append(list, s)
		}
	}
	return list
}

// Files lists the names of the files that the runs read, each once.
func (cert *Certificate) Files() (names []string) {
	for _, run := range cert.Runs {
		for _, source := range run.Sources {
			if name := wording.BaseName(source.File); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// first returns the beginning of a list.
func first[T any](most int) func([]T) []T {
	return func(list []T) []T { return list[:min(most, len(list))] }
}

// placed is an element of a list with its index in the list in the JSON form.
type placed[T any] struct {
	N  int
	Of T
}

// chosenOf returns the elements of a list that the page shows.
func chosenOf[T any](list []T, most int, choose func(T) bool) (chosen []placed[T]) {
	for n, one := range list {
		if len(chosen) < most && choose(one) {
			chosen = append(chosen, placed[T]{n, one})
		}
	}
	return chosen
}

// further sums up the groups that differ and that the page does not show, nil if there are none.
func further(d Dimension) *Group {
	all, n := &Group{}, 0
	for _, g := range d.Groups {
		if g.Missing() == 0 {
			continue
		}
		if n++; n > shownGroups {
			all.Source, all.In = all.Source+g.Source, all.In+g.In
		}
	}
	if n <= shownGroups {
		return nil
	}
	all.Text = wording.Counted(n-shownGroups, "further value")
	return all
}

// Remarkable returns the control totals that the page shows: those of fields in which something was lost, added or
// stored differently.
func (op operation) Remarkable() []placed[Control] {
	return chosenOf(op.Controls, len(op.Controls), func(c Control) bool { return c.Lost+c.Added+c.Differing > 0 || c.Sum != nil && c.Sum.Differs })
}

// Sums reports whether a field of numbers is among the control totals.
func (op operation) Sums() bool {
	return slices.ContainsFunc(op.Controls, func(c Control) bool { return c.Sum != nil })
}

// words is an operation or an outcome, spelled for people.
func words[T ~string](text T) string { return strings.ReplaceAll(string(text), "_", " ") }

// accountRow is a row of the account: a number for each operation and, if there are several, one for all.
type accountRow struct {
	Label, Class string
	Numbers      []number
}

// number is a number on the page, with its place in the JSON form.
type number struct {
	N    int
	Path string
}

// columns are the headings of the account's numbers.
func (cert *Certificate) columns() (names []string) {
	for _, op := range cert.Operations {
		names = append(names, words(op.Operation))
	}
	if len(names) != 1 {
		names = append(names, "all")
	}
	return names
}

// accountRows returns the account as a table. A row that is zero throughout is left out if it is only a part of
// another.
func (cert *Certificate) accountRows() (rows []accountRow) {
	add := func(label, class, path string, of func(Account) int) {
		row := accountRow{Label: label, Class: class}
		sum := of(cert.Overall)
		for n, op := range cert.Operations {
			row.Numbers = append(row.Numbers, number{of(op.Account), fmt.Sprintf("operations.%d.account.%s", n, path)})
		}
		if len(cert.Operations) != 1 {
			row.Numbers = append(row.Numbers, number{sum, "overall." + path})
		}
		if sum > 0 || !strings.HasSuffix(class, "part") {
			rows = append(rows, row)
		}
	}
	add("Rows read", "head", "rows_read", func(a Account) int { return a.Read })
	for _, skip := range cert.Overall.Skipped {
		add("skipped: "+skip.Reason, "part", "rows_skipped."+skip.Reason, func(a Account) int { return skipped(a.Skipped, skip.Reason) })
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
