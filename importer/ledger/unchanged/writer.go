package unchanged

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger/store"
)

const (
	// mostJoints is how many times a window of a run's unchanged records may be pieced together from others before it
	// is rewritten as one segment: changes break ranges into parts, night after night.
	mostJoints = 16
	// flushWindows is how many windows are written in one transaction.
	flushWindows = 8
)

// Writer writes the unchanged records of a run as its plan comes to them: as ranges of the segments that the last run
// refers to if they are there in the same order, and otherwise as new segments. It is used by one goroutine.
type Writer struct {
	store *store.Store
	run   int64
	scope string

	fresh  *segment // of the current window, for what is not in a segment yet
	window window
	closed []window
}

// window is consecutive ranges that are written together.
type window struct {
	pieces  []span
	records int
}

// NewWriter returns the writer of a run that has begun.
func NewWriter(s *store.Store, run int64, scope string) *Writer {
	return &Writer{store: s, run: run, scope: scope}
}

// Again adds a record that was found in the baseline, with its current places. Seqs rise from call to call.
func (w *Writer) Again(seq int64, s Same, places []Place) {
	e := s.entry()
	if shift, ok := e.shifted(places); ok {
		w.put(seq, s.segment, s.index, shift, "")
		return
	}
	w.append(seq, entry{key: e.key, digest: e.digest, id: e.id}, places, "")
}

// Add adds an unchanged record that was looked up.
func (w *Writer) Add(seq int64, key, digest, id string, places []Place) {
	w.append(seq, entry{key: key, digest: pack(digest), id: pack(id)}, places, "")
}

// AddInOrder adds a record of a check that has nothing to report, and what would be done with it.
func (w *Writer) AddInOrder(seq int64, key, digest, id, action string, places []Place) {
	w.append(seq, entry{key: key, digest: pack(digest), id: pack(id)}, places, action)
}

func (w *Writer) append(seq int64, e entry, places []Place, action string) {
	if w.fresh == nil || len(w.fresh.entries) >= segmentRecords {
		w.fresh = &segment{}
	}
	if w.full() && !w.joins(seq, w.fresh, len(w.fresh.entries), 0, action) {
		w.closeWindow()
		w.fresh = &segment{}
	}
	e.places = slices.Clone(places)
	w.fresh.entries = append(w.fresh.entries, e)
	w.put(seq, w.fresh, len(w.fresh.entries)-1, 0, action)
}

// put adds a record of a segment to the last range, or begins another one. A window ends only between two ranges, so
// that no range is broken up.
func (w *Writer) put(seq int64, s *segment, index, shift int, action string) {
	switch {
	case w.joins(seq, s, index, shift, action):
		w.window.pieces[len(w.window.pieces)-1].count++
	case w.full():
		w.closeWindow()
		fallthrough
	default:
		w.window.pieces = append(w.window.pieces, span{first: seq, count: 1, start: index, shift: shift, action: action, segment: s})
	}
	w.window.records++
}

// joins reports whether a record is the next one of the last range.
func (w *Writer) joins(seq int64, s *segment, index, shift int, action string) bool {
	if len(w.window.pieces) == 0 {
		return false
	}
	last := &w.window.pieces[len(w.window.pieces)-1]
	return last.segment == s && last.start+last.count == index && last.end() == seq && last.shift == shift && last.action == action
}

func (w *Writer) full() bool { return w.window.records >= segmentRecords }

// closeWindow ends the window, and with it the segment of what was new in it.
func (w *Writer) closeWindow() {
	w.closed = append(w.closed, w.window.whole())
	w.window, w.fresh = window{}, nil
}

// whole returns a window that is not pieced together from too much.
func (w window) whole() window {
	joints := 0
	for n := 1; n < len(w.pieces); n++ {
		if w.pieces[n-1].end() == w.pieces[n].first {
			joints++
		}
	}
	if joints <= mostJoints {
		return w
	}
	s := &segment{entries: make([]entry, 0, w.records)}
	anew := window{records: w.records}
	for _, piece := range w.pieces {
		for n := range piece.count {
			e := piece.segment.entries[piece.start+n]
			e.places = slices.Clone(e.places)
			for p := range e.places {
				e.places[p].Number += piece.shift
			}
			s.entries = append(s.entries, e)
		}
		if last := len(anew.pieces) - 1; last >= 0 && anew.pieces[last].end() == piece.first && anew.pieces[last].action == piece.action {
			anew.pieces[last].count += piece.count
			continue
		}
		anew.pieces = append(anew.pieces, span{first: piece.first, count: piece.count, start: len(s.entries) - piece.count, action: piece.action, segment: s})
	}
	return anew
}

// Flush writes what has been collected, and all of it if last is set. As with Ledger.Add it may be lost until SaveRun
// has returned.
func (w *Writer) Flush(ctx context.Context, last bool) error {
	if last && w.window.records > 0 {
		w.closeWindow()
	}
	if len(w.closed) == 0 || len(w.closed) < flushWindows && !last {
		return nil
	}
	err := w.store.Do(ctx, true, func(tx *store.Tx) error { return w.writeWindows(tx) })
	w.closed = w.closed[:0]
	return w.store.Wrap("add records", err)
}

