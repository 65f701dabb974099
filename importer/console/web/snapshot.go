package web

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/moment"
)

// lookEvery is how often, at most, the console checks whether the ledger can be written again, and whether the copy
// that is read in its place still equals the ledger.
const lookEvery = 3 * time.Second

// Snapshots are what pages read: the ledger or, while its disk is read-only or full, a copy of it that follows what
// others write there.
type Snapshots struct {
	reopen func(context.Context) (*ledger.Ledger, error)
	log    *zap.Logger

	looking sync.Mutex // held by whoever finds out what to read; others read what there is
	looked  time.Time
	own     *ledger.Ledger // or the copy with which the console started
	opened  bool           // own was opened here

	mu     sync.Mutex
	latest *snapshot
}

// snapshot is what a request reads, until its end.
type snapshot struct {
	Book  *ledger.Ledger
	users int // including one for being the latest
}

// NewSnapshots returns what pages read of a ledger. If led is a copy because the disk is read-only or full
// (ledger.OpenView), reopen opens the ledger itself as soon as that is possible; Close closes what reopen returned.
func NewSnapshots(led *ledger.Ledger, reopen func(context.Context) (*ledger.Ledger, error), log *zap.Logger) *Snapshots {
	return &Snapshots{reopen: reopen, log: log, own: led, looked: time.Now(), latest: &snapshot{Book: led, users: 1}}
}

// take returns what a new request reads. The caller must give it back with Release.
func (s *Snapshots) take(ctx context.Context) *snapshot {
	if s.looking.TryLock() {
		if s.latest.Book.View() != nil && time.Since(s.looked) >= lookEvery {
			if err := s.look(ctx); err != nil {
				s.log.Error("the ledger could not be copied again; the pages show the last copy", zap.Error(err))
			}
		}
		s.looking.Unlock()
	}
	return s.Hold(ctx)
}

// insteadOf returns what to read in place of a ledger whose disk cannot be written.
func (s *Snapshots) insteadOf(ctx context.Context, book *ledger.Reader) (*snapshot, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if s.latest.Book.Reader == book {
		if err := s.look(ctx); err != nil {
			return nil, err
		}
	}
	return s.Hold(context.Background()), nil
}

// look finds out what to read from now on.
func (s *Snapshots) look(ctx context.Context) error {
	defer func() { s.looked = time.Now() }()
	ctx = context.WithoutCancel(ctx) // it serves all requests
	if s.own.View() != nil && s.reopen != nil {
		if own, err := s.reopen(ctx); err == nil {
			s.own, s.opened = own, true
		}
	}
	before := s.latest
	book, err := s.own.Reading(ctx, before.Book)
	if err != nil || book == before.Book {
		return err
	}
	if why := book.View(); why == nil {
		s.log.Info("the ledger can be written to again")
	} else if before.Book.View() == nil {
		s.log.Error("the ledger cannot be written to; the pages show a copy of it", zap.Error(why))
	}
	s.mu.Lock()
	s.latest = &snapshot{Book: book, users: 1}
	s.mu.Unlock()
	s.Release(before)
	return nil
}

// Hold returns what belongs to a context, or the latest, for one more user.
func (s *Snapshots) Hold(ctx context.Context) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	read, ok := ctx.Value(snapshotKey{}).(*snapshot)
	if !ok {
		read = s.latest
	}
	read.users++
	return read
}

// Release gives back what was read. A copy that nobody reads any more is removed.
func (s *Snapshots) Release(read *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if read.users--; read.users > 0 || read.Book.View() == nil {
		return
	}
	if err := read.Book.Close(); err != nil {
		s.log.Error("the copy of the ledger could not be removed", zap.Error(err))
	}
}

// Close releases what is read.
func (s *Snapshots) Close() (err error) {
	s.Release(s.latest)
	if s.opened {
		err = s.own.Close()
	}
	return err
}

type snapshotKey struct{}

// in is a context whose request reads the snapshot.
func (r *snapshot) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, snapshotKey{}, r)
}

// Book returns the ledger, or the copy of it, that the pages of a request read, limited to what the person may see; nil
// if ctx belongs to no request.
func Book(ctx context.Context) *ledger.Reader {
	if read, ok := ctx.Value(snapshotKey{}).(*snapshot); ok {
		return within(ctx, read.Book.Reader)
	}
	return nil
}

func within(ctx context.Context, book *ledger.Reader) *ledger.Reader {
	if jobs := jobsOf(ctx); jobs != nil {
		return book.Within(jobs)
	}
	return book
}

// jobsKey is the key in a context for the jobs that its person sees.
type jobsKey struct{}

// jobsOf returns the jobs that the person of a request sees, nil for all.
func jobsOf(ctx context.Context) []string {
	jobs, _ := ctx.Value(jobsKey{}).([]string)
	return jobs
}

// Sees reports whether the person of a request may know of a job.
func Sees(ctx context.Context, job string) bool {
	jobs := jobsOf(ctx)
	return jobs == nil || slices.Contains(jobs, job)
}

// SeesAll tells whether the person of a request may know of all jobs.
func SeesAll(ctx context.Context) bool { return jobsOf(ctx) == nil }

// Book is what the page reads, see Book.
func (r *Request) Book() *ledger.Reader { return within(r.Context(), r.frame.book(r.Context()).Reader) }

// book is what a page reads, to write in it what the console itself has to say.
func (f *Frame) book(ctx context.Context) *ledger.Ledger {
	if read, ok := ctx.Value(snapshotKey{}).(*snapshot); ok {
		return read.Book
	}
	f.Snapshots.mu.Lock()
	defer f.Snapshots.mu.Unlock()
	return f.Snapshots.latest.Book
}

// answer makes a page. Where the ledger cannot be read because its disk takes no writes, the page is made of a copy.
func (f *Frame) answer(r *Request, of route, p Page) error {
	book := f.book(r.Context()).Reader
	if book.View() != nil && r.Person.Role == signin.Operator {
		r.Person.Role = signin.Viewer // nothing can be done
	}
	err := p(r)
	if errors.Is(err, ledger.ErrNotFound) && of.Action == "" && r.Response.Header().Get("Content-Type") == "" {
		err = p(r) // a plan that it found was replaced by the next one before it was read
	}
	if !takesNoWrites(err) || book.View() != nil || of.Action != "" {
		return err
	}
	read, none := f.Snapshots.insteadOf(r.Context(), book)
	if none != nil {
		return none
	}
	defer f.Snapshots.Release(read)
	if read.Book.Reader == book || of.Needs.Acts() {
		return err
	}
	r.Request = r.WithContext(read.in(r.Context()))
	return f.answer(r, of, p)
}

func takesNoWrites(err error) bool {
	return errors.Is(err, fault.ErrFull) || errors.Is(err, fault.ErrReadOnly)
}

// alertOf says on every page that what it shows is a copy; "" where it is the ledger.
func alertOf(book *ledger.Reader) string {
	why := book.View()
	if why == nil {
		return ""
	}
	return noWrites(why) + " These pages show the ledger as of " + moment.Of(book.Taken()) + ". Nothing can be run or decided until this is fixed."
}

func noWrites(why error) string {
	reason := "read-only file system"
	switch {
	case errors.Is(why, fault.ErrFull):
		reason = "disk full"
	case errors.Is(why, fs.ErrPermission):
		reason = "no permission to write"
	}
	return "The ledger cannot be written to (" + reason + ")."
}

// wayOn is what to do about that.
const wayOn = "Free up space on the disk, or make it writable. The console then continues by itself; reload the page."
