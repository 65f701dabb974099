package handle

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// entryKinds names entries by their first operation.
var entryKinds = map[chain.What]string{chain.Begun: "begin", chain.Saved: "save", chain.Planned: "plan", chain.TakenOut: "plan", chain.Bundled: "plan",
	chain.Intended: "push", chain.Settled: "push", chain.Moved: "move", chain.Resolved: "resolve", chain.Decided: "resolve", chain.Named: "push", chain.Stands: "forget",
	chain.Boundary: "prune", chain.Pruning: "prune", chain.Span: "forget", chain.Opened: "open", chain.Joined: "run", chain.Service: "service", chain.Audited: "audit",
	chain.Renamed: "rename", chain.Removed: "remove", chain.Forgotten: "forget", chain.Restored: "restore"}

// evidence is what a transaction has to record, by chain.
type evidence struct {
	entries map[int64]*chain.Builder
	kinds   map[int64]string
	joins   map[int64]bool // runs whose chain is to be linked into the ledger's
	pruned  []int64        // runs of whose chains only the new entry is to stay
	sums    *chain.Summer
}

// Note adds an operation to the entry of a run, or of the ledger. values are the operation's content, for operations
// without any other.
func (tx *Tx) Note(run int64, op chain.Op, values ...any) {
	if len(values) == 0 {
		tx.EntryOf(run, op.What).Add(&op, nil)
		return
	}
	n := tx.Noting(run, op)
	n.Put(chain.Content, values...)
	n.End()
}

// Noted is an operation with sums that is being added to an entry.
type Noted struct {
	chain.Op
	to   *chain.Builder
	sums *chain.Summer
	salt []byte
}

// Noting begins an operation with sums; see Noted.End.
func (tx *Tx) Noting(run int64, op chain.Op) Noted {
	b := tx.EntryOf(run, op.What)
	return Noted{op, b, tx.evidence.sums, b.Salt()}
}

// Put states the sum of values.
func (n *Noted) Put(f chain.Facet, values ...any) { n.Op.Put(f, n.sums.Sum(n.salt, f, values...)) }

// Some is Put unless the value is nil or "".
func (n *Noted) Some(f chain.Facet, value any) {
	if value != nil && value != "" {
		n.Put(f, value)
	}
}

// End adds the operation to its entry.
func (n *Noted) End() { n.to.Add(&n.Op, n.salt) }

// EntryOf returns the builder of an entry.
func (tx *Tx) EntryOf(run int64, first chain.What) *chain.Builder {
	e := &tx.evidence
	if e.entries == nil {
		e.entries, e.kinds, e.joins, e.sums = map[int64]*chain.Builder{}, map[int64]string{}, map[int64]bool{}, &chain.Summer{}
	}
	if e.entries[run] == nil {
		e.entries[run], e.kinds[run] = &chain.Builder{}, entryKinds[first]
	}
	return e.entries[run]
}

// Join links the chain of a run into the ledger's.
func (tx *Tx) Join(run int64) {
	tx.EntryOf(run, chain.Joined)
	tx.evidence.joins[run] = true
}

// Chained reports whether a run has a chain, which it has if it sends.
func (tx *Tx) Chained(run int64) (bool, error) {
	if known, ok := tx.w.chains.Load(run); ok {
		return known.(bool), nil
	}
	var kind model.Kind
	if err := tx.One(`select kind from runs where number = $1`, []any{run}, &kind); err != nil {
		return false, err
	}
	tx.w.chains.Store(run, kind == model.Push)
	return kind == model.Push, nil
}

var insertEvidence = &store.Bulk{Text: `insert into evidence (run_no, number, kind, at, content, salts, hash) values {rows}`, Columns: make([]string, 7)}

// lockChain locks the row of a run. Without the lock, a writer of an entry would now and then find its number taken and
// have to start again.
var lockChain = &store.Bulk{Text: `select number from runs where number in ({rows}) for no key update`, Columns: []string{"bigint"}}

// insertNext is insertEvidence for an entry that the server appends to the chain, so that nobody has to read its head
// first. The hash is that of chain.Entry.Sum.
var insertNext = &store.Bulk{
	Text: `with v (run_no, kind, at, content, salts) as (values {rows})
		insert into evidence (run_no, number, kind, at, content, salts, hash)
		select v.run_no, coalesce(e.number, 0) + 1, v.kind, v.at, v.content, v.salts,
			sha256(coalesce(e.hash, decode(repeat('00', 32), 'hex')) || int8send(v.run_no) || int8send(coalesce(e.number, 0) + 1) || int8send(v.at)
				|| int4send(octet_length(v.kind)) || convert_to(v.kind, 'UTF8') || v.content)
		from v left join lateral (select number, hash from evidence where evidence.run_no = v.run_no order by number desc limit 1) e on true`,
	Columns: []string{"bigint", "text", "bigint", "{bytes}", "{bytes}"},
}

