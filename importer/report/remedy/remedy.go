// Package remedy says what is wrong after a run and what mends it, in the terms of the service and of the file.
// Messages, the console, reports and the terminal all take their words from here, so that somebody who follows one into
// the other reads the same. Only this package has words for the codes of the package stop.
//
// A remedy names the page of the console that mends it and the command that does; the Site turns them into a link and a
// line for the shell. Pages are paths here, because those who only report do not know the console; a test of the
// console opens each.
package remedy

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// Remedy is one thing that is wrong after a run.
type Remedy struct {
	Wrong  string   // a clause, as "service down since 23 Nov 2026, 02:04 CET"
	Do     string   // what to do, a sentence or two; "" if the next run does it
	Page   string   // the path of the console's page that mends it, "" for none
	Way    string   // what a link to it says
	Args   []string // the arguments of the command that does, none for none
	Person bool     // somebody has to do something
}

// Facts are what is known of a finished run.
type Facts struct {
	ledger.Run
	Records map[outcome.Outcome]int
	Waiting string // the rejected records that lack only ids, as "for 3 ids"; "" if there are none or nobody counted
	Waits   int    // how many these are
	// Acknowledged are the rejected records that somebody accepts as they are; none of them is among those that wait.
	Acknowledged int
	Rowless      int       // rejected records without rows, which nobody has acknowledged
	Renamed      int       // of the rejected records, those that may be known ones under new keys
	Changed      int       // of the held records, those that somebody else may have changed in the service
	Differs      int       // values that the service stored differently from what was sent
	Unsent       int       // unacknowledged records whose changes cannot be sent
	StillInDoubt int       // records of earlier runs that are in doubt and not among those of the run
	Since        time.Time // since when the service has not answered, zero if unknown
	Rejects      string    // the path of rejects.xlsx on this machine, "" if there is none
}

// After lists what is wrong after a run, the most pressing first, and last what the next run takes up; it is empty if
// all is well.
func After(f Facts) (list []Remedy) {
	if f.Phase == ledger.Stopped {
		list = append(list, f.stopped())
	}
	add := func(n int, wrong string, w words) {
		if n > 0 {
			list = append(list, f.remedy(wrong, w))
		}
	}
	doubts := words{do: "Look up each one in the service and say whether it is there.", page: doubtsPage, args: []string{"resolve", "{run}"}}
	if f.StopCode == stop.Doubts {
		doubts.do = "" // said already
	}
	add(f.Records[outcome.InDoubt], wording.Thousands(f.Records[outcome.InDoubt])+" in doubt", doubts)
	add(f.StillInDoubt, StillInDoubt(f.StillInDoubt), words{do: "Look up each one in the service and say whether it is there.", page: doubtsPage, args: []string{"resolve"}})
	rejected := f.Records[outcome.Rejected] - f.Waits - f.Acknowledged - f.Renamed - f.Rowless
	next, checks := "The next run sends the rows.", []string{"check", "{job}"}
	switch {
	case f.Apart():
		next, checks = "The same file again sends the rows.", append(checks, "--file", f.file())
	case f.inboxed():
		checks = nil // there is nothing to check until the next export arrives
	}
	add(f.Waits, fmt.Sprintf("%s %s %s", wording.Counted(f.Waits, "record"), wording.Plural(f.Waits, "waits", "wait"), f.Waiting), words{
		do: "Add the missing ids to the lookups that the check lists. " + next, page: jobPage, args: checks})
	add(rejected, fmt.Sprintf("%s%s %s correcting", wording.Counted(rejected, "record"), f.of(), wording.Plural(rejected, "needs", "need")), f.correct())
	add(f.Rowless, wording.Counted(f.Rowless, "record")+" no longer in the export "+wording.Plural(f.Rowless, "was", "were")+" rejected", words{
		do: "Change each one in the service by hand, and acknowledge it.", page: rejectsPage, args: []string{"rejects", "{run}"}})
	decide := "Say of each whether it is the same record or a new one."
	if f.Apart() && !f.inboxed() {
		decide += " Then import the same file again."
	}
	add(f.Renamed, wording.Counted(f.Renamed, "record")+" may be "+wording.Plural(f.Renamed, "a known one under a new key", "known ones under new keys"), words{
		do: decide, page: runPage, args: []string{"renamed"}})
	add(f.Differs, "the service stored "+wording.Counted(f.Differs, "value")+" differently from what was sent", words{
		do: "Correct what differs.csv lists by hand in the service and acknowledge it, or correct the source.", page: rejectsPage, args: []string{"rejects", "{run}"}})
	unsent, do := " that an update cannot make", "Make them in the service by hand, and acknowledge them."
	if strings.HasPrefix(f.Operation, "create_") {
		unsent, do = " that cannot be sent without creating "+wording.Plural(f.Unsent, "a second one", "second ones"), "Send changes with an update job. If there is none, change them in the service by hand and acknowledge them."
	}
	add(f.Unsent, wording.Counted(f.Unsent, "record has a change", "records have changes")+unsent, words{do: do, page: rejectsPage, args: []string{"rejects", "{run}"}})
	add(f.Acknowledged, wording.Thousands(f.Acknowledged)+" rejected and acknowledged", words{later: true})
	add(f.Changed, wording.Thousands(f.Changed)+" held, perhaps changed by somebody else in the service", words{
		do: "Look at both sides of each and decide whose values stand.", page: changedPage, args: []string{"resolve", "{run}"}})
	failed, held := f.Records[outcome.Failed], f.Records[outcome.Held]-f.Changed
	retried := " failed; the next run retries " + wording.Plural(failed, "it", "them")
	if f.Apart() {
		retried = " failed; the same file again retries " + wording.Plural(failed, "it", "them")
	}
	add(failed, wording.Thousands(failed)+retried, words{later: true})
	add(held, wording.Thousands(held)+" held", words{later: true})
	return list
}

