package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/store"
)

// What a transaction does to a run that sends is put down as an entry of the run's chain, in the same transaction. The entry is written
// when all else has been (seal), or together with it (carryOut), so that a group of outcomes costs one statement and one row more.

// statesInEvidence are the states as entries number them.
var statesInEvidence = []State{"", Planned, Sending, Accepted, Refused, Failed, InDoubt, Rejected, Unchanged, Held}

func stateNumber(s State) byte { return byte(max(0, slices.Index(statesInEvidence, s))) }

// entryKinds name entries by their first operation.
var entryKinds = map[chain.What]string{chain.Begun: "begin", chain.Saved: "save", chain.Planned: "plan", chain.TakenOut: "plan", chain.Bundled: "plan",
	chain.Intended: "push", chain.Settled: "push", chain.Moved: "move", chain.Resolved: "resolve", chain.Decided: "resolve", chain.Named: "push", chain.Stands: "forget",
	chain.Boundary: "prune", chain.Pruning: "prune", chain.Span: "forget", chain.Opened: "open", chain.Joined: "run", chain.Service: "service", chain.Audited: "audit",
	chain.Renamed: "rename", chain.Removed: "remove", chain.Forgotten: "forget", chain.Restored: "restore"}

// evidence is what a transaction has to put down, by chain.
type evidence struct {
	entries map[int64]*chain.Builder
	kinds   map[int64]string
	joins   map[int64]bool // runs whose chain the ledger's is to take in
	pruned  []int64        // runs of whose chains only the new entry is to stay
	sums    *chain.Summer
}

// note puts an operation into the entry of a run, or of the ledger. values are what its content is, of operations that have no more.
func (tx *transaction) note(run int64, op chain.Op, values ...any) {
	b := tx.entryOf(run, op.What)
	if len(values) == 0 {
		b.Add(&op, nil)
		return
	}
	salt := b.Salt()
	op.Put(chain.Content, tx.evidence.sums.Sum(salt, chain.Content, values...))
	b.Add(&op, salt)
}

// entryOf is what an entry is put together in.
func (tx *transaction) entryOf(run int64, first chain.What) *chain.Builder {
	e := &tx.evidence
	if e.entries == nil {
		e.entries, e.kinds, e.joins, e.sums = map[int64]*chain.Builder{}, map[int64]string{}, map[int64]bool{}, chain.NewSummer()
	}
	if e.entries[run] == nil {
		e.entries[run], e.kinds[run] = &chain.Builder{}, entryKinds[first]
	}
	return e.entries[run]
}

// join has the ledger's chain take in that of a run.
func (tx *transaction) join(run int64) {
	tx.entryOf(run, chain.Joined)
	tx.evidence.joins[run] = true
}

// chained tells whether a run has a chain: it is one that sends.
func (tx *transaction) chained(run int64) (bool, error) {
	if known, ok := tx.chains.Load(run); ok {
		return known.(bool), nil
	}
	var kind Kind
	if err := tx.One(`select kind from runs where number = $1`, []any{run}, &kind); err != nil {
		return false, err
	}
	tx.chains.Store(run, kind == Push)
	return kind == Push, nil
}

var insertEvidence = &store.Bulk{Text: `insert into evidence (run_no, number, kind, at, content, salts, hash) values {rows}`, Columns: make([]string, 7)}

// insertBehind is insertEvidence for an entry that is put together behind a head that was not read in the transaction: behind is the hash
// of that. Nothing is inserted where it is not the head any more.
var insertBehind = &store.Bulk{
	Text: `with v (run_no, number, kind, at, content, salts, hash, behind) as (values {rows})
		insert into evidence (run_no, number, kind, at, content, salts, hash) select v.run_no, v.number, v.kind, v.at, v.content, v.salts, v.hash
		from v where v.behind = (select e.hash from evidence e where e.run_no = v.run_no order by e.number desc limit 1) on conflict do nothing`,
	Columns: []string{"bigint", "bigint", "text", "bigint", "{bytes}", "{bytes}", "{bytes}", "{bytes}"},
}

// guess is an entry of a run that is written behind the head which this process left, in the hope that nobody else has written one since.
type guess struct {
	run  int64
	b    *chain.Builder
	head chain.Head // what it becomes
}

