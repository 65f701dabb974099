// Package compare finds out what changed between two plans, such as those of two rehearsals, and why.
//
// A Plan is a plan file (OfFile) or a run of the ledger (OfRun). The key and the digest of every record of each plan
// are sorted outside of memory (index.go) and merged. So memory does not grow with the plans, and time only with the
// records themselves. Only records that differ are read whole, in the order of the older plan. Compare yields them as
// Differences, and collects them into Groups by their causes.
//
// # A cause is proven or not given
//
// A plan says what it was made from: sources, mapping, lookups, settings, docketsync's version (About). What differs
// there is a suspect for a change in a field if it can affect the field through the columns, the lookup and the lines
// of the mapping that the field comes from (suspects.go). A single suspect is the cause. If there are several, the
// record is mapped again with one of them exchanged at a time (trial.go): the one that by itself turns the old value
// into the new one is the cause.
//
// A trial does not look names up, because no plan keeps whole lookups: each name gets an id of its own, and what still
// differs when all names are equal is due to the lookup or the version. A trial counts only if it reproduces the values
// that the two plans have. If it cannot decide, the Difference lists the possible causes and says that nobody knows.
//
// What would be sent of a record also depends on what the ledger knew, which is not a property of the record. Records
// that are the same, but are sent by only one of the plans, are counted and not listed.
package compare

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/mapping"
)

// Result is how two plans differ as a whole.
type Result struct {
	Old About `json:"old"`
	New About `json:"new"`
	// Same counts the records that are alike in both plans, Otherwise those of them that only one plan sends because
	// the ledger knew more, and Keyless the rejected rows that have no key to be found by.
	Same      int     `json:"same"`
	Otherwise int     `json:"same_but_sent_by_one"`
	Keyless   [2]int  `json:"without_key"`
	Added     int     `json:"new_records"`
	Gone      int     `json:"gone"`
	Different int     `json:"different"`
	Created   int     `json:"created_already"` // of the different ones, which are not created again, so that no run sends what changes
	Groups    []Group `json:"groups"`
}

// Words says in a line how two plans differ.
func (r *Result) Words() string {
	differing := Counts(r.Added, r.Gone, r.Different)
	if differing == "" {
		return "Nothing changed: " + wording.Counted(r.Same, "record is", "records are") + " the same."
	}
	return fmt.Sprintf("%s; %s the same", differing, wording.Thousands(r.Same))
}

// Remarks returns what else there is to know, in one sentence each.
func (r *Result) Remarks() (list []string) {
	if r.Otherwise > 0 {
		list = append(list, fmt.Sprintf("%s of the same records %s sent by only one of the two, because of what the service held by then.", wording.Thousands(r.Otherwise), wording.Plural(r.Otherwise, "is", "are")))
	}
	if n := r.Created; n > 0 {
		list = append(list, fmt.Sprintf("%s created already, and creates are not repeated: what changes of %s cannot be sent. Make the change in the service by hand, or with a job that updates.",
			wording.Counted(n, "record was", "records were"), wording.Plural(n, "it", "them")))
	}
	if n := r.Keyless[0] + r.Keyless[1]; n > 0 {
		list = append(list, fmt.Sprintf("%s no key and cannot be compared.", wording.Counted(n, "rejected row has", "rejected rows have")))
	}
	for _, side := range []About{r.Old, r.New} {
		if !side.whole() {
			list = append(list, fmt.Sprintf("%s does not keep everything that it was made from, so fewer causes can be proven.", side.Plan))
		}
	}
	return list
}

// MismatchError says that two plans have nothing to do with each other.
type MismatchError struct{ Old, New About }

// Error says in what they differ.
func (e *MismatchError) Error() string {
	return "these plans cannot be compared: " + e.Old.Plan + " is of " + e.Old.Operation + " (scope " + e.Old.Scope + "), " +
		e.New.Plan + " of " + e.New.Operation + " (scope " + e.New.Scope + ")\nCompare two plans of one job"
}

// together is how many differing records are in memory at once.
const together = 512

