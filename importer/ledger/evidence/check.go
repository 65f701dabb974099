package evidence

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash"
	"strings"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// What the tables hold is held against what the chain of its run says. Rows are read page by page.

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

func scanEvident(rows *sql.Rows) (r evident, err error) {
	err = rows.Scan(&r.seq, &r.scope, &r.key, &r.action, &r.digest, &r.bundle, &r.rows, &r.payload, &r.body, &r.previous, &r.entries, &r.state, &r.repeatable, &r.sent,
		&r.settled, &r.took, &r.status, &r.attempts, &r.reasons, &r.notes, &r.id, &r.message, &r.readBack, &r.rank)
	return r, err
}

// attemptRow is a row of the attempts.
type attemptRow struct {
	seq, number, started, took, status int64
	verdict, fault, answer             string
}

func (a *attemptRow) values() []any {
	return []any{a.started, a.took, a.status, a.verdict, a.fault, a.answer}
}

// value is what a column that may be null is in a sum.
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

// content is what a record was planned as.
func (r *evident) content() []any {
	return []any{r.scope, r.key, r.action, r.digest, value(r.bundle), r.rows, value(r.payload), value(r.body), value(r.previous), value(r.entries), value(r.rank)}
}

// split takes what the plan noted, so many bytes as it was stored, apart from what was noted later.
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

// eachEvident calls each for the records of a run, with their attempts.
func eachEvident(query store.Query, run int64, each func(r *evident) error) error {
	for after := int64(0); ; {
		list, err := evidentPage(query, run, after, rowsPerPage)
		for n := range list {
			if err == nil {
				err = each(&list[n])
			}
			after = list[n].seq
		}
		if err != nil || len(list) < rowsPerPage {
			return err
		}
	}
}

// evidentPage are the next records of a run behind a seq, with their attempts.
func evidentPage(query store.Query, run, after int64, size int) ([]evident, error) {
	list, err := store.All(query, scanEvident, selectEvident, run, after, size)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	tries, err := store.All(query, func(rows *sql.Rows) (a attemptRow, err error) {
		err = rows.Scan(&a.seq, &a.number, &a.started, &a.took, &a.status, &a.verdict, &a.fault, &a.answer)
		return a, err
	}, `select seq, number, started_at, duration_us, status, verdict, error, answer from attempts where run_no = $1 and seq > $2 and seq <= $3 order by seq, number`,
		run, after, list[len(list)-1].seq)
	for n := range list {
		for len(tries) > 0 && tries[0].seq == list[n].seq {
			list[n].tries, tries = append(list[n].tries, tries[0]), tries[1:]
		}
	}
	return list, err
}

// check holds the tables against what the chain says, and adds what does not fit.
func (t *Told) check(query store.Query) error {
	if !t.begun {
		return nil // nobody has put down how it began
	}
	sums := chain.NewSummer()
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
		err = t.checkBundles(query, sums)
	}
	if err == nil {
		err = t.checkDecisions(query, sums)
	}
	return err
}

const selectRunRow = `select job, kind, operation, scope, phase, stop, stop_code, fingerprint, sources, counts, notes, started_at, ended_at, export, guards, order_by, id, answer, pruned_at from runs where number = $1`

// checkRun checks the row of the run, and keeps what its ordinary answers say.
func (t *Told) checkRun(query store.Query, sums *chain.Summer) error {
	found := false
	var prunedAt *int64
	err := eachRunRow(query, t.Run, func(values []any, said *string, pruned *int64) {
		found, t.answer, prunedAt = true, said, pruned
		if !t.row.fits(sums, chain.Content, values...) {
			t.misfit(t.row.entry, "run", "its settings, counts or phase are not those of the entry")
		}
	})
	switch {
	case err == nil && !found:
		t.misfit(t.first, "run", "it is gone")
	case err == nil && t.pruning:
		t.misfit(t.head.Number, "run", "its pruning was interrupted; run 'docketsync ledger prune' again")
	case err == nil && prunedAt == nil && t.pruned:
		t.misfit(t.first, "run", "it was pruned, and is said not to be")
	case err == nil && prunedAt != nil && !t.pruned:
		t.misfit(t.head.Number, "run", "it is said to be pruned, and no entry says so")
	}
	return err
}

