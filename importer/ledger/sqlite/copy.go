package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"docketsync/importer/ledger/fault"
)

const (
	// room is how much space, in bytes, a disk must have left for a plan to be written into the ledger itself.
	room = 1 << 20
	// copyTries is how often a ledger is copied again because somebody wrote to it meanwhile.
	copyTries = 5
)

// Current reports whether this is a copy of a ledger that has not changed since.
func (e *Engine) Current() bool { return e.of != "" && e.of == stateOf(e.original) }

// Prove makes sure that there is room beside the ledger.
func (e *Engine) Prove() error {
	probe, err := os.CreateTemp(filepath.Dir(e.Path), ".probe-*")
	if err != nil {
		return err
	}
	_, err = probe.Write(make([]byte, room))
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// stateOf returns a text that differs when the files of a ledger have changed.
func stateOf(path string) (state string) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			state += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		}
	}
	return state
}

// CopyOf copies a ledger to a place with room.
func CopyOf(ctx context.Context, path string, why error) (*Engine, error) {
	var problems []error
	for _, where := range []string{os.TempDir(), "/dev/shm"} {
		dir, err := os.MkdirTemp(where, "docketsync-ledger-*")
		if err == nil {
			e := &Engine{Path: filepath.Join(dir, "ledger.db"), original: path, Unwritable: why, of: stateOf(path), Taken: time.Now()}
			if err = copyWithLog(ctx, path, e.Path); err == nil {
				return e, nil
			}
			err = errors.Join(err, e.Close())
		}
		if unreadable, ok := errors.AsType[*fs.PathError](err); ok && strings.HasPrefix(unreadable.Path, path) { // wherever the copy is to be
			return nil, &fault.Error{Ledger: path, Doing: "read", Err: unreadable, Hint: "Give the user that runs docketsync the right to read the ledger (and the files -wal and -shm beside it), or run docketsync as their owner."}
		}
		problems = append(problems, err)
	}
	return nil, fmt.Errorf("%w\nTo read it anyway, set the environment variable TMPDIR to a folder with enough space for a copy of the ledger: %v", why, errors.Join(problems...))
}

// copyWithLog copies the file and then its log. Nobody may have changed them in between, except by adding to the log.
func copyWithLog(ctx context.Context, from, to string) error {
	for range copyTries {
		before, err := os.Stat(from)
		if err != nil {
			return err
		}
		if err = copyFile(from, to); err == nil {
			err = copyFile(from+"-wal", to+"-wal")
			if errors.Is(err, fs.ErrNotExist) { // it had no log
				err = os.WriteFile(to+"-wal", nil, 0o600)
			}
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
	return errors.New("it is being written: try again")
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
