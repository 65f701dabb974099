package certificate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// mostListed is how many records that are not in are listed one by one. The reports of the runs have all.
const mostListed = 10_000

// absence gathers what is not in: its causes by operation, as the reports of the runs group them.
type absence struct {
	NotIn
	causes map[string]*cause.Grouping
	runs   []ledger.Run
}

func newAbsence(runs []ledger.Run) *absence {
	return &absence{NotIn: NotIn{Causes: []Cause{}, List: []Item{}}, causes: map[string]*cause.Grouping{}, runs: runs}
}

func (a *absence) add(f *fed) {
	if f.in() {
		return
	}
	a.Records++
	run, e := *f.run, f.entity
	if a.causes[e.operation] == nil {
		a.causes[e.operation] = &cause.Grouping{}
	}
	first := firstCause(run, f.record)
	a.causes[e.operation].Add(run, f.record, first)
	if len(a.List) >= mostListed {
		return
	}
	item := Item{Operation: e.operation, Run: run.ID, Seq: f.record.Seq, Key: e.key, Outcome: e.outcome, Where: wording.Places(run, f.record.Rows),
		Why: cmp.Or(whyOf(f.record), first.Message)}
	if e.accepted.run >= 0 {
		item.Earlier = a.runs[e.accepted.run].ID
	}
	a.List = append(a.List, item)
}

// firstCause is the first thing that keeps a record out: each record counts under one cause.
func firstCause(run ledger.Run, r ledger.Record) cause.Cause {
	if causes := cause.Of(run, r); len(causes) > 0 {
		return causes[0]
	}
	return cause.Cause{Outcome: outcome.Of(r), Message: "No reason was recorded"}
}

// close lists the causes, the commonest first.
func (a *absence) close() NotIn {
	for _, operation := range slices.Sorted(maps.Keys(a.causes)) {
		for _, c := range a.causes[operation].List() {
			a.Causes = append(a.Causes, Cause{Operation: operation, Outcome: c.Outcome, By: c.By, Code: c.Code, Field: c.Field, Records: c.Records, Rows: c.Rows,
				Message: c.Message, Hint: c.Hint, Example: c.Example.Words()})
		}
	}
	slices.SortStableFunc(a.Causes, func(x, y Cause) int { return cmp.Compare(y.Records, x.Records) })
	return a.NotIn
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
