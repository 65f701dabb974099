package console

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/access"
	"docketsync/importer/console/comparison"
	"docketsync/importer/console/firms"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/manual"
	"docketsync/importer/console/nodes"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/records"
	"docketsync/importer/console/setup"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/console/wizard"
	"docketsync/importer/ledger"
)

// Work is what the console does beyond reading the ledger. The commands' package implements it with the commands' code,
// so that a click does what the command of that name does: both take the ledger's locks, and all checks apply. The
// methods may be called at any time and concurrently; those that read the configuration read it anew each time. An
// error says what happened and what to do next, in lines for a person, and contains no secret.
type Work interface {
	queue.Runner
	jobs.Work
	records.Work
	wizard.Work
}

// Options is what a console is made of.
type Options struct {
	// SignIn says who may sign in. The console sets its Log and Now.
	SignIn signin.Options
	// Door is the authenticator of the console of several firms that this one is behind; nil if this console has its
	// own, from SignIn.
	Door *signin.Authenticator
	// Web says how the pages answer. The console sets its Authenticator, Snapshots, Menu, Log and Now.
	Web web.Options
	// Ledger is what is read and written. If it is a copy because the disk is read-only or full (ledger.OpenView),
	// Reopen opens the ledger itself as soon as that is possible; the console closes what Reopen returns.
	Ledger *ledger.Ledger
	Reopen func(context.Context) (*ledger.Ledger, error)
	Work   Work
	// Orders are those of the console that this one replaces (Server.Orders), nil for none: only they record an order
	// that could not be run.
	Orders map[string]*queue.Standing
	// Guide is what the pages of the guide show.
	Guide []manual.Topic
	// Uploads keeps what people upload.
	Uploads *upload.Store
	// Nodes finds out about the nodes that share the ledger; nil if the ledger is a file.
	Nodes nodes.Work
	// StopWithin is how long runs may take to finish what is in flight when the console is stopped.
	StopWithin time.Duration
	Log        *zap.Logger
	Now        func() time.Time // nil for the clock
}

// compareWithin is how long a comparison of two plans may take, enough for several million records.
const compareWithin = 5 * time.Minute

// menu is the menu at the top of every page.
var menu = []web.MenuLine{
	{Title: "Today", Path: "/", Needs: signin.Viewer},
	{Title: "Runs", Path: "/runs", Needs: signin.Viewer},
	{Title: "In doubt", Path: "/doubts", Needs: signin.Viewer},
	{Title: "Changed in the service", Path: "/changed", Needs: signin.Viewer},
	{Title: "Find a record", Path: "/records", Needs: signin.Viewer},
	{Title: "Import a file", Path: "/import", Needs: signin.OperatorOfAll},
	{Title: "Settings", Path: "/settings", Needs: signin.ViewerOfAll},
	{Title: "Audit log", Path: "/audit", Needs: signin.ViewerOfAll},
	{Title: "Sessions", Path: access.SessionsPath, Needs: signin.OperatorOfAll},
	{Title: "Guide", Path: "/guide", Needs: signin.Viewer},
}

// Server is a console.
type Server struct {
	frame      *web.Frame
	queue      *queue.Queue
	stopWithin time.Duration
	log        *zap.Logger
}

// New returns a console that serves nobody yet. The end of ctx stops nothing: Serve does.
func New(ctx context.Context, o Options) (*Server, error) {
	o.Web.Menu, o.Work = menu, walled{o.Work}
	if o.Nodes != nil {
		o.Web.Menu = slices.Insert(slices.Clone(menu), len(menu)-1, web.MenuLine{Title: "Nodes", Path: nodes.Path, Needs: signin.ViewerOfAll})
	}
	if o.Door != nil {
		o.Web.Menu = slices.DeleteFunc(slices.Clone(o.Web.Menu), func(m web.MenuLine) bool { return m.Path == access.SessionsPath })
	}
	s, authenticator, err := begin(ctx, &o)
	if err != nil {
		return nil, err
	}
	snapshots := s.frame.Snapshots
	ofJobs := &jobs.Pages{Work: o.Work, Queue: s.queue, Uploads: o.Uploads, Trouble: authenticator.Trouble, Now: o.Now}
	ofJobs.AddTo(s.frame)
	(&records.Pages{Work: o.Work, Snapshots: snapshots, Background: s.queue.Go, Log: o.Log, Now: o.Now}).AddTo(s.frame)
	(&comparison.Pages{Work: o.Work, Snapshots: snapshots, Background: s.queue.Go, Within: compareWithin, Log: o.Log, Now: o.Now}).AddTo(s.frame)
	(&wizard.Pages{Work: o.Work, Store: o.Uploads, Jobs: ofJobs}).AddTo(s.frame)
	if o.Nodes != nil {
		(&nodes.Pages{Work: o.Nodes}).AddTo(s.frame)
	}
	(&access.Pages{Authenticator: authenticator, Log: o.Log, Now: o.Now}).AddTo(s.frame, o.Door == nil, true)
	(&manual.Pages{Topics: o.Guide}).AddTo(s.frame)
	return s, nil
}

