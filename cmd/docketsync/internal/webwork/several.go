package webwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/console"
	pages "docketsync/importer/console/firms"
	"docketsync/importer/console/manual"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/report/wording"
)

// scanAgain is how often the console checks which firms there are, whether their files have changed, and which to
// close; as often as a node.
const scanAgain = 10 * time.Second

// Several are the consoles of all firms of a folder, behind one sign-in. A firm's own configuration says who may see
// it, which is known of all firms at any time. Everything else of a firm is opened when somebody enters it, and closed
// when nobody has looked at it for a while. If the configuration of a firm cannot be read, its last good version
// applies. If it never could be read, nobody knows who may see the firm, so only the log names it.
type Several struct {
	shared *Work // of the console at whose door people sign in
	folder *firms.Folder
	guide  []manual.Topic

	mu    sync.Mutex
	firms map[string]*ofFirm
	told  string // the trouble with the folder
}

// ofFirm is one of the firms.
type ofFirm struct {
	name    string
	reading chan struct{} // has room for one: whoever reads applies what was read before the next begins, so the latest applies

	// Guarded by Several.mu.
	said   said
	gone   bool  // its folder was removed: nobody may see it, and it is forgotten once its console is closed, even if a folder of that name exists again
	closed error // why its console could not be opened the last time
	failed int   // how often that failed

	// Guarded by turn.
	turn   sync.Mutex
	open   opened
	orders map[string]*queue.Standing // orders of the console that was closed last
}

// said is what the configuration of a firm said when it was last read.
type said struct {
	stamp    string          // of its files, from before they were read
	accounts signin.Accounts // who may see it
	trouble  signin.Trouble  // why its configuration is not in use
}

// NewSeveral returns the consoles of the firms of a folder. labels are those of this process.
func NewSeveral(setup *installation.Setup, in *installation.Installation, guide []manual.Topic, labels map[string]string) *Several {
	return &Several{shared: New(setup, in), folder: firms.Of(setup, in.Config, in.Log, labels), guide: guide, firms: map[string]*ofFirm{}}
}

// Options returns the options of the console at whose door people sign in.
func (s *Several) Options(entrance Door) console.Options {
	in := s.shared.in
	o := console.Options{Ledger: in.Book, Reopen: s.shared.reopen, StopWithin: in.Config.Schedule.StopWithin, Log: in.Log}
	through(&o, in, entrance)
	o.SignIn.Accounts, o.SignIn.Reread = sharedAccounts(in.Config.Console), s.accounts
	return o
}

// accounts returns who may currently sign in.
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

// sharedAccounts returns who may sign in, whatever they may do then.
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

// Seen returns the firms that somebody may currently see.
func (s *Several) Seen(p signin.Person) (seen []pages.Firm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.firms)) {
		of := s.firms[name]
		may := of.said.accounts.Of(p)
		if may.Role == signin.Anybody {
			continue
		}
		firm := pages.Firm{Name: name, Role: may.Role}
		if err := cmp.Or(of.said.trouble.Err, of.closed); err != nil { // the second often is the first once more
			firm.Trouble = "There is a problem with this firm. Tell whoever manages docketsync."
			if may.SeesAll() && may.Operates() {
				firm.Trouble, firm.Why = "There is a problem with this firm.", exit.Explain(err)
			}
		}
		seen = append(seen, firm)
	}
	return seen
}

// of returns what somebody may currently do in a firm.
func (s *Several) of(name string, p signin.Person) signin.Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.firms[name]; of != nil {
		return of.said.accounts.Of(p)
	}
	return signin.Accounts{}.Of(p)
}

// Watch applies changes of the firms until ctx ends. On SIGHUP it checks at once, and closes all firms that nobody
// looks at.
func (s *Several) Watch(ctx context.Context) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	again := time.NewTicker(scanAgain)
	defer again.Stop()
	for {
		idle := idleFor
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		case <-hangups:
			idle = 0
		}
		s.scan()
		s.tidy(idle)
	}
}

// Scan finds out which firms there are, and who may see them. For those that are slow to read, it waits at most until
// the next scan is due.
func (s *Several) Scan() {
	select {
	case <-s.scan():
	case <-time.After(scanAgain):
	}
}

// scan reads the firms concurrently: a secret may be on a drive that does not answer, which must not hold up other
// firms. The returned channel is closed when all were read.
func (s *Several) scan() <-chan struct{} {
	names, err := s.folder.Names()
	var looks sync.WaitGroup
	for _, of := range s.take(names, err) {
		looks.Go(func() { s.look(of) })
	}
	done := make(chan struct{})
	go func() { looks.Wait(); close(done) }()
	return done
}

