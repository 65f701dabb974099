package console

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// lookEvery is how often, at most, it is found out whether the disk of the ledger takes writes again, and whether what is read in its
// place is still what the ledger says.
const lookEvery = 3 * time.Second

// readings are what pages read: the ledger or, while its disk takes no writes, a copy of it that follows what others write there.
type readings struct {
	reopen func(context.Context) (*ledger.Ledger, error)
	log    *zap.Logger

	looking sync.Mutex // held by who finds out what to read; everybody else reads what there is
	looked  time.Time
	own     *ledger.Ledger // or the copy with which the console was started
	opened  bool           // own was opened here

	mu     sync.Mutex
	latest *reading
}

// reading is what a request reads, until its end.
type reading struct {
	book  *ledger.Ledger
	users int // with one as long as it is the latest
}

func newReadings(o Options) *readings {
	return &readings{reopen: o.Reopen, log: o.Log, own: o.Ledger, looked: time.Now(), latest: &reading{book: o.Ledger, users: 1}}
}

// take is what a request reads that begins. It is to be given back by done.
func (r *readings) take(ctx context.Context) *reading {
	if r.looking.TryLock() {
		if r.latest.book.View() != nil && time.Since(r.looked) >= lookEvery {
			if err := r.look(ctx); err != nil {
				r.log.Error("the ledger could not be copied anew; the pages show it as it was", zap.Error(err))
			}
		}
		r.looking.Unlock()
	}
	return r.hold(ctx)
}

// insteadOf is what to read instead of a ledger whose disk takes no writes.
func (r *readings) insteadOf(ctx context.Context, book *ledger.Ledger) (*reading, error) {
	r.looking.Lock()
	defer r.looking.Unlock()
	if r.latest.book == book {
		if err := r.look(ctx); err != nil {
			return nil, err
		}
	}
	return r.hold(context.Background()), nil
}

// look finds out what to read from now on.
func (r *readings) look(ctx context.Context) error {
	defer func() { r.looked = time.Now() }()
	ctx = context.WithoutCancel(ctx) // it is for all who come
	if r.own.View() != nil && r.reopen != nil {
		if own, err := r.reopen(ctx); err == nil {
			r.own, r.opened = own, true
		}
	}
	before := r.latest
	book, err := r.own.Reading(ctx, before.book)
	if err != nil || book == before.book {
		return err
	}
	if why := book.View(); why == nil {
		r.log.Info("the disk of the ledger takes writes again")
	} else if before.book.View() == nil {
		r.log.Error("the disk of the ledger takes no writes: the pages show a copy of it", zap.Error(why))
	}
	r.mu.Lock()
	r.latest = &reading{book: book, users: 1}
	r.mu.Unlock()
	r.done(before)
	return nil
}

// hold is what belongs to a context, or the latest, for one more user.
func (r *readings) hold(ctx context.Context) *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	read, ok := ctx.Value(readingKey{}).(*reading)
	if !ok {
		read = r.latest
	}
	read.users++
	return read
}

// done gives back what was read. A copy that nobody reads any more goes away.
func (r *readings) done(read *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if read.users--; read.users > 0 || read.book.View() == nil {
		return
	}
	if err := read.book.Close(); err != nil {
		r.log.Error("the copy of the ledger could not be removed", zap.Error(err))
	}
}

func (r *readings) close() (err error) {
	r.done(r.latest)
	if r.opened {
		err = r.own.Close()
	}
	return err
}

type readingKey struct{}

func (r *reading) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, readingKey{}, r)
}

// Reading is the ledger, or the copy of it, that the pages of a request read; nil where ctx is of no request.
func Reading(ctx context.Context) *ledger.Ledger {
	if read, ok := ctx.Value(readingKey{}).(*reading); ok {
		return read.book
	}
	return nil
}

// book is what a page reads.
func (s *Server) book(ctx context.Context) *ledger.Ledger {
	if book := Reading(ctx); book != nil {
		return book
	}
	s.readings.mu.Lock()
	defer s.readings.mu.Unlock()
	return s.readings.latest.book
}

// answer makes a page. Where the ledger cannot be read because its disk takes no writes, the page is made of a copy.
func (s *Server) answer(v *visit, of route, p page) error {
	book := s.book(v.ctx())
	if book.View() != nil && v.Person.Role == Operator {
		v.Person.Role = Viewer // nothing can be done
	}
	err := p(v)
	if !takesNoWrites(err) || book.View() != nil || of.action != "" {
		return err
	}
	read, none := s.readings.insteadOf(v.ctx(), book)
	if none != nil {
		return none
	}
	defer s.readings.done(read)
	if read.book == book || of.needs == Operator {
		return err
	}
	v.r = v.r.WithContext(read.in(v.ctx()))
	return s.answer(v, of, p)
}

func takesNoWrites(err error) bool {
	return errors.Is(err, ledger.ErrFull) || errors.Is(err, ledger.ErrReadOnly)
}

// alertOf says on every page that what it shows is a copy; "" where it is the ledger.
func alertOf(book *ledger.Ledger) string {
	why := book.View()
	if why == nil {
		return ""
	}
	return noWrites(why) + " These pages show the ledger as it was at " + book.Taken().UTC().Format("15:04 UTC on 2 January 2006") + "; nothing can be run or decided."
}

func noWrites(why error) string {
	reason := "read-only file system"
	switch {
	case errors.Is(why, ledger.ErrFull):
		reason = "full"
	case errors.Is(why, fs.ErrPermission):
		reason = "no permission to write"
	}
	return "The disk of the ledger takes no writes (" + reason + ")."
}

// wayOn is what to do about that.
const wayOn = "Free some space on the disk, or make it writable. The console goes on by itself; then open the page again."
