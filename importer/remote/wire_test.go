package remote_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// wire is a proxy in front of a server that can be cut, or watched, in the middle of an answer.
type wire struct {
	Host string
	Port int

	mu    sync.Mutex
	at    int64  // bytes of answers behind which do is called, once
	do    func() // nil for nothing
	cut   bool   // whether the connection is cut there
	times int    // how often it is to be done
}

// newWire starts a proxy in front of an address, on another port of the same host.
func newWire(t testing.TB, address string) *wire {
	t.Helper()
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Host: host, Port: l.Addr().(*net.TCPAddr).Port}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(in, address)
		}
	}()
	return w
}

// Cut cuts the next connections, so many times, when that many bytes of an answer have passed.
func (w *wire) Cut(after int64, times int) { w.set(after, times, true, nil) }

// When calls a function, once, when that many bytes of an answer have passed; nothing more passes until it returns.
func (w *wire) When(after int64, do func()) { w.set(after, 1, false, do) }

func (w *wire) set(at int64, times int, cut bool, do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.times, w.cut, w.do = at, times, cut, do
}

func (w *wire) carry(in net.Conn, address string) {
	defer in.Close()
	out, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer out.Close()
	go func() {
		_, _ = io.Copy(out, in)
		_ = out.Close()
	}()
	buffer, passed := make([]byte, 16<<10), int64(0)
	for {
		n, err := out.Read(buffer)
		passed += int64(n)
		if n > 0 && w.due(passed) {
			return
		}
		if _, failed := in.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// due does what is due behind so many bytes, and tells whether the connection is to be cut.
func (w *wire) due(passed int64) (cut bool) {
	w.mu.Lock()
	if w.times == 0 || passed < w.at {
		w.mu.Unlock()
		return false
	}
	w.times--
	do, cut := w.do, w.cut
	w.mu.Unlock() // other connections go on meanwhile
	if do != nil {
		do()
	}
	return cut
}