// guessed are the steps that write the entries of the runs that this process sends whole, one for each. Their epoch has been held against
// the ledger (fence), which keeps them from being taken over or ended, and so from being pruned, until the transaction ends.
func (tx *transaction) guessed(gains []*gain) (steps []store.Step, guesses []guess) {
	e := &tx.evidence
	if !tx.Engine().Dialect().Remote {
		return nil, nil // to read the head costs less there than to compare it: 4 % of the records a second
	}
	for _, g := range gains {
		b := e.entries[g.number]
		if g.at == nil || !g.at.whole() || b == nil || len(b.Content) == 0 || e.joins[g.number] {
			continue
		}
		next := guess{run: g.number, b: b}
		if last := g.at.head.Load(); last != nil {
			step := store.Step{Bulk: insertBehind}
			next.head = tx.entry(&step, g.number, *last, b)
			step.Values = append(step.Values, last.Hash)
			steps, guesses = append(steps, step), append(guesses, next)
			delete(e.entries, g.number)
		}
	}
	return steps, guesses
}

// behindTheHead writes the entry of a guess that was wrong behind the head that is there.
func (tx *transaction) behindTheHead(g *guess) error {
	head, err := tx.head(g.run)
	if err != nil {
		return err
	}
	step := store.Step{Bulk: insertEvidence}
	g.head = tx.entry(&step, g.run, head, g.b)
	_, err = tx.Together(step)
	return err
}

// runEntries are the steps that write the entries of runs; what they say is not said again.
func (tx *transaction) runEntries() (step store.Step, err error) {
	e := &tx.evidence
	step.Bulk = insertEvidence
	for _, run := range slices.Sorted(maps.Keys(e.entries)) {
		b := e.entries[run]
		if run == chain.Ledger {
			continue
		}
		head, err := tx.head(run)
		if err != nil {
			return step, err
		}
		if len(b.Content) > 0 {
			head = tx.entry(&step, run, head, b)
			tx.leave(run, head)
		}
		if e.joins[run] && head.Number > 0 {
			tx.note(chain.Ledger, chain.Op{What: chain.Joined, Seq: run, Until: head.Number, Text: head.Hash})
		}
		delete(e.entries, run)
	}
	return step, nil
}

// entry puts the next entry of a chain among the values of a step, and returns the head that it is.
func (tx *transaction) entry(step *store.Step, run int64, head chain.Head, b *chain.Builder) chain.Head {
	next := chain.Entry{Run: run, Number: head.Number + 1, Kind: tx.evidence.kinds[run], At: tx.now().UnixMicro(), Content: b.Content, Salts: b.Salts}
	next.Hash = next.Sum(head.Hash)
	if next.Salts == nil {
		next.Salts = []byte{}
	}
	step.Values = append(step.Values, next.Run, next.Number, next.Kind, next.At, next.Content, next.Salts, next.Hash)
	return next.Head()
}

// head is the head of a run's chain. Who writes entries of a run has its row: count has it already, and with SQLite whoever writes.
func (tx *transaction) head(run int64) (h chain.Head, err error) {
	if tx.Engine().Dialect().Remote {
		if _, err := tx.Exec(`update runs set commits = commits where number = $1`, run); err != nil {
			return h, err
		}
	}
	_, err = store.Found(tx.One(`select number, hash from evidence where run_no = $1 order by number desc limit 1`, []any{run}, &h.Number, &h.Hash))
	return h, err
}

// leave notes the head that the transaction leaves a run with, for the next one if this one is committed.
func (tx *transaction) leave(run int64, head chain.Head) {
	if h := tx.pushes.wholeOf(run); h != nil {
		tx.heads[h] = head
	}
}

// seal writes the entries that are left when a transaction has done all else, that of the ledger's own chain as the last.
func (tx *transaction) seal() error {
	if len(tx.evidence.entries) == 0 {
		return nil
	}
	step, err := tx.runEntries()
	if err != nil {
		return err
	}
	if b := tx.evidence.entries[chain.Ledger]; b != nil {
		var head chain.Head
		if err := tx.One(`update evidence_head set number = number + 1 returning number - 1, hash`, nil, &head.Number, &head.Hash); err != nil {
			return err
		}
		head = tx.entry(&step, chain.Ledger, head, b)
		if _, err := tx.Exec(`update evidence_head set hash = $1`, head.Hash); err != nil {
			return err
		}
	}
	pruned := tx.evidence.pruned
	tx.evidence = evidence{}
	_, err = tx.Together(step)
	for _, run := range pruned {
		if err == nil {
			_, err = tx.Exec(`delete from evidence where run_no = $1 and number < (select max(number) from evidence where run_no = $1)`, run)
		}
	}
	return err
}

