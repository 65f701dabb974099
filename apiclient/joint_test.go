package apiclient

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// rows are what several processes keep together, under names; the time is that of the bubble.
type rows struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (r *rows) change(ctx context.Context, name string, change func(now time.Time, kept []byte) []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string][]byte{}
	}
	r.kept[name] = change(time.Now(), r.kept[name])
	return ctx.Err()
}

// process is a process that uses the account of some rows.
func (r *rows) process(password string) *jointSession {
	return newJointSession(Options{BaseURL: "https://service.example/", SubscriptionKey: "key-of-the-firm", Shared: r.change, Timeout: 10 * time.Second,
		SignIn: SignIn{Path: "/v1/login", User: "clerk", Password: password}}, &redactor{})
}

// signIns signs in with what it is given, after a while, and counts.
type signIns struct {
	takes time.Duration
	lost  *Error
	n     int
	mu    sync.Mutex
}

func (s *signIns) do(ctx context.Context, generation int) (pass, *Error) {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
	if err := pause(ctx, s.takes); err != nil {
		return pass{}, cancelled(ctx)
	}
	if s.lost != nil {
		return pass{}, s.lost
	}
	return pass{"cookie-of-the-clerk", generation}, nil
}

// TestJointSession has processes share a session, each in the order that one story tells.
func TestJointSession(t *testing.T) {
	t.Parallel()
	none, cookie := pass{}, pass{"cookie-of-the-clerk", 1}
	refused := &Error{Code: CodeSignIn, Message: "the password was refused"}
	for name, story := range map[string]func(t *testing.T, r *rows){
		"several want a cookie at once: one signs in for all": func(t *testing.T, r *rows) {
			s := &signIns{takes: time.Second}
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if got, lost := r.process("right").renew(t.Context(), none, false, s.do); got != cookie || lost != nil {
						t.Errorf("%+v, %v", got, lost)
					}
				})
			}
			all.Wait()
			if s.n != 1 {
				t.Errorf("%d sign-ins", s.n)
			}
		},
		"a cookie that has ended is replaced by one who had it, and not once more by one who had it as well": func(t *testing.T, r *rows) {
			one, two, s := r.process("right"), r.process("right"), &signIns{}
			first, _ := one.renew(t.Context(), none, false, s.do)
			second, _ := one.renew(t.Context(), first, false, s.do)
			if got, _ := two.renew(t.Context(), first, false, s.do); got != second || got.generation != 2 || s.n != 2 {
				t.Errorf("%+v after %+v, %d sign-ins", got, second, s.n)
			}
		},
		"who joins with a cookie leaves it to the others, and takes theirs where there is one": func(t *testing.T, r *rows) {
			s := &signIns{}
			for _, own := range []string{"from the configuration", "another"} {
				if got, lost := r.process("right").renew(t.Context(), pass{own, 0}, true, s.do); got.cookie != "from the configuration" || lost != nil {
					t.Errorf("%+v, %v", got, lost)
				}
			}
			if s.n != 0 {
				t.Errorf("%d sign-ins", s.n)
			}
		},
		"a refusal holds for all, for a minute": func(t *testing.T, r *rows) {
			s := &signIns{lost: refused}
			for range 3 {
				if _, lost := r.process("wrong").renew(t.Context(), none, false, s.do); lost == nil || lost.Message != refused.Message || lost.Code != CodeSignIn {
					t.Errorf("%v", lost)
				}
			}
			if s.n != 1 {
				t.Errorf("%d sign-ins within the minute", s.n)
			}
			time.Sleep(lostFor) // by the clock of the bubble, which goes on at once
			if _, _ = r.process("wrong").renew(t.Context(), none, false, s.do); s.n != 2 {
				t.Errorf("%d sign-ins after it", s.n)
			}
		},
		"another password is another session": func(t *testing.T, r *rows) {
			if _, lost := r.process("wrong").renew(t.Context(), none, false, (&signIns{lost: refused}).do); lost == nil {
				t.Error("the refusal is gone")
			}
			if got, lost := r.process("right").renew(t.Context(), none, false, (&signIns{}).do); got != cookie {
				t.Errorf("%+v, %v", got, lost)
			}
		},
		"a sign-in that its process broke off is begun by the next one at once": func(t *testing.T, r *rows) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, lost := r.process("right").renew(ctx, none, false, (&signIns{takes: time.Hour}).do); lost == nil {
				t.Error("it was not broken off")
			}
			began := time.Now()
			if got, _ := r.process("right").renew(t.Context(), none, false, (&signIns{}).do); got != cookie || time.Since(began) > 0 {
				t.Errorf("%+v after %s", got, time.Since(began))
			}
		},
		"one who dies while signing in is waited for as long as that may take, and what comes late is not kept": func(t *testing.T, r *rows) {
			dead := r.process("right")
			if _, _, mine, _ := dead.look(t.Context(), none, false, "mark of the dead"); !mine {
				t.Fatal("nobody signs in")
			}
			began := time.Now()
			got, _ := r.process("right").renew(t.Context(), none, false, (&signIns{}).do)
			if waited := time.Since(began); got != cookie || waited < dead.most || waited > dead.most+2*lookAgain {
				t.Errorf("%+v after %s", got, waited)
			}
			dead.settle("mark of the dead", none, refused, false)
			if again, lost := r.process("right").renew(t.Context(), none, false, (&signIns{lost: refused}).do); again != got || lost != nil {
				t.Errorf("%+v, %v", again, lost)
			}
		},
		"what is kept has no secret in clear, and says nothing to who cannot open it": func(t *testing.T, r *rows) {
			_, _ = r.process("right").renew(t.Context(), none, false, (&signIns{}).do)
			for name, kept := range r.kept {
				for _, secret := range []string{"key-of-the-firm", "clerk", "right"} {
					if strings.Contains(name+string(kept), secret) {
						t.Errorf("%q is in %s %s", secret, name, kept)
					}
				}
				var k keptSession
				if err := json.Unmarshal(kept, &k); err != nil || len(k.Sealed) == 0 {
					t.Errorf("%v: %s", err, kept)
				}
				other := r.process("another")
				if other.name = name; other.cookie(k) != "" {
					t.Error("another password opens it")
				}
				r.kept[name] = []byte("{")
			}
			if got, _ := r.process("right").renew(t.Context(), none, false, (&signIns{}).do); got != cookie {
				t.Errorf("%+v where the row cannot be read", got)
			}
		},
		"a cookie sealed for one generation is not that of another": func(t *testing.T, r *rows) {
			p, k := r.process("right"), keptSession{}
			p.put(&k, cookie)
			if p.cookie(k) != cookie.cookie {
				t.Error("it cannot be opened")
			}
			if k.Generation++; p.cookie(k) != "" {
				t.Error("it was opened")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { story(t, &rows{}) })
		})
	}
}

