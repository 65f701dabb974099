package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/store"
)

var integrityCases = cases{
	"what is to be created is looked for in what is known": whatIsToBeCreatedIsLookedForInWhatIsKnown,
	"what is known is not read once for each create":       whatIsKnownIsNotReadOnceForEachCreate,
}

// damaged returns a ledger in which a case was created. One bit was then flipped in the index of what is known, so that
// a search for the case's key does not find it.
func damaged(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ledger.db")
	l, err := Open(t.Context(), path)
	must(t, err)
	begin(t, l, "1")
	add(t, l, planned("1", 1, "M-00001"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, ServiceID: "id"})
	same(t, known(t, l, "M-00001").ServiceID, "id")
	var root int64
	must(t, l.h.Read.QueryRowContext(t.Context(), `select rootpage from sqlite_master where name = 'sqlite_autoindex_known_1'`).Scan(&root))
	must(t, l.Close())
	text, err := os.ReadFile(path)
	must(t, err)
	const page = 4096
	at := bytes.LastIndex(text[(root-1)*page:root*page], []byte("M-00001"))
	if at < 0 {
		t.Fatal("the key is not in the index")
	}
	text[(root-1)*page+int64(at)+2] ^= 1
	must(t, os.WriteFile(path, text, 0o600))
	return path
}

func TestCreateThatADamagedIndexHidesIsNotPlannedAgain(t *testing.T) {
	t.Parallel()
	path := damaged(t)
	l := open(t, path)
	same(t, known(t, l, "M-00001"), history.LastAccepted{}) // as the index says
	begin(t, l, "2")
	add(t, l, planned("2", 1, "M-00002"))
	must(t, l.CreatesAreNew(t.Context(), "2"))
	add(t, l, planned("2", 2, "M-00001"))
	advice(t, l.CreatesAreNew(t.Context(), "2"), fault.ErrCorrupt, "M-00001", "ledger check")
	_, err := l.Backup(t.Context(), filepath.Join(t.TempDir(), "backup.db"))
	advice(t, err, fault.ErrCorrupt, "check found damage")
	found, err := Damage(t.Context(), path)
	must(t, err)
	if len(found) == 0 {
		t.Error("the check found nothing")
	}
}

func TestLedgerThatWasNotClosedIsLookedThrough(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	begin(t, l, "1")
	var batch []Record
	for n := range 2000 {
		batch = append(batch, planned("1", int64(n+1), strings.Repeat("key ", 20)+string(rune('a'+n))))
	}
	add(t, l, batch...)
	second := open(t, path) // while somebody else has it open, the log says nothing
	must(t, second.h.Read.One(t.Context(), `select 1 from runs`, nil, new(int)))
	must(t, second.Close())
	must(t, l.Close())
	sound := func(want bool) {
		t.Helper()
		l, err := Open(t.Context(), path)
		if want {
			must(t, err)
			must(t, l.Close())
			return
		}
		advice(t, err, fault.ErrCorrupt)
	}
	sound(true)
	text, err := os.ReadFile(path)
	must(t, err)
	for at := len(text) / 2; at < len(text)/2+4096; at++ {
		text[at] = 0xff
	}
	must(t, os.WriteFile(path, text, 0o600))
	sound(true) // it was closed cleanly, and nobody looks
	must(t, os.WriteFile(path+"-wal", []byte("left by a crash"), 0o600))
	sound(false)
	found, err := Damage(context.Background(), path)
	must(t, err)
	if len(found) == 0 {
		t.Error("the check found nothing")
	}
}

func whatIsToBeCreatedIsLookedForInWhatIsKnown(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"))
	must(t, l.CreatesAreNew(t.Context(), "1"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	must(t, l.CreatesAreNew(t.Context(), "1"))
	begin(t, l, "2")
	add(t, l, planned("2", 1, "b"))
	must(t, l.CreatesAreNew(t.Context(), "2"))
	add(t, l, planned("2", 2, "a"))
	advice(t, l.CreatesAreNew(t.Context(), "2"), fault.ErrCorrupt)
}

func whatIsKnownIsNotReadOnceForEachCreate(t *testing.T, l *Ledger) {
	explain := "explain "
	if !l.h.Engine.Dialect().Remote {
		explain = "explain query plan "
	}
	plan, err := store.All(l.h.Read.Asking(t.Context()), func(rows *sql.Rows) (line string, err error) {
		columns, err := rows.Columns()
		must(t, err)
		into := []any{new(any), new(any), new(any), &line}
		return line, rows.Scan(into[4-len(columns):]...)
	}, explain+l.selectCreated(), 1)
	must(t, err)
	text := strings.Join(plan, "\n")
	if strings.Contains(text, "Nested Loop") || !l.h.Engine.Dialect().Remote && !strings.Contains(text, "SEARCH r USING INDEX records_by_key (run_no=? AND key=?)") {
		t.Errorf("it is:\n%s", text)
	}
}
