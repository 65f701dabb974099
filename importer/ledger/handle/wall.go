package handle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger/store"
)

// A reader of some jobs stands behind a wall: to it, the runs of all others do not exist, nor does anything that only they hold. Each method
// is one of three kinds. What is about a run finds it by number, or among runs, which know of no other. What goes over all runs leaves the others out.
// And what is about the ledger as a whole is not for it (ForAll). A test goes through all methods there are.

// Within is a reader of the runs of these jobs alone, which is told of everything else what is told of what does not exist.
func (l *Reader) Within(jobs []string) *Reader {
	only := append([]string{}, jobs...)
	return &Reader{Engine: l.Engine, Read: l.Read, VanishedPart: l.VanishedPart, Patiently: l.Patiently, Only: &only}
}

// Sees tells whether the runs of a job are there for this reader.
func (l *Reader) Sees(job string) bool { return l.Only == nil || slices.Contains(*l.Only, job) }

// ForAll is an error for a reader of some jobs that asks for what is about the ledger as a whole.
func (l *Reader) ForAll(doing string) error {
	if l.Only == nil {
		return nil
	}
	return fmt.Errorf("%s: only for readers of all jobs: %w", doing, ErrNotFound)
}

// Inside asks for the runs that this reader knows, by the column that holds their jobs.
func (l *Reader) Inside(c *store.Clauses, column string) {
	if jobs := l.Jobs(c); jobs != "" {
		c.And(column + " in (" + jobs + ")")
	}
}

// Jobs adds the jobs of this reader to the parameters of a query and returns their placeholders, "" for a reader of all jobs.
func (l *Reader) Jobs(c *store.Clauses) string {
	if l.Only == nil {
		return ""
	}
	list := []string{"null"} // which nothing equals, so that no jobs are none
	for _, job := range *l.Only {
		list = append(list, c.Param(job))
	}
	return strings.Join(list, ", ")
}

// SeenRun tells whether a run is there for this reader, by its id.
func (l *Reader) SeenRun(ctx context.Context, id string) bool {
	if l.Only == nil {
		return true
	}
	_, err := l.Number(ctx, id)
	return err == nil
}
