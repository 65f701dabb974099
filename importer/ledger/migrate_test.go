package ledger

import (
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/occurrences"
	"docketsync/importer/ledger/store"
)

// toVersion16 removes what a ledger did not have while records kept all their contents in their rows; see unbundle.
var toVersion16 = []string{`drop table looks`, `drop index known_differing`, `alter table known drop column differs`, `drop table listed`, `drop table stamps`, `drop table conflicts`, `drop index records_ranked`, `alter table records drop column rank`, `alter table runs drop column order_by`, `drop index known_by_bundle`, `alter table known drop column bundle`, `alter table known drop column bundle_seq`,
	`alter table records drop column bundle`, `drop table bundles`, `drop table acknowledged`, `alter table records drop column took_us`, `alter table runs drop column answer`, `alter table ranges drop column action`, `alter table former_journal rename to journal`, `drop table forgotten`, `drop table forget_key`, `drop table evidence`, `drop table evidence_head`, `alter table runs drop column made_from`, `drop table mappings`, `drop table corrections`, `drop table accounts`, `drop table shards`, `alter table runs drop column fence`, `delete from ` + store.VersionTable + ` where version_id > 16`}

// unbundle moves the contents of records back into their rows, where earlier ledgers had them.
func unbundle(t *testing.T, l *Ledger, runs ...string) {
	t.Helper()
	for _, run := range runs {
		number, err := l.h.Number(t.Context(), run)
		must(t, err)
		for r, err := range l.Records(t.Context(), run, RecordFilter{Remarkable: true}) {
			must(t, err)
			must(t, l.do(t.Context(), false, func(tx *transaction) error {
				_, err := tx.Exec(`update records set payload = $3, body = $4, previous = $5, source_rows = $6, bundle = null where run_no = $1 and seq = $2`,
					number, r.Seq, store.Raw(r.Payload), store.Raw(r.Body), store.Raw(r.Previous), model.StoredRows(r.Rows, true))
				if err == nil {
					_, err = tx.Exec(`update known set payload = $3, bundle = null where run_no = $1 and bundle_seq = $2`, number, r.Seq, store.Raw(r.Payload))
				}
				return err
			}))
		}
	}
	must(t, l.do(t.Context(), false, func(tx *transaction) error {
		for _, text := range toVersion16 {
			if _, err := tx.Exec(text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	}))
}

// A failed upgrade leaves the ledger as it was: the older program still opens it, and the next start upgrades all of
// it.
func TestAnUpgradeIsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	l := open(t, path)
	unbundle(t, l)
	must(t, l.Close())
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	_, err = db.Exec(`create table former_journal (in_the_way)`) // version 18 makes it, when 17 has been applied
	must(t, err)
	if _, err := Open(t.Context(), path); err == nil {
		t.Fatal("a ledger whose upgrade fails was opened")
	}
	var version, bundles int
	must(t, db.QueryRow(`select max(version_id) from `+store.VersionTable).Scan(&version))
	must(t, db.QueryRow(`select count(*) from sqlite_master where name = 'bundles'`).Scan(&bundles))
	same(t, []int{version, bundles}, []int{16, 0})
	_, err = db.Exec(`drop table former_journal`)
	must(t, err)
	open(t, path)
}

// toVersion5 removes what a ledger did not have while unchanged records were rows like all others.
var toVersion5 = []string{
	`drop trigger known_added`, `drop trigger known_changed`, `drop trigger known_removed`, `drop index known_by_epoch`,
	`alter table known drop column epoch`, `alter table runs drop column epoch`,
	`drop table ranges`, `drop table segments`, `drop table epochs`, `drop table audit_entries`, `alter table notifications rename to told`, `alter table occurrences rename to dues`, `drop table terms`, `drop table searched`, `drop table journal`, `drop table renames`,
	`alter table runs drop column commits`, `alter table records drop column read_back`,
	`delete from ` + store.VersionTable + ` where version_id > 5`,
}

// saysOf returns what a ledger says about two runs that found nothing changed.
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
	unbundle(t, l, "sent")
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

// TestALedgerOfTheReleaseBeforeIsResumed opens a ledger of the earlier release, whose process was killed. All of it is
// there under the new names, and its interrupted run is resumed: answered records are known, repeatable ones are
// planned again, and those that the service may have acted on are in doubt.
func TestALedgerOfTheReleaseBeforeIsResumed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	for packed, to := range map[string]string{"before.db.gz": path, "before.db-wal.gz": path + "-wal"} {
		unpack(t, filepath.Join("testdata", packed), to)
	}
	l := open(t, path)
	again, doubt, err := l.Recover(t.Context(), "interrupted")
	must(t, err)
	same(t, []int{again, doubt}, []int{1, 1})
	for seq, want := range []State{Accepted, Planned, InDoubt, Planned} {
		state(t, l, "interrupted", int64(seq+1), want)
	}
	same(t, known(t, l, "C-1").ServiceID, "id-1")
	finish(t, l, "interrupted", Pushing)
	send(t, l, "interrupted", 2, 4)
	settle(t, l, Outcome{Run: "interrupted", Seq: 4, State: Accepted})

	second := append([]string{"new 1"}, append(numbered(0, 20), numbered(22, 40)...)...)
	var want []Record
	for n, key := range second {
		want = append(want, quietOne("second night", int64(n+1), key, n+2))
	}
	same(t, recordsOf(t, l, "second night", RecordFilter{}), want)
	recalled, _ := plan(t, l, "third night", second)
	same(t, recalled, len(second)-1) // what is in doubt is looked up

	told, err := l.NotificationState(t.Context(), "marks", "mail")
	must(t, err)
	same(t, told, occurrences.NotificationState{State: "failed", Cause: "c", Since: noon, At: noon})
	dues, err := l.Occurrences(t.Context(), occurrences.OccurrenceFilter{States: occurrences.Unfinished})
	must(t, err)
	same(t, len(dues), 1)
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{{Job: dues[0].Job, Schedule: dues[0].Schedule, Local: dues[0].Local, At: dues[0].At, State: occurrences.Ran, Run: dues[0].Run, Taken: 1}}))
	deeds, err := l.AuditEntries(t.Context(), decisions.AuditFilter{})
	must(t, err)
	same(t, len(deeds) == 1 && deeds[0].Who == "Ada", true)
	found, _, err := l.Search(t.Context(), "TM-00003", 5)
	must(t, err)
	same(t, len(found), 1)
	open, err := l.OpenRenames(t.Context())
	must(t, err)
	same(t, len(open), 1)
	must(t, l.DecideRename(t.Context(), open[0], SameRecord, "Ada"))
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	packed, err := os.Open(from)
	must(t, err)
	defer packed.Close()
	in, err := gzip.NewReader(packed)
	must(t, err)
	text, err := io.ReadAll(in)
	must(t, err)
	must(t, os.WriteFile(to, text, 0o600))
}
