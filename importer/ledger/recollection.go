package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"

	"docketsync/importer/ledger/store"
)

const (
	// mostLearnt is of how many keys something may have been learnt since the last run; when there are more, everything is
	// looked up. They are held in memory.
	mostLearnt = 100_000
	// lookAhead is how many records of the last run are looked through for one that is not the next: the rows before it may
	// have been removed.
	lookAhead = 4 * blockRecords
	// firstSearch is after how many records that were not found the rest of the last run is searched through for one; the next
	// time it takes twice as many, so that an export in another order is not searched through again and again.
	firstSearch = 1000
)

// Recollection is what the last run of a job found unchanged, in its order, so far as it is still so. With it the records of
// the next export are recognised one after the other, without a look at what is known of each.
//
// What makes it true: when a run plans it begins a new epoch of its scope, and a trigger writes into every row of known the
// epoch in which it was last written. So a key of which nothing is known of the epoch of that run or a later one is known as
// it was then. Keys that were sent and have no end that can be relied on are not recognised either.
type Recollection struct {
	ledger *Ledger
	shelf  blockShelf
	base   int64 // the last run, 0 for none
	export *Export
	learnt map[string]struct{}

	next    func() (stretch, error, bool) // what of the last run was not read yet
	stop    func()
	through int64      // the last of its seqs that was read
	ahead   []recalled // records of the last run from the next on, and some before it
	at      int        // the next
	places  map[string]int
	missed  int // records in a row that were not found
	search  int // how many of those it takes until the rest is searched
}

// recalled is a record of the last run.
type recalled struct {
	block *block
	index int
}

func (r recalled) entry() *blockEntry { return &r.block.entries[r.index] }

// Same is a record that the last run found unchanged and that is so still. The zero Same is none.
type Same struct{ recalled }

// Found tells whether there is one.
func (s Same) Found() bool { return s.block != nil }

// Recall begins the planning of a run, and recollects the last finished one of its job and scope that read a whole export.
// The run must have begun, and what is looked up for its plan must be looked up later than this. Close ends it.
func (l *Ledger) Recall(ctx context.Context, run Run) (*Recollection, error) {
	r := &Recollection{ledger: l, shelf: blockShelf{ledger: l.Reader}, search: firstSearch, stop: func() {}}
	err := r.begin(ctx, run)
	return r, l.wrap("recall what was unchanged", err)
}

func (r *Recollection) begin(ctx context.Context, run Run) error {
	number, err := r.ledger.number(ctx, run.ID)
	if err != nil {
		return err
	}
	if err := r.ledger.do(ctx, true, func(tx *transaction) error { return tx.beginEpoch(number, run.Scope) }); err != nil {
		return err
	}
	var epoch int64
	var export []byte
	err = r.ledger.read.QueryRowContext(ctx, `select r.number, r.epoch, r.export from runs r join epochs e on e.scope = r.scope
		where r.job = $1 and r.scope = $2 and r.operation = $3 and r.kind = 'run' and r.phase = 'finished' and r.export is not null
			and r.epoch >= e.floor and r.number <> $4 and exists (select 1 from stretches s where s.run_no = r.number)
		order by r.number desc limit 1`, store.Plain(run.Job), store.Plain(run.Scope), run.Operation, number).Scan(&r.base, &epoch, &export)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(export, &r.export); err != nil {
		return err
	}
	if err := r.learn(ctx, run.Scope, epoch); err != nil {
		return err
	}
	if r.base != 0 {
		r.next, r.stop = iter.Pull2(r.ledger.stretchRows(ctx, r.base, 0))
	}
	return nil
}

func (tx *transaction) beginEpoch(run int64, scope string) error {
	var epoch int64
	if err := tx.One(`insert into epochs (scope, epoch) values ($1, 1) on conflict (scope) do update set epoch = epochs.epoch + 1 returning epoch`,
		[]any{store.Plain(scope)}, &epoch); err != nil {
		return err
	}
	_, err := tx.Exec(`update runs set epoch = $2 where number = $1`, run, epoch)
	return err
}

// selectLearnt finds, in one statement and so at one instant, the keys of a scope that cannot be recognised: those in doubt, those
// that were sent after they were last accepted, and those of which something is known of an epoch or a later one.
const selectLearnt = `select key from records where scope = $1 and state in ('sending', 'in_doubt') and sent_at is not null
	union all select r.key from records r join known k on k.scope = r.scope and k.key = r.key
		where r.scope = $1 and r.state in ('failed', 'held', 'planned', 'refused') and r.sent_at is not null and r.run_no > k.run_no
	union all select key from known where scope = $1 and epoch >= $2
	limit $3`

