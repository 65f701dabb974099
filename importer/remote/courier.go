package remote

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v4"
	"go.uber.org/zap"
)

// Courier carries files from and to one remote.
type Courier struct {
	// Name is what the configuration calls the remote.
	Name   string
	Server Server
	// Limit is the largest size in bytes of a file to fetch.
	Limit int64
	// Tries is how often a file is tried in all. FirstDelay is the wait before the second try; it grows from there to
	// MaxDelay.
	Tries      int
	FirstDelay time.Duration
	MaxDelay   time.Duration
	// Still is how long a recently written file must stay unchanged before it is fetched, because somebody may still be
	// writing it. 0 fetches at once.
	Still time.Duration
	Log   *zap.Logger
}

// Fetched is a file that was fetched.
type Fetched struct {
	Path     string // here
	Address  string // there, as the configuration writes it
	Size     int64
	Modified time.Time // when it was last written there
}

// Fetch fetches the file at path into a folder of this machine (see Reserve), which then holds only that file. The last
// part of the path may be a pattern with * and ?: then the file that was written last is fetched. The error is an
// *Error, or the context's; in that case the folder keeps what it had.
func (c *Courier) Fetch(ctx context.Context, path, folder string) (fetched Fetched, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fetched, err
	}
	err = c.retry(ctx, path, func(ctx context.Context, s store) error {
		e, err := c.find(ctx, s, path)
		if err != nil {
			return err
		}
		fetched = Fetched{Path: filepath.Join(folder, localName(e.path)), Address: c.Name + ":" + shown(e.path), Size: e.size, Modified: e.modified}
		return moved(c.bring(ctx, s, e, fetched.Path))
	})
	if err != nil {
		return Fetched{}, err
	}
	return fetched, keepOnly(folder, fetched.Path)
}

// Look signs in, and finds the file that Fetch would bring from path; if path is "", it only signs in.
func (c *Courier) Look(ctx context.Context, path string) (found Fetched, err error) {
	err = c.retry(ctx, path, func(ctx context.Context, s store) error {
		if path == "" {
			return nil
		}
		e, err := c.find(ctx, s, path)
		found = Fetched{Address: c.Name + ":" + shown(e.path), Size: e.size, Modified: e.modified}
		return err
	})
	return found, err
}

// find returns the file that a path or pattern names, as it is now.
func (c *Courier) find(ctx context.Context, s store, path string) (entry, error) {
	dir, name, literal, wild := pattern(path)
	if !wild {
		return s.stat(ctx, path)
	}
	files, err := s.list(ctx, dir, literal)
	if err != nil {
		return entry{}, err
	}
	e, rivals, err := newest(files, name, time.Now())
	if err == nil && len(rivals) > 0 {
		err = copies(ctx, s, e, rivals, c.Limit)
	}
	if err != nil {
		return entry{}, err
	}
	e, err = s.stat(ctx, e.path)
	return e, moved(err)
}

// clockError is by how much the clock of a server may be behind: one that takes its local time for UTC is behind by up
// to 12 hours.
const clockError = 12 * time.Hour

// settled waits until it is known that a recently written file has stayed as it is, unless it was fetched to a path of
// this machine before.
func (c *Courier) settled(ctx context.Context, s store, e entry, to string) error {
	if e.whole || time.Since(e.modified) >= clockError {
		return nil
	}
	if here, err := os.Stat(to); err == nil && here.Size() == e.size && here.ModTime().Equal(e.modified) {
		return nil
	}
	cmp.Or(c.Log, zap.NewNop()).Warn("waiting, as the file may still be written to", zap.String("remote", c.Name), zap.String("file", e.path), zap.Duration("wait", c.Still))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(c.Still):
	}
	return unchanged(ctx, s, e, "the file is being written to")
}

// unchanged compares a file with what it was before.
func unchanged(ctx context.Context, s store, e entry, otherwise string) error {
	after, err := s.stat(ctx, e.path)
	if err == nil && !after.sameAs(e) {
		return written(otherwise)
	}
	return err
}

