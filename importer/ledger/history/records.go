package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
)

// Page is how many records are read at once. Nothing is held open between two pages, so the caller may write, and the
// database can tidy up.
const Page = 256

// briefPage is how many records or attempts without their long texts are read at once.
const briefPage = 2048

const selectRecords = `select u.id, r.seq, r.scope, r.key, r.action, r.state, r.digest, r.payload, r.body, r.previous, r.repeatable,
	r.source_rows, r.reasons, r.notes, r.entries, r.service_id, r.status, r.message, r.read_back, r.attempts, r.settled_at, r.bundle, coalesce(r.rank, 0)
	from records r join runs u on u.number = r.run_no `

// scanRecord reads a record, and the bundle that the rest of it is in.
func scanRecord(rows *sql.Rows) (r model.Record, at bundle.Place, err error) {
	var in *int64
	var source []byte
	var readBack string
	err = rows.Scan(&r.Run, &r.Seq, &r.Scope, (*store.Key)(&r.Key), &r.Action, &r.State, &r.Digest, (*[]byte)(&r.Payload), (*[]byte)(&r.Body),
		(*[]byte)(&r.Previous), &r.Repeatable, &source, store.JSON(&r.Reasons), store.JSON(&r.Notes), store.JSON(&r.Entries), &r.ServiceID, &r.Status, &r.Message,
		&readBack, &r.Attempts, (*store.Time)(&r.Settled), &in, &r.Rank)
	if err != nil {
		return r, at, err
	}
	if readBack != "" {
		r.ReadBack = strings.Split(readBack, ",")
	}
	r.Rows, err = model.RowsOf(source, true)
	return r, bundle.At(in, r.Seq), err
}

// brief reads records of one run in brief.
func (l *Reader) brief(ctx context.Context, number int64, room int, where string, args ...any) ([]model.Record, error) {
	list, err := store.Page(ctx, l.h.Read, room, briefScanner(), `select r.seq, r.key, r.action, r.state, r.source_rows, r.reasons, r.notes, r.service_id, r.status,
		r.message, r.attempts, r.settled_at from records r `+where, args...)
	if err != nil {
		return nil, err
	}
	var refused []int64
	for n := range list {
		if list[n].State == model.Refused {
			refused = append(refused, list[n].Seq)
		}
	}
	if len(refused) == 0 {
		return list, nil
	}
	c := seqClauses(number, refused)
	whole, err := l.records(ctx, c.Text()+" order by r.seq", c.Args...)
	for n := range list {
		if len(whole) > 0 && whole[0].Seq == list[n].Seq {
			list[n].Payload, list[n].Body, whole = whole[0].Payload, whole[0].Body, whole[1:]
		}
	}
	return list, err
}

// briefScanner returns the scanner for the rows of brief. It takes values as the database delivers them: there may be a
// million rows, and converting each by its type takes longer than reading them.
func briefScanner() func(rows *sql.Rows) (model.Record, error) {
	var v, into [12]any
	for n := range v {
		into[n] = &v[n]
	}
	return func(rows *sql.Rows) (r model.Record, err error) {
		if err := rows.Scan(into[:]...); err != nil {
			return r, err
		}
		r = model.Record{Seq: number(v[0]), Key: store.KeyOf(text(v[1])), Action: model.Action(text(v[2])), State: model.State(text(v[3])), ServiceID: text(v[7]),
			Status: int(number(v[8])), Message: text(v[9]), Attempts: int(number(v[10]))}
		if v[11] != nil {
			r.Settled = time.UnixMicro(number(v[11])).UTC()
		}
		r.Rows, err = model.RowsOf([]byte(text(v[4])), false)
		if v[5] != nil || v[6] != nil {
			err = errors.Join(err, store.Unlisted([]byte(text(v[5])), &r.Reasons), store.Unlisted([]byte(text(v[6])), &r.Notes))
		}
		return r, err
	}
}

// number returns a number as a database delivers it, or 0 if there is none.
func number(v any) int64 {
	n, _ := v.(int64)
	return n
}

// truth returns a boolean as a database delivers it: SQLite has numbers.
func truth(v any) bool {
	if is, ok := v.(bool); ok {
		return is
	}
	return number(v) != 0
}

// text returns a text as a database delivers it, or "" if there is none.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

