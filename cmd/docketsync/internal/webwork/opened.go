package webwork

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/console"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/report/remedy"
)

const (
	// idleFor is how long the ledger of a firm stays open if nobody looks at it.
	idleFor = 5 * time.Minute
	// openAtOnce is how many stay open then: each keeps a few connections to the database. More are open only while
	// they are in use.
	openAtOnce = 12
)

// opened is the console of a firm while it is open; the zero value while it is closed.
type opened struct {
	in      *installation.Installation
	console *console.Server
	stamp   string // the stamp of the configuration files that it uses
	users   int
	used    time.Time
}

// mayClose reports whether nobody looks at the console, and it is not doing anything.
func (o *opened) mayClose() bool { return o.console != nil && o.users == 0 && !o.console.Busy() }

func (o *opened) end() error {
	err := o.console.End()
	if errors.Is(err, queue.ErrCut) {
		return err
	}
	return o.in.End(err)
}

// Enter opens the console of a firm, if it is not open, and keeps it open until leave is called. If its configuration
// has changed, it is opened anew, unless somebody uses it or something runs: its pages say so.
func (s *Several) Enter(door *signin.Authenticator, name string, by signin.Person) (http.Handler, func(), error) {
	s.mu.Lock()
	of, failed := s.firms[name], 0
	if of != nil {
		failed = of.failed
	}
	s.mu.Unlock()
	if of == nil {
		return nil, nil, web.Nowhere(nil)
	}
	return s.enter(door, of, failed, by)
}

// enter opens the console, unless another attempt has failed since the caller read the number of failures. So callers
// that came while somebody waited in vain for a database do not wait for it again.
func (s *Several) enter(door *signin.Authenticator, of *ofFirm, failed int, by signin.Person) (http.Handler, func(), error) {
	of.turn.Lock()
	defer of.turn.Unlock()
	said, gone := s.now(of)
	if gone { // it was removed after it was looked up
		return nil, nil, web.Nowhere(nil)
	}
	if said.stamp != of.open.stamp && of.open.mayClose() {
		s.close(of)
	}
	if of.open.console == nil {
		err := s.failedSince(of, failed)
		if err == nil {
			err = s.open(context.Background(), door, of) // it is for all users, so nothing of this request is used
			if !errors.Is(err, errAlone) && !errors.As(err, new(*firms.ElsewhereError)) {
				s.tell(of, err)
			}
		}
		by = s.of(of.name, by)
		switch {
		case by.Role == signin.Anybody: // by now
			return nil, nil, web.Nowhere(nil)
		case err != nil:
			hint := "Tell whoever manages docketsync."
			if by.SeesAll() && by.Operates() {
				hint = exit.Explain(err)
			}
			return nil, nil, web.Refuse(http.StatusServiceUnavailable, "The console of "+of.name+" cannot be opened.", hint)
		}
		s.tidy(idleFor)
	}
	of.open.users++
	return of.open.console.Handler(), func() {
		of.turn.Lock()
		defer of.turn.Unlock()
		of.open.users--
		of.open.used = time.Now()
	}, nil
}

// open opens the console of a firm.
func (s *Several) open(ctx context.Context, door *signin.Authenticator, of *ofFirm) error {
	settings, stamp, err := s.read(of)
	if err != nil {
		return err
	}
	in, err := s.folder.Open(ctx, of.name, settings, func(in *installation.Installation, ctx context.Context) error { return in.OpenView(ctx, true) })
	if err != nil {
		return err
	}
	if err := runner.Observe(ctx, in, nil, nil); err != nil {
		return err
	}
	work := New(s.folder.SetupOf(of.name), in)
	if err := work.Share(ctx); err != nil {
		return errors.Join(err, in.Close())
	}
	o := work.options()
	o.Guide, o.Orders = s.guide, of.orders
	o.Door = door.To(signin.Firm{Name: of.name, Of: func(p signin.Person) signin.Person { return s.of(of.name, p) }, Trouble: func() signin.Trouble {
		said, _ := s.now(of)
		return said.trouble
	}})
	o.Web.Firm, o.Web.Home, o.Web.Proxies = of.name, remedy.FirmsPath+of.name, s.shared.in.Config.Console.ProxyPrefixes()
	o.Web.Several = func(p signin.Person) bool { return len(s.Seen(p)) > 1 }
	o.Web.Outdated = func() bool {
		said, _ := s.now(of)
		return said.stamp != stamp
	}
	server, err := console.New(ctx, o)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	of.open = opened{in: in, console: server, stamp: stamp, used: time.Now()}
	s.folder.Log.Info("the console of a firm was opened", zap.String("firm", of.name))
	return nil
}

// tell records whether a console could be opened.
func (s *Several) tell(of *ofFirm, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && (of.closed == nil || of.closed.Error() != err.Error()) {
		s.say("the console of firm %s cannot be opened; all others can\n%s", of.name, exit.Explain(err))
	}
	if of.closed = err; err != nil {
		of.failed++
	}
}

// failedSince says why the console could not be opened after the caller counted failed attempts, nil if nobody has
// tried.
func (s *Several) failedSince(of *ofFirm, failed int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of.failed == failed {
		return nil
	}
	return of.closed
}

// close closes the console of a firm. If it was cut off, its ledger stays open until the process ends.
func (s *Several) close(of *ofFirm) {
	of.orders = of.open.console.Orders()
	err := of.open.end()
	if of.open = (opened{}); err != nil {
		s.folder.Log.Error("the console of a firm did not end well", zap.String("firm", of.name), zap.Error(err))
	}
	s.folder.Log.Info("the console of a firm was closed", zap.String("firm", of.name))
}

// tidy closes consoles that nobody has looked at for idle, those whose configuration has changed, and, of the rest,
// those that are too many.
func (s *Several) tidy(idle time.Duration) {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.firms))
	s.mu.Unlock()
	open, unused, used := 0, []*ofFirm{}, map[*ofFirm]time.Time{}
	for _, of := range all {
		if !of.turn.TryLock() { // in use
			open++
			continue
		}
		said, _ := s.now(of)
		switch {
		case of.open.console == nil:
		case !of.open.mayClose():
			open++
		case time.Since(of.open.used) >= idle || said.stamp != of.open.stamp:
			s.close(of)
		default:
			open++
			unused, used[of] = append(unused, of), of.open.used
		}
		of.turn.Unlock()
	}
	slices.SortFunc(unused, func(a, b *ofFirm) int { return used[a].Compare(used[b]) })
	for _, of := range unused[:min(len(unused), max(0, open-openAtOnce))] {
		if of.turn.TryLock() {
			if of.open.mayClose() {
				s.close(of)
			}
			of.turn.Unlock()
		}
	}
}

// End ends all consoles. Runs get the time that their firm's configuration gives them.
func (s *Several) End() error {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.firms))
	s.mu.Unlock()
	ended := make(chan error)
	for _, of := range all {
		go func() {
			of.turn.Lock()
			defer of.turn.Unlock()
			if of.open.console == nil {
				ended <- nil
			} else {
				ended <- of.open.end()
			}
		}()
	}
	var problems []error
	for range all {
		problems = append(problems, <-ended)
	}
	return errors.Join(problems...)
}
