package evidence

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// The tables are compared with what the chain of the run says. Rows are read page by page.

const selectEvident = `select seq, scope, key, action, digest, bundle, source_rows, payload, body, previous, entries, state, repeatable, sent_at,
	settled_at, took_us, status, attempts, reasons, notes, service_id, message, read_back, rank
	from records where run_no = $1 and seq > $2 order by seq limit $3`

// rowsPerPage is how many rows are read at once.
const rowsPerPage = 2048

// evident is a row of the records.
type evident struct {
	seq                               int64
	scope, key, action, digest, rows  string
	bundle, sent, settled, took, rank *int64
	payload, body, previous, entries  *string
	state                             model.State
	repeatable                        bool
	status, attempts                  int64
	reasons, notes                    *string
	id, message, readBack             string
	tries                             []attemptRow
}

var scanEvident = store.Into(func(r *evident) []any {
	return []any{&r.seq, &r.scope, &r.key, &r.action, &r.digest, &r.bundle, &r.rows, &r.payload, &r.body, &r.previous, &r.entries, &r.state, &r.repeatable, &r.sent,
		&r.settled, &r.took, &r.status, &r.attempts, &r.reasons, &r.notes, &r.id, &r.message, &r.readBack, &r.rank}
})

// attemptRow is a row of the attempts.
type attemptRow struct {
	seq, number, started, took, status int64
	verdict, fault, answer             string
}

func (a *attemptRow) values() []any {
	return []any{a.started, a.took, a.status, a.verdict, a.fault, a.answer}
}

// value returns a column that may be null as a sum takes it.
func value[T int64 | string](column *T) any {
	if column == nil {
		return nil
	}
	return *column
}

func micros(column *int64) int64 {
	if column == nil {
		return 0
	}
	return *column
}

// content returns what a record was planned as.
func (r *evident) content() []any {
	return []any{r.scope, r.key, r.action, r.digest, value(r.bundle), r.rows, value(r.payload), value(r.body), value(r.previous), value(r.entries), value(r.rank)}
}

// split separates what the plan noted, whose stored length is planned, from what was noted later.
func (r *evident) split(planned int64) (notes, remarks any) {
	switch {
	case r.notes == nil:
		return nil, nil
	case planned == 0:
		return nil, *r.notes
	case int64(len(*r.notes)) <= planned:
		return *r.notes, nil
	}
	return (*r.notes)[:planned-1] + "]", "[" + (*r.notes)[planned:]
}

// evidents yields the records of a run, with their attempts.
func evidents(query store.Query, run int64) iter.Seq2[evident, error] {
	return store.Pages(rowsPerPage, func(last evident) ([]evident, error) { return evidentPage(query, run, last.seq, rowsPerPage) })
}

// evidentPage returns the next records of a run after a seq, with their attempts.
func evidentPage(query store.Query, run, after int64, size int) ([]evident, error) {
	list, err := store.All(query, scanEvident, selectEvident, run, after, size)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	tries, err := store.All(query, store.Into(func(a *attemptRow) []any {
		return []any{&a.seq, &a.number, &a.started, &a.took, &a.status, &a.verdict, &a.fault, &a.answer}
	}), `select seq, number, started_at, duration_us, status, verdict, error, answer from attempts where run_no = $1 and seq > $2 and seq <= $3 order by seq, number`,
		run, after, list[len(list)-1].seq)
	for n := range list {
		for len(tries) > 0 && tries[0].seq == list[n].seq {
			list[n].tries, tries = append(list[n].tries, tries[0]), tries[1:]
		}
	}
	return list, err
}

// check compares the tables with what the chain says, and adds what does not match.
func (t *Told) check(query store.Query) error {
	if !t.begun {
		return nil // nobody has recorded how it began
	}
	sums := &chain.Summer{}
	err := t.checkRun(query, sums)
	if err != nil || t.pruning {
		return err
	}
	if t.pruned {
		err = t.checkSpans(query, sums)
	} else if err = t.checkRecords(query, sums); err == nil {
		err = t.checkKept(query, sums)
	}
	if err == nil {
		err = t.checkRows(query, sums)
	}
	return err
}

