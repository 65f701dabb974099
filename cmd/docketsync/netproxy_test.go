package main

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// netProxy is a bad network on this machine: a TCP proxy that cuts, stalls, halves, slows and refuses connections on their way to a
// server that knows nothing of it, and is not there at all for a while. The faults that the sandbox plays begin once it has read a
// request; these begin before, in between and after, and strike where they will.
//
// What befalls a connection is a netFault, and a netWeather says which, by the connection's number alone, from 0. So a test can be
// repeated. The faults speak of bytes, not of requests; a client that keeps its connections meets them in the middle of one request or
// between two. One end never waits for the other longer than the network would: a fault that stalls holds both connections open
// until the client or the server gives up, or the proxy is closed.
type netProxy struct {
	server  string
	address string
	weather atomic.Pointer[netWeather]
	numbers atomic.Int64
	struck  atomic.Int64
	network sync.RWMutex // held while nothing gets through

	mu       sync.Mutex
	listener net.Listener
	open     map[*line]bool // nil once closed
	ending   chan struct{}
	all      sync.WaitGroup
}

// netListen begins to pass on to a server ("127.0.0.1:8787") what comes to a port of its own. Close ends it.
func netListen(server string, weather netWeather) (*netProxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &netProxy{server: server, address: listener.Addr().String(), listener: listener, open: map[*line]bool{}, ending: make(chan struct{})}
	p.SetWeather(weather)
	p.all.Go(func() { p.accept(listener) })
	return p, nil
}

// Address is where clients connect, "127.0.0.1:port".
func (p *netProxy) Address() string { return p.address }

// SetWeather changes the weather for connections that are made from now on. The numbers go on.
func (p *netProxy) SetWeather(weather netWeather) { p.weather.Store(&weather) }

// Partition holds up all that is on its way, in all connections, until Heal: nothing gets through, nobody is told, and nothing is lost.
func (p *netProxy) Partition() { p.network.Lock() }

// Heal ends a partition.
func (p *netProxy) Heal() { p.network.Unlock() }

// awaitNetwork returns when there is no partition.
func (p *netProxy) awaitNetwork() {
	p.network.RLock()
	defer p.network.RUnlock()
}

// Connections is how many connections were made, Struck how many of them a fault has struck.
func (p *netProxy) Connections() int64 { return p.numbers.Load() }

// Struck is how many connections a fault has struck so far. One whose fault waits for more bytes is not among them.
func (p *netProxy) Struck() int64 { return p.struck.Load() }

// Close ends all connections and returns when nothing of the proxy is left.
func (p *netProxy) Close() error {
	p.mu.Lock()
	err := p.listener.Close()
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

func (p *netProxy) accept(listener net.Listener) {
	for listener != nil {
		conn, err := listener.Accept()
		if err != nil {
			return // closed
		}
		fault := (*p.weather.Load())(p.numbers.Add(1) - 1)
		if fault.Kind == netGone {
			_ = listener.Close()
			p.struck.Add(1)
			end(conn.(*net.TCPConn), fault.Reset)
			listener = p.comeBack(fault.For)
			continue
		}
		p.all.Go(func() { p.serve(conn.(*net.TCPConn), fault) })
	}
}

// comeBack listens again at the same address after a while; nil when the proxy was closed before.
func (p *netProxy) comeBack(after time.Duration) net.Listener {
	for {
		pause := time.NewTimer(after)
		select {
		case <-pause.C:
		case <-p.ending:
			pause.Stop()
			return nil
		}
		listener, err := net.Listen("tcp", p.address)
		if err != nil { // somebody else has the port for the moment
			after = time.Millisecond
			continue
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.open == nil {
			_ = listener.Close()
			return nil
		}
		p.listener = listener
		return listener
	}
}

// serve carries one connection to its end.
func (p *netProxy) serve(client *net.TCPConn, fault netFault) {
	if fault.Kind == netRefuse {
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
func (p *netProxy) enter(l *line) bool {
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
