package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestNightlyPruningBoundsTheLedger lets nights pass on which nothing changes, and prunes what is older than a few
// nights. The ledger must not keep growing. The long form first takes a year of nights without pruning:
//
//	DOCKETSYNC_LEDGER_NIGHTS=365 go test ./importer/ledger -run TestNightlyPruningBoundsTheLedger -v -timeout 60m
func TestNightlyPruningBoundsTheLedger(t *testing.T) {
	t.Parallel()
	nights, records := 30, 500
	if many, err := strconv.Atoi(os.Getenv("DOCKETSYNC_LEDGER_NIGHTS")); err == nil {
		nights, records = many, 10_000
	}
	dir := t.TempDir()
	l := open(t, filepath.Join(dir, "ledger.db"))
	migration(t, l, records)
	say := func(what string, began time.Time) Size {
		s, err := l.size(t.Context())
		must(t, err)
		t.Logf("%-50s %8.1f MB, %8.1f MB of it free, after %v", what, float64(s.Bytes)/1e6, float64(s.Free)/1e6, time.Since(began).Round(time.Millisecond))
		return s
	}
	began := time.Now()
	first := say(fmt.Sprintf("%d records created", records), began)
	for n := range nights {
		quietNight(t, l, n, records)
	}
	say(fmt.Sprintf("%d nights without a change", nights), began)
	began = time.Now()
	must(t, second(l.Backup(t.Context(), filepath.Join(dir, "backup.db"))))
	say("backed up", began)
	began = time.Now()
	for n := range nights {
		same(t, prune1(t, l, fmt.Sprint("night ", n)), records)
	}
	say("all nights pruned", began)
	began = time.Now()
	_, after, err := l.Compact(t.Context())
	must(t, err)
	say("compacted", began)
	if after.Bytes > first.Bytes*2 {
		t.Errorf("%d bytes are left of %d", after.Bytes, first.Bytes)
	}
	const kept = 5
	var settled int64
	began = time.Now()
	for n := nights; n < 2*nights && n < nights+60; n++ {
		quietNight(t, l, n, records)
		if n >= nights+kept {
			prune1(t, l, fmt.Sprint("night ", n-kept))
		}
		var pages int64
		must(t, l.h.Read.QueryRowContext(t.Context(), `pragma page_count`).Scan(&pages))
		if n == nights+2*kept {
			settled = pages
		} else if n > nights+2*kept && pages > settled*11/10 {
			t.Fatalf("with %d nights kept the ledger grew from %d to %d pages in %d nights", kept, settled, pages, n-nights-2*kept)
		}
	}
	say("nights later, five kept", began)
}

// migration is the run that created everything.
func migration(t *testing.T, l *Ledger, records int) {
	t.Helper()
	begin(t, l, "migration")
	var list []Record
	for n := range records {
		r := planned("migration", int64(n+1), fmt.Sprintf("M-%06d", n))
		r.Payload = []byte(fmt.Sprintf(`{"name":"%0200d","number":"M-%06d","active":true}`, n, n))
		r.Digest = fmt.Sprintf("%032d", n)
		list = append(list, r)
	}
	add(t, l, list...)
	for from := 0; from < records; from += 250 {
		var intents []Intent
		var outcomes []Outcome
		for n := from; n < min(from+250, records); n++ {
			intents = append(intents, Intent{Run: "migration", Seq: int64(n + 1)})
			outcomes = append(outcomes, Outcome{Run: "migration", Seq: int64(n + 1), State: Accepted, Status: 201, ServiceID: fmt.Sprintf("%036d", n), At: noon})
		}
		must(t, l.Commit(t.Context(), nil, intents))
		must(t, l.Commit(t.Context(), outcomes, nil))
	}
	finish(t, l, "migration", Finished)
}

// quietNight writes a night on which nothing in the export changed.
func quietNight(t *testing.T, l *Ledger, night, records int) {
	t.Helper()
	keys := make([]string, records)
	for n := range keys {
		keys[n] = fmt.Sprintf("M-%06d", n)
	}
	plan(t, l, fmt.Sprint("night ", night), keys)
}