func (l *Reader) records(ctx context.Context, where string, args ...any) ([]model.Record, error) {
	return bundle.WithContents(ctx, l.h.Read, bundle.Take, func() (list []model.Record, at []bundle.Place, err error) {
		list, err = store.List(ctx, l.h.Read, func(rows *sql.Rows) (model.Record, error) {
			r, in, err := scanRecord(rows)
			at = append(at, in)
			return r, err
		}, selectRecords+where, args...)
		return list, at, err
	})
}

// Record returns one record of a run, or ErrNotFound if there is none with that seq.
func (l *Reader) Record(ctx context.Context, run string, seq int64) (model.Record, error) {
	var c store.Clauses
	c.Where("u.id = %s", run)
	c.Where("r.seq = %s", seq)
	l.h.Inside(&c, "u.job")
	list, err := l.records(ctx, c.Text(), c.Args...)
	if err == nil && len(list) == 0 {
		list, err = l.unchangedAt(ctx, run, []int64{seq})
	}
	return l.single(fmt.Sprintf("read record %d of run %s", seq, run), list, err)
}

// RecordByKey returns the record of a run that has the key, or ErrNotFound if there is none or the key is empty.
func (l *Reader) RecordByKey(ctx context.Context, run, key string) (model.Record, error) {
	var c store.Clauses
	c.Where("u.id = %s", run)
	c.Where("r.key = %s and r.key <> ''", store.StoredKey(key))
	l.h.Inside(&c, "u.job")
	list, err := l.records(ctx, c.Text(), c.Args...)
	if err == nil && len(list) == 0 && key != "" {
		list, err = l.unchangedOf(ctx, run, func(number int64) ([]unchanged.Record, error) { return unchanged.ByKey(ctx, l.h.Read, number, key) })
	}
	return l.single(fmt.Sprintf("read record %q of run %s", key, run), list, err)
}

func (l *Reader) single(doing string, list []model.Record, err error) (model.Record, error) {
	if err != nil {
		return model.Record{}, l.h.Wrap(doing, err)
	}
	if len(list) == 0 {
		return model.Record{}, fmt.Errorf("%s: %w", doing, handle.ErrNotFound)
	}
	return list[0], nil
}

// RecordsAt returns the records of a run that have these seqs, in order. It leaves out those that do not exist.
func (l *Reader) RecordsAt(ctx context.Context, run string, seqs []int64) ([]model.Record, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	return handle.Of(ctx, l.h, "read records", run, func(number int64) ([]model.Record, error) {
		c := seqClauses(number, seqs)
		records, err := l.records(ctx, c.Text()+" order by r.seq", c.Args...)
		if err != nil || len(records) == len(seqs) {
			return records, err
		}
		there := map[int64]bool{}
		for _, r := range records {
			there[r.Seq] = true
		}
		unremarkable, err := l.unchangedAt(ctx, run, slices.DeleteFunc(slices.Clone(seqs), func(seq int64) bool { return there[seq] }))
		records = append(records, unremarkable...)
		slices.SortFunc(records, func(a, b model.Record) int { return cmp.Compare(a.Seq, b.Seq) })
		return records, err
	})
}

// Remarkable returns, in order, those of some seqs of a run whose record is not an unremarkable one. It reads no
// segments.
func (l *Reader) Remarkable(ctx context.Context, run string, seqs []int64) ([]int64, error) {
	return handle.Of(ctx, l.h, "read records", run, func(number int64) ([]int64, error) {
		c := seqClauses(number, seqs)
		return store.List(ctx, l.h.Read, store.Column[int64], `select r.seq from records r `+c.Text()+` order by r.seq`, c.Args...)
	})
}

// seqClauses selects the records of a run that have these seqs.
func seqClauses(run int64, seqs []int64) *store.Clauses {
	c := &store.Clauses{}
	c.Where("r.run_no = %s", run)
	following := len(seqs) > 1
	for n := 1; n < len(seqs); n++ {
		following = following && seqs[n] == seqs[n-1]+1
	}
	if following { // parsing a statement with hundreds of parameters takes as long as running it
		c.Where("r.seq >= %s", seqs[0])
		c.Where("r.seq <= %s", seqs[len(seqs)-1])
		return c
	}
	store.Among(c, "r.seq", seqs)
	return c
}

// Records yields the records of a run that the filter asks for, in order. It reads page by page, so changes made
// meanwhile may or may not be seen. An error ends it.
func (l *Reader) Records(ctx context.Context, run string, f model.RecordFilter) iter.Seq2[model.Record, error] {
	return func(yield func(model.Record, error) bool) {
		number, err := l.h.Number(ctx, run)
		switch {
		case err != nil:
			yield(model.Record{}, l.h.Wrap("read records", err))
			return
		case withUnchanged(&f):
			l.allRecords(ctx, run, number, f, yield)
			return
		}
		l.keptRecords(ctx, run, number, f)(yield)
	}
}

