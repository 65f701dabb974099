package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// verdict says in a sentence or two how the run went, for someone who reads nothing else.
func verdict(s *Summary) string {
	said := []string{Headline(s), Stopped(s.Run), storedDifferently(s), careful(s)}
	return strings.Join(slices.DeleteFunc(said, func(text string) bool { return text == "" }), " ")
}

// storedDifferently says how much the service stored differently from what was sent, "" for nothing.
func storedDifferently(s *Summary) string {
	if s.Differs == nil {
		return ""
	}
	one, many := wording.Noun(s.Run.Operation)
	return fmt.Sprintf("The service stored %s of %s with a different value than was sent: correct %[3]s there by hand and acknowledge %[3]s, or correct the source.",
		wording.Counted(s.Differs.Values, "field"), wording.Counted(s.Differs.Records, one, many), wording.Plural(s.Differs.Values, "it", "them"))
}

// Remedies returns what is wrong after the run and what mends it; rejects is the path of rejects.xlsx, "" if there is
// none.
func (s *Summary) Remedies(rejects string) []remedy.Remedy {
	f := remedy.Facts{Run: s.Run, Records: map[outcome.Outcome]int{}, Since: s.Since, Rejects: rejects, StillInDoubt: s.StillInDoubt,
		Acknowledged: cmp.Or(s.Acknowledged, &Acknowledged{}).Records, Changed: cmp.Or(s.Changed, &Noted{}).Records,
		Differs: cmp.Or(s.Differs, &Noted{}).Values, Unsent: cmp.Or(s.Unsent, &Noted{}).Records, Rowless: s.Rowless}
	for _, c := range s.Records.ByOutcome {
		f.Records[c.Outcome] = c.Records
	}
	if s.Waiting != nil {
		f.Waits, f.Waiting = s.Waiting.Records, "for "+s.Waiting.Ids()
	}
	for _, c := range s.Causes {
		if c.Code == reason.Renamed {
			f.Renamed += min(c.Records, f.Records[outcome.Rejected]-f.Acknowledged-f.Renamed)
		}
	}
	return remedy.After(f)
}

// Headline is the verdict on one line: what stopped the run, in the terms of the service or the file, and how much went
// in.
func Headline(s *Summary) string {
	said := account(s)
	if n := s.StillInDoubt; n > 0 {
		said += " " + wording.Sentence(remedy.StillInDoubt(n))
	}
	if remedy.Telling(s.Run) {
		return wording.Sentence(remedy.First(s.Remedies(""))) + " " + said
	}
	return said
}

// account says how much went in and what did not.
func account(s *Summary) string {
	if s.Partial != "" && cause.HeldByGuard(s.Run) {
		return "The export could not be used." // why is said next
	}
	if s.Partial != "" {
		return wording.Sentence("No plan was made: " + s.Partial)
	}
	if s.Rows.Read == 0 && cause.HeldByGuard(s.Run) {
		return "There are no rows below the header."
	}
	if s.Rows.Read == 0 {
		return "There was nothing to do: there are no rows below the header."
	}
	if s.Records.Total == 0 {
		return fmt.Sprintf("There was nothing to do: %s read and none became a record.", wording.Counted(s.Rows.Read, "row was", "rows were"))
	}
	text := wording.Sentence(strings.Join(append([]string{wentIn(s)}, shortfalls(s)...), "; "))
	if s.Run.Kind != ledger.Push {
		text += " Nothing was sent."
	}
	return text
}

// wentIn is the first clause: how much of everything has gone in, or would.
func wentIn(s *Summary) string {
	total, already := s.Records.Total, s.Count(outcome.Unchanged).Records
	one, many := wording.Noun(s.Run.Operation)
	all := "all " + wording.Counted(total, one, many)
	if total == 1 {
		all = "the only " + one
	}
	arrived := s.Count(outcome.Created).Records + s.Count(outcome.Updated).Records
	if s.Run.Kind != ledger.Push {
		arrived = s.Count(outcome.Planned).Records + s.Count(outcome.Sending).Records
	}
	imported := wording.Plural(min(total, max(arrived, 1)), "was", "were") + " imported"
	if arrived == 0 && total > 1 {
		imported = "were imported"
	}
	if s.Run.Kind != ledger.Push {
		imported = "would be imported"
	}
	upToDate := wording.Plural(already, "was", "were") + " already up to date"
	if s.Unsent != nil || s.Differs != nil { // they are among these, or among those that were updated
		upToDate = wording.Plural(already, "was", "were") + " already in the service"
	}
	switch {
	case arrived == total:
		return all + " " + imported
	case already == total:
		if changed(s) || s.Differs != nil || s.StillInDoubt > 0 {
			return all + " " + upToDate
		}
		return all + " " + upToDate + "; nothing has changed"
	case already == 0:
		return fmt.Sprintf("%s of %s %s", wording.Thousands(arrived), wording.Counted(total, one, many), imported)
	}
	return fmt.Sprintf("%s of %s %s, %s %s", wording.Thousands(arrived), wording.Counted(total, one, many), imported, wording.Thousands(already), upToDate)
}

