package evidence

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// statement is the newest sum of a facet, and the entry that states it. The zero value is none.
type statement struct {
	entry int64
	salt  [chain.SaltSize]byte
	sum   chain.Sum
}

// stateFacet returns what an operation states about a facet. salt is the offset of its salt.
func stateFacet(e *chain.Entry, op *chain.Op, salt int, f chain.Facet) statement {
	s := statement{entry: e.Number, sum: op.Sums[f]}
	copy(s.salt[:], e.Salts[max(salt, 0):])
	return s
}

// fits reports whether values are what was stated. If nothing was stated, the values must be empty.
func (s *statement) fits(sums *chain.Summer, f chain.Facet, values ...any) bool {
	if s.entry == 0 {
		return !slices.ContainsFunc(values, func(v any) bool { return v != nil && v != "" })
	}
	return sums.Sum(s.salt[:], f, values...) == s.sum
}

// stated is the state of a record according to the entries of its run.
type stated struct {
	state            model.State
	repeatable       bool
	sent, settled    int64 // microseconds, 0 for none
	took             int64 // 1 more than the microseconds, 0 for none
	status, attempts int64
	entry            int64  // the last entry about it
	literal          string // the message, if docketsync itself has put it there
	notes            int64  // the stored length of what the plan noted
	facets           [chain.Facets]statement
	tries            []tried
}

// tried are the requests of one outcome: n of them after the first ones.
type tried struct {
	first, n int64
	statement
}

// Told is what the chain of a run says.
type Told struct {
	found
	Run       int64
	head      chain.Head
	first     int64 // the first entry that is left
	begun     bool  // the chain is there from the beginning of the run, or since it was pruned
	pruning   bool
	pruned    bool
	row, kept statement
	answer    *string // the form of the run's ordinary answers, once its row was checked
	records   map[int64]*stated
	rows      map[place]statement   // of the bundles and the decisions
	named     map[int64][]statement // by time
	spans     map[int64]span
}

// span is a part of a pruned run.
type span struct {
	until, count int64
	statement
}

// Misfit is something that does not match the evidence.
type Misfit struct {
	Run   string    `json:"run,omitempty"`   // its name, "" for what is about the ledger
	Entry int64     `json:"entry,omitempty"` // the entry of that chain which says otherwise; 0 if none says anything
	Kind  string    `json:"kind,omitempty"`  // what that entry is about
	At    time.Time `json:"at,omitzero"`     // of that entry
	Of    string    `json:"of"`              // what does not match, such as "record 5"
	What  string    `json:"what"`
	at    place
}

// place is what an operation is about: a record (Planned), a bundle, a decision with its number, a part of a pruned run
// with its last record as the number, the row of the run (Saved), or its unchanged records (Kept).
type place struct {
	what        chain.What
	seq, number int64
}

func recordAt(seq int64) place { return place{what: chain.Planned, seq: seq} }

func (p place) String() string {
	switch p.what {
	case chain.Planned:
		return fmt.Sprintf("record %d", p.seq)
	case chain.Bundled:
		return fmt.Sprintf("bundle %d", bundle.InRun(p.seq))
	case chain.Decided:
		return fmt.Sprintf("decision %d about record %d", p.number, p.seq)
	case chain.Span:
		return fmt.Sprintf("records %d to %d", p.seq+1, p.number)
	case chain.Kept:
		return "unchanged records"
	}
	return "run"
}

// found collects what does not match.
type found struct{ misfits []Misfit }

// misfit adds something that does not match: a place of a run, or something else in words.
func (f *found) misfit(entry int64, of any, format string, args ...any) {
	at, _ := of.(place)
	f.misfits = append(f.misfits, Misfit{Entry: entry, Of: fmt.Sprint(of), What: fmt.Sprintf(format, args...), at: at})
}

// read reads a chain, has chains follow it, and adds its breaks.
func (f *found) read(query store.Query, run int64, chains *chain.Follower, entry func(*chain.Entry), apply func(e *chain.Entry, op *chain.Op, salt int)) error {
	some := run == chain.Ledger
	for e, err := range Entries(query, run) {
		if err != nil {
			return err
		}
		some = true
		entry(&e)
		chains.Add(&e)
		if err := e.Ops(func(op *chain.Op, salt int) error { apply(&e, op, salt); return nil }); err != nil {
			f.misfit(e.Number, "evidence", "the entry cannot be read: %v", err)
		}
	}
	if some {
		chains.End(run)
	}
	for _, b := range chains.Breaks {
		f.misfit(b.Number, "evidence", "%s", b.What)
	}
	chains.Breaks = nil
	return nil
}

// entriesPerPage is how many entries are read at once.
const entriesPerPage = 128

const selectEntries = `select run_no, number, kind, at, content, salts, hash from evidence where run_no = $1 and number > $2 order by number limit $3`

var scanEntry = store.Into(func(e *chain.Entry) []any {
	return []any{&e.Run, &e.Number, &e.Kind, &e.At, &e.Content, &e.Salts, &e.Hash}
})

// Entries yields the entries of a chain, in order.
func Entries(query store.Query, run int64) iter.Seq2[chain.Entry, error] {
	return store.Pages(entriesPerPage, func(last chain.Entry) ([]chain.Entry, error) {
		return store.All(query, scanEntry, selectEntries, run, last.Number, entriesPerPage)
	})
}

