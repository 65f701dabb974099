package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// foldAfter is how many outcomes and intents stand in the journal before they are folded into the tables. More of them take
// less work each, and a push waits longer behind them.
const foldAfter = 256

// journal is what the writer remembers of what it has put down in the journal, so that it need not look. It is touched by
// whoever has the writer's turn, and is worth nothing once anybody else has changed the database or anything but commits
// and folds has been written.
type journal struct {
	certain bool           // whether the rest is true as long as the database's changes are what they were
	changes int64          // see store.Engine
	ours    map[int64]bool // the runs of which a commit has made sure that they are, see pushes, since anybody else has changed the database

	flying  map[place]name // sent, and without an outcome; the name is not known of all
	entered map[place]bool // in the journal, so that the tables are behind
	unsure  map[name]bool  // sent or in doubt since the journal became certain
	offers  offers
	size    atomic.Int64 // how many outcomes and intents are in the journal
	text    []byte       // kept to be written over
}

func newJournal() *journal {
	return &journal{flying: map[place]name{}, entered: map[place]bool{}, unsure: map[name]bool{}, ours: map[int64]bool{}}
}

// Begun forgets what was remembered, and notes whether somebody else was there meanwhile. The journal has been folded, and changes
// says how the database stands.
func (j *journal) Begun(changes int64) {
	if !j.certain || j.changes != changes {
		clear(j.ours)
	}
	j.Forget()
	j.certain, j.changes = true, changes
}

func (j *journal) Forget() {
	j.certain = false
	clear(j.flying)
	clear(j.unsure)
	j.offers.withdraw()
	j.Folded()
}

func (j *journal) Folded() {
	clear(j.entered)
	j.size.Store(0)
	j.offers.folded()
}

// enter commits a group: in the journal where that is possible, which is one narrow row for all of it, and otherwise in the
// tables, whose statements and indexes then decide what is possible.
func (tx *transaction) enter(group []*commit, now time.Time) error {
	j := tx.journal
	changes, ok, err := tx.Changes()
	if err != nil {
		return err
	}
	if !ok {
		return tx.settle(group, now)
	}
	if !j.certain || j.changes != changes {
		j.Begun(changes)
		return tx.enterDirectly(group, now)
	}
	switch names, ok, err := tx.enterable(group); {
	case err != nil:
		return err
	case !ok:
		return tx.enterDirectly(group, now)
	default:
		return tx.note(group, names, now)
	}
}

// enterDirectly folds the journal and writes a group into the tables.
func (tx *transaction) enterDirectly(group []*commit, now time.Time) error {
	if err := tx.Fold(); err != nil {
		return err
	}
	if err := tx.settle(group, now); err != nil {
		return err
	}
	j := tx.journal
	j.Folded()
	j.offers.withdraw()
	for _, c := range group {
		for n := range c.outcomes {
			delete(j.flying, c.outcomes[n].place)
			j.ours[c.outcomes[n].number] = true
		}
		for _, p := range c.intents {
			j.ours[p.number] = true
			j.flying[p] = name{}
			j.offers.take(p.bare()) // until this is committed, others read that it is planned
		}
	}
	return nil
}

// selectSendable reads the names of records that may be sent as far as the tables know.
var selectSendable = &store.Bulk{
	Text: `with v (run_no, seq) as (values {rows})
		select r.run_no, r.seq, r.scope, r.key from v join records r on r.run_no = v.run_no and r.seq = v.seq
		where r.state = 'planned' and r.key <> '' and not exists (select 1 from records d
			where d.scope = r.scope and d.key = r.key and d.state in ('sending', 'in_doubt') and d.sent_at is not null)`,
	Columns: []string{"bigint", "bigint"},
}

// enterable tells whether all that a group asks for is certainly possible, and the names of what it sends. It is the usual
// case alone that it knows: outcomes of what this process has sent, intents for what is planned and not in doubt.
func (tx *transaction) enterable(group []*commit) (names map[place]name, ok bool, err error) {
	j := tx.journal
	intents, ok := j.fits(group)
	if !ok {
		return nil, false, nil
	}
	names = make(map[place]name, len(intents))
	var unknown []any
	for _, p := range intents {
		if of, ok := j.offers.take(p.bare()); ok {
			names[p.bare()] = of
		} else {
			unknown = append(unknown, p.number, p.seq)
		}
	}
	if err := tx.BulkRows(selectSendable, unknown, func(rows *sql.Rows) error {
		var p place
		var of name
		err := rows.Scan(&p.number, &p.seq, &of.scope, &of.key)
		names[p] = of
		return err
	}); err != nil {
		return nil, false, err
	}
	taken := make(map[name]bool, len(names))
	for _, of := range names {
		if taken[of] || j.unsure[of] {
			return nil, false, nil
		}
		taken[of] = true
	}
	return names, len(names) == len(intents), nil
}