const selectRunRow = `select job, kind, operation, scope, phase, stop, stop_code, fingerprint, sources, counts, notes, started_at, ended_at, export, guards, order_by, id, answer, pruned_at from runs where number = $1`

// runAnswer is the column after those of a run's row that are recorded: the form of its ordinary answers. When the run
// was pruned is the next column.
const runAnswer = 17

// checkRun checks the row of the run, and keeps the form of its ordinary answers.
func (t *Told) checkRun(query store.Query, sums *chain.Summer) error {
	there := false
	var prunedAt any
	of := place{what: chain.Saved}
	err := eachRow(query, func(row []any) {
		there, prunedAt = true, row[runAnswer+1]
		if answer, said := row[runAnswer].(string); said {
			t.answer = &answer
		}
		if !t.row.fits(sums, chain.Content, row[:runAnswer]...) {
			t.misfit(t.row.entry, of, "its settings, counts or phase are not those of the entry")
		}
	}, selectRunRow, t.Run)
	switch {
	case err != nil:
	case !there:
		t.misfit(t.first, of, "it is gone")
	case t.pruning:
		t.misfit(t.head.Number, of, "its pruning was interrupted; run 'docketsync ledger prune' again")
	case prunedAt == nil && t.pruned:
		t.misfit(t.first, of, "it was pruned, and is said not to be")
	case prunedAt != nil && !t.pruned:
		t.misfit(t.head.Number, of, "it is said to be pruned, and no entry says so")
	}
	return err
}

// eachRow calls each for rows in the form in which they are recorded, with null as nil.
func eachRow(query store.Query, each func(row []any), text string, args ...any) error {
	return store.Each(query, func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for n := range row {
			into[n] = &row[n]
		}
		if err == nil {
			err = rows.Scan(into...)
		}
		if err == nil {
			each(row)
		}
		return err
	}, text, args...)
}

func (t *Told) checkRecords(query store.Query, sums *chain.Summer) error {
	for r, err := range evidents(query, t.Run) {
		if err != nil {
			return err
		}
		if t.records[r.seq] == nil {
			t.misfit(t.head.Number, recordAt(r.seq), "no entry says that it was planned")
			continue
		}
		t.checkRecord(&r, sums)
	}
	t.missing()
	return nil
}

func (t *Told) checkRecord(r *evident, sums *chain.Summer) {
	s := t.records[r.seq]
	if entry, what := s.differs(sums, r, t.answer); what != "" {
		t.misfit(entry, recordAt(r.seq), "%s", what)
	}
	s.state = "" // it exists
}

// missing adds the records that do not exist.
func (t *Told) missing() {
	for seq, s := range t.records {
		if s.state != "" {
			t.misfit(s.entry, recordAt(seq), "it is gone; it was %s", s.state)
		}
	}
}

// differs returns what of a record is not as stated, and in which entry, or "" if it matches.
func (s *stated) differs(sums *chain.Summer, r *evident, answer *string) (entry int64, what string) {
	if s.state != r.state {
		return s.entry, fmt.Sprintf("it is %s, the entry says %s", r.state, s.state)
	}
	took := int64(0)
	if r.took != nil {
		took = *r.took + 1
	}
	if s.repeatable != r.repeatable || s.sent != micros(r.sent) || s.settled != micros(r.settled) || s.took != took || s.status != r.status || s.attempts != r.attempts {
		return s.entry, "when it was sent or settled, its status or its attempts are not those of the entry"
	}
	notes, remarks := r.split(s.notes)
	said := []any{r.message, r.readBack, r.words(answer)}
	if s.literal != "" && r.message == s.literal {
		said = nil
	}
	for _, f := range []struct {
		facet  chain.Facet
		values []any
		what   string
	}{
		{chain.Content, r.content(), "its key, digest, rows or payload are not what was planned"},
		{chain.Answer, said, "what the service said is not what was put down"},
		{chain.Reasons, []any{value(r.reasons)}, "its reasons are not those of the entry"},
		{chain.Notes, []any{notes}, "its notes are not those of the entry"},
		{chain.Remarks, []any{remarks}, "its notes are not those of the entry"},
		{chain.ID, []any{r.id}, "its id is not the one that the service gave"},
	} {
		if f.values != nil && !s.facets[f.facet].fits(sums, f.facet, f.values...) {
			return max(s.facets[f.facet].entry, 1), f.what
		}
	}
	return s.triesDiffer(sums, r)
}