// TestACookieThatWasNeverLetIn asks whether a cookie may have worked that this process signed in for itself and that the
// service has let nobody in with.
func TestACookieThatWasNeverLetIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		shared  bool
		before  []bool // the cookies before it: whether they were let in
		waits   time.Duration
		renewed bool
	}{
		"of a process that is alone":                    {renewed: false},
		"after a pause in which it may have ended":      {waits: newFor + time.Second, renewed: true},
		"that others may have used up":                  {shared: true, renewed: true},
		"of a process whose last one was not either":    {shared: true, before: []bool{false}, renewed: false},
		"of a process whose last one was, but not that": {shared: true, before: []bool{false, true}, renewed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &session{signIn: func(context.Context) (string, error) { return "cookie", nil }, secrets: &redactor{}, log: zap.NewNop()}
				if test.shared {
					s.joint = (&rows{}).process("right")
				}
				for n, letIn := range append(test.before, false) {
					if _, lost := s.newCookie(t.Context(), n+1, "the first one"); lost != nil {
						t.Fatal(lost)
					}
					if letIn {
						s.prove(n + 1)
					}
				}
				time.Sleep(test.waits) // by the clock of the bubble, which goes on at once
				if got := s.worked(len(test.before) + 1); got != test.renewed {
					t.Errorf("it may have worked: %v", got)
				}
			})
		})
	}
}
