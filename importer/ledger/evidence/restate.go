package evidence

import (
	"slices"
	"strings"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
)

// When a prune, or forgetting a client, removes something from the tables, an entry says so and states what is left.
// What did not match the evidence before is counted there and not stated again, so that nothing that was changed by
// hand becomes valid by it.

// NotePruning records that a run is about to be pruned, and how much of it did not match then.
func NotePruning(tx *handle.Tx, run int64) error {
	chained, err := tx.Chained(run)
	if err != nil || !chained {
		return err
	}
	t, err := checked(tx, run)
	if err == nil {
		tx.Note(run, chain.Op{What: chain.Pruning, Count: int64(len(t.misfits))})
	}
	return err
}

// checked returns what the chain of a run says, compared with the tables.
func checked(tx *handle.Tx, run int64) (*Told, error) {
	t, err := readTold(tx.Query, run, chain.Follow(chain.Head{}))
	if err == nil {
		err = t.check(tx.Query)
	}
	return t, err
}

// NotePruned records what a prune has left of a run. The earlier entries are removed; the new one has the head of the
// chain up to them.
func NotePruned(tx *handle.Tx, run int64) error {
	chained, err := tx.Chained(run)
	if err != nil || !chained {
		return err
	}
	t, err := readTold(tx.Query, run, chain.Follow(chain.Head{}))
	if err != nil {
		return err
	}
	b := tx.EntryOf(run, chain.Boundary)
	b.Add(&chain.Op{What: chain.Boundary, Text: t.head.Hash}, nil)
	again := func(op chain.Op, s statement) {
		op.Put(chain.Content, s.sum)
		b.Add(&op, s.salt[:])
	}
	if t.row.entry != 0 {
		again(chain.Op{What: chain.Saved}, t.row)
	} else if err := noteRunRow(tx, run); err != nil {
		return err
	}
	for at, s := range t.rows {
		if at.what == chain.Decided {
			again(chain.Op{What: chain.Decided, Seq: at.seq, Count: at.number}, s)
		}
	}
	for at, list := range t.named {
		for _, s := range list {
			again(chain.Op{What: chain.Named, SettledAt: at}, s)
		}
	}
	if err := NoteBundles(tx, run, nil); err != nil {
		return err
	}
	alone := func(r *evident) bool {
		doubtful := r.state == model.InDoubt // it is left as it is, and may still be settled
		if doubtful {
			noteStands(tx, run, r, nil)
		}
		return doubtful
	}
	err = eachSpan(tx.Query, run, nil, alone, func(from, until, count int64, digest []byte) {
		tx.Note(run, chain.Op{What: chain.Span, Seq: from, Until: until, Count: count}, digest)
	})
	tx.Join(run)
	tx.KeepNewest(run)
	return err
}

// noteRunRow records the current row of a run.
func noteRunRow(tx *handle.Tx, run int64) error {
	return eachRow(tx.Query, func(row []any) { tx.Note(run, chain.Op{What: chain.Saved}, row[:runAnswer]...) }, selectRunRow, run)
}

// NoteBundles records the current bundles of a run, all of them or those in numbers.
func NoteBundles(tx *handle.Tx, run int64, numbers map[int64]bool) error {
	chained, err := tx.Chained(run)
	if err != nil || !chained {
		return err
	}
	for b, err := range bundles(tx.Query, run) {
		if err != nil {
			return err
		}
		if numbers == nil || numbers[b.number] {
			tx.Note(run, chain.Op{What: chain.Bundled, Seq: b.number}, b.content)
			delete(numbers, b.number)
		}
	}
	for number := range numbers {
		tx.Note(run, chain.Op{What: chain.Bundled, Seq: number}) // it is gone
	}
	return nil
}

// RemoveEvidence records that a run which sent nothing is removed, and removes its chain.
func RemoveEvidence(tx *handle.Tx, run int64) error {
	chained, err := tx.Chained(run)
	if err != nil || !chained {
		return err
	}
	head, err := tx.Head(run)
	if err != nil {
		return err
	}
	tx.Note(chain.Ledger, chain.Op{What: chain.Removed, Seq: run, Until: head.Number, Text: head.Hash})
	_, err = tx.Exec(`delete from evidence where run_no = $1`, run)
	return err
}

