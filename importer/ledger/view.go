package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// To open a ledger is to write: its log, a newer schema, what the journal holds. Where the disk takes nothing any more, whoever only
// reads opens a copy of it, log and all, in a folder of its own elsewhere, which goes away when it is closed. So everything is read
// as it was committed, by the same code, and the ledger stays as it is.

const (
	// room is what a disk must have left for a plan to be written into the ledger itself, in bytes.
	room = 1 << 20
	// copyTries is how often a ledger is copied anew because somebody wrote to it meanwhile.
	copyTries = 5
)

// OpenView opens a ledger for reading. If it is an SQLite ledger that cannot be written, it opens a copy, in which nothing can be
// changed: what asks for that is an error. With scratch the copy takes changes, which are gone with it: for plans.
func OpenView(ctx context.Context, dsn string, trust Trust, scratch bool) (*Ledger, error) {
	l, err := OpenTrusting(ctx, dsn, trust)
	if err == nil {
		if err = l.writable(ctx, scratch); err == nil {
			return l, nil
		}
		err = errors.Join(l.wrap("open", err), l.Close())
	}
	engine, wrong := engineFor(dsn, trust)
	e, ok := engine.(*sqliteEngine)
	if wrong != nil || !ok || !takesNothing(err) {
		return nil, err
	}
	if _, missing := os.Stat(e.path); missing != nil {
		return nil, err
	}
	if e, err = copyOf(ctx, e.path, err); err != nil {
		return nil, err
	}
	return openCopy(ctx, e, scratch)
}

// writable makes sure that a ledger can be read as it is: the journal is folded, and a plan finds room.
func (l *Ledger) writable(ctx context.Context, scratch bool) error {
	if err := l.read.fresh(ctx); err != nil {
		return err
	}
	if e, ok := l.engine.(*sqliteEngine); ok && scratch {
		return e.prove()
	}
	return nil
}

// prove makes sure that there is room beside the ledger.
func (e *sqliteEngine) prove() error {
	probe, err := os.CreateTemp(filepath.Dir(e.path), ".probe-*")
	if err != nil {
		return err
	}
	_, err = probe.Write(make([]byte, room))
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// View is why the ledger is a copy that is read in its place, nil where it is the ledger itself.
func (l *Reader) View() error {
	if e, ok := l.engine.(*sqliteEngine); ok {
		return e.unwritable
	}
	return nil
}

// Taken is when the copy was taken that is read in place of the ledger, zero where it is the ledger itself.
func (l *Reader) Taken() time.Time {
	if e, ok := l.engine.(*sqliteEngine); ok {
		return e.taken
	}
	return time.Time{}
}

// Reading is what to read in place of a ledger at the moment, for whoever reads for long: the ledger itself or, while its disk takes
// nothing, a copy, which takes changes that are gone with it. last is what was read before, the ledger or a copy of it, and goes on
// being read where nothing has changed since. A copy is given up for the ledger when that has room again. Closing what is no longer
// read is up to the caller.
func (l *Ledger) Reading(ctx context.Context, last *Ledger) (*Ledger, error) {
	e, ok := l.engine.(*sqliteEngine)
	if !ok {
		return l, nil
	}
	why := e.unwritable
	if why == nil {
		why = l.wrap("read", l.writable(ctx, last.View() != nil))
	}
	if why == nil {
		return l, nil
	}
	read, ok := last.engine.(*sqliteEngine)
	if !takesNothing(why) || ok && read.of != "" && read.of == stateOf(e.label()) {
		return last, nil
	}
	copied, err := copyOf(ctx, e.label(), why)
	if err != nil {
		return nil, err
	}
	return openCopy(ctx, copied, true)
}

// stateOf is another text when the files of a ledger have changed.
func stateOf(path string) (state string) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			state += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		}
	}
	return state
}

// copyOf copies a ledger to where there is room.
func copyOf(ctx context.Context, path string, why error) (*sqliteEngine, error) {
	var problems []error
	for _, where := range []string{os.TempDir(), "/dev/shm"} {
		dir, err := os.MkdirTemp(where, "docketsync-ledger-*")
		if err == nil {
			e := &sqliteEngine{path: filepath.Join(dir, "ledger.db"), original: path, unwritable: why, of: stateOf(path), taken: time.Now()}
			if err = copyWithLog(ctx, path, e.path); err == nil {
				return e, nil
			}
			err = errors.Join(err, e.close())
		}
		problems = append(problems, err)
	}
	return nil, fmt.Errorf("%w\nTo read it all the same, have the environment variable TMPDIR name a folder with room for a copy of the ledger: %v", why, errors.Join(problems...))
}

func openCopy(ctx context.Context, e *sqliteEngine, scratch bool) (*Ledger, error) {
	l, err := openOn(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := l.read.fresh(ctx); err != nil {
		return nil, errors.Join(l.wrap("open", err), l.Close())
	}
	if !scratch {
		l.writer.sealed = e.unwritable
	}
	return l, nil
}

// takesNothing tells that a ledger cannot be opened, or not for writing, because its disk takes nothing.
func takesNothing(err error) bool { return errors.Is(err, ErrReadOnly) || errors.Is(err, ErrFull) }

// copyWithLog copies the file and then its log. Nobody may have changed them in between, but for adding to the log.
func copyWithLog(ctx context.Context, from, to string) error {
	for range copyTries {
		before, err := os.Stat(from)
		if err != nil {
			return err
		}
		err = errors.Join(copyFile(from, to), copyFile(from+"-wal", to+"-wal"))
		if errors.Is(err, fs.ErrNotExist) { // it had no log
			err = os.WriteFile(to+"-wal", nil, 0o600)
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		after, err := os.Stat(from)
		if err != nil {
			return err
		}
		if after.ModTime().Equal(before.ModTime()) && time.Since(after.ModTime()) > time.Millisecond {
			return nil
		}
	}
	return errors.New("it is being written at the moment: try again")
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
