package planning

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

var insertStaged = &store.Bulk{
	Text:    `insert into staged (run_no, place, key, source, row_number, cells) values {rows}`,
	Columns: make([]string, 6),
}

// Stage sets rows aside until all rows of their records are known. They are kept in the order of the calls.
func (l *Writer) Stage(ctx context.Context, run string, rows []model.Staged) error {
	return l.w.DoFor(ctx, "set rows aside", run, true, func(tx *handle.Tx, number int64) error {
		var last int64
		if err := tx.One(`select coalesce(max(place), 0) from staged where run_no = $1`, []any{number}, &last); err != nil {
			return err
		}
		values := make([]any, 0, 6*len(rows))
		for n, s := range rows {
			values = append(values, number, last+int64(n)+1, store.StoredKey(s.Key), int64(s.Row.Source), int64(s.Row.Number), store.Raw(s.Row.Cells))
		}
		_, err := tx.Bulk(insertStaged, values, nil)
		return err
	})
}

// GroupsPerPage is how many groups are found at once, and GroupPart how many rows of a too large group are read at
// once.
const (
	GroupsPerPage = 64
	GroupPart     = 1000
)

// SelectGroups finds the next keys by the place of their first row, and how many rows each has.
const SelectGroups = `select f.place, f.key, (select count(*) from staged c where c.run_no = f.run_no and c.key = f.key) from staged f
	where f.run_no = $1 and f.place > $2
		and not exists (select 1 from staged e where e.run_no = f.run_no and e.key = f.key and e.place < f.place)
	order by f.place limit $3`

// selectWhole finds the rows of the keys whose first rows are in these places, key by key.
const selectWhole = `select s.place, s.source, s.row_number, s.cells from staged f
	join staged s on s.run_no = f.run_no and s.key = f.key
	where f.run_no = $1 and f.place in (%s) order by f.place, s.place`

// selectPart finds the next rows of a key.
const selectPart = `select place, source, row_number, cells from staged where run_no = $1 and key = $2 and place > $3 order by place limit $4`

// groupHead is a key with rows that were staged.
type groupHead struct {
	place int64
	key   string
	size  int
}

// Groups yields the staged rows of a run by key, in the order in which the keys first appeared. Within a group the rows
// are in the order they were staged. A group of more than most rows comes in parts, of which only one is in memory.
// Nothing is held open between groups, so the ledger may be written in between. The rows stay until Unstage.
func (l *Reader) Groups(ctx context.Context, run string, most int) iter.Seq2[model.Group, error] {
	return func(yield func(model.Group, error) bool) {
		err := l.eachGroup(ctx, run, most, func(group model.Group) bool { return yield(group, nil) })
		if err != nil {
			yield(model.Group{}, l.h.Wrap("group rows", err))
		}
	}
}

func (l *Reader) eachGroup(ctx context.Context, run string, most int, yield func(model.Group) bool) error {
	number, err := l.h.Number(ctx, run)
	if err != nil {
		return err
	}
	for after := int64(0); ; {
		heads, err := l.groupHeads(ctx, number, after)
		if err != nil {
			return err
		}
		for rest := heads; len(rest) > 0; {
			n, rows := 1, rest[0].size
			for n < len(rest) && rows <= most && rows+rest[n].size <= most {
				rows += rest[n].size
				n++
			}
			var more bool
			if rows > most {
				more, err = l.inParts(ctx, number, rest[0], min(most, GroupPart), yield)
			} else {
				more, err = l.whole(ctx, number, rest[:n], yield)
			}
			if err != nil || !more {
				return err
			}
			after, rest = rest[n-1].place, rest[n:]
		}
		if len(heads) < GroupsPerPage {
			return nil
		}
	}
}

// groupHeads finds the keys whose first row is after a place.
func (l *Reader) groupHeads(ctx context.Context, run, after int64) ([]groupHead, error) {
	return store.List(ctx, l.h.Read, store.Into(func(h *groupHead) []any { return []any{&h.place, &h.key, &h.size} }), SelectGroups, run, after, GroupsPerPage)
}

// whole yields groups. more is false if no more are wanted.
func (l *Reader) whole(ctx context.Context, run int64, heads []groupHead, yield func(model.Group) bool) (more bool, err error) {
	places := make([]string, len(heads))
	for n, head := range heads {
		places[n] = strconv.FormatInt(head.place, 10)
	}
	list, _, err := l.stagedRows(ctx, fmt.Sprintf(selectWhole, strings.Join(places, ", ")), run)
	if err != nil {
		return false, err
	}
	for _, head := range heads {
		if len(list) < head.size {
			return false, ErrStaged
		}
		if !yield(model.Group{Key: store.KeyOf(head.key), Size: head.size, Rows: list[:head.size:head.size]}) {
			return false, nil
		}
		list = list[head.size:]
	}
	return true, nil
}

// inParts yields the rows of a key in groups of part rows.
func (l *Reader) inParts(ctx context.Context, run int64, head groupHead, part int, yield func(model.Group) bool) (more bool, err error) {
	left := head.size
	for last := int64(0); left > 0; {
		group := model.Group{Key: store.KeyOf(head.key), Size: head.size}
		if group.Rows, last, err = l.stagedRows(ctx, selectPart, run, head.key, last, part); err != nil {
			return false, err
		}
		if left -= len(group.Rows); len(group.Rows) == 0 {
			return false, ErrStaged
		}
		if !yield(group) {
			return false, nil
		}
	}
	return true, nil
}

// ErrStaged stops a run rather than let it lose rows: nobody but the run itself touches what it has staged.
var ErrStaged = fmt.Errorf("%w: rows that were set aside are gone", fault.ErrDamaged)

// stagedRows reads rows, and returns the place of the last one.
func (l *Reader) stagedRows(ctx context.Context, query string, values ...any) (list []model.Row, last int64, err error) {
	list, err = store.List(ctx, l.h.Read, store.Into(func(row *model.Row) []any {
		return []any{&last, &row.Source, &row.Number, (*[]byte)(&row.Cells)}
	}), query, values...)
	return list, last, err
}

// Unstage removes the staged rows of a run.
func (l *Writer) Unstage(ctx context.Context, run string) error {
	number, err := l.w.Number(ctx, run)
	if err == nil {
		err = l.w.RemoveInParts(ctx, "staged", "place", number)
	}
	return l.w.Wrap("clear staged rows", err)
}
