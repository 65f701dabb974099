package evidence

import (
	"database/sql"
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// statement is the newest sum of a facet, and which entry says it. The zero value is none.
type statement struct {
	entry int64
	salt  [chain.SaltSize]byte
	sum   chain.Sum
}

// fits tells whether values are what was stated; of what was never stated, that they are as good as nothing.
func (s *statement) fits(sums *chain.Summer, f chain.Facet, values ...any) bool {
	if s.entry == 0 {
		return !slices.ContainsFunc(values, func(v any) bool { return v != nil && v != "" })
	}
	return sums.Sum(s.salt[:], f, values...) == s.sum
}

// stated is how a record stands, as the entries of its run say.
type stated struct {
	state            model.State
	repeatable       bool
	sent, settled    int64 // microseconds, 0 for none
	took             int64 // 1 more than the microseconds, 0 for none
	status, attempts int64
	entry            int64  // that said the last of it
	literal          string // the message, where docketsync itself has put it there
	notes            int64  // how long what the plan noted is, as stored
	facets           [chain.Facets]statement
	tries            []tried
}

// tried are the requests of one outcome: n behind the first.
type tried struct {
	first, n int64
	statement
}

// Told is what the chain of a run says.
type Told struct {
	Run       int64
	head      chain.Head
	entries   int
	first     int64 // the first entry that is there
	begun     bool  // the chain is there from the run's begin on, or since it was pruned
	pruning   bool
	pruned    bool
	boundary  []byte // the head up to which it was pruned
	row, kept statement
	answer    *string // what the ordinary answers of the run say, once its row was checked
	records   map[int64]*stated
	bundles   map[int64]statement
	decisions map[[2]int64]statement
	named     map[int64][]statement // by time
	spans     map[int64]span
	misfits   []Misfit
	heads     map[int64][]byte // of the entries that the ledger's chain has joined
}

// span is a part of a pruned run.
type span struct {
	until, count int64
	statement
}

// Misfit is something that does not fit the evidence.
type Misfit struct {
	Run   string    `json:"run,omitempty"`   // its name, "" for what is about the ledger
	Entry int64     `json:"entry,omitempty"` // of that chain, which says otherwise; 0 where none says anything
	Kind  string    `json:"kind,omitempty"`  // what that entry is about
	At    time.Time `json:"at,omitzero"`     // of that entry
	Of    string    `json:"of"`              // what does not fit, such as "record 5"
	What  string    `json:"what"`
}

func (t *Told) misfit(entry int64, of, format string, args ...any) {
	t.misfits = append(t.misfits, Misfit{Entry: entry, Of: of, What: fmt.Sprintf(format, args...)})
}

// entriesPerPage is how many entries are read at once.
const entriesPerPage = 128

const selectEntries = `select run_no, number, kind, at, content, salts, hash from evidence where run_no = $1 and number > $2 order by number limit $3`

func scanEntry(rows *sql.Rows) (e chain.Entry, err error) {
	err = rows.Scan(&e.Run, &e.Number, &e.Kind, &e.At, &e.Content, &e.Salts, &e.Hash)
	return e, err
}

// EachEntry calls each for the entries of a chain, in order.
func EachEntry(query store.Query, run int64, each func(e *chain.Entry) error) error {
	for after := int64(0); ; {
		list, err := store.All(query, scanEntry, selectEntries, run, after, entriesPerPage)
		for n := range list {
			if err == nil {
				err = each(&list[n])
			}
			after = list[n].Number
		}
		if err != nil || len(list) < entriesPerPage {
			return err
		}
	}
}

// readTold reads the chain of a run. joined are the lengths at which the ledger's chain has taken it in.
func readTold(query store.Query, run int64, joined map[int64]bool) (*Told, error) {
	t := &Told{Run: run, records: map[int64]*stated{}, bundles: map[int64]statement{}, decisions: map[[2]int64]statement{},
		named: map[int64][]statement{}, spans: map[int64]span{}, heads: map[int64][]byte{}}
	err := EachEntry(query, run, func(e *chain.Entry) error {
		t.entries++
		if t.first == 0 {
			t.first = e.Number
			if e.Number > 1 {
				t.head = chain.Head{Number: e.Number - 1, Hash: boundaryOf(e)}
				t.boundary = t.head.Hash
			}
		}
		t.follow(e)
		if joined[e.Number] {
			t.heads[e.Number] = e.Hash
		}
		if err := e.Ops(func(op *chain.Op, salt int) error { t.apply(e, op, salt); return nil }); err != nil {
			t.misfit(e.Number, "evidence", "the entry cannot be read: %v", err)
		}
		return nil
	})
	return t, err
}

// boundaryOf is the head up to which a chain was pruned, as the first entry that is left says; nil where it says none.
func boundaryOf(e *chain.Entry) (head []byte) {
	_ = e.Ops(func(op *chain.Op, _ int) error { // what is wrong with it is found again
		if op.What == chain.Boundary {
			head = op.Text
		}
		return nil
	})
	return head
}

// follow looks whether an entry is the next one, and goes on from there in any case.
func (t *Told) follow(e *chain.Entry) {
	switch {
	case e.Number != t.head.Number+1:
		t.misfit(t.head.Number+1, "evidence", "entries %d to %d are gone", t.head.Number+1, e.Number-1)
	case !e.Follows(t.head):
		t.misfit(e.Number, "evidence", "the entry was changed, or one before it")
	}
	t.head = e.Head()
}

func stateOfEvidence(n byte) model.State {
	if int(n) < len(statesInEvidence) {
		return statesInEvidence[n]
	}
	return ""
}

// apply takes in what an operation says.
func (t *Told) apply(e *chain.Entry, op *chain.Op, salt int) {
	facet := func(f chain.Facet) statement {
		s := statement{entry: e.Number, sum: op.Sums[f]}
		copy(s.salt[:], e.Salts[max(salt, 0):])
		return s
	}
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
		if t.bundles[op.Seq] = facet(chain.Content); !op.Salted() {
			delete(t.bundles, op.Seq) // it is gone
		}
	case chain.Intended, chain.Settled, chain.Resolved:
		if r := t.records[op.Seq]; r != nil {
			r.change(e, op, facet)
		} else if t.begun {
			t.misfit(e.Number, recordOf(op.Seq), "it was never planned")
		}
	case chain.Moved:
		t.move(e, op)
	case chain.Decided:
		t.decisions[[2]int64{op.Seq, op.Count}] = facet(chain.Content)
	case chain.Named:
		t.named[op.SettledAt] = append(t.named[op.SettledAt], facet(chain.Content))
	case chain.Kept:
		t.kept = facet(chain.Content)
	case chain.Pruning:
		t.pruning = true
		if op.Count > 0 {
			t.misfit(e.Number, "run", "%d of what the run held did not fit when it was pruned", op.Count)
		}
	case chain.Boundary:
		t.pruning, t.pruned, t.begun = false, true, true
		clear(t.records)
		clear(t.bundles)
	case chain.Span:
		t.spans[op.Seq] = span{until: op.Until, count: op.Count, statement: facet(chain.Content)}
	}
}

