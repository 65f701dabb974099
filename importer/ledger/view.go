package ledger

import (
	"context"
	"errors"
	"os"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/sqlite"
)

// Opening a ledger writes to it: a log, a newer schema. If the disk is read-only or full, a caller that only reads
// opens a copy of it, log included, in a folder of its own elsewhere, which is removed on close. So everything is read
// as it was committed, by the same code, and the ledger stays as it is.

// OpenView opens a ledger for reading. If an SQLite ledger cannot be written, it opens a copy in which nothing can be
// changed: trying to is an error. With scratch the copy accepts changes, for plans, and loses them on close.
func OpenView(ctx context.Context, dsn string, trust postgres.Trust, scratch bool) (*Ledger, error) {
	l, err := OpenTrusting(ctx, dsn, trust)
	if err == nil {
		if err = l.writable(scratch); err == nil {
			return l, nil
		}
		err = errors.Join(l.h.Wrap("open", err), l.Close())
	}
	engine, wrong := engineFor(dsn, trust)
	e, ok := engine.(*sqlite.Engine)
	if wrong != nil || !ok || !takesNothing(err) {
		return nil, err
	}
	if _, missing := os.Stat(e.Path); missing != nil {
		return nil, err
	}
	if e, err = sqlite.CopyOf(ctx, e.Path, err); err != nil {
		return nil, err
	}
	return openCopy(ctx, e, scratch)
}

var errNotCopied = errors.New("a copy of it could not be made")

// OpenCopy opens a copy of an SQLite ledger and leaves the ledger as it is, also one of an older release. The copy goes when
// it is closed.
func OpenCopy(ctx context.Context, path string) (*Ledger, error) {
	e, err := sqlite.CopyOf(ctx, path, errNotCopied) // the ledger itself may well be written
	if err != nil {
		return nil, err
	}
	return openCopy(ctx, e, false)
}

// writable makes sure that a plan finds room.
func (l *Ledger) writable(scratch bool) error {
	if e, ok := l.h.Engine.(*sqlite.Engine); ok && scratch {
		return e.Prove()
	}
	return nil
}

// View returns why a copy is read instead of the ledger, or nil if it is the ledger itself.
func (l *Reader) View() error {
	if e, ok := l.h.Engine.(*sqlite.Engine); ok {
		return e.Unwritable
	}
	return nil
}

// Taken returns when the copy was taken that is read instead of the ledger, or the zero time if it is the ledger
// itself.
func (l *Reader) Taken() time.Time {
	if e, ok := l.h.Engine.(*sqlite.Engine); ok {
		return e.Taken
	}
	return time.Time{}
}

// Reading returns what to read at the moment, for callers that read for a long time: the ledger itself or, while its
// disk is read-only or full, a copy, whose changes are lost on close. last is what was read before, the ledger or a
// copy of it; it is returned again if nothing has changed since. When the ledger has room again, Reading returns it
// instead of the copy. The caller closes what it no longer reads.
func (l *Ledger) Reading(ctx context.Context, last *Ledger) (*Ledger, error) {
	e, ok := l.h.Engine.(*sqlite.Engine)
	if !ok {
		return l, nil
	}
	why := e.Unwritable
	if why == nil {
		why = l.h.Wrap("read", l.writable(last.View() != nil))
	}
	if why == nil {
		return l, nil
	}
	read, ok := last.h.Engine.(*sqlite.Engine)
	if !takesNothing(why) || ok && read.Current() {
		return last, nil
	}
	copied, err := sqlite.CopyOf(ctx, e.Label(), why)
	if err != nil {
		return nil, err
	}
	return openCopy(ctx, copied, true)
}

func openCopy(ctx context.Context, e *sqlite.Engine, scratch bool) (*Ledger, error) {
	l, err := openOn(ctx, e)
	if err != nil {
		return nil, err
	}
	if !scratch {
		l.w.Store.Seal(e.Unwritable)
	}
	return l, nil
}

// takesNothing reports whether a ledger cannot be opened, or not for writing, because its disk is read-only or full.
func takesNothing(err error) bool {
	return errors.Is(err, fault.ErrReadOnly) || errors.Is(err, fault.ErrFull)
}
