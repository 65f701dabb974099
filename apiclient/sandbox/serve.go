package sandbox

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// shutdownTime is how long requests in flight get when a server is told to stop.
const shutdownTime = 5 * time.Second

type servingKey struct{}

// serving ends when the Serve that a request came through was told to stop; it is nil elsewhere.
func serving(ctx context.Context) <-chan struct{} {
	done, _ := ctx.Value(servingKey{}).(<-chan struct{})
	return done
}

// Serve answers connections of l until ctx ends, then lets requests in flight finish and gives nil. It closes l, and
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
