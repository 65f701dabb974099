package ledger

import (
	"context"
	"fmt"
	"testing"

	"docketsync/importer/ledger/store"
)

// toVersion5 takes away what a ledger had not when its unchanged records were rows like all others.
var toVersion5 = []string{
	`drop trigger known_added`, `drop trigger known_changed`, `drop trigger known_removed`, `drop index known_by_epoch`,
	`alter table known drop column epoch`, `alter table runs drop column epoch`,
	`drop table stretches`, `drop table blocks`, `drop table epochs`, `drop table deeds`, `drop table terms`, `drop table searched`, `drop table journal`, `drop table renames`,
	`alter table runs drop column commits`, `alter table records drop column read_back`,
	`delete from ` + store.VersionTable + ` where version_id > 5`,
}

// saysOf is what a ledger says of two runs that found nothing changed.
func saysOf(t *testing.T, l *Ledger) (said []any) {
	t.Helper()
	for _, id := range []string{"e1", "e2"} {
		byKey, err := l.RecordByKey(t.Context(), id, "TM-00007")
		must(t, err)
		at, err := l.RecordsAt(t.Context(), id, []int64{1, 9, 20})
		must(t, err)
		said = append(said, recordsOf(t, l, id, RecordFilter{}), recordsOf(t, l, id, RecordFilter{States: []State{Unchanged}, After: 5, Limit: 3}),
			record(t, l, id, 3), byKey, at, tally(t, l, id))
	}
	history, err := l.History(t.Context(), "marks", "TM-00003", 0)
	must(t, err)
	said = append(said, history)
	for key, err := range l.Vanished(t.Context(), "e1", "e2") {
		must(t, err)
		said = append(said, key)
	}
	found, err := l.Known(t.Context(), "marks", numbered(0, 20))
	must(t, err)
	return append(said, found)
}

func TestALedgerFromBeforeTheBlocksSaysTheSame(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	l := open(t, path)
	keys := numbered(0, 20)
	sendKey(t, l, "sent", keys[3], Accepted)
	for n, of := range [][]string{keys, keys[1:]} {
		run := beginExport(t, l, fmt.Sprint("e", n+1))
		for at, key := range of {
			add(t, l, quietOne(run.ID, int64(at+1), key, at+2))
		}
		finish(t, l, run.ID, Finished)
	}
	before := saysOf(t, l)
	must(t, l.do(context.Background(), false, func(tx *transaction) error {
		for _, text := range toVersion5 {
			if _, err := tx.Exec(text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	}))
	must(t, l.Close())

	l = open(t, path)
	same(t, saysOf(t, l), before)
	recalled, records := plan(t, l, "first night", keys)
	same(t, recalled, 0)
	same(t, recordsOf(t, l, "first night", RecordFilter{}), records)
	sendKey(t, l, "sent again", keys[5], Accepted)
	recalled, records = plan(t, l, "second night", keys)
	same(t, recalled, len(keys)-1)
	same(t, recordsOf(t, l, "second night", RecordFilter{}), records)
}