// openEvidence begins the ledger's chain, once. Of a ledger that is older it says so: the runs and records that are there have no entries.
func (l *Ledger) openEvidence(ctx context.Context) error {
	var number int64
	begun, err := store.Found(l.read.QueryRowContext(ctx, `select number from evidence_head`).Scan(&number))
	if begun || err != nil {
		return l.wrap("open", err)
	}
	release, _, err := l.engine.Lock(ctx, "schema", true)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // it dies with the process at the latest
	return l.wrap("open", l.do(ctx, false, func(tx *transaction) error {
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
		tx.note(chain.Ledger, op)
		return nil
	}))
}

// The columns of the values that a record is written with, see recordValues.
const (
	atSeq = iota + 1
	atBundle
	atScope
	atKey
	atAction
	atState
	atDigest
	atRepeatable
	atRows
	atID
	atPayload
	atBody
	atPrevious
	atReasons
	atNotes
	atEntries
	atStatus
	atMessage
	atAttempts
	atSettled
	atRank
)

// notePlanned puts down a record as it was written, with those values.
func (tx *transaction) notePlanned(run int64, v []any) {
	b := tx.entryOf(run, chain.Planned)
	salt, sums := b.Salt(), tx.evidence.sums
	op := chain.Op{What: chain.Planned, Seq: v[atSeq].(int64), State: stateNumber(State(v[atState].(string))), Repeatable: v[atRepeatable].(bool)}
	var payload, body, previous, entries, rank any
	switch {
	case len(v) == plainWidth+1:
		rank = v[plainWidth]
	case len(v) > plainWidth:
		rank = v[atRank]
		payload, body, previous, entries = v[atPayload], v[atBody], v[atPrevious], v[atEntries]
		op.Status, op.Tried = v[atStatus].(int64), v[atAttempts].(int64)
		op.SettledAt, _ = v[atSettled].(int64)
		if v[atReasons] != nil {
			op.Put(chain.Reasons, sums.Sum(salt, chain.Reasons, v[atReasons]))
		}
		if notes, ok := v[atNotes].(string); ok {
			op.Count = int64(len(notes))
			op.Put(chain.Notes, sums.Sum(salt, chain.Notes, notes))
		}
		if message := v[atMessage].(string); message != "" {
			op.Put(chain.Answer, answerSum(sums, salt, message, "", nil))
		}
	}
	op.Put(chain.Content, sums.Sum(salt, chain.Content, v[atScope], v[atKey], v[atAction], v[atDigest], v[atBundle], v[atRows], payload, body, previous, entries, rank))
	if id := v[atID].(string); id != "" {
		op.Put(chain.ID, sums.Sum(salt, chain.ID, id))
	}
	b.Add(&op, salt)
}

// answerSum is the sum of what the service said: its message, the fields that it showed, and the answer, where no attempt has it.
func answerSum(sums *chain.Summer, salt []byte, message, readBack string, answer any) chain.Sum {
	return sums.Sum(salt, chain.Answer, message, readBack, answer)
}