// RunEntries returns the steps that write the entries of runs, and removes those from what is still to be written. On a
// server the steps ask for nothing, unless the ledger's chain has to take one in. As the last steps of a transaction
// they hold the row of a run, for which all nodes that send it wait, as briefly as possible.
func (tx *Tx) RunEntries() (steps []store.Step, err error) {
	e := &tx.evidence
	read := store.Step{Bulk: insertEvidence}
	for _, run := range slices.Sorted(maps.Keys(e.entries)) {
		b := e.entries[run]
		if run == chain.Ledger {
			continue
		}
		delete(e.entries, run)
		if tx.Engine().Dialect().Remote && !e.joins[run] {
			if len(b.Content) > 0 {
				steps = append(steps, store.Step{Bulk: lockChain, Values: []any{run}},
					store.Step{Bulk: insertNext, Values: []any{run, e.kinds[run], tx.w.Now().UnixMicro(), b.Content, saltsOf(b)}})
			}
			continue
		}
		head, err := tx.Head(run)
		if err != nil {
			return nil, err
		}
		if len(b.Content) > 0 {
			head = tx.entry(&read, run, head, b)
		}
		if e.joins[run] && head.Number > 0 {
			tx.Note(chain.Ledger, chain.Op{What: chain.Joined, Seq: run, Until: head.Number, Text: head.Hash})
		}
	}
	return append(steps, read), nil
}

// saltsOf returns the salts of an entry, which are never null.
func saltsOf(b *chain.Builder) []byte {
	if b.Salts == nil {
		return []byte{}
	}
	return b.Salts
}

// entry adds the next entry of a chain to the values of a step and returns the new head.
func (tx *Tx) entry(step *store.Step, run int64, head chain.Head, b *chain.Builder) chain.Head {
	next := chain.Entry{Run: run, Number: head.Number + 1, Kind: tx.evidence.kinds[run], At: tx.w.Now().UnixMicro(), Content: b.Content, Salts: saltsOf(b)}
	next.Hash = next.Sum(head.Hash)
	step.Values = append(step.Values, next.Run, next.Number, next.Kind, next.At, next.Content, next.Salts, next.Hash)
	return next.Head()
}

// Head returns the head of a run's chain. A transaction that writes entries of a run holds its row: it has counted a
// commit there already, or with SQLite it is the only one that writes.
func (tx *Tx) Head(run int64) (h chain.Head, err error) {
	if tx.Engine().Dialect().Remote {
		if _, err := tx.Together(store.Step{Bulk: lockChain, Values: []any{run}}); err != nil {
			return h, err
		}
	}
	_, err = store.Found(tx.One(`select number, hash from evidence where run_no = $1 order by number desc limit 1`, []any{run}, &h.Number, &h.Hash))
	return h, err
}

// KeepNewest removes the entries of a run except the one that this transaction writes.
func (tx *Tx) KeepNewest(run int64) { tx.evidence.pruned = append(tx.evidence.pruned, run) }

// seal writes the remaining entries when a transaction has done everything else, that of the ledger's own chain last.
func (tx *Tx) seal() error {
	if len(tx.evidence.entries) == 0 {
		return nil
	}
	steps, err := tx.RunEntries()
	if err != nil {
		return err
	}
	if b := tx.evidence.entries[chain.Ledger]; b != nil {
		var head chain.Head
		if err := tx.One(`update evidence_head set number = number + 1 returning number - 1, hash`, nil, &head.Number, &head.Hash); err != nil {
			return err
		}
		head = tx.entry(&steps[len(steps)-1], chain.Ledger, head, b)
		if _, err := tx.Exec(`update evidence_head set hash = $1`, head.Hash); err != nil {
			return err
		}
	}
	pruned := tx.evidence.pruned
	tx.evidence = evidence{}
	_, err = tx.Together(steps...)
	for _, run := range pruned {
		if err == nil {
			_, err = tx.Exec(`delete from evidence where run_no = $1 and number < (select max(number) from evidence where run_no = $1)`, run)
		}
	}
	return err
}

// OpenEvidence begins the ledger's chain, once. The chain of an older ledger says so: its existing runs and records
// have no entries.
func (l *Writer) OpenEvidence(ctx context.Context) error {
	var number int64
	begun, err := store.Found(l.Read.QueryRowContext(ctx, `select number from evidence_head`).Scan(&number))
	if begun || err != nil {
		return l.Wrap("open", err)
	}
	release, _, err := l.Engine.Lock(ctx, "schema", store.AwaitLock)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // it dies with the process at the latest
	return l.Wrap("open", l.Do(ctx, false, func(tx *Tx) error {
		if there, err := store.Found(tx.One(`select number from evidence_head`, nil, &number)); there || err != nil {
			return err // another process was first
		}
		if _, err := tx.Exec(`insert into evidence_head (number, hash) values (0, $1)`, []byte{}); err != nil {
			return err
		}
		op := chain.Op{What: chain.Opened}
		if err := tx.One(`select (select coalesce(max(number), 0) from runs), (select count(*) from records)`, nil, &op.Seq, &op.Count); err != nil {
			return err
		}
		tx.Note(chain.Ledger, op)
		return nil
	}))
}

// NoteAll calls note if a run has a chain.
func (tx *Tx) NoteAll(run int64, note func()) error {
	chained, err := tx.Chained(run)
	if err != nil {
		return fmt.Errorf("run %d: %w", run, err)
	}
	if chained {
		note()
	}
	return nil
}
