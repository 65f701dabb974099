package webwork

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config"
	"docketsync/importer/console"
	pages "docketsync/importer/console/firms"
	"docketsync/importer/console/manual"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

const (
	// scanAgain is how often the console looks which firms there are, whether their files have changed, and which are to be closed; as often as a node.
	scanAgain = 10 * time.Second
	// idleFor is how long the ledger of a firm stays open that nobody looks at.
	idleFor = 5 * time.Minute
	// openAtOnce is how many stay open meanwhile: each keeps a few connections to the database. More are open only while they are in use.
	openAtOnce = 12
)

// idleVariable shortens idleFor, so that tests need not wait.
const idleVariable = "DOCKETSYNC_FIRM_IDLE"

// Several are the consoles of all firms of a folder, behind one sign-in. Who may see a firm is what its own configuration says, which is known of all of them at any time;
// everything else of a firm is touched when somebody enters it, and closed when nobody has looked at it for a while. Where the configuration of a firm cannot be
// read, what it said last holds; of one that never could be, nobody knows who may see it, so that the log alone names it.
type Several struct {
	shared *Work // of the console at whose door people sign in
	folder *firms.Folder
	plans  Plans
	guide  []manual.Topic
	idle   time.Duration

	mu    sync.Mutex
	firms map[string]*ofFirm
	told  string // what is in the way of the folder
}

// ofFirm is one of the firms. Its fields belong to whoever holds Several.mu; those of its console to whoever holds turn.
type ofFirm struct {
	name     string
	stamp    string          // of its files
	accounts signin.Accounts // who may see it
	trouble  signin.Trouble  // why its configuration is not in use
	gone     bool
	readings int   // of its configuration that have begun
	stale    bool  // its files have changed since its console was opened
	closed   error // why its console could not be opened the last time

	turn    sync.Mutex
	in      *installation.Installation
	console *console.Server // nil while it is closed
	users   int
	used    time.Time
}

// NewSeveral knows the firms of a folder. labels are those of this process.
func NewSeveral(setup *installation.Setup, in *installation.Installation, plans Plans, guide []manual.Topic, labels map[string]string) *Several {
	s := &Several{shared: New(setup, in, plans), folder: firms.Of(setup, in.Config, in.Log, labels), plans: plans, guide: guide, idle: idleFor, firms: map[string]*ofFirm{}}
	if text, _ := setup.Env(idleVariable); text != "" {
		if idle, err := time.ParseDuration(text); err == nil {
			s.idle = idle
		}
	}
	return s
}

// Options makes the console at whose door people sign in.
func (s *Several) Options(entrance Door) console.Options {
	in := s.shared.in
	o := console.Options{Ledger: in.Book, Reopen: s.shared.reopen, StopWithin: in.Config.Schedule.StopWithin, Log: in.Log}
	through(&o, in, entrance)
	o.SignIn.Accounts, o.SignIn.Reread = sharedAccounts(in.Config.Console), s.accounts
	return o
}

// accounts are who may come in by now.
func (s *Several) accounts() (signin.Accounts, error) {
	settings, err := s.shared.setup.Settings()
	if err == nil {
		err = errors.Join(settings.ConsoleOfFirms(), settings.Missing(config.OfConsole))
	}
	if err != nil {
		return signin.Accounts{}, err
	}
	return sharedAccounts(settings.Console), nil
}

// sharedAccounts are who may come in, whatever they may do then.
func sharedAccounts(c config.Console) signin.Accounts {
	list := accountsOf(c)
	for n := range list.Users {
		list.Users[n].Role = signin.SignedIn
	}
	if list.OIDC != nil {
		list.OIDC.Firms = true
	}
	return list
}

// Seen are the firms that somebody may see by now.
func (s *Several) Seen(p signin.Person) (seen []pages.Firm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.firms)) {
		of := s.firms[name]
		may := of.accounts.Of(p)
		if may.Role == signin.Anybody {
			continue
		}
		firm := pages.Firm{Name: name, Role: may.Role}
		if err := errors.Join(of.trouble.Err, of.closed); err != nil {
			firm.Trouble = "There is a problem with this firm. Tell whoever manages docketsync."
			if may.SeesAll() && may.Operates() {
				firm.Trouble = exit.Explain(err)
			}
		}
		seen = append(seen, firm)
	}
	return seen
}

// of is what somebody may do in a firm by now.
func (s *Several) of(name string, p signin.Person) signin.Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.firms[name]; of != nil {
		return of.accounts.Of(p)
	}
	return signin.Accounts{}.Of(p)
}

