package signin

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Throttle lets each name (or address) try a few times at once and then one by one. It remembers so many of them; when there are
// more, those that have all their tries left are forgotten, and when none has, the newcomer waits with everybody unknown.
type Throttle struct {
	every time.Duration // how long a try takes to come back
	burst int
	most  int
	// shared counts the tries of all consoles under a kind, nil where they are counted here.
	shared *shared
	kind   string

	mu    sync.Mutex
	known map[string]*allowance
}

type allowance struct {
	*rate.Limiter
	told bool // that there are none left
}

// NewThrottle makes one that gives a try back after every, up to burst of them.
func NewThrottle(every time.Duration, burst int) *Throttle {
	return &Throttle{every: every, burst: burst, most: 10_000, known: map[string]*allowance{}}
}

// Short uses up a try of a name, or tells that none is left. news says that it is the first time since there was one.
func (t *Throttle) Short(name string, now time.Time) (short, news bool) {
	short, news, _ = t.short(name, now) // nothing can go wrong where they are counted here
	return short, news
}

// short is Short, for tries that may be counted elsewhere: where that cannot be done, it is ErrAway and none is left.
func (t *Throttle) short(name string, now time.Time) (short, news bool, err error) {
	if t.shared != nil {
		return t.shared.short(t, name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.known[name]
	if of == nil {
		if len(t.known) >= t.most {
			t.forget(now)
		}
		if len(t.known) >= t.most {
			name = ""
			of = t.known[name]
		}
		if of == nil {
			of = &allowance{Limiter: rate.NewLimiter(rate.Every(t.every), t.burst)}
			t.known[name] = of
		}
	}
	short = !of.AllowN(now, 1)
	news = short && !of.told
	of.told = short
	return short, news, nil
}

// reset gives a name all its tries back.
func (t *Throttle) reset(name string) {
	if t.shared != nil {
		t.shared.reset(t, name)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, name)
}

func (t *Throttle) forget(now time.Time) {
	for name, of := range t.known {
		if of.TokensAt(now) >= float64(t.burst) {
			delete(t.known, name)
		}
	}
}
