package pace

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Shared changes the stored pace of one account while nobody else does. change receives the time, by the one clock that
// all processes share, and the stored text, nil if there is none yet; what it returns is stored. change is called once
// or not at all, and returns quickly. After an error it is unknown whether the change was stored.
type Shared func(ctx context.Context, change func(now time.Time, kept []byte) []byte) error

// Constants for the exchanges between processes that share an account.
const (
	// exchangeEvery is how often a process exchanges while it makes requests. exchangeEase applies while no limit was
	// met and every request got its permit: then there is only trouble to share, and the others are told of it at once.
	// Two exchanges are at least exchangeLeast apart.
	exchangeEvery = 50 * time.Millisecond
	exchangeEase  = 200 * time.Millisecond
	easeAfter     = time.Second // without trouble
	exchangeLeast = 10 * time.Millisecond
	exchangeRest  = 250 * time.Millisecond // the longest pause while requests wait
	// A process gets permits ahead for the time until the next exchange plus leadMore, but at most for leadMost, so
	// that it need not stop until that exchange is done. If exchanges take long, the time is longer.
	leadMore = 15 * time.Millisecond
	leadMost = time.Second
	// lastExchange is the maximum duration of a process's last exchange before it leaves.
	lastExchange = time.Second
	// apartLeast is the least time for which a process keeps trying to exchange before it stops sending, because it
	// cannot know what is left of the limit.
	apartLeast = 30 * time.Second
)

// allotment is one process's part of a shared account: permits for the next few dozen milliseconds, and answers that
// the others have not heard of yet. It is used with the pacer's lock held.
type allotment struct {
	p     *Pacer
	ahead time.Duration // how far the shared clock is ahead of ours
	idle  bool          // nothing is exchanged until somebody wakes it
	apart time.Time     // since when no exchange has succeeded, by our clock; zero if the last one did
	took  time.Duration // how long exchanges take lately
	every time.Duration // until the next exchange
	began time.Time     // when the last exchange began
	bad   time.Time     // when there last was trouble

	left  int           // permits
	of    permit        // the permit that they hold; they are void unless the account's is equal
	short bool          // more permits had been requested
	next  time.Time     // when the next permit may be used; scarce permits are spread
	step  time.Duration // between two permits

	used    int // permits used since the last exchange
	held    bool
	out     bool // all were used, although as many had been granted as requested
	answers []answer

	woken chan struct{}
	ended context.Context
	end   context.CancelFunc
	done  sync.WaitGroup
}

func newAllotment(p *Pacer) *allotment {
	s := &allotment{p: p, idle: true, every: exchangeEvery, woken: make(chan struct{}, 1)}
	s.ended, s.end = context.WithCancel(context.Background())
	s.done.Go(s.run)
	return s
}

// take uses one of the remaining permits.
func (s *allotment) take(now time.Time) (wait time.Duration, ok bool) {
	switch wait := s.next.Sub(now); {
	case s.left == 0 && s.short:
		s.held = true
		return 0, false // there are more after the next exchange
	case s.left == 0:
		s.out = true
		s.wake()
		return 0, false
	case s.short && wait > 0:
		s.held = true
		return wait, false
	}
	s.left--
	s.used++
	s.next = s.next.Add(s.step)
	return 0, true
}

// tell keeps an answer for the others. What slows them down is reported at once.
func (s *allotment) tell(a answer) {
	s.answers = append(s.answers, a)
	if a.Kind != Served {
		if s.bad = time.Now(); s.every == exchangeEase {
			s.every, s.left, s.began = exchangeEvery, 0, time.Time{} // the use while all was well says nothing any more
		}
	}
	if a.Kind != Served || s.idle {
		s.wake()
	}
}

func (s *allotment) wake() {
	s.idle = false
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

func (s *allotment) close() {
	s.end()
	s.done.Wait()
}

// run exchanges while requests are made, until the pacer is closed.
func (s *allotment) run() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for wait := time.Hour; ; {
		timer.Reset(wait)
		select {
		case <-s.woken:
		case <-timer.C:
		case <-s.ended.Done():
		}
		if s.ended.Err() != nil {
			ctx, cancel := context.WithTimeout(context.Background(), lastExchange)
			_, _ = s.exchange(ctx) // if it fails, the others miss this process's permits for a moment
			cancel()
			return
		}
		var err error
		first := s.apart.IsZero()
		if wait, err = s.exchange(s.ended); err != nil && first && s.ended.Err() == nil {
			s.p.log.Warn("the limit of the account cannot be shared with other processes at the moment; trying again", zap.Error(err), zap.Duration("for", s.p.options.Apart))
		}
		timer.Reset(exchangeLeast)
		select {
		case <-timer.C:
		case <-s.ended.Done():
		}
		wait -= exchangeLeast
	}
}

// ask is what a process brings to an exchange, and what it requests.
type ask struct {
	options Options
	answers []answer
	used    int // permits used since the last exchange
	held    bool
	want    int // permits wanted afterwards
	left    int // permits that are left
	of      permit
	lead    time.Duration
}