func (r *Recollection) learn(ctx context.Context, scope string, since int64) error {
	rows, err := r.ledger.read.QueryContext(ctx, selectLearnt, store.Plain(scope), since, mostLearnt+1)
	if err != nil {
		return err
	}
	keys, err := store.Collect(rows, func(rows *sql.Rows) (key string, err error) {
		err = rows.Scan(&key)
		return store.KeyOf(key), err
	})
	if err != nil {
		return err
	}
	if len(keys) > mostLearnt {
		r.base = 0
		return nil
	}
	r.learnt = make(map[string]struct{}, len(keys))
	for _, key := range keys {
		r.learnt[key] = struct{}{}
	}
	return nil
}

// Export is what the last run's export was like, nil where nothing is recollected.
func (r *Recollection) Export() *Export {
	if r.base == 0 {
		return nil
	}
	return r.export
}

// Same is the record of a key and digest, if the last run found it unchanged and nothing was learnt about its key since. Records
// are asked for in the order of the export, and each is found once; one that is far from where it was in the last run may not
// be found. Not to be found says nothing: the record is looked up then.
func (r *Recollection) Same(ctx context.Context, key, digest string) (Same, error) {
	if r.base == 0 || key == "" {
		return Same{}, nil
	}
	found, err := r.find(ctx, key)
	if err != nil || !found {
		return Same{}, r.ledger.wrap("recall what was unchanged", err)
	}
	same := r.ahead[r.at]
	r.at++
	if _, ok := r.learnt[key]; ok || !same.entry().digest.is(digest) {
		return Same{}, nil
	}
	return Same{same}, nil
}

// find goes on to the record of a key. When there is none, it stays where it is.
func (r *Recollection) find(ctx context.Context, key string) (bool, error) {
	if r.at == len(r.ahead) {
		if more, err := r.read(ctx); err != nil || !more {
			return false, err
		}
	}
	if r.ahead[r.at].entry().key == key {
		r.missed = 0
		return true, nil
	}
	for len(r.ahead)-r.at < lookAhead/2 {
		if more, err := r.read(ctx); err != nil {
			return false, err
		} else if !more {
			break
		}
	}
	if r.places == nil {
		r.places = make(map[string]int, len(r.ahead)-r.at)
		for n := r.at; n < len(r.ahead); n++ {
			r.places[r.ahead[n].entry().key] = n
		}
	}
	if n, ok := r.places[key]; ok && n >= r.at {
		r.at, r.missed = n, 0
		return true, nil
	}
	if r.missed++; r.missed < r.search {
		return false, nil
	}
	r.missed, r.search = 0, 2*r.search
	return r.searchFor(ctx, key)
}

// read takes in the next records of the last run, a look ahead's worth. There are no more when the run's records are
// removed meanwhile.
func (r *Recollection) read(ctx context.Context) (more bool, err error) {
	if r.next == nil {
		return false, nil
	}
	r.ahead = append(r.ahead[:0], r.ahead[r.at:]...)
	r.at, r.places = 0, nil
	for len(r.ahead) < lookAhead {
		s, err, ok := r.next()
		if ok && err == nil {
			err = r.shelf.place(ctx, &s)
		}
		if !ok || errors.Is(err, errBlockGone) {
			r.next = nil
			break
		}
		if err != nil {
			return false, err
		}
		more, r.through = true, s.first+int64(s.count)-1
		for n := range s.count {
			r.ahead = append(r.ahead, recalled{s.block, s.start + n})
		}
	}
	return more, nil
}

// searchFor looks for a key in all that is left of the last run, and goes on from there. So an export is found again from which
// many rows were taken out.
func (r *Recollection) searchFor(ctx context.Context, key string) (bool, error) {
	s, index, err := r.ledger.stretchHolding(ctx, &r.shelf, r.base, r.through, key)
	if err != nil || s == nil {
		return false, err
	}
	r.goOn(ctx, *s, index-s.start)
	return true, nil
}

// goOn goes on with a record of a stretch, and forgets those before it.
func (r *Recollection) goOn(ctx context.Context, s stretch, from int) {
	r.stop()
	r.ahead, r.at, r.places = r.ahead[:0], 0, nil
	for n := from; n < s.count; n++ {
		r.ahead = append(r.ahead, recalled{s.block, s.start + n})
	}
	r.through = s.first + int64(s.count) - 1
	r.next, r.stop = iter.Pull2(r.ledger.stretchRows(ctx, r.base, r.through))
}

// Close lets go of what was read.
func (r *Recollection) Close() { r.stop() }