// readTold reads the chain of a run, and has chains follow it.
func readTold(query store.Query, run int64, chains *chain.Follower) (*Told, error) {
	t := &Told{Run: run, records: map[int64]*stated{}, rows: map[place]statement{}, named: map[int64][]statement{}, spans: map[int64]span{}}
	err := t.read(query, run, chains, func(e *chain.Entry) {
		if t.first == 0 {
			t.first = e.Number
		}
		t.head = e.Head()
	}, t.apply)
	return t, err
}

func stateOfEvidence(n byte) model.State {
	if int(n) < len(statesInEvidence) {
		return statesInEvidence[n]
	}
	return ""
}

// apply takes in what an operation says.
func (t *Told) apply(e *chain.Entry, op *chain.Op, salt int) {
	facet := func(f chain.Facet) statement { return stateFacet(e, op, salt, f) }
	switch op.What {
	case chain.Begun:
		t.begun, t.row = true, facet(chain.Content)
	case chain.Saved:
		t.row = facet(chain.Content)
	case chain.Planned, chain.Stands:
		t.plan(e, op, facet)
	case chain.TakenOut:
		delete(t.records, op.Seq)
	case chain.Bundled:
		if t.rows[place{what: op.What, seq: op.Seq}] = facet(chain.Content); !op.Salted() {
			delete(t.rows, place{what: op.What, seq: op.Seq}) // it is gone
		}
	case chain.Intended, chain.Settled, chain.Resolved:
		if r := t.records[op.Seq]; r != nil {
			r.change(e, op, facet)
		} else if t.begun {
			t.misfit(e.Number, recordAt(op.Seq), "it was never planned")
		}
	case chain.Moved:
		t.move(e, op)
	case chain.Decided:
		t.rows[place{op.What, op.Seq, op.Count}] = facet(chain.Content)
	case chain.Named:
		t.named[op.SettledAt] = append(t.named[op.SettledAt], facet(chain.Content))
	case chain.Kept:
		t.kept = facet(chain.Content)
	case chain.Pruning:
		t.pruning = true
		if op.Count > 0 {
			t.misfit(e.Number, place{what: chain.Saved}, "%d of what the run held did not fit when it was pruned", op.Count)
		}
	case chain.Boundary:
		t.pruning, t.pruned, t.begun = false, true, true
		clear(t.records)
		clear(t.rows)
	case chain.Span:
		t.spans[op.Seq] = span{until: op.Until, count: op.Count, statement: facet(chain.Content)}
	}
}

// plan takes in a record as it was planned, or as it is now.
func (t *Told) plan(e *chain.Entry, op *chain.Op, facet func(chain.Facet) statement) {
	r := &stated{state: stateOfEvidence(op.State), repeatable: op.Repeatable, sent: op.Sent, settled: op.SettledAt, took: op.Took,
		status: op.Status, attempts: op.Tried, notes: op.Count, entry: e.Number}
	r.restate(op, facet)
	if op.What == chain.Stands && op.Has[chain.Tries] {
		r.tries = []tried{{n: op.Until - op.Seq, statement: facet(chain.Tries)}}
	}
	t.records[op.Seq] = r
}

// restate takes in the sums of an operation, except that of requests.
func (r *stated) restate(op *chain.Op, facet func(chain.Facet) statement) {
	for f := range op.Has {
		if op.Has[f] && chain.Facet(f) != chain.Tries {
			r.facets[f] = facet(chain.Facet(f))
		}
	}
}

// change takes in what became of a record.
func (r *stated) change(e *chain.Entry, op *chain.Op, facet func(chain.Facet) statement) {
	r.entry = e.Number
	if op.What == chain.Intended {
		r.state, r.sent = model.Sending, op.Sent
		return
	}
	r.state, r.settled, r.literal = stateOfEvidence(op.State), op.SettledAt, ""
	r.restate(op, facet)
	if op.What == chain.Resolved {
		return
	}
	if op.Sent != 0 {
		r.sent = op.Sent
	}
	if op.Has[chain.Tries] {
		r.tries = append(r.tries, tried{first: r.attempts, n: op.Tried, statement: facet(chain.Tries)})
	}
	r.status, r.took, r.attempts = op.Status, op.Took, r.attempts+op.Tried
}

// move takes in that records were put into another state together.
func (t *Told) move(e *chain.Entry, op *chain.Op) {
	how, from := string(op.Text), stateOfEvidence(op.State)
	for seq, r := range t.records {
		if r.state != from || seq <= op.Seq || op.Until != 0 && seq > op.Until {
			continue
		}
		switch {
		case how == MoveHold:
			r.state, r.settled = model.Held, op.SettledAt
		case how == MoveRelease && (from == model.Failed && r.sent != 0 || from == model.Held && r.settled != 0):
			r.state, r.settled = model.Planned, 0
		case how == MoveRecover && r.repeatable:
			r.state, r.settled = model.Planned, 0
		case how == MoveRecover:
			r.state, r.settled, r.literal = model.InDoubt, op.SettledAt, CutOff
		case how == MoveInterrupted && r.repeatable && r.sent == 0:
			r.sent, r.literal = op.SettledAt, Interrupted
		case how == MoveRefused:
			r.state, r.facets[chain.Reasons] = model.Held, statement{}
		default:
			continue
		}
		r.entry = e.Number
	}
}
