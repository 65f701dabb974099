package planfile

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// keysShown is how many keys of each kind a refusal names.
const keysShown = 10

// ChangedError says what would be sent differently than it was approved.
type ChangedError struct {
	Path, Job string
	Changes   []string
	// Remedy says how to make a new plan if that is not by the command line.
	Remedy string
}

// Error lists the changes and says what to do.
func (e *ChangedError) Error() string {
	plan, remedy := "the plan in "+e.Path, fmt.Sprintf("Make a new plan with: docketsync plan %s --out FILE", e.Job)
	if e.Remedy != "" {
		plan, remedy = "the plan", e.Remedy
	}
	return fmt.Sprintf("%s no longer matches what would be sent, so nothing was sent:\n  %s\n%s", plan, strings.Join(e.Changes, "\n  "), remedy)
}

// changed returns the error for changes, or nil if there are none.
func (p *File) changed(changes []string) error {
	if len(changes) == 0 {
		return nil
	}
	return &ChangedError{Path: p.path, Job: p.Head.Job, Changes: changes}
}

// SameIngredients refuses a plan that was made for another service, or from anything else than the job is made of now.
// The error is then a *ChangedError. wasCalled reports whether the service had an address before. other says in what
// the account there differs from the plan's, or is "" if it is the same.
func (p *File) SameIngredients(job importer.Job, service string, wasCalled func(address string) bool, other string) error {
	var changes []string
	if p.Head.Service != service && !wasCalled(p.Head.Service) {
		changes = append(changes, fmt.Sprintf("it was made for the service %s, but the configuration sends to %s", p.Head.Service, service))
	}
	if other != "" {
		changes = append(changes, other)
	}
	if p.Head.Operation != string(job.Mapping.Operation()) || p.Head.Scope != job.Mapping.Scope() {
		changes = append(changes, fmt.Sprintf("the job's operation has changed: it was %s", p.Head.Operation))
	}
	now, err := job.Ingredients()
	if err != nil {
		return err
	}
	return p.changed(append(changes, p.Head.From.Changed(now)...))
}

// comparison is what differs between a plan file and what would be sent now.
type comparison struct {
	// asksLedger says that the job's plan goes stale when something is sent, even by the job itself.
	asksLedger               bool
	learned, refused, mapped keyList
}

// keyList counts keys and keeps the first few.
type keyList struct {
	n    int
	some []string
}

func (k *keyList) add(key string) {
	if k.n++; len(k.some) < keysShown {
		k.some = append(k.some, key)
	}
}

func (k *keyList) String() string {
	text := strings.Join(k.some, ", ")
	if k.n > len(k.some) {
		text += ", …"
	}
	return text
}

// Compare compares the planned records of a run with the file, line by line. The error is a *ChangedError if they
// differ. Both are in the order of the source, so a record that one of them lacks is found by its place, and memory
// does not grow with the plan.
func (p *File) Compare(ctx context.Context, book *ledger.Reader, run ledger.Run, asksLedger bool) error {
	c := comparison{asksLedger: asksLedger}
	next, stop := iter.Pull2(book.Records(ctx, run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned, ledger.Rejected}}))
	defer stop()
	record, err, more := next()
	for then, failure := range p.records {
		if failure != nil {
			return failure
		}
		for ; more && err == nil && record.Seq < then.Seq; record, err, more = next() {
			c.further(record)
		}
		if err != nil {
			return err
		}
		if !more || record.Seq > then.Seq {
			c.learned.add(then.Key)
			continue
		}
		if err := c.same(run, record, then, p.Head.Form); err != nil {
			return err
		}
		record, err, more = next()
	}
	for ; more && err == nil; record, err, more = next() {
		c.further(record)
	}
	if err != nil {
		return err
	}
	return p.changed(c.changes())
}

// further takes a record that the file would not send.
func (c *comparison) further(record ledger.Record) {
	if record.State == ledger.Planned {
		c.learned.add(record.Key)
	}
}

// same compares one record with its line.
func (c *comparison) same(run ledger.Run, record ledger.Record, then approved, form int) error {
	if record.State != ledger.Planned {
		if record.RefusedBefore() {
			c.refused.add(then.Key)
		} else {
			c.learned.add(then.Key)
		}
		return nil
	}
	now, text, err := lineOf(run, record, form)
	switch {
	case err != nil:
		return err
	case bytes.Equal(text, then.text):
	case now.Digest != then.Digest:
		c.mapped.add(then.Key)
	default:
		c.learned.add(then.Key)
	}
	return nil
}

func (c *comparison) changes() []string {
	var changes []string
	if c.refused.n > 0 {
		changes = append(changes, fmt.Sprintf("the service has refused %s, which %s not sent again unchanged before retry.refused has passed, except in a plan made with --retry-refused: %s",
			wording.Counted(c.refused.n, "record"), wording.Plural(c.refused.n, "is", "are"), &c.refused))
	}
	if c.learned.n > 0 {
		changes = append(changes, fmt.Sprintf("the ledger has changed since for %s: %s", wording.Counted(c.learned.n, "record"), &c.learned))
		if c.asksLedger {
			changes = append(changes, "if a run of this plan was interrupted: it cannot be resumed, because the mapping takes ids from the ledger; what was not sent needs a new plan")
		}
	}
	if c.mapped.n > 0 {
		changes = append(changes, fmt.Sprintf("the same rows produce a different payload for %s, because ids from the ledger or the date have changed: %s",
			wording.Counted(c.mapped.n, "record"), &c.mapped))
	}
	return changes
}