// eachRunRow calls each for the row of a run, as it is put down, with what its ordinary answers say and when it was pruned.
func eachRunRow(query store.Query, run int64, each func(values []any, answer *string, pruned *int64)) error {
	return store.Each(query, func(rows *sql.Rows) error {
		var texts [11]*string
		var started, ended, pruned *int64
		var export, guards, order, id, answer *string
		err := rows.Scan(&texts[0], &texts[1], &texts[2], &texts[3], &texts[4], &texts[5], &texts[6], &texts[7], &texts[8], &texts[9], &texts[10], &started, &ended, &export, &guards, &order, &id, &answer, &pruned)
		values := make([]any, 0, 17)
		for _, text := range texts {
			values = append(values, value(text))
		}
		each(append(values, value(started), value(ended), value(export), value(guards), value(order), value(id)), answer, pruned)
		return err
	}, selectRunRow, run)
}

func (t *Told) checkRecords(query store.Query, sums *chain.Summer) error {
	err := eachEvident(query, t.Run, func(r *evident) error {
		s := t.records[r.seq]
		if s == nil {
			t.misfit(t.head.Number, recordOf(r.seq), "no entry says that it was planned")
			return nil
		}
		if entry, what := s.differs(sums, r, t.answer); what != "" {
			t.misfit(entry, recordOf(r.seq), "%s", what)
		}
		s.state = "" // it is there
		return nil
	})
	t.missing()
	return err
}

// missing adds the records that were not there.
func (t *Told) missing() {
	for seq, s := range t.records {
		if s.state != "" {
			t.misfit(s.entry, recordOf(seq), "it is gone; it was %s", s.state)
		}
	}
}

// alone tells whether a record of a pruned run is put down by itself.
func (t *Told) alone(r *evident) bool { return t.records[r.seq] != nil }

// differs says what of a record is not as stated, and in which entry; "" when it fits.
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

// words are what the service answered about a record whose answer was like all others of its run; nil where an attempt has the answer.
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

// digest gathers rows into one hash.
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
		}
	}
	d.hash.Write(d.room)
}

func (d *digest) sum() []byte { return d.hash.Sum(nil) }

// keptDigest is what a run's unchanged records are, nil where it has none.
func keptDigest(query store.Query, run int64) ([]byte, error) {
	d, some := newDigest(), false
	take := func(text string, columns int) error {
		return store.Each(query, func(rows *sql.Rows) error {
			some = true
			values, into := make([]any, columns), make([]any, columns)
			for n := range values {
				into[n] = &values[n]
			}
			err := rows.Scan(into...)
			d.add(values...)
			return err
		}, text, run)
	}
	if err := take(`select first_seq, records, segment, start, shift, action from ranges where run_no = $1 order by first_seq`, 6); err != nil || !some {
		return nil, err
	}
	err := take(`select number, scope, first_key, last_key, content from segments where number in (select segment from ranges where run_no = $1) order by number`, 5)
	return d.sum(), err
}

func (t *Told) checkKept(query store.Query, sums *chain.Summer) error {
	if t.kept.entry == 0 {
		return nil // it has not ended
	}
	kept, err := keptDigest(query, t.Run)
	if err == nil && !t.kept.fits(sums, chain.Content, kept) {
		t.misfit(t.kept.entry, "unchanged records", "what was found unchanged is not what was put down")
	}
	return err
}

