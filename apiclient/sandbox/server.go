package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Server is a sandbox. Its methods may be called by many at once.
type Server struct {
	options Options
	index   *index
	store   *store
	gate    *doorkeeper
	handler http.Handler
	seq     atomic.Int64
	listSeq atomic.Int64 // of requests for lists, which no log keeps
	waiting atomic.Int64
	control atomic.Pointer[control]
	closed  chan struct{}
	closing atomic.Bool
}

// Open opens a sandbox, making its data where there is none. What an earlier one kept there, this one knows. One
// process at a time may have the data open. Close it when done.
func Open(o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.Directory.normalise(); err != nil {
		return nil, fmt.Errorf("sandbox directory: %w", err)
	}
	st, err := openStore(o.Data, o.Synchronous)
	if err != nil {
		return nil, err
	}
	if err := st.start(o.Directory.Trademarks); err != nil {
		return nil, errors.Join(fmt.Errorf("write sandbox data: %w", err), st.close())
	}
	s := &Server{options: o, index: newIndex(o.Directory, o.AnyReference), store: st, closed: make(chan struct{})}
	if err := s.recall(); err != nil {
		return nil, errors.Join(err, st.close())
	}
	if err := s.route(); err != nil {
		return nil, errors.Join(err, st.close())
	}
	s.SetFaults(o.Faults)
	o.Log.Info("sandbox open", zap.String("data", or(o.Data, "memory")), zap.Int64("requests", s.seq.Load()), zap.Stringer("faults", o.Faults))
	return s, nil
}

// recall takes up what the data remembers: how many requests came, the key of the cookies and how often each was used.
func (s *Server) recall() error {
	var key []byte
	uses := map[string]int{}
	var seq int64
	err := s.store.view(context.Background(), func(q querier) error {
		ctx := context.Background()
		if err := q.QueryRowContext(ctx, `select value from meta where name = 'cookie_key'`).Scan(&key); err != nil {
			return err
		}
		if err := q.QueryRowContext(ctx, `select coalesce(max(seq), 0) from requests`).Scan(&seq); err != nil {
			return err
		}
		return each(ctx, q, `select session, count(*) from requests where session <> '' group by session`, func(scan func(...any) error) error {
			var session string
			var n int
			err := scan(&session, &n)
			uses[session] = n
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("read sandbox data: %w", err)
	}
	s.seq.Store(seq)
	s.gate = newDoorkeeper(s.options, s.index, key, uses)
	return nil
}

// Handler serves the operations, the additions and the page.
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends the sandbox after what was accepted is durable. Waiting faults end at once. A second call does nothing.
func (s *Server) Close() error {
	if !s.closing.CompareAndSwap(false, true) {
		return nil
	}
	close(s.closed)
	return s.store.close()
}

func (s *Server) now() time.Time { return s.options.Now().UTC() }