func recordOf(seq int64) string { return fmt.Sprintf("record %d", seq) }

// plan takes in a record as it was planned, or as it stands.
func (t *Told) plan(e *chain.Entry, op *chain.Op, facet func(chain.Facet) statement) {
	r := &stated{state: stateOfEvidence(op.State), repeatable: op.Repeatable, sent: op.Sent, settled: op.SettledAt, took: op.Took,
		status: op.Status, attempts: op.Tried, notes: op.Count, entry: e.Number}
	for f := range op.Has {
		if op.Has[f] && chain.Facet(f) != chain.Tries {
			r.facets[f] = facet(chain.Facet(f))
		}
	}
	if op.What == chain.Stands && op.Has[chain.Tries] {
		r.tries = []tried{{n: op.Until - op.Seq, statement: facet(chain.Tries)}}
	}
	t.records[op.Seq] = r
}

// change takes in what became of a record.
func (r *stated) change(e *chain.Entry, op *chain.Op, facet func(chain.Facet) statement) {
	r.entry = e.Number
	if op.What == chain.Intended {
		r.state, r.sent = model.Sending, op.Sent
		return
	}
	r.state, r.settled, r.literal = stateOfEvidence(op.State), op.SettledAt, ""
	for f := range op.Has {
		if op.Has[f] && chain.Facet(f) != chain.Tries {
			r.facets[f] = facet(chain.Facet(f))
		}
	}
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