// bring fetches a file to a path of this machine. It appears there whole or not at all.
func (c *Courier) bring(ctx context.Context, s store, e entry, to string) (err error) {
	if e.size > c.Limit {
		return &Error{What: "the file is larger than the limit of this remote", Hint: "If it is what it should be, raise max_size of the remote in the configuration."}
	}
	if err := c.settled(ctx, s, e, to); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(to), ".fetching-*")
	if err != nil {
		return kept(err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name()) // it is hidden, and the next fetch removes it otherwise
		}
	}()
	counted := &counter{limit: e.size}
	writers := []io.Writer{counted, keeper{part}}
	for _, sum := range e.sums {
		writers = append(writers, sum.hash)
	}
	err = s.fetch(ctx, e, io.MultiWriter(writers...))
	if err = errors.Join(err, kept(part.Sync()), kept(part.Close())); err != nil {
		return err
	}
	if err := agrees(e, counted.n); err != nil {
		return err
	}
	if err := unchanged(ctx, s, e, "the file was written to while it was fetched"); err != nil {
		return err
	}
	return kept(errors.Join(os.Chtimes(part.Name(), e.modified, e.modified), os.Rename(part.Name(), to)))
}

// keeper writes to this machine, and marks its errors as not the server's.
type keeper struct{ file *os.File }

func (k keeper) Write(p []byte) (int, error) {
	n, err := k.file.Write(p)
	return n, kept(err)
}

func kept(err error) error {
	if err == nil {
		return nil
	}
	return &Error{What: "the file cannot be saved on this machine", Err: err, Hint: "Check the space on the disk and the permissions of the folder."}
}

// agrees compares what arrived with what the server said.
func agrees(e entry, n int64) error {
	if n != e.size {
		return disagreement("%d bytes arrived of %d", n, e.size)
	}
	for _, sum := range e.sums {
		if got := sum.text(sum.hash.Sum(nil)); got != sum.want {
			return disagreement("its %s is %s, the server keeps %s", sum.name, got, sum.want)
		}
	}
	return nil
}

// counter counts what is written through it, and refuses more than the server announced.
type counter struct{ n, limit int64 }

func (c *counter) Write(p []byte) (int, error) {
	if c.n += int64(len(p)); c.n > c.limit {
		return 0, written("the file grew while it was fetched")
	}
	return len(p), nil
}

// retry runs do with a new connection until it succeeds, cannot succeed, or was tried often enough.
func (c *Courier) retry(ctx context.Context, path string, do func(context.Context, store) error) error {
	waits := backoff.NewExponentialBackOff(backoff.WithInitialInterval(c.FirstDelay), backoff.WithMaxInterval(c.MaxDelay), backoff.WithMaxElapsedTime(0))
	limited := backoff.WithContext(backoff.WithMaxRetries(waits, uint64(max(c.Tries-1, 0))), ctx)
	once := func() error {
		s, err := c.Server.connect(ctx)
		if err == nil {
			err = do(ctx, s)
			_ = s.close() // all that was written has been compared
		}
		if e, told := errors.AsType[*Error](err); told && !e.passes || err != nil && ctx.Err() != nil {
			return backoff.Permanent(err)
		}
		return err
	}
	log := cmp.Or(c.Log, zap.NewNop())
	err := backoff.RetryNotify(once, limited, func(err error, wait time.Duration) {
		log.Warn("trying a remote again", zap.String("remote", c.Name), zap.Error(err), zap.Duration("wait", wait))
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return at(err, c.Name+":"+path)
}

// keepOnly removes from a folder what earlier fetches left.
func keepOnly(folder, path string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if at := filepath.Join(folder, e.Name()); at != path && !e.IsDir() {
			err = errors.Join(err, os.Remove(at))
		}
	}
	return err
}

// Upload copies the files of a local folder into a folder of the remote, which it creates if it is missing. Files of
// the same name are replaced. The error is an *Error, or the context's.
func (c *Courier) Upload(ctx context.Context, folder, to string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		there := path.Join(to, e.Name())
		err := c.retry(ctx, there, func(ctx context.Context, s store) error { return put(ctx, s, filepath.Join(folder, e.Name()), there) })
		if err != nil {
			return err
		}
	}
	return nil
}

func put(ctx context.Context, s store, from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return &Error{What: "the file to be copied there cannot be read", Err: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return &Error{What: "the file to be copied there cannot be read", Err: err}
	}
	if err := s.put(ctx, to, file, info.Size()); err != nil {
		return err
	}
	there, err := s.stat(ctx, to)
	if err == nil && there.size != info.Size() {
		err = disagreement("%d bytes of %d are there", there.size, info.Size())
	}
	return err
}
