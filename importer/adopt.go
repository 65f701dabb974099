package importer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// listedError says that the ledger knows nothing of a scope, but the job would create records that the service already
// lists. Either the ledger was lost, or a new one has taken its place.
type listedError struct {
	Job, List, Scope string
	Creates, Listed  int
	Some             []string // the first of their keys
}

// Error says how many records are listed, and names some.
func (e *listedError) Error() string {
	more := ""
	if e.Listed > len(e.Some) {
		more = fmt.Sprintf(" and %d more", e.Listed-len(e.Some))
	}
	return fmt.Sprintf("the ledger has no records of %s, but %d of the %d records that would be created are already in the service's list %s: %s%s. Nothing was sent.",
		e.Scope, e.Listed, e.Creates, e.List, strings.Join(e.Some, ", "), more)
}

// Advice says what to do.
func (e *listedError) Advice() string {
	return "If the ledger was lost, restore its last backup. 'docketsync ledger adopt " + e.Job + "' adopts the listed records, so that only the others are created; " +
		"guards: {listed: ignore} creates all of them again, as duplicates"
}

// someListed is how many keys a listedError names.
const someListed = 5

// notListed returns a listedError if the ledger knows nothing of the job's scope and the service's list has records
// that the job would create. Anything spelled like a record counts. It does nothing if the service has no such list.
func (i *Importer) notListed(ctx context.Context, job Job, run *ledger.Run, c consent) error {
	if c.adopting || i.Listed == nil || !job.Guards.Listed || !job.Mapping.Operation().Creates() {
		return nil
	}
	for _, err := range i.Ledger.Keys(ctx, run.Scope) {
		return err // the ledger knows something of the scope
	}
	found := &listedError{Job: job.Name, Scope: run.Scope}
	found.List, _ = inquiry.ListOf(job.Mapping.Operation())
	for q, err := range i.inquiries(ctx, job, run.ID) {
		if err != nil {
			return err
		}
		found.Creates++
		if len(q.First)+len(q.Second) == 0 {
			continue
		}
		if found.Listed++; len(found.Some) < someListed {
			found.Some = append(found.Some, q.Record.Key)
		}
	}
	if found.Listed == 0 {
		return nil
	}
	return found
}

// inquiries yields each record that a run is going to create, with the items of the service's list that are spelled
// like it. It yields nothing if the run creates nothing or the service has no such list.
func (i *Importer) inquiries(ctx context.Context, job Job, run string) iter.Seq2[inquiry.Inquiry, error] {
	return func(yield func(inquiry.Inquiry, error) bool) {
		var index *inquiry.Index
		asked := i.now()
		for record, err := range i.Ledger.Records(ctx, run, ledger.RecordFilter{States: []ledger.State{ledger.Planned}, Actions: []ledger.Action{ledger.Create}}) {
			var q inquiry.Inquiry
			if err == nil && index == nil {
				if index, err = i.listed(ctx, job.Mapping.Operation(), asked); err == nil && index == nil {
					return
				}
			}
			if err == nil {
				q = index.Ask(record)
			}
			if !yield(q, err) || err != nil {
				return
			}
		}
	}
}

// listed returns the service's list of the records of an operation, or nil if there is none.
func (i *Importer) listed(ctx context.Context, op payload.Operation, asked time.Time) (*inquiry.Index, error) {
	list, _ := inquiry.ListOf(op)
	if list == "" {
		return nil, nil
	}
	listing, err := i.Listed(ctx, list)
	if err != nil || listing == nil {
		return nil, err
	}
	return listing.Index(op, asked), nil
}

// Adoption says what became of the records that a job would create, when it took over what the service lists.
type Adoption struct {
	Run   string    `json:"run"`
	Taken []Adopted `json:"taken"` // the service has exactly these, and the ledger now knows their ids
	Left  []Adopted `json:"left"`  // something in the list may be the record, but it is not certain
	New   int       `json:"new"`   // nothing like it is listed
	List  string    `json:"list"`
}

// Adopted is one record of an Adoption.
type Adopted struct {
	Key string `json:"key"`
	ID  string `json:"id,omitempty"`
	Why string `json:"why"`
}

