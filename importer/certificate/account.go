package certificate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// account closes the accounts of the runs. It returns a sentence for each count that does not add up.
func (c *census) account() (discrepancies []string) {
	complain := func(format string, args ...any) { discrepancies = append(discrepancies, fmt.Sprintf(format, args...)) }
	for n, run := range c.runs {
		r := &c.counts[n]
		r.ID, r.Job, r.Operation, r.Started, r.Ended, r.Pruned = run.ID, run.Job, run.Operation, run.Started, run.Ended, run.Pruned
		if run.Phase == ledger.Stopped {
			r.Stopped = run.Stop
		}
		r.Sources = make([]Source, len(run.Sources))
		for s, source := range run.Sources {
			r.Sources[s] = Source{source.File, source.Sheet, source.SHA256}
		}
		r.Read, r.InRecords, r.Skipped = run.Counts.Read, run.Counts.InRecords, report.Skips(run.Counts.Skipped)
		if sum := r.InRecords + skipped(r.Skipped, ""); r.Read != sum {
			complain("Run %s read %d rows, but %d in records and %d skipped make %d.", run.ID, r.Read, r.InRecords, skipped(r.Skipped, ""), sum)
		}
		seen := r.Records
		r.ByOutcome, r.Records = outcomes(c.tallies[n])
		if r.Removed = r.Records - seen; r.Removed != 0 && run.Pruned.IsZero() || r.Removed < 0 {
			complain("The ledger counts %d records in run %s, but %d were found.", r.Records, run.ID, seen)
			r.Removed = max(0, r.Removed)
		}
	}
	for _, e := range c.entities {
		if !e.replaced {
			c.counts[e.last.run].Counted++
		}
	}
	for n, run := range c.runs {
		r := &c.counts[n]
		if sum := r.Counted + r.Superseded + r.Corrected + r.Removed; sum != r.Records {
			complain("Run %s has %d records, but %d counted here, %d counted in a later run, %d corrected and %d pruned make %d.",
				run.ID, r.Records, r.Counted, r.Superseded, r.Corrected, r.Removed, sum)
		}
	}
	return discrepancies
}

// outcomes returns the counts of a run's records by outcome, in the order that reports use, and their total.
func outcomes(tally []ledger.Count) (list []count, total int) {
	list = []count{}
	counts := outcome.Tally(tally)
	for _, o := range outcome.Present(counts) {
		list = append(list, count{o, counts[o]})
		total += counts[o]
	}
	return list, total
}

// accounts returns the account of each operation, in the order in which the runs first have it, and the account of all.
func (c *census) accounts() (operations []operation, overall Account) {
	at := map[string]int{}
	for _, r := range c.counts {
		if _, known := at[r.Operation]; !known {
			at[r.Operation] = len(operations)
			operations = append(operations, operation{Operation: r.Operation})
		}
		operations[at[r.Operation]].Account.addRun(r)
		overall.addRun(r)
	}
	for n := range c.entities {
		if e := &c.entities[n]; !e.replaced {
			operations[at[e.operation]].Account.add(e)
			overall.add(e)
		}
	}
	return operations, overall
}

func (a *Account) addRun(r Run) {
	a.Read, a.InRecords = a.Read+r.Read, a.InRecords+r.InRecords
	a.Planned, a.Superseded, a.Corrected, a.Removed = a.Planned+r.Records, a.Superseded+r.Superseded, a.Corrected+r.Corrected, a.Removed+r.Removed
	if a.Skipped == nil {
		a.Skipped = []report.Skip{}
	}
	for _, skip := range r.Skipped {
		at := slices.IndexFunc(a.Skipped, func(s report.Skip) bool { return s.Reason == skip.Reason })
		if at < 0 {
			at = len(a.Skipped)
			a.Skipped = append(a.Skipped, report.Skip{Reason: skip.Reason})
		}
		a.Skipped[at].Rows += skip.Rows
	}
}

