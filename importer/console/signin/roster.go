package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Accounts are who may sign in, as the configuration says.
type Accounts struct {
	Users []User
	// OIDC is a provider that people sign in with, nil for none.
	OIDC *Provider
}

// Of returns what the accounts of a firm give to somebody who signed in at the door of several firms: a role and jobs,
// or none. A user's account is never given to somebody from the provider who has the same name.
func (a Accounts) Of(p Person) Person {
	p.Role, p.Jobs = Anybody, nil
	if p.Values == nil {
		for _, user := range a.Users {
			if strings.EqualFold(user.Name, p.Name) {
				p.Role, p.Jobs = user.Role, user.sees()
			}
		}
	} else if a.OIDC != nil {
		if p.Role, p.Jobs = a.OIDC.roleOf(p.Values); p.Jobs != nil && len(p.Jobs) == 0 {
			p.Role = Anybody
		}
	}
	return p
}

// sees returns the jobs that a user sees, nil for all.
func (u User) sees() []string {
	if len(u.Jobs) == 0 {
		return nil
	}
	return u.Jobs
}

// rereadEvery is how long a change of the configuration may take to count.
const rereadEvery = time.Second

// roster knows who may currently sign in. The configuration is read anew when somebody requests a page, but only so
// often. If it cannot be read, everybody keeps the role they had, and this is reported in the log and on the first page
// (of several firms, on the page of the firms). Each account has a mark that changes as soon as anything of the account
// does; a session holds the mark of its account, and ends when no account has it.
type roster struct {
	reread func() (Accounts, error)
	also   func() error // returns what else the console was given and cannot use, or nil
	local  bool
	now    func() time.Time
	log    *zap.Logger

	mu      sync.Mutex
	looked  time.Time
	listed  *listed
	trouble Trouble
}

// listed is the roster at one time; it does not change.
type listed struct {
	users    map[string]account // by name in lower case
	stranger hashed             // what a password is compared with if nobody has the name, so that it takes as long
	provider *Provider
	marks    map[string]bool
}

type account struct {
	Person
	hash hashed
	key  []byte // signs what browsers are known by, see markBrowser
}

// Trouble says why the present configuration does not count.
type Trouble struct {
	Err   error // nil for none
	Since time.Time
}

func newRoster(o Options) (*roster, error) {
	r := &roster{reread: o.Reread, also: o.Certificate, local: o.Local != nil, now: o.Now, log: o.Log, looked: o.Now()}
	var err error
	r.listed, err = r.list(o.Accounts)
	return r, err
}

// localMark is the mark of sessions for which nobody signed in.
const localMark = "local"

func (r *roster) list(a Accounts) (*listed, error) {
	l := &listed{users: map[string]account{}, provider: a.OIDC, marks: map[string]bool{localMark: r.local}}
	l.stranger = hashed{cost: hashCost, salt: make([]byte, saltBytes), key: make([]byte, hashBytes)}
	for _, user := range a.Users {
		h, err := parseHash(user.Hash)
		if err != nil {
			return nil, fmt.Errorf("the user %s: %w", user.Name, err)
		}
		browserKey := sha256.Sum256([]byte("docketsync browser\x00" + user.Hash))
		p := Person{Name: user.Name, Role: user.Role, Jobs: user.sees(), mark: markOf(append([]string{"user", user.Name, string(user.Role), user.Hash}, user.Jobs...)...)}
		l.users[strings.ToLower(user.Name)] = account{p, h, browserKey[:]}
		l.marks[p.mark] = true
		l.stranger.cost = h.cost
	}
	if a.OIDC != nil {
		if r.listed != nil && r.listed.provider != nil && r.listed.provider.mark() == a.OIDC.mark() {
			l.provider = r.listed.provider // which has found its endpoints already
		}
		l.marks[l.provider.mark()] = true
	}
	return l, nil
}

// markOf returns the mark of an account: a hash of its parts and of where each ends.
func markOf(parts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:])
}

// mark is the mark of everybody who signs in with this provider as it is configured.
func (p *Provider) mark() string {
	parts := slices.Concat([]string{"provider", p.Issuer, p.ClientID, p.ClientSecret, p.Claim, "operators"}, p.Operators, []string{"viewers"}, p.Viewers)
	for _, value := range slices.Sorted(maps.Keys(p.Jobs)) {
		parts = append(append(parts, "jobs", value), p.Jobs[value]...)
	}
	return markOf(parts...)
}

// current returns who may currently sign in.
func (r *roster) current() *listed {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); r.reread != nil && now.Sub(r.looked).Abs() >= rereadEvery {
		r.look(now)
	}
	return r.listed
}

func (r *roster) look(now time.Time) {
	r.looked = now
	accounts, err := r.reread()
	var next *listed
	if err == nil {
		next, err = r.list(accounts)
	}
	if r.tell(err, now); err != nil {
		return
	}
	if !maps.Equal(next.marks, r.listed.marks) {
		r.log.Info("users, passwords or roles have changed in the configuration; the sessions concerned have ended")
	}
	r.listed = next
}

// tell notes the trouble, and logs it if it is new.
func (r *roster) tell(err error, now time.Time) {
	if r.also != nil {
		err = errors.Join(err, r.also())
	}
	before := r.trouble
	switch {
	case err == nil && before.Err == nil:
		return
	case err == nil:
		r.trouble = Trouble{}
		r.log.Info("the configuration of the console is valid again, and in use")
		return
	case before.Err == nil:
		r.trouble.Since = now
	}
	r.trouble.Err = err
	if before.Err == nil || before.Err.Error() != err.Error() {
		r.log.Error("the configuration of the console has changed and cannot be used; the console keeps its former settings", zap.Error(err))
	}
}

// told returns the trouble with the present configuration; Err is nil for none.
func (r *roster) told() Trouble {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reread != nil {
		r.look(r.now())
	}
	return r.trouble
}