// Adopt takes over what the service lists and the ledger does not know. It plans the job, sends nothing, and stores the
// ids of the records that are certain to be in the list (Inquiry.Find). From then on these count as created; what they
// hold is not known. The adoption leaves a run that says so.
//
// If any record is uncertain, Adopt takes over nothing unless partly is set: the ledger would then know something, so
// the next run would create the uncertain ones. Even with partly it takes over nothing if the list has the exact number
// or name of an uncertain record.
func (i *Importer) Adopt(ctx context.Context, job Job, partly bool) (a Adoption, err error) {
	var run ledger.Run
	release := func() error { return nil }
	defer func() { _ = release() }() // the lock dies with the process in any case
	err = i.patiently(ctx, job, func() error {
		_ = release() // of a plan that is made anew
		locked, err := i.Ledger.Lock(ctx, job.Mapping.Scope())
		if err != nil {
			return err
		}
		release = locked
		// After a restart of the server the plan is made again under another id, and the one it cut off is removed.
		if begun, err := i.Ledger.Run(ctx, run.ID); err == nil && begun.Phase == ledger.Reading {
			if err := i.Ledger.RemoveRun(ctx, run.ID); err != nil {
				return err
			}
		}
		print, err := job.fingerprint()
		if err == nil {
			run, err = i.begin(ctx, job, ledger.Push, fingerprint{files: print.files, made: print.made}, consent{adopting: true})
		}
		return err
	})
	a = Adoption{Run: run.ID, Taken: []Adopted{}, Left: []Adopted{}}
	switch {
	case err != nil:
		return a, err
	case run.Phase == ledger.Stopped:
		return a, errors.New(run.Stop)
	}
	a.List, _ = inquiry.ListOf(job.Mapping.Operation())
	err = i.adopt(ctx, job, run, &a, partly)
	why := fmt.Sprintf("%s adopted from the service's list %s; nothing was sent", wording.Counted(len(a.Taken), "record was", "records were"), a.List)
	return a, errors.Join(err, i.stop(context.WithoutCancel(ctx), &run, stop.Adopted, why))
}

func (i *Importer) adopt(ctx context.Context, job Job, run ledger.Run, a *Adoption, partly bool) error {
	var ids []ledger.Identity
	var there []string // keys of uncertain records whose exact number or name is listed
	taken := map[string][]ledger.Identity{}
	for q, err := range i.inquiries(ctx, job, run.ID) {
		if err != nil {
			return err
		}
		if len(q.First)+len(q.Second) == 0 {
			a.New++
			continue
		}
		if q.Holders, err = i.Ledger.Holders(ctx, q.Candidates()); err != nil {
			return err
		}
		for _, id := range q.Candidates() {
			id = payload.PlainID(id)
			q.Holders[id] = append(q.Holders[id], taken[id]...)
		}
		found := q.Find(0)
		if found.Decision != ledger.Exists {
			if a.Left = append(a.Left, Adopted{Key: q.Record.Key, Why: found.Why}); len(q.Candidates()) > 0 {
				there = append(there, q.Record.Key)
			}
			continue
		}
		id := ledger.Identity{Scope: run.Scope, Key: q.Record.Key, ServiceID: found.ID}
		ids = append(ids, id)
		plain := payload.PlainID(found.ID)
		taken[plain] = append(taken[plain], id)
		a.Taken = append(a.Taken, Adopted{q.Record.Key, found.ID, found.Why})
	}
	if len(a.Left) > 0 && !partly || len(there) > 0 {
		a.Taken = []Adopted{}
	}
	switch {
	case partly && len(there) > 0:
		return fmt.Errorf("%s uncertain, such as %s, although the list %s has the number or name: the next run would create it a second time, so nothing was taken over\n"+
			"'docketsync ledger adopt %s' says why of each. Correct it in the service or in the source, or leave it out (rows: skip in the mapping)",
			wording.Counted(len(there), "record is", "records are"), there[0], a.List, job.Name)
	case len(a.Left) > 0 && !partly:
		return nil
	}
	return i.Ledger.Adopt(ctx, run.ID, ids)
}
