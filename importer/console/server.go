package console

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// Options is what a console is made of.
type Options struct {
	Ledger *ledger.Ledger
	Work   Work
	// Local is who everybody is where nobody has to sign in, which is for a console that answers its own machine alone; nil
	// where people sign in.
	Local *Person
	Users []User
	// OIDC is a provider that people sign in with, nil for none. URL is where it sends them back to: the address of the console.
	OIDC *Provider
	URL  string
	// Hosts are the names that the console answers to, nil for any. One that answers its own machine alone is given those of the
	// machine, so that no page of a foreign name can be made to lead to it.
	Hosts []string
	// Encrypted says that browsers speak TLS, to this process or to a proxy in front of it.
	Encrypted bool
	// Proxies are the addresses of the proxies in front. Where there are any, all other addresses are refused.
	Proxies []netip.Prefix
	// Idle is how long a session lasts without a request, Lifetime how long at all.
	Idle, Lifetime time.Duration
	// UploadLimit is how large a file may be that somebody uploads, in bytes.
	UploadLimit int64
	// Rehearsal is what every page says first where the service is not a live one, "" otherwise.
	Rehearsal string
	// StopWithin is how long runs may take to finish what is in flight when the console is stopped.
	StopWithin time.Duration
	Log        *zap.Logger
	Now        func() time.Time
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// Server is a console.
type Server struct {
	Options
	mux       *http.ServeMux
	known     map[string]route // by their patterns
	sessions  *sessions
	gate      *gate
	orders    *orders
	summaries *summaries
	tallies   *tallies
	working   working // what the pages remember on which people work
	key       []byte  // of this process, which what is given to browsers before they are signed in is made with
}

// New makes a console that serves nobody yet. The context's end stops nothing: Serve does.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{Options: o, mux: http.NewServeMux(), known: map[string]route{}, sessions: newSessions(o), orders: newOrders(ctx, o),
		summaries: &summaries{led: o.Ledger}, tallies: &tallies{led: o.Ledger}, key: make([]byte, 32)}
	_, _ = rand.Read(s.key) // never fails
	var err error
	if s.gate, err = newGate(o); err != nil {
		return nil, err
	}
	s.routes()
	return s, nil
}

// Handler answers requests.
func (s *Server) Handler() http.Handler { return s.guarded(s.mux) }

// The times that a connection may take. A form has to be there within readWithin, so that strangers cannot keep connections for
// long; a file that somebody uploads who may, within uploadWithin. A download of a large report may take as long as writeWithin.
const (
	headerWithin = 10 * time.Second
	readWithin   = 30 * time.Second
	uploadWithin = 5 * time.Minute
	writeWithin  = 10 * time.Minute
	idleWithin   = 2 * time.Minute
	closeWithin  = 5 * time.Second
)

// Serve answers on a listener, which speaks TLS already where it is to, until ctx ends. Then it begins nothing new, and runs that
// were asked for finish what is in flight; they are given StopWithin for that.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	log, err := zap.NewStdLogAt(s.Log, zap.DebugLevel) // what goes wrong in handshakes is the business of who tried them
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.Handler(), ErrorLog: log, MaxHeaderBytes: 32 << 10, ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin,
		WriteTimeout: writeWithin, IdleTimeout: idleWithin}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return errors.Join(err, s.orders.end(s.StopWithin))
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	if server.Shutdown(late) != nil {
		_ = server.Close() // a browser that does not take its answer has had its time
	}
	return s.orders.end(s.StopWithin)
}
