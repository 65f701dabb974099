package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Probe returns nil if all is well, or what is wrong.
type Probe func(context.Context) error

// probePatience is how long a probe may take.
const probePatience = 5 * time.Second

// Mux serves /metrics; /livez, whether the process answers (if not, a restart helps); /healthz, whether it can do its
// work at all; and /readyz, whether it is set up to. The pages answer 200 "ok", or 503 with the reason.
func (m *Metrics) Mux(healthy, ready Probe) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.handler())
	mux.Handle("GET /livez", page(func(context.Context) error { return nil }))
	mux.Handle("GET /healthz", page(healthy))
	mux.Handle("GET /readyz", page(ready))
	return mux
}

func page(probe Probe) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		ctx, cancel := context.WithTimeout(r.Context(), probePatience)
		defer cancel()
		if err := probe(ctx); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, err)
			return
		}
		fmt.Fprintln(w, "ok")
	})
}

// Serve answers on a listener until ctx ends, and then finishes the answers in progress.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: probePatience, WriteTimeout: 2 * probePatience, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), probePatience)
		defer cancel()
		_ = server.Shutdown(late) // what does not end by then ends with the process
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
