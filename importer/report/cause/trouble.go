package cause

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/reason"
)

// again is the hint if the next run may read another file.
const again = "Other files may not have this record: run this file again, which sends only what is missing. An inbox that holds changes does so by itself."

// Of returns why a record did not go in, each cause once. Records that went in, or are still to go, have none.
func Of(run ledger.Run, r ledger.Record) []Cause {
	switch outcome.Of(r) {
	case outcome.Rejected:
		return rejection(run, r)
	case outcome.InDoubt:
		return []Cause{doubt(r)}
	case outcome.Failed:
		c := words(outcome.Failed, "failed", cmp.Or(r.Message, "The service could not be reached, or did not answer as it should"))
		c.Hint = "No action needed: the next run retries it. If this keeps happening, contact the service's operator."
		if strings.Contains(r.Message, payload.ProxyVariable) {
			c.Hint = "The next run retries it. The firm's IT can say whether the proxy lets docketsync through; it is not the service's trouble."
		}
		if r.Message == ledger.DoubtSettled {
			c.Hint = "Nothing of this record was sent. The next run compares it with what the service now holds and sends only the difference."
		}
		if run.Apart() {
			c.Hint = again
		}
		return []Cause{c}
	case outcome.Held:
		c := words(outcome.Held, "held", cmp.Or(run.Stop, "The run stopped before it was sent"))
		c.Hint = "Nothing was sent. The next run includes it."
		// The message of a record in flight is what stopped the run. run.Stop says that more fully, so such a record
		// shares one cause with those never begun. A record that was never tried may have a reason of its own.
		if r.Attempts == 0 && r.Message != "" && !strings.HasPrefix(run.Stop, r.Message) {
			c = words(outcome.Held, "held", r.Message)
			c.Hint = "The next run includes it."
		}
		if run.Apart() {
			c.Hint = again
		}
		if slices.ContainsFunc(r.Notes, func(n ledger.Reason) bool { return n.Code == reason.ChangedThere }) {
			c.Hint = "Look at both sides and decide whose values stand: docketsync resolve " + run.Name + ", or the page Changed in the service."
		}
		if HeldByGuard(run) {
			c.Hint = guard.Advice(run.Guards)
		}
		return []Cause{c}
	}
	return nil
}

func rejection(run ledger.Run, r ledger.Record) []Cause {
	by := Docketsync
	if RefusedByService(r) {
		by = Service
	}
	reasons := r.Reasons
	if len(reasons) == 0 {
		reasons = []ledger.Reason{{Code: "unexplained", Message: cmp.Or(r.Message, "No reason was recorded")}}
	}
	var list []Cause
	for _, why := range reasons {
		if by == Service && len(r.Rows) == 0 {
			why = why.Says(reason.New(reason.RefusedGone, why.Message, run.Name))
		}
		why.Hint = strings.Replace(why.Hint, reason.RunRefused, reason.RunRefused+" "+reason.Operand(run.Job), 1)
		c := reasonCause(why)
		c.Outcome, c.By = outcome.Rejected, by
		c.key.outcome, c.key.by, c.key.value = outcome.Rejected, by, telling(why, by == Service)
		list = once(list, c)
	}
	return list
}

// once appends a cause to a list unless the list has it.
func once(list []Cause, c Cause) []Cause {
	if slices.ContainsFunc(list, func(known Cause) bool { return known.key == c.key }) {
		return list
	}
	return append(list, c)
}

// RefusedByService reports whether it was the service that rejected a record, in this run or before.
func RefusedByService(r ledger.Record) bool { return r.State == ledger.Refused || r.RefusedBefore() }

// doubt returns what a person has to find out. A record that an earlier run left in doubt has a note that says so.
func doubt(r ledger.Record) Cause {
	c := words(outcome.InDoubt, "in_doubt", r.Message)
	c.Hint = "Check in the service whether it is there. docketsync does not send it again until it is resolved."
	if r.Message == "" {
		for _, note := range r.Notes {
			c = Cause{Outcome: outcome.InDoubt, Code: note.Code, Message: note.Message, Hint: note.Hint, key: key{outcome: outcome.InDoubt, code: note.Code}}
		}
	}
	c.Message = cmp.Or(c.Message, "It is not known whether the service processed it")
	return c
}

// OfNotes returns the notes of a record, each kind once.
func OfNotes(r ledger.Record) []Cause {
	var list []Cause
	for _, note := range r.Notes {
		list = once(list, reasonCause(note))
	}
	return list
}

func reasonCause(r ledger.Reason) Cause {
	c := Cause{
		Code: r.Code, Field: r.Field, Column: r.Column, Message: r.Message, Hint: r.Hint, Form: r.Form, Args: r.Args,
		Example: newExample(r),
	}
	if r.Code == reason.Differs {
		c.Field = payload.FieldOf(r.Field)
	}
	if ownValue(r.Code, r.Form) {
		c.Value = r.Value
	}
	c.key = key{code: c.Code, form: c.Form, field: c.Field, value: c.Value}
	if r.Code == reason.Source { // it has the words of the reader alone
		c.key.value = pattern(r.Message)
	}
	return c
}

func newExample(r ledger.Reason) Example {
	return Example{Row: r.Row, Cell: r.Cell, Value: r.Value, source: r.Source}
}

// words returns a cause that only its words tell apart.
func words(o outcome.Outcome, code, message string) Cause {
	return Cause{Outcome: o, Code: code, Message: message, key: key{outcome: o, code: code, value: pattern(message)}}
}

// example completes the first place of a cause from the record.
func example(run ledger.Run, r ledger.Record, e Example) Example {
	e.Key = r.Key
	row := ledger.Row{Source: -1}
	if len(r.Rows) > 0 {
		row = r.Rows[0]
	}
	if e.Row != 0 && len(r.Rows) > 0 {
		row = r.Rows[rowsOf(r, ledger.Reason{Row: e.Row, Source: e.source})[0]]
	}
	if source := wording.SourceOf(run, row.Source); source.File != "" {
		e.File, e.Sheet = source.File, source.Sheet
	}
	e.Row = row.Number
	return e
}

// InShort says in one line what a table shows about a record.
func InShort(r ledger.Record) string {
	switch outcome.Of(r) {
	case outcome.Rejected:
		if len(r.Reasons) == 0 {
			return r.Message
		}
		return first(r.Reasons)
	case outcome.Unchanged, outcome.Created, outcome.Updated:
		otherwise := slices.DeleteFunc(slices.Clone(r.Notes), func(n ledger.Reason) bool { return !n.Unsent() && n.Code != reason.Differs })
		if len(otherwise) > 0 {
			return first(otherwise)
		}
	case outcome.Failed, outcome.InDoubt:
		if r.Message != "" {
			return r.Message
		}
	}
	if len(r.Notes) > 0 {
		return r.Notes[0].Message
	}
	return ""
}

// first returns the first message, and how many more there are.
func first(list []ledger.Reason) string {
	if len(list) == 1 {
		return list[0].Message
	}
	return list[0].Message + " (+" + strconv.Itoa(len(list)-1) + " more)"
}

// varying matches the parts of a message that are about one record: ids, quoted values, numbers.
var varying = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|"[^"]*"|“[^”]*”|(^|[\s(:=])'[^']*'|\d+`)

// pattern returns a message without these parts, so that the same trouble of different records is one cause.
func pattern(message string) string { return varying.ReplaceAllString(message, "…") }

// HeldByGuard reports whether a guard stopped the run.
func HeldByGuard(run ledger.Run) bool {
	return run.Phase == ledger.Stopped && len(run.Guards) > 0 && run.Passed == nil
}