// fits tells whether the places of a group are in runs that are ours and where they should be, as far as the journal knows, and each
// is named once; and returns those of its intents.
func (j *journal) fits(group []*commit) (intents []place, ok bool) {
	here := map[place]bool{}
	for _, c := range group {
		for n := range c.outcomes {
			p := c.outcomes[n].place
			if _, flies := j.flying[p]; !flies || c.outcomes[n].alone || here[p] || !j.ours[p.number] {
				return nil, false
			}
			here[p] = true
		}
		for _, p := range c.intents {
			if _, flies := j.flying[p]; flies || j.entered[p] || here[p] || !j.ours[p.number] {
				return nil, false
			}
			here[p] = true
			intents = append(intents, p)
		}
	}
	return intents, true
}

// note puts a group down in the journal.
func (tx *transaction) note(group []*commit, names map[place]name, now time.Time) error {
	j := tx.journal
	var err error
	if j.text, err = appendGroup(j.text[:0], group, now); err != nil {
		return err
	}
	if _, err := tx.Exec(`insert into journal (body) values ($1)`, j.text); err != nil {
		return err
	}
	for _, c := range group {
		for n := range c.outcomes {
			o := &c.outcomes[n]
			if o.State != InDoubt {
				delete(j.unsure, j.flying[o.place])
			}
			delete(j.flying, o.place)
			j.entered[o.place] = true
		}
		for _, p := range c.intents {
			of := names[p.bare()]
			j.flying[p], j.entered[p], j.unsure[of] = of, true, true
		}
		j.size.Add(int64(len(c.outcomes) + len(c.intents)))
	}
	return nil
}

// foldMany folds the journal when much has come together in it. A ledger that cannot do that would soon not take a commit
// either: what stands in the journal is kept there, and no more is taken.
func (l *Ledger) foldMany() {
	if l.journal.size.Load() < foldAfter {
		return
	}
	if err := l.store.Fold(context.Background()); err != nil {
		_ = l.stop(l.wrap("write the journal", err))
	}
}

// Fold writes what stands in the journal into the tables, and empties it.
func (j *journal) Fold(raw *store.Tx) error {
	tx := &transaction{Tx: raw, journal: j}
	rows, err := tx.Query(`select body from journal order by number`)
	if err != nil {
		return err
	}
	groups, err := store.Collect(rows, func(rows *sql.Rows) (g groupText, err error) {
		var text string
		if err = rows.Scan(&text); err != nil {
			return g, err
		}
		return readGroup(text)
	})
	if err != nil || len(groups) == 0 {
		return err
	}
	for _, g := range together(groups) {
		g.marry()
		if _, err := tx.count(g.outcomes, g.intents); err != nil {
			return err
		}
		if err := tx.carryOut(g.outcomes, g.intents); err != nil {
			if errors.Is(err, errImpossible) {
				err = fmt.Errorf("the journal does not fit the records: %w", fault.ErrCorrupt)
			}
			return err
		}
	}
	_, err = tx.Exec(`delete from journal`)
	return err
}

// together puts groups together as far as their order does not matter. Within a run a key stands for one record, which is
// sent once; but what one run leaves of a key, another may have taken up.
func together(groups []groupText) []groupText {
	var all groupText
	for _, g := range groups {
		all.outcomes = append(all.outcomes, g.outcomes...)
		all.intents = append(all.intents, g.intents...)
	}
	runs := map[int64]bool{}
	for n := range all.outcomes {
		runs[all.outcomes[n].number] = true
	}
	for _, i := range all.intents {
		runs[i.number] = true
	}
	if len(runs) > 1 {
		return groups
	}
	return []groupText{all}
}

// marry makes one of the intent and the outcome of a record, where both are there.
func (g *groupText) marry() {
	at := make(map[place]int64, len(g.intents))
	for _, i := range g.intents {
		at[i.place] = i.at
	}
	for n := range g.outcomes {
		o := &g.outcomes[n]
		o.sent = at[o.place]
		delete(at, o.place)
	}
	g.intents = slices.DeleteFunc(g.intents, func(i leaving) bool { _, alone := at[i.place]; return !alone })
}