// WithEvidence calls forget, and states again what that has changed. The salts of what was forgotten are erased.
func WithEvidence(tx *handle.Tx, of []model.Run, forget func() error) error {
	audit, err := checkLedgerRows(tx.Query, chain.Follow(chain.Head{}))
	if err != nil {
		return err
	}
	count := int64(len(audit.misfits))
	before := map[int64]map[place]bool{} // by run: what did not match
	for _, run := range of {
		if run.Kind != model.Push {
			continue
		}
		var number int64
		if err := tx.One(`select number from runs where id = $1`, []any{run.ID}, &number); err != nil {
			return err
		}
		t, err := checked(tx, number)
		if err != nil {
			return err
		}
		before[number] = map[place]bool{}
		for _, m := range t.misfits {
			before[number][m.at] = true
		}
		count += int64(len(t.misfits))
	}
	if err := forget(); err != nil {
		return err
	}
	for run, misfits := range before {
		t, err := checked(tx, run)
		if err == nil {
			err = restate(tx, t, misfits)
		}
		if err != nil {
			return err
		}
	}
	if err := restateLedger(tx, audit); err != nil {
		return err
	}
	digest, err := forgottenDigest(tx.Query)
	if err == nil {
		tx.Note(chain.Ledger, chain.Op{What: chain.Forgotten, Count: count}, digest)
	}
	return err
}

// restate states again what of a run no longer matches, except what did not match before.
func restate(tx *handle.Tx, t *Told, before map[place]bool) error {
	anew, some, bundles := map[place]bool{}, map[chain.What]bool{}, map[int64]bool{}
	for _, m := range t.misfits {
		if before[m.at] {
			continue
		}
		some[m.at.what] = true
		switch m.at.what {
		case chain.Bundled:
			bundles[m.at.seq] = true
		case chain.Span: // which is identified by where it begins
			m.at.number = 0
		}
		anew[m.at] = true
	}
	if err := eraseSalts(tx, t.Run, func(op *chain.Op) bool {
		at := recordAt(op.Seq)
		switch op.What {
		case chain.Bundled, chain.Span:
			at.what = op.What
		case chain.Decided:
			at = place{op.What, op.Seq, op.Count}
		case chain.Named, chain.Kept:
			return false
		}
		return anew[at]
	}); err != nil {
		return err
	}
	if some[chain.Saved] {
		if err := noteRunRow(tx, t.Run); err != nil {
			return err
		}
	}
	if some[chain.Kept] {
		kept, err := keptDigest(tx.Query, t.Run)
		if err != nil {
			return err
		}
		tx.Note(t.Run, chain.Op{What: chain.Kept}, kept)
	}
	if some[chain.Planned] {
		for r, err := range evidents(tx.Query, t.Run) {
			if err != nil {
				return err
			}
			if anew[recordAt(r.seq)] {
				noteStands(tx, t.Run, &r, t.answer)
			}
		}
	}
	if some[chain.Span] {
		alone := func(r *evident) bool { return t.records[r.seq] != nil }
		if err := eachSpan(tx.Query, t.Run, t.spans, alone, func(from, until, count int64, digest []byte) {
			if anew[place{what: chain.Span, seq: from}] {
				tx.Note(t.Run, chain.Op{What: chain.Span, Seq: from, Until: until, Count: count}, digest)
			}
		}); err != nil {
			return err
		}
	}
	if err := eachDecision(tx.Query, t.Run, func(at place, row []any) {
		if anew[at] {
			tx.Note(t.Run, chain.Op{What: chain.Decided, Seq: at.seq, Count: at.number}, row...)
		}
	}); err != nil {
		return err
	}
	if len(bundles) > 0 {
		if err := NoteBundles(tx, t.Run, bundles); err != nil {
			return err
		}
	}
	if err := eraseNames(tx, t); err != nil {
		return err
	}
	tx.Join(t.Run)
	return nil
}