// StillInDoubt says that n records of earlier runs are in doubt.
func StillInDoubt(n int) string {
	return wording.Counted(n, "record") + " of earlier runs" + wording.Plural(n, " is", " are") + " still in doubt"
}

// NotRun returns the remedy for a job that could not be run.
func NotRun(job string, why error) Remedy {
	first, _, _ := strings.Cut(why.Error(), "\n")
	return Facts{Run: ledger.Run{Job: job}}.remedy("it could not run: "+strings.TrimRight(first, ".:"), byCode[stop.Input])
}

// NotServed returns the remedy for a firm that cannot be served. What to do is the second line of the error if that is
// the last; further lines would be a quotation of a file.
func NotServed(why error) Remedy {
	first, do, _ := strings.Cut(why.Error(), "\n")
	if do == "" || strings.Contains(do, "\n") {
		do = "Correct its files, its schema or its secrets. It is tried again every minute, and at once when its files change."
	}
	return Facts{}.remedy("it cannot be served: "+strings.TrimRight(first, "."), words{do: do})
}

// NoChannel returns the remedy if a channel of messages cannot be used, so that no job is run.
func NoChannel(why error) Remedy {
	w := words{do: "Set it where docketsync runs. No job runs until then.", page: connectionPage, args: []string{"doctor"}}
	return Facts{}.remedy("a notification channel has no secret: "+strings.TrimRight(why.Error(), "."), w)
}

// First returns what is wrong first, "" if nothing is.
func First(list []Remedy) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Wrong
}

// Telling reports whether the reason for a stop is said before how much went in. For the other reasons, the run's own
// text says it.
func Telling(run ledger.Run) bool {
	itself := []string{"", stop.Input, stop.Interrupted, stop.Part, stop.Superseded, stop.Adopted, stop.Approval}
	return run.Phase == ledger.Stopped && !slices.Contains(itself, run.StopCode)
}

// stopped is why the run was stopped.
func (f Facts) stopped() Remedy {
	w := ofCode(f.StopCode)
	switch f.StopCode {
	case stop.Input:
		first, _, _ := strings.Cut(f.Stop, "\n")
		return f.remedy(strings.TrimRight("it could not run: "+first, ": "), w)
	case stop.Guard:
		w.do = guard.Advice(f.Guards)
		switch {
		case f.Export == nil && (f.Fingerprint == "" || len(f.Sources) != 1):
			w = words{do: "This export cannot be used. Export it again as before; the next run uses it.", page: runPage}
		case f.Export == nil && !f.inboxed(): // rows that are no whole export
			w.page, w.args = runPage, []string{"run", "{job}", "--file", f.file(), "--accept-guard"}
		}
		return f.remedy(strings.TrimSuffix("stopped by a guard: "+Guards(f.Run), ": "), w)
	case stop.ServiceDown:
		if !f.Since.IsZero() {
			return f.remedy(w.wrong+" since "+moment.Of(f.Since), w)
		}
	}
	return f.remedy(w.wrong, w)
}

// Guards are what guards said of a run.
func Guards(run ledger.Run) string {
	said := make([]string, len(run.Guards))
	for n, guard := range run.Guards {
		said[n] = guard.Message
	}
	return strings.Join(said, "; ")
}

// correct says what to do about rejected rows.
func (f Facts) correct() words {
	w := words{do: "Correct the rows of rejects.xlsx and import that file.", page: runPage}
	w.page.way = "Review what needs correcting"
	if f.Rejects != "" {
		w.args = []string{"run", "{job}", "--file", f.Rejects}
	}
	return w
}

// file is the path of the file, if a run read only one.
func (f Facts) file() string {
	if len(f.Sources) != 1 {
		return "FILE"
	}
	return f.Sources[0].File
}

// inboxed reports whether a run read a file taken from an inbox: importer/inbox keeps those in a folder of its own.
func (f Facts) inboxed() bool { return strings.Contains(filepath.ToSlash(f.file()), "/.docketsync/") }

// of names the file, if a run read only one.
func (f Facts) of() string {
	if len(f.Sources) != 1 {
		return ""
	}
	return " of " + wording.BaseName(f.Sources[0].File)
}

// remedy puts the run and the job into words.
func (f Facts) remedy(wrong string, w words) Remedy {
	r := Remedy{Wrong: wrong, Do: w.do, Person: !w.later, Way: w.page.way}
	r.Page = strings.NewReplacer("{job}", url.PathEscape(f.Job), "{run}", f.ID).Replace(w.page.path)
	for _, arg := range w.args {
		r.Args = append(r.Args, strings.NewReplacer("{job}", f.Job, "{run}", f.Name).Replace(arg))
	}
	return r
}