// begin returns a console without pages, and completes its options.
func begin(ctx context.Context, o *Options) (*Server, *signin.Authenticator, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.SignIn.Log, o.SignIn.Now = o.Log, o.Now
	authenticator, err := o.Door, error(nil)
	if authenticator == nil {
		authenticator, err = signin.New(o.SignIn)
	}
	if err != nil {
		return nil, nil, err
	}
	o.Web.Authenticator, o.Web.Snapshots, o.Web.Log, o.Web.Now = authenticator, web.NewSnapshots(o.Ledger, o.Reopen, o.Log), o.Log, o.Now
	return &Server{frame: web.New(o.Web), queue: queue.New(ctx, o.Work, o.Orders, o.Now, o.Log), stopWithin: o.StopWithin, log: o.Log}, authenticator, nil
}

// Handler answers requests.
func (s *Server) Handler() http.Handler { return s.frame.Handler() }

// The times that a connection may take. A form must arrive within readWithin, so that strangers cannot keep connections
// for long; an upload by somebody who may upload is given more (web.Frame.PostWithin). A download of a large report may
// take as long as writeWithin.
const (
	headerWithin = 10 * time.Second
	readWithin   = 30 * time.Second
	writeWithin  = 10 * time.Minute
	idleWithin   = 2 * time.Minute
	closeWithin  = 5 * time.Second
)

// Serve answers on a listener, which already speaks TLS if it should, until ctx ends. Then it begins nothing new, and
// lets the runs that people started finish what is in flight, for StopWithin at most.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	log, err := zap.NewStdLogAt(s.log, zap.DebugLevel) // failed handshakes concern only whoever tried them
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.Handler(), ErrorLog: log, MaxHeaderBytes: 32 << 10, ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin,
		WriteTimeout: writeWithin, IdleTimeout: idleWithin}
	closeUnused(server)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return errors.Join(err, s.End())
	case <-ctx.Done():
	}
	closeServer(context.WithoutCancel(ctx), server)
	<-ended // nobody waits at the listener any more, so another server may have it
	return s.End()
}

// Busy reports whether an order is being carried out, or something is being made for the pages.
func (s *Server) Busy() bool { return s.queue.Busy() }

// Orders returns the last orders, for the console that replaces this one.
func (s *Server) Orders() map[string]*queue.Standing { return s.queue.Orders() }

// End releases what is read, once no order is being carried out. Serve calls it in the end.
func (s *Server) End() error {
	if err := s.queue.End(s.stopWithin); err != nil {
		return err
	}
	return s.frame.Snapshots.Close()
}

// Routes lists the patterns of all pages and posts that know who asks, as net/http spells them.
func (s *Server) Routes() []string { return slices.Sorted(maps.Keys(s.frame.Routes)) }

// NewSetup returns a console that has no configuration yet and asks for one. It uses neither Work nor uploads of the
// options; their ledger is thrown away with it.
func NewSetup(ctx context.Context, o Options, work setup.Work) (*Server, error) {
	s, _, err := begin(ctx, &o)
	if err == nil {
		(&setup.Pages{Work: work}).AddTo(s.frame)
	}
	return s, err
}

// NewSeveral returns a console of several firms: the door, and the page that leads to each firm's own console. It uses
// neither Work nor uploads of the options; the ledger has the audit of sign-ins.
func NewSeveral(ctx context.Context, o Options, work firms.Work) (*Server, error) {
	s, door, err := begin(ctx, &o)
	if err == nil {
		(&access.Pages{Authenticator: door, Log: o.Log, Now: o.Now}).AddTo(s.frame, true, false)
		(&firms.Pages{Work: work, Door: door}).AddTo(s.frame)
	}
	return s, err
}

// closeUnused makes the shutdown of a server close the connections on which no request has come yet. Browsers open them
// in advance, and the server would wait five seconds for the first request on each. It must not serve anybody yet.
func closeUnused(server *http.Server) {
	var unused sync.Map
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			unused.Store(c, nil)
		} else {
			unused.Delete(c)
		}
	}
	server.RegisterOnShutdown(func() { // when no new ones are accepted
		unused.Range(func(c, _ any) bool { _ = c.(net.Conn).Close(); return true }) // there was no request on it
	})
}

// closeServer lets answers in progress finish, and reports whether all did: a browser that does not take its answer is
// given closeWithin.
func closeServer(ctx context.Context, server *http.Server) (finished bool) {
	late, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	if server.Shutdown(late) == nil {
		return true
	}
	_ = server.Close()
	return false
}