func (a *Account) add(e *entity) {
	a.Records++
	if e.in() {
		a.In++
		if e.outdated != "" {
			a.Outdated++
		}
		if e.vouched != "" && e.outcome != outcome.Unchanged {
			a.Vouched++
		}
	} else {
		a.NotIn++
	}
	count, ok := map[outcome.Outcome]*int{outcome.Created: &a.Created, outcome.Updated: &a.Updated, outcome.Unchanged: &a.Already, outcome.Rejected: &a.Rejected,
		outcome.Failed: &a.Failed, outcome.InDoubt: &a.InDoubt, outcome.Held: &a.Held}[e.outcome]
	switch {
	case !ok:
		count = &a.Other
	case e.refused && e.outcome == outcome.Rejected:
		count = &a.Refused
	}
	*count++
}

// mostWords is how many of the records that are in on somebody's word are named.
const mostWords = 5

// words returns, for the first few records that are in on somebody's word, who said so.
func (c *census) words() (list []string) {
	for _, e := range c.entities {
		if e.vouched == "" || !e.in() || e.outcome == outcome.Unchanged || e.replaced {
			continue
		}
		if len(list) == mostWords {
			return append(list, "…")
		}
		list = append(list, fmt.Sprintf("%s: %s", e.key, e.vouched))
	}
	return list
}

// contradictions returns a sentence for each total of an account that differs from the sum of its parts.
func (a *Account) contradictions(of string) (list []string) {
	complain := func(what string, total, sum int) {
		if total != sum {
			list = append(list, fmt.Sprintf("%s: %s are %d, but their parts make %d.", of, what, total, sum))
		}
	}
	complain("rows read", a.Read, a.InRecords+skipped(a.Skipped, ""))
	complain("records of all runs", a.Planned, a.Records+a.Superseded+a.Corrected+a.Removed)
	complain("records", a.Records, a.In+a.NotIn)
	complain("imported records", a.In, a.Created+a.Updated+a.Already)
	complain("records not imported", a.NotIn, a.Rejected+a.Refused+a.Failed+a.InDoubt+a.Held+a.Other)
	if a.Other > 0 {
		list = append(list, fmt.Sprintf("%s: %d records are in a state that this version does not know, or have no outcome.", of, a.Other))
	}
	return list
}

// skipped returns how many rows were skipped for a reason, or for any reason if reason is "".
func skipped(list []report.Skip, reason string) (rows int) {
	for _, skip := range list {
		if reason == "" || skip.Reason == reason {
			rows += skip.Rows
		}
	}
	return rows
}

// hashes computes the hash totals of an operation, as the package comment defines them. Records without a key (rejected
// because they have none) are left out.
func (c *census) hashes(operation string) (h Hashes) {
	counted := make([]*entity, 0, len(c.entities))
	for n := range c.entities {
		if e := &c.entities[n]; e.operation == operation && e.key != "" && !e.replaced {
			counted = append(counted, e)
		}
	}
	slices.SortStableFunc(counted, func(a, b *entity) int { return cmp.Compare(a.key, b.key) })
	source, in, payloads := sha256.New(), sha256.New(), sha256.New()
	for _, e := range counted {
		fmt.Fprintln(source, e.key)
		if !e.in() {
			continue
		}
		h.KeysIn++
		fmt.Fprintln(in, e.key)
		if e.digest != "" {
			h.Payloads++
			fmt.Fprintf(payloads, "%s\t%s\n", e.key, e.digest)
		}
	}
	h.KeysSource = len(counted)
	h.OfSource, h.OfIn, h.OfPayloads = hex.EncodeToString(source.Sum(nil)), hex.EncodeToString(in.Sum(nil)), hex.EncodeToString(payloads.Sum(nil))
	return h
}

// mostListed limits the list of records that are not in. The reports of the runs list all of them.
const mostListed = 10_000

// add takes in a record that is not in. Among the causes of its operation it counts under the first of its own.
func (n *notIn) add(causes *cause.Grouping, runs []ledger.Run, f *fed) {
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

// close adds all causes of an operation, and sorts the list with the most common cause first.
func (n *notIn) close(operation string, causes *cause.Grouping) {
	for _, c := range causes.List() {
		n.Causes = append(n.Causes, Cause{Operation: operation, Outcome: c.Outcome, By: c.By, Code: c.Code, Field: c.Field, Records: c.Records, Rows: c.Rows,
			Message: c.Message, Hint: c.Hint, Example: c.Example.Words()})
	}
	slices.SortStableFunc(n.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Operation, b.Operation))
	})
}

// whyOf returns everything that keeps a record out, in one line; "" if nothing was recorded.
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
