package ledger

import (
	"context"
	"iter"
)

var insertStaged = &bulk{
	text:    `insert into staged (run_no, place, key, source, row_number, cells) values {rows}`,
	columns: make([]string, 6),
}

// Stage sets rows aside until all rows of their records are known. They are kept in the order of the calls.
func (l *Ledger) Stage(ctx context.Context, run string, rows []Staged) error {
	number, err := l.number(ctx, run)
	if err != nil {
		return l.wrap("set rows aside", err)
	}
	err = l.writer.do(ctx, true, func(tx *transaction) error {
		var last int64
		if err := tx.one(`select coalesce(max(place), 0) from staged where run_no = $1`, []any{number}, &last); err != nil {
			return err
		}
		values := make([]any, 0, 6*len(rows))
		for n, s := range rows {
			values = append(values, number, last+int64(n)+1, storedKey(s.Key), int64(s.Row.Source), int64(s.Row.Number), raw(s.Row.Cells))
		}
		_, err := tx.bulk(insertStaged, values, nil)
		return err
	})
	return l.wrap("set rows aside", err)
}

// groupsPerPage is how many groups are read at once: a group is held in memory whole, so not many.
const groupsPerPage = 64

// selectGroups finds the next keys by the place of their first row, and all rows of each.
const selectGroups = `with firsts as (
		select f.place, f.key from staged f
		where f.run_no = $1 and f.place > $2
			and not exists (select 1 from staged e where e.run_no = f.run_no and e.key = f.key and e.place < f.place)
		order by f.place limit $3)
	select firsts.place, s.key, s.source, s.row_number, s.cells
	from firsts join staged s on s.run_no = $1 and s.key = firsts.key
	order by firsts.place, s.place`

// Groups yields the staged rows of a run by key, in the order in which the keys first appeared; within a group the rows
// are in the order they were staged. Only a few groups are in memory at a time, and nothing is held open between them,
// so that the ledger may be written in between. The rows stay until Unstage.
func (l *Ledger) Groups(ctx context.Context, run string) iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		number, err := l.number(ctx, run)
		if err != nil {
			yield(Group{}, l.wrap("group rows", err))
			return
		}
		for after := int64(0); ; {
			groups, last, err := l.groupPage(ctx, number, after)
			if err != nil {
				yield(Group{}, l.wrap("group rows", err))
				return
			}
			for _, group := range groups {
				if !yield(group, nil) {
					return
				}
			}
			if len(groups) < groupsPerPage {
				return
			}
			after = last
		}
	}
}

// groupPage reads the groups whose first row stands behind a place, and says where that of the last one stands.
func (l *Ledger) groupPage(ctx context.Context, run, after int64) (groups []Group, last int64, err error) {
	rows, err := l.read.QueryContext(ctx, selectGroups, run, after, groupsPerPage)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var place int64
		var key string
		var row Row
		if err := rows.Scan(&place, &key, &row.Source, &row.Number, (*[]byte)(&row.Cells)); err != nil {
			return nil, 0, err
		}
		if place != last {
			groups = append(groups, Group{Key: keyOf(key)})
			last = place
		}
		group := &groups[len(groups)-1]
		group.Rows = append(group.Rows, row)
	}
	return groups, last, rows.Err()
}

// Unstage forgets the staged rows of a run.
func (l *Ledger) Unstage(ctx context.Context, run string) error {
	number, err := l.number(ctx, run)
	if err != nil {
		return l.wrap("clear staged rows", err)
	}
	return l.wrap("clear staged rows", l.removeInParts(ctx, "staged", "place", number))
}
