package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger/store"
)

// A reader of some jobs stands behind a wall: to it, the runs of all others do not exist, nor does anything that only they hold. Each method
// is one of three kinds. What is about a run finds it by number, or among runs, which know of no other. What goes over all runs leaves the others out.
// And what is about the ledger as a whole is not for it (forAll). A test goes through all methods there are.

// Within is a reader of the runs of these jobs alone, which is told of everything else what is told of what does not exist.
func (l *Reader) Within(jobs []string) *Reader {
	only := append([]string{}, jobs...)
	return &Reader{engine: l.engine, read: l.read, vanishedPart: l.vanishedPart, patiently: l.patiently, only: &only}
}

// sees tells whether the runs of a job are there for this reader.
func (l *Reader) sees(job string) bool { return l.only == nil || slices.Contains(*l.only, job) }

// forAll is an error for a reader of some jobs that asks for what is about the ledger as a whole.
func (l *Reader) forAll(doing string) error {
	if l.only == nil {
		return nil
	}
	return fmt.Errorf("%s: only for readers of all jobs: %w", doing, ErrNotFound)
}

// inside asks for the runs that this reader knows, by the column that holds their jobs.
func (l *Reader) inside(c *store.Clauses, column string) {
	if jobs := l.jobs(c); jobs != "" {
		c.And(column + " in (" + jobs + ")")
	}
}

// jobs adds the jobs of this reader to the parameters of a query and returns their placeholders, "" for a reader of all jobs.
func (l *Reader) jobs(c *store.Clauses) string {
	if l.only == nil {
		return ""
	}
	list := []string{"null"} // which nothing equals, so that no jobs are none
	for _, job := range *l.only {
		list = append(list, c.Param(job))
	}
	return strings.Join(list, ", ")
}

// seenRun tells whether a run is there for this reader, by its id.
func (l *Reader) seenRun(ctx context.Context, id string) bool {
	if l.only == nil {
		return true
	}
	_, err := l.number(ctx, id)
	return err == nil
}

// withinWall leaves of what the service is known to hold what runs of other jobs did.
func (l *Reader) withinWall(ctx context.Context, found map[string]LastAccepted) {
	if l.only == nil {
		return
	}
	for key, k := range found {
		if k.Doubt != nil && !l.seenRun(ctx, k.Doubt.Run) {
			k.Doubt = nil
		}
		if k.Run == "" || !l.seenRun(ctx, k.Run) {
			k = LastAccepted{Scope: k.Scope, Key: k.Key, Doubt: k.Doubt}
		}
		if found[key] = k; k.Doubt == nil && k.Run == "" {
			delete(found, key)
		}
	}
}

// seenFound leaves of what a search found what no run of these jobs had.
func (l *Reader) seenFound(ctx context.Context, list []Found) (seen []Found, err error) {
	if l.only == nil {
		return list, nil
	}
	for _, f := range list {
		had, err := l.History(ctx, f.Scope, f.Key, 1)
		if err != nil {
			return nil, err
		}
		if len(had) > 0 {
			seen = append(seen, f)
		}
	}
	return seen, nil
}