// words returns what the service answered about a record whose answer was like all others of its run, or nil if an
// attempt has the answer.
func (r *evident) words(ordinary *string) any {
	if r.took == nil || ordinary == nil {
		return nil
	}
	return handle.AnswerOf(*ordinary, r.id)
}

// triesDiffer says whether the requests of a record are not as stated.
func (s *stated) triesDiffer(sums *chain.Summer, r *evident) (entry int64, what string) {
	seen := 0
	for _, t := range s.tries {
		var values []any
		for n := range r.tries {
			if a := &r.tries[n]; a.number > t.first && a.number <= t.first+t.n {
				values = append(values, a.values()...)
				seen++
			}
		}
		if !t.fits(sums, chain.Tries, values...) {
			return t.entry, "its requests are not those of the entry"
		}
	}
	if seen != len(r.tries) {
		return s.entry, "it has requests that no entry knows of"
	}
	return 0, ""
}

// digest combines rows into one hash.
type digest struct {
	hash hash.Hash
	room []byte
}

func newDigest() *digest { return &digest{hash: sha256.New()} }

func (d *digest) add(values ...any) {
	d.room = d.room[:0]
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			d.room = append(d.room, 0)
		case int64:
			d.room = binary.AppendVarint(append(d.room, 1), v)
		case string:
			d.room = append(binary.AppendUvarint(append(d.room, 2), uint64(len(v))), v...)
		case []byte:
			d.room = append(binary.AppendUvarint(append(d.room, 2), uint64(len(v))), v...)
		default:
			d.room = fmt.Appendf(append(d.room, 3), "%T %v", v, v) // somebody else wrote it: it must fit nothing
		}
	}
	d.hash.Write(d.room)
}

func (d *digest) sum() []byte { return d.hash.Sum(nil) }

// keptDigest returns the digest of a run's unchanged records, or nil if it has none.
func keptDigest(query store.Query, run int64) ([]byte, error) {
	d, some := newDigest(), false
	take := func(row []any) {
		some = true
		d.add(row...)
	}
	if err := eachRow(query, take, `select first_seq, records, segment, start, shift, action from ranges where run_no = $1 order by first_seq`, run); err != nil || !some {
		return nil, err
	}
	err := eachRow(query, take, `select number, scope, first_key, last_key, content from segments where number in (select segment from ranges where run_no = $1) order by number`, run)
	return d.sum(), err
}

func (t *Told) checkKept(query store.Query, sums *chain.Summer) error {
	if t.kept.entry == 0 {
		return nil // it has not ended
	}
	kept, err := keptDigest(query, t.Run)
	if err == nil && !t.kept.fits(sums, chain.Content, kept) {
		t.misfit(t.kept.entry, place{what: chain.Kept}, "what was found unchanged is not what was put down")
	}
	return err
}

