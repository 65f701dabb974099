package cutover

import (
	"fmt"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
)

// Words says in which phase a job is.
func (s Standing) Words() string {
	switch {
	case s.Phase == Ready:
		return "ready to cut over: the last delta was empty: " + s.Now.held()
	case s.Phase == Bulk && s.Now.Held == 0 && s.Open == nil:
		return "bulk: nothing has been sent yet"
	case s.Phase == Bulk:
		return fmt.Sprintf("bulk: %s of %s in the service", wording.Thousands(s.Now.Held), are(s.Now.Records))
	case s.Last == nil:
		return "deltas: the bulk is in, and no delta has been sent yet"
	case s.Last.empty():
		return "deltas: the last one was empty"
	}
	return "deltas: the last one " + s.Last.did()
}

// held says what the service holds if there is nothing left to send.
func (d Delta) held() string {
	text := are(d.Held) + " in the service"
	if d.Theirs > 0 {
		text += fmt.Sprintf("; %s there as somebody decided, nothing else differs", wording.Counted(d.Theirs, "record")+wording.Plural(d.Theirs, " stays", " stay"))
	} else {
		text += ", nothing differs"
	}
	if n := d.Acknowledged; n > 0 {
		text += fmt.Sprintf("; %s acknowledged and not there", wording.Counted(n, "rejected record")+wording.Plural(n, " is", " are"))
	}
	return text
}

func are(records int) string {
	return wording.Counted(records, "record") + wording.Plural(records, " is", " are")
}

// History says, one line each, what the runs did that brought the job there.
func (s Standing) History() (lines []string) {
	if s.Bulk != nil {
		lines = append(lines, fmt.Sprintf("bulk: %s %s, %s", s.Bulk.Run, s.Bulk.did(), moment.Of(s.Bulk.Ended)))
	}
	if s.Last != nil {
		lines = append(lines, fmt.Sprintf("last delta: %s %s, %s", s.Last.Run, s.Last.did(), moment.Of(s.Last.Ended)))
	}
	if s.Open != nil {
		lines = append(lines, s.Open.Run+" "+s.Open.unfinished())
	}
	return lines
}

func (r Ran) did() string {
	if r.empty() {
		return "was empty"
	}
	text := "sent " + wording.ToSend(r.Created, r.Updated)
	if r.sent() == 0 {
		text = "sent nothing"
	}
	if r.Left > 0 {
		text += fmt.Sprintf("; %s not in", are(r.Left))
		if r.Rejected > 0 {
			text += fmt.Sprintf(", besides %s rejected before sending", wording.Thousands(r.Rejected))
		}
	}
	return text
}

// unfinished says how a run stands that has not finished.
func (r Ran) unfinished() string {
	if r.Phase == ledger.Stopped {
		return fmt.Sprintf("was stopped on %s: %s", moment.Of(r.Ended), strings.ReplaceAll(r.Stop, "\n", " "))
	}
	return fmt.Sprintf("began on %s and has not ended: it is running, or was interrupted", moment.Of(r.Started))
}

// Words says what a run would find.
func (d Delta) Words() string {
	parts := []string{wording.ToSend(d.Creates, d.Updates)}
	if d.toSend() == 0 {
		parts[0] = "nothing to send"
	}
	if d.Rejected > 0 {
		text := wording.Thousands(d.Rejected) + " rejected"
		if d.Acknowledged > 0 {
			text += fmt.Sprintf(" (%s acknowledged)", wording.Thousands(d.Acknowledged))
		}
		parts = append(parts, text)
	}
	for _, part := range []struct {
		n    int
		word string
	}{{d.InDoubt, "in doubt"}, {d.Conflicts, "changed in the service"}, {d.Stale, "to be changed by hand"}, {d.Vanished, "no longer in the export"}, {d.Dropped, "held by an earlier run and gone since"}} {
		if part.n > 0 {
			parts = append(parts, wording.Thousands(part.n)+" "+part.word)
		}
	}
	return strings.Join(parts, ", ")
}

// step is something that has to be done before the firm can cut over, and the command for it, without what the
// installation adds. There is no command if it is done elsewhere.
type step struct {
	Do   string
	Args []string
}

// Steps returns what has to be done, in this order, or nothing if the job is ready.
func (s Standing) Steps() (list []step) {
	add := func(do string, args ...string) { list = append(list, step{do, args}) }
	now := s.Now
	if n := now.InDoubt; n > 0 {
		add(fmt.Sprintf("Find out what became of %s in doubt", wording.Counted(n, "record")), "resolve")
	}
	if n := now.Conflicts; n > 0 {
		add(fmt.Sprintf("Say whose values stand in %s that somebody changed in the service", wording.Counted(n, "record")), "resolve")
	}
	if n := now.Rejected - now.Acknowledged; n > 0 {
		add(fmt.Sprintf("Correct %s, or acknowledge %s once a run has found %s", wording.Counted(n, "rejected record"), wording.Plural(n, "it", "them"), wording.Plural(n, "it", "them")), "check", s.Job)
	}
	if n := now.Stale; n > 0 {
		add(fmt.Sprintf("Change %s in the service by hand, as the report of the last run says: docketsync may not send %s", wording.Counted(n, "record"), wording.Plural(n, "it", "them")))
	}
	if n := now.Dropped; n > 0 {
		add(fmt.Sprintf("Put back into the export %s that %s held and no run has had since; what is no longer to be sent, give to 'docketsync forget --key'",
			wording.Counted(n, "record"), now.DroppedBy), "report", now.DroppedBy)
	}
	for _, guard := range now.Guards {
		add("Look at the export: "+guard, "check", s.Job)
	}
	switch {
	case s.Open != nil && s.Open.Phase != ledger.Stopped:
		add("Let "+s.Open.Run+" finish, or resume it", "run", s.Job)
	case s.Phase == Bulk:
		add("Send the bulk", "run", s.Job)
	case now.toSend() > 0 || s.Open != nil:
		add("Send the next delta", "run", s.Job)
	case now.Conflicts == 0 && (s.Last == nil || !s.Last.empty() || now.Vanished > 0):
		add("Freeze the old system, export it once more, and send the last delta, which should be empty", "run", s.Job)
	}
	return list
}
