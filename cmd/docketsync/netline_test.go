package main

import (
	"net"
	"sync"
	"time"
)

// line is one connection through the proxy: two connections, and a fault on the way.
type line struct {
	client, server *net.TCPConn
	fault          netFault
	proxy          *netProxy

	once    sync.Once
	stall   sync.Once
	stalled chan struct{} // closed when nothing gets through any more
}

// carry passes bytes on in both directions until both have ended.
func (l *line) carry() {
	var both sync.WaitGroup
	both.Go(func() { l.pass(netUp, l.client, l.server) })
	both.Go(func() { l.pass(netDown, l.server, l.client) })
	both.Wait()
	l.cut(false)
}

// pass carries one direction from its source to its sink.
func (l *line) pass(way netDirection, from, to *net.TCPConn) {
	buffer := make([]byte, 16<<10)
	left := l.fault.After
	strikes := l.fault.Kind != netNone && l.fault.Way == way
	for {
		n, err := from.Read(buffer)
		l.proxy.awaitNetwork()
		piece := buffer[:n]
		if l.silent() {
			piece = nil
		}
		if strikes && int64(len(piece)) > left {
			before := piece[:left]
			piece = piece[left:]
			strikes = false
			if l.write(to, before) != nil || !l.strike(to, piece) {
				return
			}
			piece = nil
		}
		left -= int64(len(piece))
		if err == nil && len(piece) > 0 {
			if l.slow(way, strikes) {
				err = l.trickle(to, piece)
			} else {
				err = l.write(to, piece)
			}
		}
		if err != nil {
			if l.silent() {
				l.cut(false) // one side has given up, and nothing but this end can reach the other
			} else {
				_ = to.CloseWrite()
			}
			return
		}
	}
}

// slow tells whether a direction has been slowed down: its fault has struck.
func (l *line) slow(way netDirection, waiting bool) bool {
	return l.fault.Kind == netSlow && l.fault.Way == way && !waiting
}

func (l *line) write(to *net.TCPConn, piece []byte) error {
	if len(piece) == 0 {
		return nil
	}
	_, err := to.Write(piece)
	return err
}

// strike lets the fault happen; piece is what was about to go on. on tells whether the direction goes on.
func (l *line) strike(to *net.TCPConn, piece []byte) (on bool) {
	l.proxy.struck.Add(1)
	switch l.fault.Kind {
	case netCut:
		l.cut(l.fault.Reset)
		return false
	case netStall:
		// What comes is read and forgotten, so that the sender's end is noticed.
		l.stall.Do(func() { close(l.stalled) })
		return true
	case netHalf:
		_ = to.CloseWrite()
		return false
	case netSlow:
		return l.trickle(to, piece) == nil
	}
	return true
}

// silent tells whether the line has stalled.
func (l *line) silent() bool {
	select {
	case <-l.stalled:
		return true
	default:
		return false
	}
}

// trickle writes at the rate of the fault, a hundredth of a second's worth at a time.
func (l *line) trickle(to *net.TCPConn, piece []byte) error {
	size := max(1, l.fault.Rate/100)
	for len(piece) > 0 {
		n := min(size, len(piece))
		if err := l.write(to, piece[:n]); err != nil {
			return err
		}
		piece = piece[n:]
		pause := time.NewTimer(time.Duration(n) * time.Second / time.Duration(max(1, l.fault.Rate)))
		select {
		case <-pause.C:
		case <-l.proxy.ending:
			pause.Stop()
			return net.ErrClosed
		}
	}
	return nil
}

// cut ends both sides.
func (l *line) cut(reset bool) {
	l.once.Do(func() {
		end(l.client, reset)
		end(l.server, reset)
	})
}
