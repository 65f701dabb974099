package certificate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
)

// mostListed is how many records that are not in are listed one by one. The reports of the runs have all.
const mostListed = 10_000

// mostCauses is how many causes are told apart; further ones are counted under "other".
const mostCauses = 1000

// causeKey tells causes apart, as the reports of the runs do.
type causeKey struct {
	operation, by, code, field, told string
	outcome                          outcome.Outcome
}

// absence gathers what is not in.
type absence struct {
	NotIn
	at   map[causeKey]int
	runs []ledger.Run
}

func newAbsence(runs []ledger.Run) *absence {
	return &absence{NotIn: NotIn{Causes: []Cause{}, List: []Item{}}, at: map[causeKey]int{}, runs: runs}
}

func (a *absence) add(f *fed) {
	if f.in() {
		return
	}
	a.Records++
	run, e, why := &a.runs[f.run], f.entity, reasonOf(f.record)
	where := positions(run, f.record.Rows)
	key := causeKey{operation: e.operation, outcome: e.outcome, code: why.Code, field: why.Field}
	if e.outcome == outcome.Rejected {
		key.by = "docketsync"
		if e.refused {
			key.by = "service"
		}
		key.told = cause.Telling(why, e.refused)
	}
	n, known := a.at[key]
	if !known && len(a.at) >= mostCauses {
		key, why = causeKey{operation: e.operation, outcome: e.outcome, code: "other"}, ledger.Reason{Code: "other", Message: "other causes"}
		n, known = a.at[key]
	}
	if !known {
		n = len(a.Causes)
		a.at[key] = n
		a.Causes = append(a.Causes, Cause{Operation: key.operation, Outcome: key.outcome, By: key.by, Code: key.code, Field: key.field,
			Message: why.Message, Hint: why.Hint, Example: strings.TrimSpace(e.key + " " + where)})
	}
	a.Causes[n].Message = cause.Shared(a.Causes[n].Message, why.Message)
	a.Causes[n].Hint = cause.Shared(a.Causes[n].Hint, why.Hint)
	a.Causes[n].Records++
	a.Causes[n].Rows += len(f.record.Rows)
	if len(a.List) >= mostListed {
		return
	}
	item := Item{Operation: e.operation, Run: run.ID, Seq: f.record.Seq, Key: e.key, Outcome: e.outcome, Where: where, Why: whyOf(f.record)}
	if e.accepted.run >= 0 {
		item.Earlier = a.runs[e.accepted.run].ID
	}
	a.List = append(a.List, item)
}

// close sorts the causes, the commonest first.
func (a *absence) close() NotIn {
	slices.SortStableFunc(a.Causes, func(x, y Cause) int { return cmp.Compare(y.Records, x.Records) })
	return a.NotIn
}

// reasonOf is the first thing that keeps a record out.
func reasonOf(r ledger.Record) ledger.Reason {
	if len(r.Reasons) > 0 {
		return r.Reasons[0]
	}
	said := map[ledger.State]string{
		ledger.Held:    "the run was stopped before its turn; nothing of it was sent",
		ledger.InDoubt: "it may or may not be in the service; it waits for somebody to look it up (docketsync resolve)",
		ledger.Failed:  "trouble outlasted the retries; the next run takes it up",
	}[r.State]
	return ledger.Reason{Message: cmp.Or(said, r.Message, "no reason was kept")}
}

// whyOf is everything that keeps a record out, in a line.
func whyOf(r ledger.Record) string {
	var parts []string
	for _, reason := range r.Reasons {
		text := reason.Message
		if reason.Cell != "" && !strings.Contains(text, reason.Cell) {
			text = reason.Cell + ": " + text
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		parts = append(parts, cmp.Or(r.Message, reasonOf(r).Message))
	}
	return strings.Join(parts, "; ")
}

// mostRows is how many rows of a record are named.
const mostRows = 6

// positions says where rows stand: "matters.xlsx, Matters, row 17".
func positions(run *ledger.Run, rows []ledger.Row) string {
	if len(rows) == 0 {
		return "no row"
	}
	var parts []string
	for n := 0; n < len(rows); {
		source, numbers := rows[n].Source, []string{}
		for ; n < len(rows) && rows[n].Source == source; n++ {
			numbers = append(numbers, strconv.Itoa(rows[n].Number))
		}
		parts = append(parts, sourceName(run, source)+", "+rowNumbers(numbers))
	}
	return strings.Join(parts, "; ")
}

func rowNumbers(numbers []string) string {
	if len(numbers) == 1 {
		return "row " + numbers[0]
	}
	more := ""
	if len(numbers) > mostRows {
		more = fmt.Sprintf(" and %d more", len(numbers)-mostRows)
		numbers = numbers[:mostRows]
	}
	return "rows " + strings.Join(numbers, ", ") + more
}

// sourceName is a file without its folders, and its sheet.
func sourceName(run *ledger.Run, source int) string {
	if source < 0 || source >= len(run.Sources) {
		return "an unknown file"
	}
	name := baseName(run.Sources[source].File)
	if sheet := run.Sources[source].Sheet; sheet != "" {
		name += ", " + sheet
	}
	return name
}

// baseName is the last part of a path of any system.
func baseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }
