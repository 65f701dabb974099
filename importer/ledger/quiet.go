package ledger

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger/store"
)

const (
	// mostJoints is how many times a window of a run's quiet records may be pieced together from others before it is written
	// anew as one block: changes break stretches into parts, night after night.
	mostJoints = 16
	// flushWindows is how many windows are written in one transaction.
	flushWindows = 8
)

// QuietWriter writes down the quiet records of a run as its plan comes to them: as stretches of the blocks that the last run
// refers to where they stand there in the same order, and as new blocks where not. It is used by one goroutine.
type QuietWriter struct {
	ledger *Ledger
	run    string
	scope  string

	fresh  *block // of the current window, for what is not in a block yet
	window window
	closed []window
}

// window is consecutive stretches that are written together.
type window struct {
	pieces  []stretch
	records int
}

// Quiet returns the writer of a run that has begun.
func (l *Ledger) Quiet(run Run) *QuietWriter {
	return &QuietWriter{ledger: l, run: run.ID, scope: run.Scope}
}

// Quiet tells whether a QuietWriter keeps all of a record that is worth keeping.
func (r *Record) Quiet() bool {
	return r.State == Unchanged && r.Action == None && !r.Repeatable && r.Key != "" && len(r.Rows) > 0 && r.Status == 0 && r.Message == "" && r.Attempts == 0 &&
		r.Settled.IsZero() && len(r.Payload)+len(r.Body)+len(r.Previous)+len(r.Reasons)+len(r.Notes) == 0 &&
		!slices.ContainsFunc(r.Rows, func(row Row) bool { return len(row.Cells) > 0 })
}

// Again takes in a record that was recollected, with the rows it stands in now. Seqs rise from call to call.
func (w *QuietWriter) Again(seq int64, s Same, rows []Row) {
	e := s.entry()
	if shift, ok := e.shifted(rows); ok {
		w.put(seq, s.block, s.index, shift)
		return
	}
	w.add(seq, blockEntry{key: e.key, digest: e.digest, id: e.id}, rows)
}

// Add takes in a quiet record that was looked up.
func (w *QuietWriter) Add(r *Record) {
	w.add(r.Seq, blockEntry{key: r.Key, digest: pack(r.Digest), id: pack(r.ServiceID)}, r.Rows)
}

func (w *QuietWriter) add(seq int64, e blockEntry, rows []Row) {
	if w.fresh == nil || len(w.fresh.entries) >= blockRecords {
		w.fresh = &block{}
	}
	if w.full() && !w.joins(seq, w.fresh, len(w.fresh.entries), 0) {
		w.close()
		w.fresh = &block{}
	}
	e.rows = make([]blockRow, len(rows))
	for n, row := range rows {
		e.rows[n] = blockRow{row.Source, row.Number}
	}
	w.fresh.entries = append(w.fresh.entries, e)
	w.put(seq, w.fresh, len(w.fresh.entries)-1, 0)
}

// put adds a record of a block to the last stretch, or begins another one. A window ends only between two stretches, so that
// nothing is broken up that stood together.
func (w *QuietWriter) put(seq int64, b *block, index, shift int) {
	switch {
	case w.joins(seq, b, index, shift):
		w.window.pieces[len(w.window.pieces)-1].count++
	case w.full():
		w.close()
		fallthrough
	default:
		w.window.pieces = append(w.window.pieces, stretch{first: seq, count: 1, start: index, shift: shift, block: b})
	}
	w.window.records++
}

// joins tells whether a record is the next one of the last stretch.
func (w *QuietWriter) joins(seq int64, b *block, index, shift int) bool {
	if len(w.window.pieces) == 0 {
		return false
	}
	last := &w.window.pieces[len(w.window.pieces)-1]
	return last.block == b && last.start+last.count == index && last.first+int64(last.count) == seq && last.shift == shift
}

func (w *QuietWriter) full() bool { return w.window.records >= blockRecords }

// close ends the window, and with it the block of what was new in it.
func (w *QuietWriter) close() {
	w.closed = append(w.closed, w.window.whole())
	w.window, w.fresh = window{}, nil
}

