package certificate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/outcome"
	"docketsync/mapping/reason"
)

// place is where a record stands: a run, by its index, and the record's number in it; run is -1 for none.
type place struct {
	run int32
	seq int64
}

// entity is a record as it counts: once, however many of the runs have it.
type entity struct {
	operation string
	key       string
	outcome   outcome.Outcome
	refused   bool   // rejected by the service rather than by docketsync
	outdated  string // how the source has changed since it went in; "" if it has not
	vouched   string // who said that it is in; "" if the service said so
	last      place  // its last appearance
	basis     place  // where the rows and payload that count are
	digest    string // of that payload
	accepted  place  // its last acceptance
	held      string // the digest of the payload accepted there
	kept      outcome.Outcome
	replaced  bool // corrected under another key, so it does not count
}

func (e *entity) in() bool {
	return e.outcome == outcome.Created || e.outcome == outcome.Updated || e.outcome == outcome.Unchanged
}

// census finds out which records there are by reading all runs from first to last.
type census struct {
	runs     []ledger.Run
	entities []entity
	index    map[string]int32
	at       [][]int32 // entity by run and seq; -1 for none
	tallies  [][]ledger.Count
	counts   []Run
}

func takeCensus(ctx context.Context, led *ledger.Reader, runs []ledger.Run) (*census, error) {
	c := &census{runs: runs, index: map[string]int32{}, at: make([][]int32, len(runs)),
		tallies: make([][]ledger.Count, len(runs)), counts: make([]Run, len(runs))}
	for n, run := range runs {
		tally, err := led.Tally(ctx, run.ID)
		if err != nil {
			return nil, err
		}
		c.tallies[n] = tally
		for r, err := range led.Records(ctx, run.ID, ledger.RecordFilter{}) {
			if err != nil {
				return nil, fmt.Errorf("read the records of run %s: %w", run.ID, err)
			}
			c.add(n, r)
		}
	}
	return c, nil
}

// add adds a record of a run.
func (c *census) add(run int, r ledger.Record) {
	id := int32(len(c.entities))
	if known, ok := c.index[identity(c.runs[run], r)]; ok {
		id = known
		c.counts[c.entities[id].last.run].Superseded++
	} else {
		c.entities = append(c.entities, entity{operation: c.runs[run].Operation, key: r.Key, accepted: place{run: -1}})
		if r.Key != "" {
			c.index[identity(c.runs[run], r)] = id
		}
	}
	c.entities[id].take(place{int32(run), r.Seq}, r)
	for int64(len(c.at[run])) <= r.Seq {
		c.at[run] = append(c.at[run], -1)
	}
	c.at[run][r.Seq] = id
	c.counts[run].Records++
	c.replace(run, id, r)
}

// stillInDoubt counts the records that earlier runs of the same jobs left in doubt and that none of the given runs has.
func (c *census) stillInDoubt(ctx context.Context, led *ledger.Reader) (int, error) {
	doubts := map[string]bool{}
	for _, run := range c.runs {
		list, err := led.DoubtsBefore(ctx, run)
		if err != nil {
			return 0, err
		}
		for _, r := range list {
			if _, counted := c.index[identity(run, r)]; !counted {
				doubts[identity(run, r)] = true
			}
		}
	}
	return len(doubts), nil
}

// identity returns what tells records apart: operation, scope and key.
func identity(run ledger.Run, r ledger.Record) string {
	return run.Operation + "\x00" + r.Scope + "\x00" + r.Key
}

// take applies a record's next outcome. Unchanged keeps what an earlier run did: the service already held the record.
func (e *entity) take(at place, r ledger.Record) {
	e.last, e.outcome, e.refused = at, outcome.Of(r), cause.RefusedByService(r)
	e.basis, e.digest, e.outdated, e.replaced = at, r.Digest, outdated(r), false
	switch {
	case r.State == ledger.Accepted:
		e.accepted, e.held, e.kept, e.vouched = at, r.Digest, e.outcome, vouched(r)
	case r.State == ledger.Unchanged && e.accepted.run >= 0 && (e.held == r.Digest || e.outdated != ""):
		e.outcome, e.basis, e.digest = e.kept, e.accepted, e.held
	case r.State == ledger.Unchanged && rowChanged(r):
		e.digest = "" // the row's digest; what the service holds was accepted before the first of the runs
	}
}

// vouched returns who settled an accepted record that the service did not confirm; "" if the service confirmed it.
func vouched(r ledger.Record) string {
	if r.Status >= 200 && r.Status < 300 {
		return ""
	}
	return cmp.Or(r.Message, "nobody knows who")
}

// outdated says how the source differs from what the service holds, as far as the run did not send it; "" if it does not.
func outdated(r ledger.Record) string {
	switch {
	case noted(r, reason.EntryChanged):
		return "An entry of goods and services was withheld, because sending it could have created a second entry."
	case noted(r, reason.ChangeUpdates):
		return "The source has changed since. This is what was created; another job sends the change."
	case noted(r, reason.ChangeGone):
		return "The source changed, and has what was created again. The change was acknowledged in between, so the service may still have it."
	case noted(r, reason.ChangedSince), noted(r, reason.Stays):
		return "The source has changed since. This is what was sent; the change was not sent."
	}
	return ""
}

// rowChanged reports whether the row of a created record differs from what was created.
func rowChanged(r ledger.Record) bool {
	return noted(r, reason.ChangedSince) && !noted(r, reason.ChangeGone) || noted(r, reason.ChangeUpdates)
}

// noted reports whether a record has a note with a code, in any of its forms unless one is named.
func noted(r ledger.Record, code string) bool {
	return slices.ContainsFunc(r.Notes, func(n ledger.Reason) bool { return n.Code == code || n.Code+"/"+n.Form == code })
}

// replace checks whether a record is made of corrected rows. If the key was what had to be corrected, it takes the
// rejected records that the rows came from out of the count.
func (c *census) replace(run int, id int32, r ledger.Record) {
	for _, row := range r.Rows {
		mark, ok := corrected.MarkOf(c.runs[run], row)
		if !ok || len(mark.Run) < 6 || mark.Seq < 1 {
			continue
		}
		for earlier := range run {
			if !strings.HasSuffix(c.runs[earlier].ID, mark.Run) || c.entityAt(earlier, mark.Seq) < 0 {
				continue
			}
			old := &c.entities[c.at[earlier][mark.Seq]]
			same := old.last == place{int32(earlier), mark.Seq} && old.operation == c.runs[run].Operation
			if c.at[earlier][mark.Seq] != id && same && old.outcome == outcome.Rejected && !old.replaced {
				old.replaced = true
				c.counts[earlier].Corrected++
			}
		}
	}
}

// entityAt returns the entity that a run's record belongs to; -1 for none.
func (c *census) entityAt(run int, seq int64) int32 {
	if seq >= int64(len(c.at[run])) {
		return -1
	}
	return c.at[run][seq]
}