// exchange tells the others what this process has heard, and gets permits. It returns when to do so again.
func (s *allotment) exchange(ctx context.Context) (again time.Duration, err error) {
	p := s.p
	p.mu.Lock()
	q := ask{options: p.options, answers: s.answers, used: s.used, held: s.held, left: s.left, of: s.of, lead: min(s.every+leadMore+s.took, leadMost)}
	began := time.Now()
	if s.ended.Err() == nil {
		use := s.used // until the next exchange, estimated from the use since the last one
		if since := began.Sub(s.began); since > s.every && !s.short || since > 0 && s.every == exchangeEase {
			use = int(float64(use) * float64(s.every) / float64(since))
		}
		q.want = use + use/4 + max(0, min(len(p.waiting), p.size()-p.busy))
		if s.out {
			q.want += use
		}
	}
	s.left, s.began = min(s.left, q.want), began
	s.answers, s.used, s.held, s.out = nil, 0, false, false
	p.mu.Unlock()

	var given grantOf
	err = p.options.Shared(ctx, func(now time.Time, kept []byte) []byte {
		given = q.meet(now, kept)
		given.ahead = now.Sub(time.Now().Round(0))
		text, _ := json.Marshal(given.account) // numbers and times always encode
		return text
	})
	p.mu.Lock()
	s.took = max(time.Since(began), s.took*9/10)
	if err != nil {
		s.answers, s.used, s.left, s.short = append(q.answers, s.answers...), s.used+q.used, 0, true
		s.missed(err)
	} else {
		s.apart = time.Time{}
		s.adopt(given, q.lead)
	}
	again = s.again(given)
	p.dispatch(p.now())
	news := p.paused != nil && p.why() != p.told
	p.mu.Unlock()
	if news {
		p.tell()
	}
	return again, err
}

// missed stops all sending when exchanges have failed for too long.
func (s *allotment) missed(err error) {
	now := time.Now()
	if s.apart.IsZero() {
		s.apart = now
	}
	if apart := now.Sub(s.apart); apart >= s.p.options.Apart && s.p.down == nil {
		s.p.down = &DownError{Without: apart, Trouble: err.Error(), Apart: true}
		s.p.log.Warn("stopped sending: the limit of the account cannot be shared with other processes", zap.Duration("for", apart), zap.Error(err))
	}
}

// grantOf is the account after an exchange, and what a process got in it.
type grantOf struct {
	account account
	n       int
	wait    time.Duration
	short   bool
	ahead   time.Duration
}

// meet carries out one process's part of an exchange.
func (q *ask) meet(now time.Time, kept []byte) (g grantOf) {
	a := newAccount(now, q.options)
	if then := (account{}); len(kept) > 0 && json.Unmarshal(kept, &then) == nil && !then.stale(now) {
		a = then
	}
	a.Rate.Ceiling, a.Fixed, a.Breaker.Trip, a.Used = q.options.Rate, q.options.Fixed, q.options.Trip, now
	a.Begun.add(now, q.used)
	a.Held = a.Held || q.held
	a.giveBack(max(q.left-q.want, 0), q.of)
	for _, one := range q.answers {
		a.learn(now, one)
	}
	left := min(q.left, q.want)
	if q.of != a.permit() {
		left = 0
	}
	if more := q.want - left; more > 0 {
		g.n, g.wait = a.take(now, more, q.lead, q.options.Timeout)
		g.short = g.n < more
	}
	g.account = a
	return g
}

// adopt takes over the result of an exchange.
func (s *allotment) adopt(g grantOf, lead time.Duration) {
	before := s.p.account
	s.p.account, s.ahead = g.account, g.ahead
	now := s.p.now()
	s.p.note(now, &before)
	if s.of != g.account.permit() {
		s.left, s.of = 0, g.account.permit()
	}
	s.left += g.n
	if s.short = g.short; s.short && s.left > 0 {
		s.next, s.step = now, lead/time.Duration(s.left)
	} else {
		s.next, s.step = now, 0
	}
}

// again returns when to exchange again.
func (s *allotment) again(g grantOf) time.Duration {
	if s.every = exchangeEvery; s.atEase(g) {
		s.every = exchangeEase
	}
	if s.idle = s.p.down != nil || len(s.p.waiting) == 0 && s.left == 0 && s.used == 0 && len(s.answers) == 0; s.idle {
		s.short = false
		return time.Hour
	}
	if s.left == 0 && s.short {
		return min(max(g.wait, exchangeEvery), exchangeRest)
	}
	return s.every*4/5 + rand.N(s.every*2/5)
}

// atEase reports whether nothing slows anybody down, as far as is known.
func (s *allotment) atEase(g grantOf) bool {
	a := &g.account
	return !s.short && time.Since(s.bad) > easeAfter && !a.Held && !a.Rate.found() && a.Bad.IsZero() && a.Row == 0 && a.Breaker.Failures == 0
}