// Compare compares two plans. It calls each, unless it is nil, with every record in which they differ, in the order of
// the older plan. The error is a *MismatchError if they are not of the same operation and scope.
func Compare(ctx context.Context, old, now Plan, each func(*Difference) error) (*Result, error) {
	result := &Result{Old: old.About(), New: now.About()}
	if result.Old.Operation != result.New.Operation || result.Old.Scope != result.New.Scope {
		return nil, &MismatchError{result.Old, result.New}
	}
	c := &comparison{old: old, now: now, result: result, each: each, suspects: suspectsOf(&result.Old, &result.New), groups: groups{byName: map[string]*Group{}}}
	for range runtime.GOMAXPROCS(0) {
		c.trials = append(c.trials, &trial{old: &result.Old, now: &result.New, compiled: map[made]*mapping.Mapping{}, bound: map[bind]*mapping.Mapper{}})
	}
	differing := &sorter{}
	defer differing.close()
	if err := c.merge(ctx, differing); err != nil {
		return nil, err
	}
	if err := c.read(ctx, differing); err != nil {
		return nil, err
	}
	result.Groups = c.groups.list()
	return result, nil
}

type comparison struct {
	old, now Plan
	result   *Result
	each     func(*Difference) error
	suspects *suspects
	trials   []*trial // one for each goroutine that explains
	groups   groups
}

// index sorts the records of a plan by key.
func (c *comparison) index(ctx context.Context, p Plan, s *sorter, keyless *int) error {
	return p.each(ctx, c.suspects.readsBodies(), func(key string, e entry) error {
		if key == "" {
			*keyless++
			return nil
		}
		return s.add(e)
	})
}

// merge finds the records in which the plans differ.
func (c *comparison) merge(ctx context.Context, differing *sorter) error {
	old, now := &sorter{}, &sorter{}
	defer old.close()
	defer now.close()
	group, indexing := errgroup.WithContext(ctx)
	group.Go(func() error { return c.index(indexing, c.old, old, &c.result.Keyless[0]) })
	group.Go(func() error { return c.index(indexing, c.now, now, &c.result.Keyless[1]) })
	if err := group.Wait(); err != nil {
		return err
	}
	next, stop := iter.Pull2(now.sorted())
	defer stop()
	is, failed, more := next()
	for was, err := range old.sorted() {
		if err != nil {
			return err
		}
		for ; more && failed == nil && is.compareTo(was) < 0; is, failed, more = next() {
			if err := c.add(differing, nil, &is); err != nil {
				return err
			}
		}
		if failed != nil {
			return failed
		}
		if !more || is.compareTo(was) > 0 {
			err = c.add(differing, &was, nil)
		} else {
			err = c.add(differing, &was, &is)
			is, failed, more = next()
		}
		if err != nil {
			return err
		}
	}
	for ; more && failed == nil; is, failed, more = next() {
		if err := c.add(differing, nil, &is); err != nil {
			return err
		}
	}
	return failed
}

// Which halves of a pair there are.
const (
	hasOld = 1 << iota
	hasNew
)

// add counts a record, and adds it to those that are read if the plans differ in it.
func (c *comparison) add(differing *sorter, was, is *entry) error {
	switch {
	case was == nil:
		c.result.Added++
		return differing.add(entry{high: 1 << 63, low: uint64(is.place), place: is.place, kind: hasNew})
	case is == nil:
		c.result.Gone++
		return differing.add(entry{high: uint64(was.place), sum: uint64(was.place), kind: hasOld})
	}
	const kindMask = 1<<kindBits - 1
	wasKind, isKind := was.kind&kindMask, is.kind&kindMask
	wasSent, isSent := was.kind>>kindBits, is.kind>>kindBits
	if was.sum == is.sum && (wasKind == rejected) == (isKind == rejected) && (wasSent == isSent || wasSent == 0 || isSent == 0) {
		c.result.Same++
		if (wasKind == sent) != (isKind == sent) {
			c.result.Otherwise++
		}
		return nil
	}
	c.result.Different++
	return differing.add(entry{high: uint64(was.place), sum: uint64(was.place), place: is.place, kind: hasOld | hasNew})
}

// read reads the records in which the plans differ, some at a time, and finds out why.
func (c *comparison) read(ctx context.Context, differing *sorter) error {
	var part []entry
	for e, err := range differing.sorted() {
		if err != nil {
			return err
		}
		if part = append(part, e); len(part) < together {
			continue
		}
		if err := c.explain(ctx, part); err != nil {
			return err
		}
		part = part[:0]
	}
	return c.explain(ctx, part)
}

