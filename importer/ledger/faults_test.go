package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// ledgerFile is a ledger with one planned record, closed again.
func ledgerFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := Open(t.Context(), path)
	must(t, err)
	beginAs(t, l, "1", Push, Pushing)
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	must(t, l.Close())
	return path
}

// advice checks that an error is of a kind, names the ledger and says what to do.
func advice(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	var trouble *fault.Error
	if !errors.Is(err, kind) || !errors.As(err, &trouble) || trouble.Hint == "" {
		t.Fatalf("got %v, want %v with advice", err, kind)
	}
	for _, word := range append(words, trouble.Ledger, trouble.Hint) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
}

func TestOpenMakesTheFolderAndKeepsOthersOut(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "file:"} {
		path := filepath.Join(t.TempDir(), "not there", "yet %41?#", "ledger.db")
		if prefix != "" {
			path = filepath.Join(t.TempDir(), "not there", "yet %41", "ledger.db")
		}
		l := open(t, prefix+path)
		begin(t, l, "1")
		for _, name := range []string{path, path + "-wal"} {
			info, err := os.Stat(name)
			must(t, err)
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s may be read by others: %v", name, info.Mode())
			}
		}
	}
}

func TestOpenRefusesWhatIsNoLedger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "matters.csv")
	must(t, os.WriteFile(text, bytes.Repeat([]byte("number,name\n"), 1000), 0o600))
	short := filepath.Join(dir, "short")
	must(t, os.WriteFile(short, []byte("x"), 0o600))
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	must(t, err)
	_, err = db.Exec("create table cases (id text)")
	must(t, err)
	must(t, db.Close())
	broken := filepath.Join(dir, "broken.db")
	must(t, os.WriteFile(broken, append([]byte("SQLite format 3\x00"), bytes.Repeat([]byte{7}, 8192)...), 0o600))
	for _, path := range []string{text, short, other, broken} {
		before, err := os.ReadFile(path)
		must(t, err)
		_, err = Open(t.Context(), path)
		advice(t, err, fault.ErrCorrupt, path)
		after, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s was written to", path)
		}
	}
	for _, dsn := range []string{"", "file:", ":memory:", "mysql://user:s3cret-word@host/db", "file:a.db?_pragma=x", "host=h password=s3cret-word dbname=d", "postgres://user:s3cret-word@host:notaport/db"} {
		if l, err := Open(t.Context(), dsn); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v %v", dsn, l, err)
		}
	}
}

func TestOpenRefusesANewerLedger(t *testing.T) {
	t.Parallel()
	refuses := func(t *testing.T, dsn string) {
		l, err := Open(t.Context(), dsn)
		must(t, err)
		must(t, l.do(t.Context(), false, func(tx *transaction) error {
			_, err := tx.Exec(`insert into ` + store.VersionTable + ` (version_id, is_applied) values (9999, true)`)
			return err
		}))
		must(t, l.Close())
		_, err = Open(t.Context(), dsn)
		advice(t, err, fault.ErrNewer, "9999")
	}
	t.Run("sqlite", func(t *testing.T) { refuses(t, ledgerFile(t)) })
	t.Run("postgres", func(t *testing.T) { refuses(t, ledgertest.Shared(t).Database(t)) })
}

func TestLockRefusesALedgerThatANewerDocketsyncHasOpenedSince(t *testing.T) {
	t.Parallel()
	refuses := func(t *testing.T, dsn string) {
		l := open(t, dsn)
		release, err := l.Lock(t.Context(), "matters")
		must(t, err)
		must(t, release())
		must(t, l.do(t.Context(), false, func(tx *transaction) error {
			_, err := tx.Exec(`insert into ` + store.VersionTable + ` (version_id, is_applied) values (9999, true)`)
			return err
		}))
		for range 2 { // the lock that was refused is free again
			_, err = l.Lock(t.Context(), "matters")
			advice(t, err, fault.ErrNewer, "9999", "lock matters")
		}
	}
	t.Run("sqlite", func(t *testing.T) { refuses(t, ledgerFile(t)) })
	t.Run("postgres", func(t *testing.T) { refuses(t, ledgertest.Shared(t).Database(t)) })
}

