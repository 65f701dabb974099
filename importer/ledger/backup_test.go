package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/ledgertest"
)

// TestBackupIsOneInstant takes backups while eight workers commit as fast as they can. Every record takes two
// transactions of its own, and each worker goes through its records in order. A copy that mixed two instants would have
// a settled record whose predecessor is not settled.
func TestBackupIsOneInstant(t *testing.T) {
	t.Parallel()
	workers, each := 8, longer(100, 400)
	dir := t.TempDir()
	l := open(t, filepath.Join(dir, "ledger.db"))
	begin(t, l, "1")
	var list []Record
	for n := range workers * each {
		list = append(list, planned("1", int64(n+1), fmt.Sprint("key ", n)))
	}
	add(t, l, list...)
	var pushing errgroup.Group
	for worker := range workers {
		pushing.Go(func() error {
			for n := range each {
				seq := int64(worker*each + n + 1)
				if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: seq}}); err != nil {
					return err
				}
				if err := l.Commit(t.Context(), []Outcome{{Run: "1", Seq: seq, State: Accepted, At: noon}}, nil); err != nil {
					return err
				}
			}
			return nil
		})
	}
	done := make(chan error, 1)
	go func() { done <- pushing.Wait() }()
	midway := 0
	for n, over := 0, false; !over; n++ {
		select {
		case err := <-done:
			must(t, err)
			over = true
		default:
		}
		path := filepath.Join(dir, fmt.Sprintf("backup %d.db", n%2))
		must(t, second(l.Backup(t.Context(), path)))
		if settledInOrder(t, path, workers, each) < workers*each {
			midway++
		}
	}
	if midway == 0 {
		t.Error("no backup was taken while the push went on")
	}
	t.Logf("%d backups while the push went on", midway)
	left, err := filepath.Glob(filepath.Join(dir, ".backup-*"))
	must(t, err)
	same(t, left, []string(nil))
}

// settledInOrder opens a copy as it would be restored, and returns how many of its records are settled.
func settledInOrder(t *testing.T, path string, workers, each int) (settled int) {
	t.Helper()
	restored := filepath.Join(t.TempDir(), "ledger.db")
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(restored, data, 0o600))
	l := open(t, restored)
	states := map[int64]State{}
	for r, err := range l.Records(t.Context(), "1", RecordFilter{}) {
		must(t, err)
		states[r.Seq] = r.State
		if known := known(t, l, r.Key).Run != ""; known != (r.State == Accepted) {
			t.Errorf("record %d is %s, and it being known is %t", r.Seq, r.State, known)
		}
	}
	for worker := range workers {
		rank := map[State]int{Accepted: 0, Sending: 1, Planned: 2}
		last, sending := 0, 0
		for n := range each {
			s := states[int64(worker*each+n+1)]
			if rank[s] < last {
				t.Fatalf("worker %d: record %d is %s though an earlier one is not that far", worker, n, s)
			}
			if last = rank[s]; s == Sending {
				sending++
			} else if s == Accepted {
				settled++
			}
		}
		if sending > 1 {
			t.Fatalf("worker %d has %d records under way", worker, sending)
		}
	}
	return settled
}

func TestBackupKnowsThatItIsOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, filepath.Join(dir, "ledger.db"))
	night(t, l, "1", 3)
	path := filepath.Join(dir, "new folder", "backup.db")
	taken, err := l.Backup(t.Context(), path)
	must(t, err)
	same(t, taken, noon)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	own, err := l.BackupTaken(t.Context())
	must(t, err)
	if !own.IsZero() {
		t.Error("the ledger itself counts as a backup")
	}
	must(t, second(l.Backup(t.Context(), path))) // an older backup is replaced
	copied := open(t, path)
	taken, err = copied.BackupTaken(t.Context())
	must(t, err)
	same(t, taken, noon)
	same(t, known(t, copied, "changed"), known(t, l, "changed"))
	must(t, copied.AcceptRestore(t.Context()))
	taken, err = copied.BackupTaken(t.Context())
	must(t, err)
	if !taken.IsZero() {
		t.Error("an accepted backup still counts as one")
	}
}

func TestBackupReplacesNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, filepath.Join(dir, "ledger.db"))
	other := filepath.Join(dir, "other ledger.db")
	open(t, other)
	letter := filepath.Join(dir, "letter.txt")
	must(t, os.WriteFile(letter, []byte("Dear all"), 0o600))
	link := filepath.Join(dir, "link.db")
	must(t, os.Link(filepath.Join(dir, "ledger.db"), link))
	for path, want := range map[string]string{
		filepath.Join(dir, "ledger.db"): "the ledger itself", link: "the ledger itself",
		other: "not a ledger backup", letter: "not a ledger backup", dir: "not a ledger backup",
	} {
		if _, err := l.Backup(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	text, err := os.ReadFile(letter)
	must(t, err)
	same(t, string(text), "Dear all")
}

func TestBackupOfADamagedLedgerIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	l := open(t, path)
	night(t, l, "1", 3000)
	_, _, err := l.Compact(t.Context()) // everything is in the file itself
	must(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	info, err := f.Stat()
	must(t, err)
	_, err = f.WriteAt([]byte(strings.Repeat("damage", 1000)), info.Size()/2)
	must(t, errors.Join(err, f.Close()))
	backup := filepath.Join(dir, "backup.db")
	if _, err := l.Backup(t.Context(), backup); !errors.Is(err, fault.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(backup); err == nil {
		t.Error("there is a backup")
	}
}

func TestCompactGivesRoomBack(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
	night(t, l, "1", 20000)
	knew := known(t, l, "changed")
	prune1(t, l, "1")
	release, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	if _, _, err := l.Compact(t.Context()); !errors.Is(err, fault.ErrBusy) {
		t.Errorf("beside a run: %v", err)
	}
	must(t, release())
	before, after, err := l.Compact(t.Context())
	must(t, err)
	if before.Free == 0 || after.Bytes > before.Bytes/4 || after.Free != 0 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	same(t, known(t, l, "changed"), knew)
	release, err = l.Lock(t.Context(), "create_case")
	must(t, err)
	must(t, release())
	x, err := l.Extent(t.Context())
	must(t, err)
	same(t, x, Extent{Size: x.Size, Runs: 1, Pruned: 1, Records: 3, Known: 2})
}

func TestPostgreSQLHasItsOwnUpkeep(t *testing.T) {
	t.Parallel()
	l := open(t, ledgertest.Shared(t).Database(t))
	_, backup := l.Backup(t.Context(), filepath.Join(t.TempDir(), "b.db"))
	_, _, compact := l.Compact(t.Context())
	for _, err := range []error{backup, compact} {
		if !errors.Is(err, fault.ErrOnServer) {
			t.Errorf("got %v", err)
		}
	}
	must(t, second(l.Extent(t.Context())))
}