// take applies which firms there are, and returns them.
func (s *Several) take(names []string, err error) (list []*ofFirm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := ""
	if err != nil {
		if told = exit.Explain(err); told != s.told {
			s.say("the folder of the firms cannot be read; those that are known are shown\n%s", told)
		}
	}
	if s.told = told; err != nil {
		return nil
	}
	maps.DeleteFunc(s.firms, func(name string, of *ofFirm) bool {
		if !slices.Contains(names, name) {
			of.gone, of.said = true, said{}
		}
		if !of.gone || !of.turn.TryLock() {
			return false
		}
		defer of.turn.Unlock()
		return of.open.console == nil
	})
	for _, name := range names {
		of := s.firms[name]
		if of == nil {
			of = &ofFirm{name: name, reading: make(chan struct{}, 1)}
			s.firms[name] = of
		}
		if !of.gone {
			list = append(list, of)
		}
	}
	return list
}

// now returns what the configuration of a firm said when it was last read, and whether the firm is gone.
func (s *Several) now(of *ofFirm) (said, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return of.said, of.gone
}

// look reads who may see a firm, unless that is known already or being read: a change in the meantime is found by the
// next scan.
func (s *Several) look(of *ofFirm) {
	select {
	case of.reading <- struct{}{}:
		defer func() { <-of.reading }()
	default:
		return
	}
	known, _ := s.now(of)
	if known.trouble.Err == nil && known.stamp == s.stamp(of) {
		return
	}
	if _, stamp, _ := s.readAlone(of); stamp != known.stamp { // people who may see it learn of the trouble
		s.mu.Lock()
		defer s.mu.Unlock()
		of.closed = nil
	}
}

func (s *Several) stamp(of *ofFirm) string { return firms.Stamp(firms.Files(s.folder.Path(of.name))) }

// errAlone says that a firm has a console of its own, or none.
var errAlone = errors.New("the configuration of the firm does not have console: {sign_in: firms}")

// read reads the configuration of a firm, with the stamp of its files, and applies who may see it.
func (s *Several) read(of *ofFirm) (settings *config.Config, stamp string, err error) {
	of.reading <- struct{}{}
	defer func() { <-of.reading }()
	return s.readAlone(of)
}

// readAlone is read for a caller that has the place in of.reading.
func (s *Several) readAlone(of *ofFirm) (settings *config.Config, stamp string, err error) {
	stamp = s.stamp(of)
	settings, err = s.folder.Settings(of.name, s.admit)
	if err == nil {
		err = Apart(settings)
	}
	if err == nil && !settings.Console.OfFirms() {
		err = errAlone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if of.gone { // what was read is of a folder that no longer exists
		return settings, stamp, err
	}
	trouble := of.said.trouble
	switch {
	case err == nil:
		of.said = said{stamp, s.accountsIn(settings), signin.Trouble{}}
	case errors.Is(err, errAlone), errors.As(err, new(*firms.ElsewhereError)):
		of.said = said{stamp: stamp}
	default:
		if trouble.Err == nil {
			trouble.Since = time.Now()
		}
		if trouble.Err == nil || trouble.Err.Error() != err.Error() {
			who := "; those who saw the firm still see it"
			if len(of.said.accounts.Users) == 0 && of.said.accounts.OIDC == nil {
				who = ", so nobody sees the firm"
			}
			s.say("the configuration of firm %s cannot be used%s\n%s", of.name, who, exit.Explain(err))
		}
		trouble.Err = err
		of.said = said{stamp, of.said.accounts, trouble}
	}
	return settings, stamp, err
}

// accountsIn returns who may see a firm by its configuration.
func (s *Several) accountsIn(settings *config.Config) signin.Accounts {
	list := accountsOf(settings.Console)
	if shared := s.shared.in.Config.Console.OIDC; list.OIDC != nil && shared != nil {
		list.OIDC.Claim = shared.Claim
	}
	return list
}

// admit refuses a firm that this process may not serve.
func (s *Several) admit(demands map[string]string) error {
	if !s.folder.Serves(demands) {
		return &firms.ElsewhereError{Labels: firms.LabelText(demands)}
	}
	return nil
}

func (s *Several) say(form string, args ...any) {
	fmt.Fprintf(s.folder.Setup.Err, "docketsync: "+form+"\n", args...)
}

// Say says how many firms there are to be seen.
func (s *Several) Say() {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := 0
	for _, of := range s.firms {
		if len(of.said.accounts.Users) > 0 || of.said.accounts.OIDC != nil {
			shown++
		}
	}
	others := ""
	if shown < len(s.firms) {
		others = "; the others do not have console: {sign_in: firms}, cannot be read, or require labels that this console does not have"
	}
	s.say("the console shows %d of the %s in the folder%s", shown, wording.Counted(len(s.firms), "firm"), others)
}