func TestOpenAtOnceMakesOneLedger(t *testing.T) {
	t.Parallel()
	opens := func(t *testing.T, dsn string) {
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				l, err := Open(t.Context(), dsn)
				if err != nil {
					t.Error(err)
					return
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	t.Run("sqlite", func(t *testing.T) { opens(t, filepath.Join(t.TempDir(), "ledger.db")) })
	t.Run("postgres", func(t *testing.T) { opens(t, ledgertest.Shared(t).Database(t)) })
}

func TestFullDiskStopsCommitsUntilTheNextLock(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"))
	send(t, l, "1", 1)
	limit := func(pages string) {
		must(t, l.do(t.Context(), true, func(*transaction) error { return nil }))
		_, err := l.w.Store.Connection().ExecContext(t.Context(), "pragma max_page_count = "+pages)
		must(t, err)
	}
	limit("1")
	big := Outcome{Run: "1", Seq: 1, State: Accepted, ServiceID: "id", At: noon, Attempts: []Attempt{{Started: noon, Answer: strings.Repeat("x", 100000)}}}
	group := []*commit{}
	for _, intents := range [][]Intent{nil, {{Run: "1", Seq: 2}}} {
		c, err := l.newCommit(t.Context(), []Outcome{big}[:1-len(intents)], intents)
		must(t, err)
		group = append(group, c)
	}
	l.commitGroup(&l.locked, group)
	for _, c := range group {
		advice(t, <-c.answer, fault.ErrFull, "run again: everything acknowledged is kept")
	}
	limit("1000000")
	state(t, l, "1", 1, Sending)
	state(t, l, "1", 2, Planned)
	err := l.Commit(t.Context(), []Outcome{big}, nil)
	advice(t, err, fault.ErrStopped, "full")
	release, err := l.Lock(t.Context(), "matters")
	must(t, err)
	defer release()
	must(t, l.Commit(t.Context(), []Outcome{big}, []Intent{{Run: "1", Seq: 2}}))
	state(t, l, "1", 1, Accepted)
	state(t, l, "1", 2, Sending)
}

func TestAnotherProgramThatKeepsWritingIsNamedAsTheCause(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	l := open(t, path)
	l.w.Store.Impatient(10 * time.Millisecond)
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	must(t, err)
	defer other.Close()
	tx, err := other.Begin()
	must(t, err)
	advice(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 1}}), fault.ErrLocked, "Close the program")
	_, err = l.Known(t.Context(), "create_case", []string{"a"}) // reading goes on
	must(t, err)
	must(t, tx.Rollback())
	release, err := l.Lock(t.Context(), "matters")
	must(t, err)
	defer release()
	send(t, l, "1", 1)
}

func TestOpenDoesNotWaitForAnotherWriter(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	l := open(t, path)
	must(t, l.do(t.Context(), false, func(tx *transaction) error {
		if _, err := tx.Exec(`update runs set stop = 'x'`); err != nil {
			return err
		}
		other, err := Open(t.Context(), path)
		if err != nil {
			return err
		}
		run, err := other.Run(t.Context(), "1")
		must(t, err)
		same(t, run.Stop, "")
		return other.Close()
	}))
}

func TestWaitingForAnotherProgramEndsWithTheContext(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	l := open(t, path)
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	must(t, err)
	defer other.Close()
	tx, err := other.Begin()
	must(t, err)
	defer tx.Rollback()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := l.Hold(ctx, "1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if waited := time.Since(began); waited > store.LockPatience/2 {
		t.Errorf("waited %v", waited)
	}
}

func TestDamagedLedgerIsNamed(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	data, err := os.ReadFile(path)
	must(t, err)
	for at := 4096; at < len(data); at++ {
		data[at] = 0xAA
	}
	must(t, os.WriteFile(path, data, 0o600))
	l, err := Open(t.Context(), path)
	if err == nil {
		_, err = l.Runs(t.Context(), RunFilter{})
		must(t, l.Close())
	}
	advice(t, err, fault.ErrCorrupt, "backup")
}

func TestLockIsSeenByAnotherLedger(t *testing.T) {
	t.Parallel()
	seen := func(t *testing.T, dsn string) {
		a, b := open(t, dsn), open(t, dsn)
		release, err := a.Lock(t.Context(), "matters")
		must(t, err)
		_, err = b.Lock(t.Context(), "matters")
		var busy *fault.BusyError
		if !errors.As(err, &busy) || busy.Holder.PID != os.Getpid() || time.Since(busy.Holder.Since).Abs() > time.Hour {
			t.Fatalf("got %v", err)
		}
		if host, _ := os.Hostname(); !strings.Contains(err.Error(), host) {
			t.Errorf("%q does not name the holder's machine", err)
		}
		must(t, release())
		release, err = b.Lock(t.Context(), "matters")
		must(t, err)
		must(t, release())
	}
	t.Run("sqlite", func(t *testing.T) { seen(t, filepath.Join(t.TempDir(), "ledger.db")) })
	t.Run("postgres", func(t *testing.T) { seen(t, ledgertest.Shared(t).Database(t)) })
}

func TestAdviceNamesTheFolderOfALedgerWithoutOne(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	must(t, err)
	e, err := sqlite.New("docketsync.db")
	must(t, err)
	if hint, _ := e.Judge(fs.ErrPermission); !strings.Contains(hint, here) {
		t.Errorf("%q does not name %s", hint, here)
	}
}
