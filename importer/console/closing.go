package console

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// unusedConnections are those on which no request has come yet. Browsers open them in advance, and a server that shuts down would
// wait five seconds for the first request on each.
type unusedConnections struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// watchUnused begins to know which connections of a server, which serves nobody yet, are unused.
func watchUnused(server *http.Server) *unusedConnections {
	u := &unusedConnections{open: map[net.Conn]bool{}}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		u.mu.Lock()
		defer u.mu.Unlock()
		if state == http.StateNew {
			u.open[c] = true
		} else {
			delete(u.open, c)
		}
	}
	return u
}

func (u *unusedConnections) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for c := range u.open {
		_ = c.Close() // nothing was asked on it
	}
}

// closeServer lets answers that are under way be finished, and tells whether all were: a browser that does not take its answer is
// given closeWithin.
func closeServer(ctx context.Context, server *http.Server, unused *unusedConnections) (finished bool) {
	server.RegisterOnShutdown(unused.close) // when no new ones are let in
	late, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	if server.Shutdown(late) == nil {
		return true
	}
	_ = server.Close()
	return false
}