// whole is a window that is not pieced together from too much.
func (w window) whole() window {
	joints := 0
	for n := 1; n < len(w.pieces); n++ {
		if w.pieces[n-1].first+int64(w.pieces[n-1].count) == w.pieces[n].first {
			joints++
		}
	}
	if joints <= mostJoints {
		return w
	}
	b := &block{entries: make([]blockEntry, 0, w.records)}
	anew := window{records: w.records}
	for _, piece := range w.pieces {
		for n := range piece.count {
			e := piece.block.entries[piece.start+n]
			e.rows = slices.Clone(e.rows)
			for r := range e.rows {
				e.rows[r].number += piece.shift
			}
			b.entries = append(b.entries, e)
		}
		if last := len(anew.pieces) - 1; last >= 0 && anew.pieces[last].first+int64(anew.pieces[last].count) == piece.first {
			anew.pieces[last].count += piece.count
			continue
		}
		anew.pieces = append(anew.pieces, stretch{first: piece.first, count: piece.count, start: len(b.entries) - piece.count, block: b})
	}
	return anew
}

// Flush writes what has come together; all of it when it is the last call. As with Ledger.Add it may be lost until SaveRun has returned.
func (w *QuietWriter) Flush(ctx context.Context, last bool) error {
	if last && w.window.records > 0 {
		w.close()
	}
	if len(w.closed) == 0 || len(w.closed) < flushWindows && !last {
		return nil
	}
	number, err := w.ledger.number(ctx, w.run)
	if err == nil {
		err = w.ledger.do(ctx, true, func(tx *transaction) error { return tx.addStretches(number, w.scope, w.closed) })
	}
	w.closed = w.closed[:0]
	return w.ledger.wrap("add records", err)
}

var insertStretches = &store.Bulk{
	Text:    `insert into stretches (run_no, first_seq, records, block, start, shift) values {rows}`,
	Columns: make([]string, 6),
}

func (tx *transaction) addStretches(run int64, scope string, windows []window) error {
	shelved, err := tx.keepBlocks(windows)
	if err != nil {
		return err
	}
	b := blockWriter{tx: tx, scope: store.Plain(scope), shelved: shelved, fresh: map[*block]int64{}}
	var values []any
	for _, w := range windows {
		for _, s := range w.pieces {
			number, err := b.write(s.block)
			if err != nil {
				return err
			}
			values = append(values, run, s.first, int64(s.count), number, int64(s.start), int64(s.shift))
		}
	}
	_, err = tx.Bulk(insertStretches, values, nil)
	return err
}

// keepBlocks finds those blocks of windows that are in the ledger, and has them stay there until the transaction ends. A block
// whose runs were all removed since it was read is not there any more.
func (tx *transaction) keepBlocks(windows []window) (there map[int64]int64, err error) {
	there = map[int64]int64{}
	var list []string
	asked := map[int64]bool{}
	for _, w := range windows {
		for _, s := range w.pieces {
			if n := s.block.number; n != 0 && !asked[n] {
				asked[n] = true
				list = append(list, strconv.FormatInt(n, 10))
			}
		}
	}
	if len(list) == 0 {
		return there, nil
	}
	// Not prepared: the text is another one each time.
	rows, err := tx.Unprepared(`select number from blocks where number in (` + strings.Join(list, ", ") + `)` + tx.Engine().Keep(false))
	if err != nil {
		return nil, err
	}
	numbers, err := store.Collect(rows, func(rows *sql.Rows) (number int64, err error) {
		err = rows.Scan(&number)
		return number, err
	})
	for _, number := range numbers {
		there[number] = number
	}
	return there, err
}

// blockWriter writes the blocks that are not in the ledger.
type blockWriter struct {
	tx      *transaction
	scope   string
	shelved map[int64]int64 // what blocks that were read are called now
	fresh   map[*block]int64
}

// write is the number of a block, which is written if it is not there.
func (w *blockWriter) write(b *block) (int64, error) {
	if number := max(w.shelved[b.number], w.fresh[b]); number != 0 {
		return number, nil
	}
	if b.content == "" {
		b.encode()
	}
	first := store.StoredKey(b.entries[0].key)
	last := first
	for n := range b.entries {
		key := store.StoredKey(b.entries[n].key)
		first, last = min(first, key), max(last, key)
	}
	var number int64
	err := w.tx.One(`insert into blocks (scope, first_key, last_key, content) values ($1, $2, $3, $4) returning number`,
		[]any{w.scope, first, last, []byte(b.content)}, &number)
	if b.number != 0 {
		w.shelved[b.number] = number
	} else {
		w.fresh[b] = number
	}
	return number, err
}