// Enter opens the console of a firm, if it is not, and keeps it open until leave is called.
func (s *Several) Enter(door *signin.Authenticator, name string, by signin.Person) (http.Handler, func(), error) {
	s.mu.Lock()
	of := s.firms[name]
	s.mu.Unlock()
	if of == nil {
		return nil, nil, web.Nowhere(nil)
	}
	of.turn.Lock()
	defer of.turn.Unlock()
	if !s.has(of) { // its folder was removed in between, and may be there again as another one
		return nil, nil, web.Nowhere(nil)
	}
	if s.isStale(of) && of.mayClose() {
		s.close(of)
	}
	if of.console == nil {
		err := s.open(context.Background(), door, of) // for all who come, and with nothing of this request
		if !errors.Is(err, errAlone) && !errors.As(err, new(*firms.ElsewhereError)) {
			s.tell(of, err)
		}
		by = s.of(name, by)
		switch {
		case by.Role == signin.Anybody: // by now
			return nil, nil, web.Nowhere(nil)
		case err != nil:
			hint := "Tell whoever manages docketsync."
			if by.SeesAll() && by.Operates() {
				hint = exit.Explain(err)
			}
			return nil, nil, web.Refuse(http.StatusServiceUnavailable, "The console of "+name+" cannot be opened.", hint)
		}
		s.tidy()
	}
	of.users++
	return of.console.Handler(), func() {
		of.turn.Lock()
		defer of.turn.Unlock()
		of.users--
		of.used = time.Now()
	}, nil
}

// open opens the console of a firm.
func (s *Several) open(ctx context.Context, door *signin.Authenticator, of *ofFirm) error {
	s.mu.Lock()
	of.stale = false // what changes from now on is not in the console
	settings, err := s.read(of)
	s.mu.Unlock()
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
	work := New(s.folder.SetupOf(of.name), in, s.plans)
	if err := work.Share(ctx); err != nil {
		return errors.Join(err, in.Close())
	}
	o := work.options()
	o.Guide = s.guide
	o.Door = door.To(signin.Firm{Name: of.name, Of: func(p signin.Person) signin.Person { return s.of(of.name, p) }, Trouble: func() signin.Trouble {
		s.mu.Lock()
		defer s.mu.Unlock()
		return of.trouble
	}})
	o.Web.Firm, o.Web.Home, o.Web.Proxies = of.name, remedy.FirmsPath+of.name, s.shared.in.Config.Console.ProxyPrefixes()
	o.Web.Several = func(p signin.Person) bool { return len(s.Seen(p)) > 1 }
	server, err := console.New(ctx, o)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	of.in, of.console, of.used = in, server, time.Now()
	s.folder.Log.Info("the console of a firm was opened", zap.String("firm", of.name))
	return nil
}

// tell takes up whether a console could be opened.
func (s *Several) tell(of *ofFirm, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && (of.closed == nil || of.closed.Error() != err.Error()) {
		s.say("the console of firm %s cannot be opened; all others can\n%s", of.name, exit.Explain(err))
	}
	of.closed = err
}

func (s *Several) say(form string, args ...any) {
	fmt.Fprintf(s.folder.Setup.Err, "docketsync: "+form+"\n", args...)
}

// admit refuses a firm that this process may not serve.
func (s *Several) admit(demands map[string]string) error {
	if !s.folder.Serves(demands) {
		return &firms.ElsewhereError{Labels: firms.LabelText(demands)}
	}
	return nil
}

// mayClose tells whether nobody looks at the console, and nothing is being done behind it.
func (of *ofFirm) mayClose() bool { return of.console != nil && of.users == 0 && !of.console.Busy() }

// has tells whether a firm is still one of those that are watched.
func (s *Several) has(of *ofFirm) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.firms[of.name] == of
}

func (s *Several) isStale(of *ofFirm) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return of.stale
}

// close closes the console of a firm. One that is cut off keeps its ledger, which the end of the process takes away.
func (s *Several) close(of *ofFirm) {
	err := of.end()
	if of.in, of.console = nil, nil; err != nil {
		s.folder.Log.Error("the console of a firm did not end well", zap.String("firm", of.name), zap.Error(err))
	}
	s.folder.Log.Info("the console of a firm was closed", zap.String("firm", of.name))
}

func (of *ofFirm) end() error {
	err := of.console.End()
	if errors.Is(err, queue.ErrCut) {
		return err
	}
	return of.in.End(err)
}