func (t *Told) checkBundles(query store.Query, sums *chain.Summer) error {
	least, most := bundle.NumbersOf(t.Run)
	for after := least - 1; ; {
		found := 0
		err := store.Each(query, func(rows *sql.Rows) error {
			found++
			var content []byte
			err := rows.Scan(&after, &content)
			s, there := t.bundles[after]
			if delete(t.bundles, after); !there || !s.fits(sums, chain.Content, content) {
				t.misfit(s.entry, fmt.Sprintf("bundle %d", after-least+1), "payloads and cells are not what was planned")
			}
			return err
		}, `select number, content from bundles where number > $1 and number <= $2 order by number limit $3`, after, most, entriesPerPage)
		if err != nil || found < entriesPerPage {
			for number, s := range t.bundles {
				t.misfit(s.entry, fmt.Sprintf("bundle %d", number-least+1), "payloads and cells are gone")
			}
			return err
		}
	}
}

func (t *Told) checkDecisions(query store.Query, sums *chain.Summer) error {
	err := store.Each(query, func(rows *sql.Rows) error {
		var seq, number, at int64
		var decision, id, who, note string
		err := rows.Scan(&seq, &number, &decision, &id, &who, &note, &at)
		s, there := t.decisions[[2]int64{seq, number}]
		if delete(t.decisions, [2]int64{seq, number}); !there || !s.fits(sums, chain.Content, decision, id, who, note, at) {
			t.misfit(s.entry, fmt.Sprintf("decision %d about record %d", number, seq), "it is not what was decided")
		}
		return err
	}, `select seq, number, decision, service_id, who, note, decided_at from decisions where run_no = $1`, t.Run)
	for at, s := range t.decisions {
		t.misfit(s.entry, fmt.Sprintf("decision %d about record %d", at[1], at[0]), "it is gone")
	}
	return err
}

// spanSize is how many records that a prune has left are put down together.
const spanSize = 5000

// eachSpan calls each for parts of what is left of a pruned run: from the seq behind which a part begins to its last one, how many
// records it has and what they are. Those that stand alone are left out.
func eachSpan(query store.Query, run int64, bounds map[int64]span, alone func(*evident) bool, each func(from, until, count int64, digest []byte) error) error {
	d, from, last, count := newDigest(), int64(0), int64(0), int64(0)
	end := func() error {
		if count == 0 {
			return nil
		}
		err := each(from, last, count, d.sum())
		d, from, count = newDigest(), last, 0
		return err
	}
	err := eachEvident(query, run, func(r *evident) error {
		if alone(r) {
			return nil
		}
		if bound, known := bounds[from]; known && count > 0 && r.seq > bound.until || bounds == nil && count == spanSize {
			if err := end(); err != nil {
				return err
			}
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
		return nil
	})
	if err == nil {
		err = end()
	}
	return err
}

func (t *Told) checkSpans(query store.Query, sums *chain.Summer) error {
	seen := int64(0)
	alone := func(r *evident) bool {
		s, alone := t.records[r.seq]
		if !alone {
			return false
		}
		if entry, what := s.differs(sums, r, nil); what != "" {
			t.misfit(entry, recordOf(r.seq), "%s", what)
		}
		s.state = "" // it is there
		return true
	}
	err := eachSpan(query, t.Run, t.spans, alone, func(from, until, count int64, digest []byte) error {
		s, there := t.spans[from]
		seen++
		if !there || s.until != until || s.count != count || !s.fits(sums, chain.Content, digest) {
			t.misfit(max(s.entry, t.first), spanOf(from, until), "they are not what was left when the run was pruned")
		}
		return nil
	})
	t.missing()
	if err == nil && seen < int64(len(t.spans)) {
		t.misfit(t.first, "run", "records that were left when the run was pruned are gone")
	}
	return err
}

func spanOf(from, until int64) string { return fmt.Sprintf("records %d to %d", from+1, until) }

// seqOf is the record that something is of, 0 for none.
func seqOf(of string) (seq int64) {
	if strings.HasPrefix(of, "record ") {
		_, _ = fmt.Sscanf(of, "record %d", &seq)
	}
	return seq
}
