package certificate

import (
	"cmp"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// mostListed is how many records that are not in are listed one by one. The reports of the runs have all.
const mostListed = 10_000

// add takes in a record that is not in, among the causes of its operation. Each counts under the first thing that keeps it out.
func (n *NotIn) add(causes *cause.Grouping, runs []ledger.Run, f *fed) {
	n.Records++
	first := cause.Cause{Outcome: outcome.Of(f.record), Message: "No reason was recorded"}
	if all := cause.Of(*f.run, f.record); len(all) > 0 {
		first = all[0]
	}
	causes.Add(*f.run, f.record, first)
	if len(n.List) >= mostListed {
		return
	}
	e := f.entity
	item := Item{Operation: e.operation, Run: f.run.ID, Seq: f.record.Seq, Key: e.key, Outcome: e.outcome, Where: wording.Places(*f.run, f.record.Rows),
		Why: cmp.Or(whyOf(f.record), first.Message)}
	if e.accepted.run >= 0 {
		item.Earlier = runs[e.accepted.run].ID
	}
	n.List = append(n.List, item)
}

// close takes in the causes of an operation, and lists all of them, the commonest first.
func (n *NotIn) close(operation string, causes *cause.Grouping) {
	for _, c := range causes.List() {
		n.Causes = append(n.Causes, Cause{Operation: operation, Outcome: c.Outcome, By: c.By, Code: c.Code, Field: c.Field, Records: c.Records, Rows: c.Rows,
			Message: c.Message, Hint: c.Hint, Example: c.Example.Words()})
	}
	slices.SortStableFunc(n.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Operation, b.Operation))
	})
}

// whyOf is everything that keeps a record out, in a line; "" where nothing was recorded.
func whyOf(r ledger.Record) string {
	var parts []string
	for _, reason := range r.Reasons {
		text := reason.Message
		if reason.Cell != "" && !strings.Contains(text, reason.Cell) {
			text = reason.Cell + ": " + text
		}
		parts = append(parts, text)
	}
	return cmp.Or(strings.Join(parts, "; "), r.Message)
}
