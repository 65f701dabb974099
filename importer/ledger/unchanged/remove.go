package unchanged

import (
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"docketsync/importer/ledger/store"
)

// rangesPerPart is how many ranges one transaction removes, with the segments that nothing else refers to.
const rangesPerPart = 500

// Remove removes a part of a run's unchanged records, and says how many records that were and whether more are left.
func Remove(tx *store.Tx, run int64) (records int, left bool, err error) {
	rows, err := tx.Query(fmt.Sprintf(`select %s from ranges where run_no = $1 order by first_seq limit %d`, rangeColumns, rangesPerPart), run)
	if err != nil {
		return 0, false, err
	}
	list, err := store.Collect(rows, scanSpan)
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	var segments []string
	for _, s := range list {
		records += s.count
		segments = append(segments, strconv.FormatInt(s.number, 10))
	}
	if _, err := tx.Exec(`delete from ranges where run_no = $1 and first_seq <= $2`, run, list[len(list)-1].first); err != nil {
		return 0, false, err
	}
	return records, len(list) == rangesPerPart, removeUnused(tx, segments)
}

// removeUnused removes those of some segments that no run refers to any more. They are held first and then looked at again, so
// that a run that is planned at the same moment keeps those that it takes over.
func removeUnused(tx *store.Tx, segments []string) error {
	const unused = ` and not exists (select 1 from ranges r where r.segment = segments.number)`
	rows, err := tx.Unprepared(`select number from segments where number in (` + strings.Join(segments, ", ") + `)` + unused + tx.Engine().Keep(true))
	if err != nil {
		return err
	}
	mine, err := store.Collect(rows, store.Column[string])
	if err != nil || len(mine) == 0 {
		return err
	}
	return tx.Run(`delete from segments where number in (` + strings.Join(mine, ", ") + `)` + unused)
}

// TakeOut removes one record from a run's unchanged ones; not found when it is none of them.
func TakeOut(tx *store.Tx, run, seq int64) (found bool, err error) {
	var s span
	err = tx.One(selectAround, []any{run, seq}, &s.first, &s.count, &s.number, &s.start, &s.shift)
	if errors.Is(err, sql.ErrNoRows) || err == nil && seq >= s.end() {
		return false, nil
	}
	if err != nil {
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
		if _, err := tx.Bulk(insertRanges, []any{run, part.first, int64(part.count), s.number, int64(part.start), int64(s.shift)}, nil); err != nil {
			return false, err
		}
	}
	return true, nil
}
