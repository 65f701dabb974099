package apiclient

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// newFor is how long a cookie counts as new. It is less than most services let pass before they end a session that
// nobody uses.
const newFor = 5 * time.Minute

// session holds the cookie and renews it. Cookies have generations: a request that was turned away names the generation
// that it carried, so that one renewal follows however many requests are turned away at once. During a renewal
// everybody who asks for the cookie waits. A session that could not be renewed is lost for good, because trying a
// password again and again locks accounts. If several processes use one account, all of this holds for them together:
// see jointSession.
type session struct {
	signIn  func(ctx context.Context) (string, error) // nil if there is no way
	joint   *jointSession                             // nil if this process is alone
	secrets *redactor
	log     *zap.Logger
	base    context.Context // ends when the client is closed
	running sync.WaitGroup

	mu         sync.Mutex
	cookie     string
	generation int
	proven     int         // the latest generation with which the service let a request in
	own        int         // the latest generation that this process signed in for itself
	since      time.Time   // when it did
	spent      bool        // the own generation before that was never let in either
	heard      int         // the latest generation with which the service looked at a record; -1 for none, 0 for the key alone
	turned     []time.Time // when records were turned away with 403, as long as no record sent since was heard; only the newest
	tried      bool        // a renewal has begun since the first of them
	renewal    chan struct{}
	joined     bool // the state of the other processes is known
	lost       *Error
	renewals   atomic.Int64
}

// pass is the cookie that a request carries; the zero pass is none.
type pass struct {
	cookie     string
	generation int
}

// possible reports whether there is a cookie or a way to get one.
func (s *session) possible() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cookie != "" || s.signIn != nil
}

// current returns the cookie. It fetches the first one, and waits during a renewal.
func (s *session) current(ctx context.Context) (pass, *Error) {
	for {
		s.mu.Lock()
		if s.renewal == nil && s.lost == nil && (s.cookie == "" || s.joint != nil && !s.joined) { // the others may have a newer one
			s.begin("no authentication cookie is configured")
		}
		renewal, lost, now := s.renewal, s.lost, pass{s.cookie, s.generation}
		s.mu.Unlock()
		switch {
		case renewal != nil:
			select {
			case <-renewal:
			case <-ctx.Done():
				return pass{}, cancelled(ctx)
			}
		case lost != nil:
			return pass{}, lost
		default:
			return now, nil
		}
	}
}

// renew begins a renewal unless the cookie of the generation has already been replaced, or is being replaced.
func (s *session) renew(generation int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renewal == nil && s.lost == nil && s.generation == generation {
		s.tried = true
		s.begin("the service rejected the subscription key or the authentication cookie")
	}
}

// outlived records that a request of the generation was answered with a sign-in page. Whatever became of that record,
// the next one needs another cookie. If the service rejects a cookie that it has just issued, it would reject every
// other one too, so the session is lost.
func (s *session) outlived(generation int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const why = "the service answered with a sign-in page"
	switch {
	case s.renewal != nil || s.lost != nil || s.generation != generation:
	case s.mayHaveWorked(generation):
		s.begin(why)
	default:
		s.lost = &Error{Code: CodeSignIn, Message: why + " to the cookie of a new sign-in", Hint: "check the cookie's name (cookie_header) and the user's permissions, then run again"}
	}
}

// begin starts a renewal, or loses the session if there is no way to renew it. The lock is held.
func (s *session) begin(why string) {
	if s.signIn == nil {
		s.lost = &Error{Code: CodeSignIn, Message: why + ", and sign-in is not configured",
			Hint: "set a new cookie (auth_cookie) or configure sign-in (sign_in), then run again"}
		return
	}
	done := make(chan struct{})
	s.renewal = done
	now, joins := pass{s.cookie, s.generation}, !s.joined && s.cookie != ""
	signIn := func(ctx context.Context, generation int) (pass, *Error) { return s.newCookie(ctx, generation, why) }
	s.running.Go(func() {
		var lost *Error
		if s.joint != nil {
			now, lost = s.joint.renew(s.base, now, joins, signIn)
		} else {
			now, lost = signIn(s.base, now.generation+1)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.lost = lost; lost == nil {
			s.cookie, s.generation = now.cookie, now.generation
		}
		s.joined, s.renewal = true, nil
		close(done)
	})
}

// newCookie signs in to get the cookie of a generation.
func (s *session) newCookie(ctx context.Context, generation int, why string) (pass, *Error) {
	s.mu.Lock()
	s.spent = s.own > s.proven
	s.own, s.since = generation, time.Now()
	s.mu.Unlock()
	s.renewals.Add(1)
	cookie, err := s.signIn(ctx)
	s.secrets.add(cookie)
	untrusted := (*Error)(nil)
	if errors.As(err, &untrusted) && untrusted.Code == CodeCertificate {
		return pass{}, untrusted
	} else if err != nil {
		lost := &Error{Code: CodeSignIn, Message: why + ", and signing in failed: " + s.secrets.clean(err.Error()),
			Hint: "correct sign_in in the configuration, then run again"}
		s.log.Warn("sign-in failed", zap.String("error", lost.Message))
		return pass{}, lost
	}
	s.log.Info("signed in", zap.Int("generation", generation))
	return pass{cookie, generation}, nil
}

// prove records that the service let a request of the generation in.
func (s *session) prove(generation int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proven = max(s.proven, generation)
}

// worked reports whether the service may ever have let a request of the generation in.
func (s *session) worked(generation int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	usedUp := s.joint != nil && !s.spent // by other processes, before this one sent anything; not twice in a row
	return usedUp || s.mayHaveWorked(generation)
}

// mayHaveWorked reports, while the lock is held, whether a cookie is not one that this process signed in for a moment
// ago and that the service has never let in. Any other may have worked until it ended: one that another process signed
// in for, or one that was signed in for before a long pause.
func (s *session) mayHaveWorked(generation int) bool {
	return s.proven >= generation || s.own != generation || time.Since(s.since) > newFor
}

// hear records that the service looked at a record that came with the generation, in a request that began at that time.
// This says nothing about the sign-in since, so it counts only for records that were turned away before.
func (s *session) hear(generation int, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = max(s.heard, generation)
	s.turned = slices.DeleteFunc(s.turned, began.After)
	s.tried = s.tried && len(s.turned) > 0
}

// forbid records that a record was turned away with 403, for the first time or again, and adds what is known of its
// generation to its exchange. It reports whether another cookie may help: there is one renewal for a row of such
// records.
func (s *session) forbid(x *facts, generation int, first bool) (renewable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first {
		s.turned = append(s.turned[max(0, len(s.turned)-rowOfForbidden+1):], time.Now())
	}
	renewable = s.generation > generation || s.renewal != nil || s.signIn != nil && !s.tried
	x.Heard, x.Row = s.heard == generation || generation == 0 && s.heard > 0, len(s.turned)
	x.Fresh = s.signIn != nil && s.heard >= 0 && s.heard < generation && !renewable
	return renewable
}

// lose ends the session, because even a cookie that was just renewed is rejected. This applies only to this process:
// the rejection may concern an operation that the others do not use.
func (s *session) lose(err *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = cmp.Or(s.lost, err)
}