// noteSettled puts down what became of a record. reasons are its reasons as stored, or what was noted when it was accepted.
func (tx *transaction) noteSettled(o *settled, reasons any) {
	b := tx.entryOf(o.number, chain.Settled)
	salt, sums := b.Salt(), tx.evidence.sums
	op := chain.Op{What: chain.Settled, Seq: o.seq, State: stateNumber(o.State), SettledAt: o.At.UnixMicro(), Sent: o.sent, Status: int64(o.Status), Tried: int64(len(o.Attempts))}
	var answer any
	if o.ordinary {
		a := &o.Attempts[0]
		op.Sent, op.Took, answer = a.Started.UnixMicro(), a.Duration.Microseconds()+1, store.Plain(a.Answer)
	} else if len(o.Attempts) > 0 {
		op.Put(chain.Tries, triesSum(sums, salt, o.Attempts))
	}
	if o.State == Accepted {
		if reasons != nil {
			op.Put(chain.Remarks, sums.Sum(salt, chain.Remarks, reasons))
		}
	} else if reasons != nil {
		op.Put(chain.Reasons, sums.Sum(salt, chain.Reasons, reasons))
	}
	op.Put(chain.Answer, answerSum(sums, salt, store.Plain(o.Message), strings.Join(o.ReadBack, ","), answer))
	if o.ServiceID != "" {
		op.Put(chain.ID, sums.Sum(salt, chain.ID, store.Plain(o.ServiceID)))
	}
	b.Add(&op, salt)
	if o.State != Accepted {
		return
	}
	for _, id := range o.Also {
		if id.Key != "" && id.ServiceID != "" {
			tx.noteNamed(o.number, id, o.At.UnixMicro())
		}
	}
}

// noteResolved puts down that a person, or what the person said of another record, has taken a record out of doubt.
func (tx *transaction) noteResolved(run, seq int64, to State, at int64, message, id string) {
	b := tx.entryOf(run, chain.Resolved)
	salt, sums := b.Salt(), tx.evidence.sums
	op := chain.Op{What: chain.Resolved, Seq: seq, State: stateNumber(to), SettledAt: at}
	op.Put(chain.Answer, answerSum(sums, salt, message, "", nil))
	if id != "" {
		op.Put(chain.ID, sums.Sum(salt, chain.ID, id))
	}
	b.Add(&op, salt)
	tx.join(run)
}

func (tx *transaction) noteNamed(run int64, id Identity, at int64) {
	tx.note(run, chain.Op{What: chain.Named, SettledAt: at}, store.Plain(id.Scope), store.StoredKey(id.Key), store.Plain(id.ServiceID))
}

// triesSum is the sum of the requests that an outcome has.
func triesSum(sums *chain.Summer, salt []byte, attempts []Attempt) chain.Sum {
	values := make([]any, 0, 6*len(attempts))
	for _, a := range attempts {
		values = append(values, a.Started.UnixMicro(), a.Duration.Microseconds(), int64(a.Status), a.Verdict, store.Plain(a.Error), store.Plain(a.Answer))
	}
	return sums.Sum(salt, chain.Tries, values...)
}

// noteRun puts down a run as it was begun or saved, with those values, and joins its chain unless it is under way.
func (tx *transaction) noteRun(what chain.What, run Run, values []any) error {
	var number int64
	if err := tx.One(`select number from runs where id = $1`, []any{run.ID}, &number); err != nil || run.Kind != Push {
		return err
	}
	op := chain.Op{What: what, Text: []byte(run.Phase)}
	if what == chain.Begun {
		op.Text = []byte(run.ID)
	}
	tx.note(number, op, values...)
	if what == chain.Begun {
		tx.join(number)
	}
	if run.Phase != Finished && run.Phase != Stopped {
		return nil
	}
	tx.join(number)
	kept, err := keptDigest(tx.Query, number)
	if err == nil && kept != nil {
		tx.note(number, chain.Op{What: chain.Kept}, kept)
	}
	return err
}

// moves are the ways in which records are put into other states together.
const (
	moveHold        = "hold"        // planned: held
	moveRelease     = "release"     // held or failed by the push: planned
	moveRecover     = "recover"     // sending: planned if it is repeatable, else in doubt
	moveInterrupted = "interrupted" // planned, repeatable and never sent: it may have been sent
	moveRefused     = "refused"     // refused: held
)

// noteMove puts down that records of a run behind a seq and up to another were put into another state, at a time, 0 for none.
func (tx *transaction) noteMove(run int64, how string, from State, after, until, at int64) error {
	chained, err := tx.chained(run)
	if err == nil && chained {
		tx.note(run, chain.Op{What: chain.Moved, Text: []byte(how), State: stateNumber(from), Seq: after, Until: until, SettledAt: at})
	}
	return err
}

// noteAll calls note for each if a run has a chain.
func (tx *transaction) noteAll(run int64, note func()) error {
	chained, err := tx.chained(run)
	if err != nil {
		return fmt.Errorf("run %d: %w", run, err)
	}
	if chained {
		note()
	}
	return nil
}