// tidy closes what nobody has looked at for a while, what has changed, and of the rest what is too many.
func (s *Several) tidy() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.firms))
	s.mu.Unlock()
	open, idle, used := 0, []*ofFirm{}, map[*ofFirm]time.Time{}
	for _, of := range all {
		if !of.turn.TryLock() { // in use
			open++
			continue
		}
		switch {
		case of.console == nil:
		case !of.mayClose():
			open++
		case time.Since(of.used) >= s.idle || s.isStale(of):
			s.close(of)
		default:
			open++
			idle, used[of] = append(idle, of), of.used
		}
		of.turn.Unlock()
	}
	slices.SortFunc(idle, func(a, b *ofFirm) int { return used[a].Compare(used[b]) })
	for _, of := range idle[:min(len(idle), max(0, open-openAtOnce))] {
		if of.turn.TryLock() {
			if of.mayClose() {
				s.close(of)
			}
			of.turn.Unlock()
		}
	}
}

// Watch takes up what changes about the firms until ctx ends.
func (s *Several) Watch(ctx context.Context) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	again := time.NewTicker(scanAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		case <-hangups:
		}
		s.Scan()
		s.tidy()
	}
}

// Scan takes up which firms there are by now, and who may see them.
func (s *Several) Scan() {
	names, err := s.folder.Names()
	s.mu.Lock()
	defer s.mu.Unlock()
	told := ""
	if err != nil {
		if told = exit.Explain(err); told != s.told {
			s.say("the folder of the firms cannot be read; those that are known are shown\n%s", told)
		}
	}
	if s.told = told; err != nil {
		return
	}
	for name, of := range s.firms {
		if of.gone = !slices.Contains(names, name); of.gone {
			of.accounts, of.stamp, of.stale = signin.Accounts{}, "", true
			of.readings++ // what is being read is of a folder that is no longer there
		}
	}
	for _, name := range names {
		of := s.firms[name]
		if of == nil {
			of = &ofFirm{name: name}
			s.firms[name] = of
		}
		s.look(of)
	}
	maps.DeleteFunc(s.firms, func(_ string, of *ofFirm) bool {
		if !of.gone || !of.turn.TryLock() {
			return false
		}
		defer of.turn.Unlock()
		return of.console == nil
	})
}

// look reads who may see a firm, unless that is known already.
func (s *Several) look(of *ofFirm) {
	stamp := firms.Stamp(firms.Files(s.folder.Path(of.name)))
	if stamp == of.stamp && of.trouble.Err == nil {
		return
	}
	of.stale, of.stamp = of.stale || stamp != of.stamp, stamp
	_, _ = s.read(of) // who may see it knows of the trouble
}

// errAlone tells that a firm has a console of its own, or none.
var errAlone = errors.New("the configuration of the firm does not have console: {sign_in: firms}")

// read reads the configuration of a firm, and takes up who may see it, unless another reading began later: that one has read what is newer.
func (s *Several) read(of *ofFirm) (*config.Config, error) {
	of.readings++
	this := of.readings
	s.mu.Unlock() // nobody waits for it
	settings, err := s.folder.Settings(of.name, s.admit)
	if err == nil {
		err = Apart(settings)
	}
	if err == nil && !settings.Console.OfFirms() {
		err = errAlone
	}
	s.mu.Lock()
	switch {
	case this != of.readings:
	case errors.Is(err, errAlone), errors.As(err, new(*firms.ElsewhereError)):
		of.accounts, of.trouble = signin.Accounts{}, signin.Trouble{}
	case err != nil:
		if of.trouble.Err == nil {
			of.trouble.Since = time.Now()
		}
		if of.trouble.Err == nil || of.trouble.Err.Error() != err.Error() {
			s.say("the configuration of firm %s cannot be used, and who may see it stays as it was\n%s", of.name, exit.Explain(err))
		}
		of.trouble.Err = err
	default:
		of.accounts, of.trouble = accountsOf(settings.Console), signin.Trouble{}
		if own, shared := of.accounts.OIDC, s.shared.in.Config.Console.OIDC; own != nil && shared != nil {
			own.Claim = shared.Claim
		}
	}
	return settings, err
}

// Say says how many firms there are to be seen.
func (s *Several) Say() {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := 0
	for _, of := range s.firms {
		if len(of.accounts.Users) > 0 || of.accounts.OIDC != nil {
			shown++
		}
	}
	others := ""
	if shown < len(s.firms) {
		others = "; the others do not have console: {sign_in: firms}, cannot be read, or require labels that this console does not have"
	}
	s.say("the console shows %d of the %s in the folder%s", shown, wording.Counted(len(s.firms), "firm"), others)
}

// End ends all consoles. Runs are given the time that their firm's configuration gives them.
func (s *Several) End() error {
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.firms))
	s.mu.Unlock()
	ended := make(chan error)
	for _, of := range open {
		go func() {
			of.turn.Lock()
			defer of.turn.Unlock()
			if of.console == nil {
				ended <- nil
			} else {
				ended <- of.end()
			}
		}()
	}
	var all []error
	for range open {
		all = append(all, <-ended)
	}
	return errors.Join(all...)
}
