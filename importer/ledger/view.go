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

// To open a ledger is to write: its log, a newer schema. Where the disk takes nothing any more, whoever only
// reads opens a copy of it, log and all, in a folder of its own elsewhere, which goes away when it is closed. So everything is read
// as it was committed, by the same code, and the ledger stays as it is.

// OpenView opens a ledger for reading. If it is an SQLite ledger that cannot be written, it opens a copy, in which nothing can be
// changed: what asks for that is an error. With scratch the copy takes changes, which are gone with it: for plans.
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

// writable makes sure that a plan finds room.
func (l *Ledger) writable(scratch bool) error {
	if e, ok := l.h.Engine.(*sqlite.Engine); ok && scratch {
		return e.Prove()
	}
	return nil
}

// View is why the ledger is a copy that is read in its place, nil where it is the ledger itself.
func (l *Reader) View() error {
	if e, ok := l.h.Engine.(*sqlite.Engine); ok {
		return e.Unwritable
	}
	return nil
}

// Taken is when the copy was taken that is read in place of the ledger, zero where it is the ledger itself.
func (l *Reader) Taken() time.Time {
	if e, ok := l.h.Engine.(*sqlite.Engine); ok {
		return e.Taken
	}
	return time.Time{}
}

// Reading is what to read in place of a ledger at the moment, for whoever reads for long: the ledger itself or, while its disk takes
// nothing, a copy, which takes changes that are gone with it. last is what was read before, the ledger or a copy of it, and goes on
// being read where nothing has changed since. A copy is given up for the ledger when that has room again. Closing what is no longer
// read is up to the caller.
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

// takesNothing tells that a ledger cannot be opened, or not for writing, because its disk takes nothing.
func takesNothing(err error) bool {
	return errors.Is(err, fault.ErrReadOnly) || errors.Is(err, fault.ErrFull)
}
