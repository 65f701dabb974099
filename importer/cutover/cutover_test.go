package cutover

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
)

var friday = time.Date(2026, 11, 27, 18, 0, 0, 0, time.UTC)

// ended is a finished run, the newest ones having the highest numbers.
func ended(name string, created, updated, left int) Ran {
	return Ran{Run: name, Phase: ledger.Finished, Started: friday, Ended: friday.Add(time.Hour), Created: created, Updated: updated, Left: left}
}

// stopped is a run that did not come to its end.
func stopped(name string, phase ledger.Phase) Ran {
	return Ran{Run: name, Phase: phase, Stop: "the service is down", Started: friday, Ended: friday.Add(time.Hour)}
}

var bulk, changes, empty = ended("m-1", 90, 10, 0), ended("m-2", 1, 2, 0), ended("m-3", 0, 0, 0)

// TestPhases tells the phase of a job by its runs and by what a run would find, with the words for it and what is to be done.
func TestPhases(t *testing.T) {
	t.Parallel()
	all := Delta{Records: 100, Held: 100}
	with := func(change func(*Delta)) Delta { d := all; change(&d); return d }
	for name, test := range map[string]struct {
		runs  []Ran
		now   Delta
		phase Phase
		words string
		next  []string // the beginnings
	}{
		"nothing was sent": {nil, Delta{Records: 100, Creates: 100}, Bulk, "bulk: nothing has been sent yet", []string{"Send the bulk"}},
		"a part was sent":  {nil, Delta{Records: 100, Held: 20, Creates: 80}, Bulk, "bulk: 20 of 100 records are in the service", []string{"Send the bulk"}},
		"the bulk was stopped": {[]Ran{stopped("m-1", ledger.Stopped)}, Delta{Records: 100, Held: 20, Creates: 80}, Bulk, "bulk: 20 of 100 records are in the service",
			[]string{"Send the bulk"}},
		"the bulk is running": {[]Ran{stopped("m-1", ledger.Pushing)}, Delta{Records: 100, Held: 20, Creates: 80}, Bulk, "bulk: 20 of 100 records are in the service",
			[]string{"Let m-1 finish"}},
		"every row was rejected":                      {[]Ran{empty}, Delta{Records: 100, Rejected: 100}, Bulk, "bulk: nothing has been sent yet", []string{"Correct 100", "Send the bulk"}},
		"the bulk is in":                              {[]Ran{bulk}, all, Deltas, "deltas: the bulk is in, and no delta has been sent yet", []string{"Freeze"}},
		"a run that rejected all was before the bulk": {[]Ran{bulk, empty}, all, Deltas, "deltas: the bulk is in, and no delta has been sent yet", []string{"Freeze"}},
		"a delta with rejects": {[]Ran{{Run: "m-2", Phase: ledger.Finished, Created: 1, Left: 8, Rejected: 4}, bulk}, all, Deltas,
			"deltas: the last one sent 1 create; 8 records are not in, besides 4 rejected before sending", []string{"Freeze"}},
		"a delta":                              {[]Ran{changes, bulk}, all, Deltas, "deltas: the last one sent 1 create and 2 updates", []string{"Freeze"}},
		"a delta was stopped":                  {[]Ran{stopped("m-4", ledger.Stopped), empty, bulk}, all, Deltas, "deltas: the last one was empty", []string{"Send the next delta"}},
		"a delta is running":                   {[]Ran{stopped("m-4", ledger.Ready), empty, bulk}, all, Deltas, "deltas: the last one was empty", []string{"Let m-4 finish"}},
		"the last delta was empty":             {[]Ran{empty, changes, bulk}, all, Ready, "ready to cut over: the last delta was empty: 100 records are in the service, nothing differs", nil},
		"an interrupted delta before it":       {[]Ran{empty, stopped("m-2", ledger.Stopped), bulk}, all, Ready, "ready to cut over: the last delta was empty: 100 records are in the service, nothing differs", nil},
		"all of it was taken over":             {[]Ran{empty}, all, Ready, "ready to cut over: the last delta was empty: 100 records are in the service, nothing differs", nil},
		"rejects that somebody accepts":        {[]Ran{empty, bulk}, with(func(d *Delta) { d.Held, d.Rejected, d.Acknowledged = 97, 3, 3 }), Ready, "ready to cut over: the last delta was empty: 97 records are in the service, nothing differs; 3 rejected records are acknowledged and not there", nil},
		"what stays as somebody decided":       {[]Ran{empty, bulk}, with(func(d *Delta) { d.Theirs = 1 }), Ready, "ready to cut over: the last delta was empty: 100 records are in the service; 1 record stays there as somebody decided, nothing else differs", nil},
		"the export has changed since":         {[]Ran{empty, bulk}, with(func(d *Delta) { d.Held, d.Updates = 99, 1 }), Deltas, "deltas: the last one was empty", []string{"Send the next delta"}},
		"a record is gone since":               {[]Ran{empty, bulk}, with(func(d *Delta) { d.Vanished = 1 }), Deltas, "deltas: the last one was empty", []string{"Freeze"}},
		"a reject":                             {[]Ran{empty, bulk}, with(func(d *Delta) { d.Rejected, d.Acknowledged = 2, 1 }), Deltas, "deltas: the last one was empty", []string{"Correct 1 rejected record"}},
		"a doubt":                              {[]Ran{empty, bulk}, with(func(d *Delta) { d.InDoubt = 1 }), Deltas, "deltas: the last one was empty", []string{"Find out what became of 1 record"}},
		"a change that may not be sent":        {[]Ran{empty, bulk}, with(func(d *Delta) { d.Stale = 2 }), Deltas, "deltas: the last one was empty", []string{"Change 2 records in the service by hand"}},
		"what an interrupted run held is gone": {[]Ran{empty, bulk}, with(func(d *Delta) { d.Dropped, d.DroppedBy = 2, "m-1" }), Deltas, "deltas: the last one was empty", []string{"Put back into the export 2 records that m-1 held"}},
		"a guard":                              {[]Ran{empty, bulk}, with(func(d *Delta) { d.Guards = []string{"too old"} }), Deltas, "deltas: the last one was empty", []string{"Look at the export: too old"}},
		"an update is held, as in the delta":   {[]Ran{ended("m-2", 0, 0, 1), bulk}, with(func(d *Delta) { d.Conflicts = 1 }), Deltas, "deltas: the last one sent nothing; 1 record is not in", []string{"Say whose values stand in 1 record"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Of("m", test.runs, test.now)
			var next []string
			for n, step := range s.Steps() {
				if n < len(test.next) && strings.HasPrefix(step.Do, test.next[n]) {
					step.Do = test.next[n]
				}
				next = append(next, step.Do)
			}
			if s.Phase != test.phase || s.Words() != test.words {
				t.Errorf("it is in %s: %q, want %s: %q", s.Phase, s.Words(), test.phase, test.words)
			}
			if diff := cmp.Diff(test.next, next); diff != "" {
				t.Errorf("what is to be done (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDeltaWords says all that a run would find.
func TestDeltaWords(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]Delta{
		"nothing to send":        {},
		"2 creates and 1 update": {Creates: 2, Updates: 1},
		"nothing to send, 3 rejected (1 acknowledged), 4 in doubt, 5 changed in the service, 6 to be changed by hand, 7 no longer in the export, 8 held by an earlier run and gone since": {
			Rejected: 3, Acknowledged: 1, InDoubt: 4, Conflicts: 5, Stale: 6, Vanished: 7, Dropped: 8},
	} {
		if got := d.Words(); got != want {
			t.Errorf("%+v is %q, want %q", d, got, want)
		}
	}
}
