package console

import (
	"net"
	"net/http"
	"testing"
)

// TestClosingDoesNotWaitForUnusedConnections ends a server to which a browser has opened a connection in advance.
func TestClosingDoesNotWaitForUnusedConnections(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler()}
	closeUnused(server)
	known := make(chan struct{})
	watch := server.ConnState
	server.ConnState = func(c net.Conn, state http.ConnState) {
		watch(c, state)
		if state == http.StateNew {
			close(known)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	browser, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	<-known
	if !closeServer(t.Context(), server) {
		t.Error("the server waited until the time for answers was over, and no answer was missing")
	}
	if err := <-ended; err != http.ErrServerClosed {
		t.Error(err)
	}
}