func (c *comparison) explain(ctx context.Context, part []entry) error {
	var old, now []int64
	for _, e := range part {
		if e.kind&hasOld != 0 {
			old = append(old, int64(e.sum))
		}
		if e.kind&hasNew != 0 {
			now = append(now, e.place)
		}
	}
	var was, is map[int64]ledger.Record
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() (err error) { was, err = c.old.at(reading, old); return err })
	group.Go(func() (err error) { is, err = c.now.at(reading, now); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	differences := make([]*Difference, len(part))
	group = &errgroup.Group{}
	for first, t := range c.trials {
		group.Go(func() (err error) {
			for n := first; n < len(part) && err == nil; n += len(c.trials) {
				e := part[n]
				differences[n], err = c.difference(t, e, was[int64(e.sum)], is[e.place])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	creates := payload.Operation(c.result.New.Operation).Creates()
	for n, d := range differences {
		c.groups.add(d)
		if creates && d.Change == Different && is[part[n].place].State == ledger.Unchanged {
			c.result.Created++
		}
		if c.each == nil {
			continue
		}
		if err := c.each(d); err != nil {
			return err
		}
	}
	return nil
}

// difference says how a record differs, and why.
func (c *comparison) difference(t *trial, e entry, was, is ledger.Record) (*Difference, error) {
	switch e.kind {
	case hasOld:
		found := c.absent(t, was, Gone)
		return &Difference{Key: was.Key, Change: Gone, OldRows: numbers(was), Finding: &found}, nil
	case hasNew:
		found := c.absent(t, is, New)
		return &Difference{Key: is.Key, Change: New, NewRows: numbers(is), Finding: &found}, nil
	}
	d := &Difference{Key: is.Key, Change: Different, OldRows: numbers(was), NewRows: numbers(is)}
	if kindOf(was.State, was.Digest) == rejected || kindOf(is.State, is.Digest) == rejected {
		d.Fields = c.rejections(t, was, is)
		return d, nil
	}
	alike := was.Digest == is.Digest
	before, after := recalled(was, is), recalled(is, was)
	if alike {
		before, after = was.Sent(), is.Sent()
	} else if len(before) == 0 || len(after) == 0 {
		d.Fields = []Field{{Finding: c.unkept()}}
		return d, nil
	}
	before, after = differing(before, after)
	changes, err := payload.Changes(payload.Operation(c.result.New.Operation), before, after)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		of := subject{path: change.Field, top: topOf(change.Field), was: was, is: is, alike: alike}
		d.Fields = append(d.Fields, Field{Field: change.Field, Old: change.Old, New: change.New, Finding: c.why(t, of, &change)})
	}
	if len(changes) == 0 {
		d.Fields = []Field{{Finding: conclude(nil)}}
	}
	return d, nil
}

// recalled returns what was mapped of a record. If the record was unchanged, its own plan has only the digest; the
// other plan may have the payload as what the service held.
func recalled(r, other ledger.Record) []byte {
	if len(r.Payload) == 0 && len(other.Previous) > 0 && decide.Digest(other.Previous) == r.Digest {
		return other.Previous
	}
	return r.Payload
}

// differing removes from two payloads what is the same in both. Most of it is, and parsing it would be a large part of
// a comparison.
func differing(before, after []byte) (was, is []byte) {
	old, ok := jsontext.SplitObject(before)
	now, alsoOK := jsontext.SplitObject(after)
	if !ok || !alsoOK {
		return before, after
	}
	without := func(of, other jsontext.Object) []byte {
		return slices.DeleteFunc(slices.Clone(of), func(m jsontext.Member) bool { return bytes.Equal(other.Value(string(m.Name)), m.Value) }).Join()
	}
	return without(old, now), without(now, old)
}

// topOf returns the field of a payload that a value is in.
func topOf(path string) string { return path[:strings.IndexAny(path+".", ".[")] }

func numbers(r ledger.Record) (list []int) {
	for _, row := range r.Rows {
		list = append(list, row.Number)
	}
	return list
}