// keptRecords yields the records of a run that have a row of their own.
func (l *Reader) keptRecords(ctx context.Context, run string, number int64, f model.RecordFilter) iter.Seq2[model.Record, error] {
	size := Page
	if f.Brief || f.Payloads || f.Digests {
		size = briefPage
	}
	if f.Limit > 0 {
		size = min(size, f.Limit)
	}
	paging := store.Pages[model.Record]
	if f.Brief && f.Limit == 0 {
		paging = store.PagesAhead
	}
	pages := paging(size, func(last model.Record) ([]model.Record, error) {
		behind := f
		behind.After = max(f.After, last.Seq)
		list, err := RecordPage(ctx, l, number, behind, size)
		return list, l.h.Wrap("read records", err)
	})
	return func(yield func(model.Record, error) bool) {
		left := f.Limit
		for record, err := range pages {
			record.Run = run
			if left--; !yield(record, err) || left == 0 {
				return
			}
		}
	}
}

// RecordPage reads one page of the records of a run, by its number, that have a row of their own.
func RecordPage(ctx context.Context, l *Reader, run int64, f model.RecordFilter, size int) ([]model.Record, error) {
	var c store.Clauses
	c.Where("r.run_no = %s", run)
	c.Where("r.seq > %s", f.After)
	store.Among(&c, "r.state", f.States)
	store.Among(&c, "r.action", f.Actions)
	text := c.Text() + " order by r.seq limit " + c.Param(size)
	room := 0
	if f.After > 0 { // the page before was full
		room = size
	}
	switch {
	case f.Brief:
		return l.brief(ctx, run, room, text, c.Args...)
	case f.Payloads:
		return l.payloads(ctx, room, text, c.Args...)
	case f.Digests:
		return store.List(ctx, l.h.Read, store.Into(func(r *model.Record) []any {
			return []any{&r.Seq, (*store.Key)(&r.Key), &r.Action, &r.State, &r.Digest}
		}), `select r.seq, r.key, r.action, r.state, r.digest from records r `+text, c.Args...)
	}
	return l.records(ctx, text, c.Args...)
}

// payloads reads what would be sent of records.
func (l *Reader) payloads(ctx context.Context, room int, where string, args ...any) ([]model.Record, error) {
	return bundle.WithContents(ctx, l.h.Read, bundle.Take, func() (list []model.Record, at []bundle.Place, err error) {
		list, err = store.Page(ctx, l.h.Read, room, func(rows *sql.Rows) (r model.Record, err error) {
			var in *int64
			err = rows.Scan(&r.Seq, &r.Action, &r.State, (*[]byte)(&r.Payload), (*[]byte)(&r.Body), (*[]byte)(&r.Previous), &in)
			at = append(at, bundle.At(in, r.Seq))
			return r, err
		}, `select r.seq, r.action, r.state, r.payload, r.body, r.previous, r.bundle from records r `+where, args...)
		return list, at, err
	})
}

// History returns the records of a scope and key in all runs, newest run first, at most limit (0 for all).
func (l *Reader) History(ctx context.Context, scope, key string, limit int) ([]model.Record, error) {
	var c store.Clauses
	// The run is in the query so that the index by run and key is used, once for each run.
	c.And("r.run_no in (select number from runs)")
	c.And("r.key <> ''")
	c.Where("r.key = %s", store.StoredKey(key))
	c.Where("r.scope = %s", store.Plain(scope))
	l.h.Inside(&c, "u.job")
	list, err := l.records(ctx, c.Text()+" order by u.number desc"+c.Limit(limit), c.Args...)
	if err == nil && key != "" {
		list, err = l.withUnchangedHistory(ctx, list, scope, key, limit)
	}
	return list, l.h.Wrap(fmt.Sprintf("read the history of %q", key), err)
}

// sentInDoubt selects the records that were sent and are in doubt, by the index records_unsure.
const sentInDoubt = `r.state in ('sending', 'in_doubt') and r.sent_at is not null and r.state = 'in_doubt'`