// checkRows checks the bundles and the decisions of the run.
func (t *Told) checkRows(query store.Query, sums *chain.Summer) error {
	check := func(at place, otherwise string, values ...any) {
		s, there := t.rows[at]
		if delete(t.rows, at); !there || !s.fits(sums, chain.Content, values...) {
			t.misfit(s.entry, at, "%s", otherwise)
		}
	}
	for b, err := range bundles(query, t.Run) {
		if err != nil {
			return err
		}
		check(place{what: chain.Bundled, seq: b.number}, "payloads and cells are not what was planned", b.content)
	}
	err := eachDecision(query, t.Run, func(at place, row []any) { check(at, "it is not what was decided", row...) })
	for at, s := range t.rows {
		what := "payloads and cells are gone"
		if at.what == chain.Decided {
			what = "it is gone"
		}
		t.misfit(s.entry, at, "%s", what)
	}
	return err
}

// storedBundle is a row of the bundles.
type storedBundle struct {
	number  int64
	content []byte
}

// bundles yields the bundles of a run.
func bundles(query store.Query, run int64) iter.Seq2[storedBundle, error] {
	least, most := bundle.NumbersOf(run)
	return store.Pages(entriesPerPage, func(last storedBundle) ([]storedBundle, error) {
		return store.All(query, store.Into(func(b *storedBundle) []any { return []any{&b.number, &b.content} }), `select number, content from bundles where number > $1 and number <= $2 order by number limit $3`, max(last.number, least-1), most, entriesPerPage)
	})
}

// eachDecision calls each for what was decided about records of a run.
func eachDecision(query store.Query, run int64, each func(at place, row []any)) error {
	return eachRow(query, func(row []any) {
		seq, _ := row[0].(int64)
		number, _ := row[1].(int64)
		each(place{chain.Decided, seq, number}, row[2:])
	}, `select seq, number, decision, service_id, who, note, decided_at from decisions where run_no = $1`, run)
}

// spanSize is how many records left by a prune are recorded together.
const spanSize = 5000

// eachSpan calls each for parts of what is left of a pruned run: from the seq after which a part begins to its last
// one, with the number and the digest of its records. It leaves out records that are recorded alone.
func eachSpan(query store.Query, run int64, bounds map[int64]span, alone func(*evident) bool, each func(from, until, count int64, digest []byte)) error {
	d, from, last, count := newDigest(), int64(0), int64(0), int64(0)
	end := func() {
		if count > 0 {
			each(from, last, count, d.sum())
			d, from, count = newDigest(), last, 0
		}
	}
	for r, err := range evidents(query, run) {
		if err != nil {
			return err
		}
		if alone(&r) {
			continue
		}
		if bound, known := bounds[from]; known && count > 0 && r.seq > bound.until || bounds == nil && count == spanSize {
			end()
		}
		repeatable := int64(0)
		if r.repeatable {
			repeatable = 1
		}
		d.add(append(r.content(), r.seq, string(r.state), repeatable, value(r.sent), value(r.settled), value(r.took), r.status, r.attempts, value(r.reasons), value(r.notes), r.id, r.message, r.readBack)...)
		for n := range r.tries {
			d.add(append(r.tries[n].values(), r.tries[n].number)...)
		}
		last, count = r.seq, count+1
	}
	end()
	return nil
}

func (t *Told) checkSpans(query store.Query, sums *chain.Summer) error {
	seen := int64(0)
	alone := func(r *evident) bool {
		if t.records[r.seq] == nil {
			return false
		}
		t.checkRecord(r, sums)
		return true
	}
	err := eachSpan(query, t.Run, t.spans, alone, func(from, until, count int64, digest []byte) {
		s, there := t.spans[from]
		seen++
		if !there || s.until != until || s.count != count || !s.fits(sums, chain.Content, digest) {
			t.misfit(max(s.entry, t.first), place{chain.Span, from, until}, "they are not what was left when the run was pruned")
		}
	})
	t.missing()
	if err == nil && seen < int64(len(t.spans)) {
		t.misfit(t.first, place{what: chain.Saved}, "records that were left when the run was pruned are gone")
	}
	return err
}
