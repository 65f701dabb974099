package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/sqlite"
)

// TestACopyThatIsReadSaysWhatTheLedgerSays reads a copy of a ledger whose last commits are only in its log. The copy
// accepts no change, except for a plan, and is gone once it is closed.
func TestACopyThatIsReadSaysWhatTheLedgerSays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, ServiceID: "x"})
	send(t, l, "1", 2)
	before, err := os.ReadFile(path + "-wal")
	must(t, err)
	for _, scratch := range []bool{false, true} {
		e, err := sqlite.CopyOf(t.Context(), path, &fault.Error{Ledger: path, Doing: "open", Kind: fault.ErrFull, Err: fault.ErrFull})
		must(t, err)
		view, err := openCopy(t.Context(), e, scratch)
		must(t, err)
		state(t, view, "1", 1, Accepted)
		state(t, view, "1", 2, Sending)
		if err := view.SetService(t.Context(), "another"); scratch == errors.Is(err, fault.ErrFull) {
			t.Errorf("with scratch %v, a change ended with %v", scratch, err)
		}
		if err := view.Commit(t.Context(), []Outcome{{Run: "1", Seq: 2, State: Accepted, At: noon}}, nil); !scratch && !errors.Is(err, fault.ErrFull) {
			t.Errorf("a commit ended with %v", err)
		}
		same(t, view.View() != nil, true)
		must(t, view.Close())
		if _, err := os.Stat(filepath.Dir(e.Path)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the copy is left: %v", err)
		}
	}
	after, err := os.ReadFile(path + "-wal")
	must(t, err)
	same(t, string(after) == string(before), true)
}

// A ledger that is only read from a copy is not said to be one that cannot be written if there is none.
func TestNoRoomForACopyIsNotALedgerThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := Open(t.Context(), path)
	must(t, err)
	must(t, l.Close())
	late, cancel := context.WithCancel(t.Context())
	cancel() // it cannot be copied in time, wherever to
	_, err = OpenCopy(late, path)
	if err == nil || errors.Is(err, fault.ErrReadOnly) || !strings.HasPrefix(err.Error(), "a copy of it could not be made\n") || !strings.Contains(err.Error(), "set the environment variable TMPDIR to a folder with enough space") {
		t.Errorf("the error is %v", err)
	}
}
