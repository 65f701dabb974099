package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"
)

// Server is a sandbox. Its methods are safe for concurrent use.
type Server struct {
	options       Options
	index         *index
	store         *store
	authenticator *authenticator
	handler       http.Handler
	seq           atomic.Int64
	listSeq       atomic.Int64 // counts requests for lists, which are not logged
	behaviour     atomic.Pointer[behaviour]
	closed        chan struct{}
	closing       sync.Once
}

// behaviour is the current faults with their counters.
type behaviour struct {
	faults  Faults
	limiter *rate.Limiter
	workers chan struct{}
}

// Open opens a sandbox, creating its data if there is none. Data of an earlier sandbox is kept. Only one process at a
// time may have the data open. Close the sandbox when done.
func Open(o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.Directory.normalise(); err != nil {
		return nil, fmt.Errorf("sandbox directory: %w", err)
	}
	st, err := openStore(o.Data, o.Directory.Trademarks)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, index: newIndex(o.Directory, o.AnyReference), store: st, closed: make(chan struct{})}
	if err := errors.Join(s.recall(), s.route()); err != nil {
		return nil, errors.Join(err, st.close())
	}
	s.SetFaults(o.Faults)
	o.Log.Info("sandbox open", zap.String("data", cmp.Or(o.Data, "memory")), zap.Int64("requests", s.seq.Load()), zap.Stringer("faults", o.Faults))
	return s, nil
}

// recall reads the state from the data: how many requests came, the key of the cookies and how often each was used.
func (s *Server) recall() error {
	s.authenticator = &authenticator{options: s.options, index: s.index, uses: map[string]uint{}}
	var seq int64
	q := s.store.reader
	err := q.QueryRow(`select (select value from meta where name = 'cookie_key'), (select coalesce(max(seq), 0) from requests)`).Scan(&s.authenticator.key, &seq)
	if err == nil {
		err = each(q, `select session, count(*) from requests where session <> '' group by session`, func(scan func(...any) error) error {
			var session string
			var n uint
			err := scan(&session, &n)
			s.authenticator.uses[session] = n
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("read sandbox data: %w", err)
	}
	s.seq.Store(seq)
	return nil
}

// SetFaults changes how the sandbox misbehaves from the next request on. Rate and workers start afresh.
func (s *Server) SetFaults(f Faults) {
	b := &behaviour{faults: f}
	if f.Rate > 0 {
		b.limiter = rate.NewLimiter(rate.Limit(f.Rate), max(1, cmp.Or(int(f.Burst), int(f.Rate/10))))
	}
	if f.Workers > 0 {
		b.workers = make(chan struct{}, f.Workers)
	}
	s.behaviour.Store(b)
}

// Handler returns the handler for the operations and the additions.
func (s *Server) Handler() http.Handler { return s.handler }

// shutdownTime is how long requests in flight get when a server is told to stop.
const shutdownTime = 5 * time.Second

type servingKey struct{}

// Serve answers connections of l until ctx ends, then lets requests in flight finish and returns nil. It closes l but
// leaves the sandbox open.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), servingKey{}, ctx.Done())
		},
		ErrorLog: zap.NewStdLog(s.options.Log),
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		bounded, cancel := context.WithTimeout(context.Background(), shutdownTime)
		defer cancel()
		stopped <- errors.Join(server.Shutdown(bounded), server.Close())
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// serving returns a channel that closes when the Serve that a request came through is told to stop. It is nil
// elsewhere.
func serving(ctx context.Context) <-chan struct{} {
	done, _ := ctx.Value(servingKey{}).(<-chan struct{})
	return done
}

// wait waits, but returns early if the sandbox closes, Serve is told to stop, or the caller leaves. caller is nil if
// leaving does not matter: a service finishes what it has begun.
func (s *Server) wait(ctx context.Context, d time.Duration, caller <-chan struct{}) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-caller:
	case <-s.closed:
	case <-serving(ctx):
	}
}

// Close closes the sandbox after everything accepted is durable. Waiting faults end at once. A second call does
// nothing.
func (s *Server) Close() (err error) {
	s.closing.Do(func() {
		close(s.closed)
		err = s.store.close()
	})
	return err
}

func (s *Server) now() time.Time { return s.options.Now().UTC() }