// Doubts returns what is in doubt, oldest first: all records in doubt of a run or, if run is empty, those of all runs
// that are to be settled. The latter do not include records that later runs left in doubt because of them: those are
// settled with them.
func (l *Reader) Doubts(ctx context.Context, run string) ([]model.Record, error) {
	if run == "" {
		var c store.Clauses
		c.And(sentInDoubt)
		l.h.Inside(&c, "u.job")
		list, err := l.records(ctx, c.Text()+` order by r.run_no, r.seq`, c.Args...)
		return list, l.h.Wrap("list what is in doubt", err)
	}
	return handle.Of(ctx, l.h, "list what is in doubt", run, func(number int64) ([]model.Record, error) {
		return l.records(ctx, `where `+sentInDoubt+` and +r.run_no = $1 union all `+selectRecords+`where r.state = 'in_doubt' and r.sent_at is null and +r.run_no = $1 order by seq`, number)
	})
}

// DoubtsBefore returns what earlier runs of a run's job left in doubt, oldest first, except what the run itself has in
// doubt because of them. The doubts of another job of its scope count too if that job has sent nothing since this one
// first did, for example because it was renamed to this one: nothing else would report them.
func (l *Reader) DoubtsBefore(ctx context.Context, run model.Run) ([]model.Record, error) {
	return handle.Of(ctx, l.h, "list what is in doubt", run.ID, func(number int64) ([]model.Record, error) {
		var c store.Clauses
		n, job, scope := c.Param(number), c.Param(store.Plain(run.Job)), c.Param(store.Plain(run.Scope))
		c.And(sentInDoubt + ` and +r.run_no < ` + n)
		c.And(`(u.job = ` + job + ` or u.scope = ` + scope + ` and not exists (select 1 from runs o where o.job = u.job and o.kind = 'run'
			and o.number > coalesce((select min(f.number) from runs f where f.job = ` + job + ` and f.kind = 'run'), 0)))`)
		c.And(`not exists (select 1 from records e where e.scope = r.scope and e.key = r.key and e.state = 'in_doubt' and e.sent_at is null and +e.run_no = ` + n + `)`)
		l.h.Inside(&c, "u.job")
		return l.records(ctx, c.Text()+` order by r.run_no, r.seq`, c.Args...)
	})
}

// Tally counts the records of a run by action and state, in the order of those words. It includes records that Prune
// has removed.
func (l *Reader) Tally(ctx context.Context, run string) ([]model.Count, error) {
	return handle.Of(ctx, l.h, "count records", run, func(number int64) ([]model.Count, error) { return l.tally(ctx, number) })
}

func (l *Reader) tally(ctx context.Context, number int64) ([]model.Count, error) {
	// One statement, so that no record is counted twice or missed while the run is being pruned. SQLite reads the
	// records once for each kind, of which there are few; to group them it would first sort all of them in memory.
	counted := `select k.action, k.state, (select count(*) from records r where r.run_no = $1 and r.action = k.action and r.state = k.state), ''
			from (select distinct action, state from records where run_no = $1) k`
	if l.h.Engine.Dialect().Remote {
		counted = `select action, state, count(*), '' from records where run_no = $1 group by action, state`
	}
	patient := func(text string, args ...any) (rows *sql.Rows, err error) {
		err = l.h.Patiently(ctx, func() (err error) {
			rows, err = l.h.Read.QueryContext(ctx, text, args...)
			return err
		})
		return rows, err
	}
	var removed, sum []model.Count
	list, err := store.All(patient, func(rows *sql.Rows) (c model.Count, err error) {
		err = rows.Scan(&c.Action, &c.State, &c.N, store.JSON(&removed))
		return c, err
	}, counted+`
		union all select case action when '' then 'none' else action end, case action when '' then 'unchanged' else 'planned' end, sum(records), '' from ranges where run_no = $1 group by action
		union all select '', '', 0, removed from runs where number = $1 and removed is not null`, number)
	list = slices.DeleteFunc(list, func(c model.Count) bool { return c.N == 0 })
	return AddCounts(AddCounts(sum, list), removed), err
}

// ScanCount reads a row of a tally.
var ScanCount = store.Into(func(c *model.Count) []any { return []any{&c.Action, &c.State, &c.N} })

// AddCounts returns the sum of two tallies, in the order of their words.
func AddCounts(a, b []model.Count) []model.Count {
	for _, more := range b {
		n := slices.IndexFunc(a, func(c model.Count) bool { return c.Action == more.Action && c.State == more.State })
		if n < 0 {
			a = append(a, more)
			continue
		}
		a[n].N += more.N
	}
	slices.SortFunc(a, func(a, b model.Count) int {
		return cmp.Or(cmp.Compare(a.Action, b.Action), cmp.Compare(a.State, b.State))
	})
	return a
}
