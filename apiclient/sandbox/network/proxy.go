package network

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

// Proxy passes connections on to a server, in a Weather.
type Proxy struct {
	server   string
	listener net.Listener
	weather  atomic.Pointer[Weather]
	numbers  atomic.Int64
	struck   atomic.Int64

	mu     sync.Mutex
	open   map[*line]bool // nil once closed
	ending chan struct{}
	all    sync.WaitGroup
}

// Listen begins to pass on to a server ("127.0.0.1:8787") what comes to a port of its own. Close ends it.
func Listen(server string, weather Weather) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{server: server, listener: listener, open: map[*line]bool{}, ending: make(chan struct{})}
	p.SetWeather(weather)
	p.all.Go(p.accept)
	return p, nil
}

// Address is where clients connect, "127.0.0.1:port".
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// SetWeather changes the weather for connections that are made from now on. The numbers go on.
func (p *Proxy) SetWeather(weather Weather) { p.weather.Store(&weather) }

// Connections is how many connections were made, Struck how many of them a fault has struck.
func (p *Proxy) Connections() int64 { return p.numbers.Load() }

// Struck is how many connections a fault has struck so far. One whose fault waits for more bytes is not among them.
func (p *Proxy) Struck() int64 { return p.struck.Load() }

// Close ends all connections and returns when nothing of the proxy is left.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.mu.Lock()
	if p.open != nil {
		close(p.ending)
		for l := range p.open {
			l.cut(false)
		}
		p.open = nil
	}
	p.mu.Unlock()
	p.all.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		fault := (*p.weather.Load())(p.numbers.Add(1) - 1)
		p.all.Go(func() { p.serve(conn.(*net.TCPConn), fault) })
	}
}

// serve carries one connection to its end.
func (p *Proxy) serve(client *net.TCPConn, fault Fault) {
	if fault.Kind == Refuse {
		p.struck.Add(1)
		end(client, fault.Reset)
		return
	}
	conn, err := net.Dial("tcp", p.server)
	if err != nil {
		end(client, true)
		return
	}
	l := &line{client: client, server: conn.(*net.TCPConn), fault: fault, proxy: p, stalled: make(chan struct{})}
	if !p.enter(l) {
		l.cut(false)
		return
	}
	l.carry()
	p.mu.Lock()
	delete(p.open, l)
	p.mu.Unlock()
}

// enter notes a line that Close is to cut; false when the proxy is closed already.
func (p *Proxy) enter(l *line) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		return false
	}
	p.open[l] = true
	return true
}

// end closes a connection, by a reset when asked for.
func end(conn *net.TCPConn, reset bool) {
	if reset {
		_ = conn.SetLinger(0)
	}
	_ = conn.Close()
}