// NoteRow records the current state of one record that was changed in a way for which there is no operation.
func NoteRow(tx *handle.Tx, run, seq int64) error {
	chained, err := tx.Chained(run)
	if err != nil || !chained {
		return err
	}
	list, err := evidentPage(tx.Query, run, seq-1, 1)
	if err == nil && len(list) == 1 && list[0].seq == seq {
		noteStands(tx, run, &list[0], nil)
	}
	return err
}

// noteStands records the current state of a record. answer is the form of its run's ordinary answers, from which
// forgetting may have removed words.
func noteStands(tx *handle.Tx, run int64, r *evident, answer *string) {
	op := tx.Noting(run, chain.Op{What: chain.Stands, Seq: r.seq, State: stateNumber(r.state), Repeatable: r.repeatable, Sent: micros(r.sent), SettledAt: micros(r.settled), Status: r.status, Tried: r.attempts})
	if r.took != nil {
		op.Took = *r.took + 1
	}
	op.Put(chain.Content, r.content()...)
	answered(&op, r.message, r.readBack, r.words(answer))
	op.Some(chain.Reasons, value(r.reasons))
	if r.notes != nil {
		op.Count = int64(len(*r.notes))
		op.Put(chain.Notes, *r.notes)
	}
	op.Some(chain.ID, r.id)
	if len(r.tries) > 0 {
		var values []any
		for n := range r.tries {
			values = append(values, r.tries[n].values()...)
		}
		op.Until = op.Seq + r.tries[len(r.tries)-1].number
		op.Put(chain.Tries, values...)
	}
	op.End()
}

// eraseSalts overwrites with zeros the salts of those operations of a chain that are gone.
func eraseSalts(tx *handle.Tx, run int64, gone func(op *chain.Op) bool) error {
	for e, err := range Entries(tx.Query, run) {
		if err != nil {
			return err
		}
		changed := false
		err := e.Ops(func(op *chain.Op, salt int) error {
			if salt >= 0 && gone(op) {
				clear(e.Salts[salt : salt+chain.SaltSize])
				changed = true
			}
			return nil
		})
		if err == nil && changed {
			_, err = tx.Exec(`update evidence set salts = $3 where run_no = $1 and number = $2`, run, e.Number, e.Salts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseNames erases the salts of the ids of other things that are no longer known.
func eraseNames(tx *handle.Tx, t *Told) error {
	if len(t.named) == 0 {
		return nil
	}
	there := map[chain.Sum]bool{}
	sums := &chain.Summer{}
	if err := eachRow(tx.Query, func(row []any) {
		for _, s := range t.named[microsOf(row[3])] {
			if s.fits(sums, chain.Content, row[:3]...) {
				there[s.sum] = true
			}
		}
	}, `select scope, key, service_id, accepted_at from known where run_no = $1`, t.Run); err != nil {
		return err
	}
	return eraseSalts(tx, t.Run, func(op *chain.Op) bool { return op.What == chain.Named && !there[op.Sums[chain.Content]] })
}

// restateLedger states again those audit entries that no longer match, and erases the salts of what is gone.
func restateLedger(tx *handle.Tx, before *ledgerRows) error {
	after, err := checkLedgerRows(tx.Query, chain.Follow(chain.Head{}))
	if err != nil {
		return err
	}
	anew := map[string]bool{}
	for _, m := range after.misfits {
		if id, ok := strings.CutPrefix(m.Of, "audit entry "); ok && !slices.ContainsFunc(before.misfits, func(b Misfit) bool { return b.Of == m.Of }) {
			anew[id] = true
		}
	}
	renames := map[chain.Sum]bool{} // that were there before and are gone
	for _, s := range after.renamesGone {
		renames[s] = !slices.Contains(before.renamesGone, s)
	}
	if err := eraseSalts(tx, chain.Ledger, func(op *chain.Op) bool {
		return op.What == chain.Audited && anew[string(op.Text)] || op.What == chain.Renamed && renames[op.Sums[chain.Content]]
	}); err != nil || len(anew) == 0 {
		return err
	}
	return eachAudit(tx.Query, func(id string, row []any) {
		if anew[id] {
			tx.Note(chain.Ledger, chain.Op{What: chain.Audited, Text: []byte(id)}, row...)
		}
	})
}