// changed reports whether rows of records that the service has have changed, whether or not a job sends the changes.
func changed(s *Summary) bool {
	return slices.ContainsFunc(s.Notes, func(note cause.Cause) bool {
		return note.Code == reason.ChangedSince || note.Code == reason.ChangeUpdates || note.Code == reason.EntryChanged || note.Code == reason.Stays
	})
}

// shortfalls returns the clauses for what did not go in, those that need a person first.
func shortfalls(s *Summary) (clauses []string) {
	say := func(n int, clause string) {
		if n > 0 {
			clauses = append(clauses, clause)
		}
	}
	are := func(n int, what string) { say(n, wording.Thousands(n)+wording.Plural(n, " is ", " are ")+what) }
	again, until := " failed and will be processed again in the next run", "held for the next run"
	if s.Run.Apart() {
		again, until = " failed and will be processed when this file is run again", "held until this file is run again"
	}
	if cause.HeldByGuard(s.Run) {
		until = "held by a guard"
	}
	rejected, failed, held := s.Count(outcome.Rejected), s.Count(outcome.Failed).Records, s.Count(outcome.Held).Records
	if w := s.Waiting; w != nil {
		rejected.Records, rejected.Rows = rejected.Records-w.Records, rejected.Rows-w.Rows
		say(w.Records, rowsOf(s, w.Records, w.Rows)+wording.Plural(w.Records, " waits for ", " wait for ")+w.Ids())
	}
	a := cmp.Or(s.Acknowledged, &Acknowledged{})
	rejected.Records, rejected.Rows = rejected.Records-a.Records, rejected.Rows-a.Rows
	say(rejected.Records, rowsOf(s, rejected.Records, rejected.Rows)+wording.Plural(rejected.Records, " needs", " need")+" correcting")
	say(a.Records, rowsOf(s, a.Records, a.Rows)+wording.Plural(a.Records, " is", " are")+" rejected and acknowledged")
	if u := s.Unsent; u != nil {
		say(u.Records, wording.Counted(u.Records, "record, counted above, has a change", "records, counted above, have changes")+" that cannot be sent")
	}
	are(s.Count(outcome.InDoubt).Records, "in doubt")
	say(failed, wording.Thousands(failed)+again)
	if c := s.Changed; c != nil {
		held -= c.Records
		are(c.Records, "held because somebody else may have changed "+wording.Plural(c.Records, "it", "them")+" in the service")
	}
	are(held, until)
	if s.Run.Kind == ledger.Push {
		are(s.Count(outcome.Planned).Records+s.Count(outcome.Sending).Records, "still to be sent")
	}
	return clauses
}

// ToSend says what a plan would send: "12 creates", "412 updates".
func (s *Summary) ToSend() string {
	planned := s.Count(outcome.Planned).Records
	if strings.HasPrefix(s.Run.Operation, "create_") {
		return wording.ToSend(planned, 0)
	}
	return wording.ToSend(0, planned)
}

// rowsOf counts records by their rows, or by both if a record has several rows.
func rowsOf(s *Summary, records, rows int) string {
	if rows == records {
		return wording.Counted(rows, "row")
	}
	one, many := wording.Noun(s.Run.Operation)
	return fmt.Sprintf("%s (%s)", wording.Counted(records, one, many), wording.Counted(rows, "row"))
}

// Stopped says why the run was stopped, as far as its headline does not say it; "" if it was not stopped.
func Stopped(run ledger.Run) string {
	switch {
	case run.Phase != ledger.Stopped || run.Stop == "":
		return ""
	case cause.HeldByGuard(run):
		rest := run.Stop
		for _, guard := range run.Guards {
			rest = strings.TrimPrefix(strings.TrimPrefix(rest, guard.Message), "; ")
		}
		if rest == "" {
			return ""
		}
		return wording.Sentence(rest)
	case run.StopCode == stop.Interrupted, run.StopCode == stop.Part:
		return wording.Sentence(run.Stop)
	}
	return wording.Sentence("The run was stopped: " + run.Stop)
}

// careful is the part of the verdict about the reader's warnings, "" for none. A check shows all warnings below its
// verdict.
func careful(s *Summary) string {
	if len(s.Warnings) == 0 || s.Run.Kind == ledger.Check {
		return ""
	}
	text := "Warning: " + s.Warnings[0].String()
	if more := len(s.Warnings) - 1; more > 0 {
		text += "; and " + wording.Counted(more, "other warning") + " about what was read"
	}
	return text + "."
}