var insertRanges = &store.Bulk{
	Text:    `insert into ranges (run_no, first_seq, records, segment, start, shift, action) values {rows}`,
	Columns: make([]string, 7),
}

func (w *Writer) writeWindows(tx *store.Tx) error {
	there, err := keepSegments(tx, w.closed)
	if err != nil {
		return err
	}
	segments := segmentWriter{tx: tx, scope: store.Plain(w.scope), there: there, fresh: map[*segment]int64{}}
	var values []any
	for _, window := range w.closed {
		for _, s := range window.pieces {
			number, err := segments.write(s.segment)
			if err != nil {
				return err
			}
			values = append(values, w.run, s.first, int64(s.count), number, int64(s.start), int64(s.shift), s.action)
		}
	}
	_, err = tx.Bulk(insertRanges, values, nil)
	return err
}

// keepSegments finds those segments of windows that are in the ledger, and keeps them there until the transaction ends.
// A segment whose runs were all removed since it was read no longer exists.
func keepSegments(tx *store.Tx, windows []window) (there map[int64]int64, err error) {
	there = map[int64]int64{}
	var list []string
	asked := map[int64]bool{}
	for _, w := range windows {
		for _, s := range w.pieces {
			if n := s.segment.number; n != 0 && !asked[n] {
				asked[n] = true
				list = append(list, strconv.FormatInt(n, 10))
			}
		}
	}
	if len(list) == 0 {
		return there, nil
	}
	numbers, err := store.All(tx.Unprepared, store.Column[int64],
		`select number from segments where number in (`+strings.Join(list, ", ")+`)`+tx.Engine().Dialect().KeepForAll)
	for _, number := range numbers {
		there[number] = number
	}
	return there, err
}

// segmentWriter writes the segments that are not in the ledger.
type segmentWriter struct {
	tx    *store.Tx
	scope string
	there map[int64]int64 // the current numbers of segments that were read
	fresh map[*segment]int64
}

// write returns the number of a segment, which it writes if it is not there.
func (w *segmentWriter) write(s *segment) (int64, error) {
	if number := max(w.there[s.number], w.fresh[s]); number != 0 {
		return number, nil
	}
	if s.content == "" {
		s.encode()
	}
	first, last := s.bounds()
	var number int64
	err := w.tx.One(`insert into segments (scope, first_key, last_key, content) values ($1, $2, $3, $4) returning number`,
		[]any{w.scope, first, last, []byte(s.content)}, &number)
	if s.number != 0 {
		w.there[s.number] = number
	} else {
		w.fresh[s] = number
	}
	return number, err
}

// rangesPerPart is how many ranges one transaction removes, with the segments that nothing else refers to.
const rangesPerPart = 500

// Remove removes a part of a run's unchanged records, and returns how many records that were, by action, and whether
// more are left.
func Remove(tx *store.Tx, run int64) (records map[string]int, left bool, err error) {
	list, err := store.All(tx.Query, scanSpan, fmt.Sprintf(`select %s from ranges where run_no = $1 order by first_seq limit %d`, rangeColumns, rangesPerPart), run)
	if err != nil || len(list) == 0 {
		return nil, false, err
	}
	records = map[string]int{}
	var segments []string
	for _, s := range list {
		records[s.action] += s.count
		segments = append(segments, strconv.FormatInt(s.number, 10))
	}
	if _, err := tx.Exec(`delete from ranges where run_no = $1 and first_seq <= $2`, run, list[len(list)-1].first); err != nil {
		return nil, false, err
	}
	return records, len(list) == rangesPerPart, removeUnused(tx, segments)
}

// removeUnused removes those of some segments that no run refers to any more. It locks them first and then checks
// again, so that a run that is planned at the same moment keeps those that it takes over.
func removeUnused(tx *store.Tx, segments []string) error {
	const unused = ` and not exists (select 1 from ranges r where r.segment = segments.number)`
	mine, err := store.All(tx.Unprepared, store.Column[string],
		`select number from segments where number in (`+strings.Join(segments, ", ")+`)`+unused+tx.Engine().Dialect().KeepMine)
	if err != nil || len(mine) == 0 {
		return err
	}
	return tx.Run(`delete from segments where number in (` + strings.Join(mine, ", ") + `)` + unused)
}

// TakeOut removes one record from a run's unchanged ones. found is false if it is not one of them.
func TakeOut(tx *store.Tx, run, seq int64) (found bool, err error) {
	var s span
	found, err = store.Found(tx.One(selectAround, []any{run, seq}, s.columns()...))
	if !found || seq >= s.end() {
		return false, err
	}
	if _, err := tx.Exec(`delete from ranges where run_no = $1 and first_seq = $2`, run, s.first); err != nil {
		return false, err
	}
	before := int(seq - s.first)
	for _, part := range []span{
		{first: s.first, count: before, start: s.start},
		{first: seq + 1, count: s.count - before - 1, start: s.start + before + 1},
	} {
		if part.count == 0 {
			continue
		}
		if _, err := tx.Bulk(insertRanges, []any{run, part.first, int64(part.count), s.number, int64(part.start), int64(s.shift), s.action}, nil); err != nil {
			return false, err
		}
	}
	return true, nil
}
