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
	// Ledger is what is read and written. Where it is a copy because the disk takes no writes (ledger.OpenView), Reopen opens the
	// ledger itself as soon as that is possible; the console closes what it returns.
	Ledger *ledger.Ledger
	Reopen func(context.Context) (*ledger.Ledger, error)
	Work   Work
	// Local is who everybody is where nobody has to sign in, which is for a console that answers its own machine alone; nil
	// where people sign in. OneTime is told the key of the address that lets them in, the next one whenever one was used; nil where
	// the system lets nobody else reach the console, as on a socket.
	Local   *Person
	OneTime func(key string)
	// Accounts are who signs in; Reread reads them anew, nil for those that stay. URL is where a provider sends people back to: the
	// address of the console.
	Accounts
	Reread func() (Accounts, error)
	URL    string
	// Certificate tells why the certificate that is there now cannot be used, nil when it can; nil where the console has none.
	Certificate func() error
	// Port is where the console answers. Browsers send the cookies of an address to all its ports, so it is part of their names.
	Port string
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
	roster    *roster
	gate      *gate
	oneTime   *oneTime  // nil where nobody needs one
	refusals  *throttle // of posts whose refusals are written down
	orders    *orders
	readings  *readings
	summaries *summaries
	tallies   *tallies
	working   working // what the pages remember on which people work
	key       []byte  // of this process, which what is given to browsers before they are signed in is made with
}

// New makes a console that serves nobody yet. The context's end stops nothing: Serve does.
func New(ctx context.Context, o Options) (*Server, error) {
	roster, err := newRoster(o)
	if err != nil {
		return nil, err
	}
	s := &Server{Options: o, mux: http.NewServeMux(), known: map[string]route{}, roster: roster, sessions: newSessions(o, roster), gate: newGate(o, roster),
		refusals: newThrottle(time.Minute, 20), orders: newOrders(ctx, o), readings: newReadings(o), summaries: &summaries{}, tallies: &tallies{}, key: make([]byte, 32)}
	_, _ = rand.Read(s.key) // never fails
	s.routes()
	if o.Local != nil && o.OneTime != nil {
		s.oneTime = newOneTime(o.OneTime)
	}
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
		return errors.Join(err, s.end())
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	if server.Shutdown(late) != nil {
		_ = server.Close() // a browser that does not take its answer has had its time
	}
	return s.end()
}

// end lets go of what is read once nothing is carried out any more.
func (s *Server) end() error {
	if err := s.orders.end(s.StopWithin); err != nil {
		return err
	}
	return s.readings.close()
}
