package apiclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"docketsync/apiclient/payload"
)

const (
	connectTimeout = 15 * time.Second
	tlsTimeout     = 15 * time.Second
	// idleTimeout is below the 5 s after which the quickest common servers close an idle connection. If the server
	// closes a connection while a create is being sent, that create is in doubt.
	idleTimeout = 4 * time.Second
	headerLimit = 64 << 10
)

// newTransport returns a transport that speaks only HTTP/1.1, verifies certificates, keeps as many connections as there
// may be requests, and counts on each what was written.
func newTransport(o Options, roots *x509.CertPool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	settings := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, NextProtos: []string{"http/1.1"}}
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Protocols:              protocols,
		TLSClientConfig:        settings,
		Proxy:                  proxyOffMachine(o.Proxy),
		TLSHandshakeTimeout:    tlsTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           o.Pace.Concurrency + 1,
		MaxIdleConnsPerHost:    o.Pace.Concurrency + 1, // one more for sign-in
		MaxResponseHeaderBytes: headerLimit,
		DisableCompression:     true, // so that AnswerLimit counts what is read
		WriteBufferSize:        16 << 10,
	}
	t.DialContext = counting(dialer)
	t.DialTLSContext = counting(&tls.Dialer{NetDialer: dialer, Config: settings})
	return t
}

// counting returns what connects as a dialer does, and counts on the connection what is written.
func counting(d interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn}, nil
	}
}

// proxyOffMachine uses no proxy for addresses on this machine.
func proxyOffMachine(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		return nil
	}
	return func(r *http.Request) (*url.URL, error) {
		if payload.Loopback(r.URL.Hostname()) {
			return nil, nil
		}
		return proxy(r)
	}
}

// countedConn counts the bytes that were handed to a connection, and can be sealed against further writes. For a direct
// connection it lies above TLS, so it counts only HTTP. Through a proxy it lies below TLS, which may add bytes of its
// own; that can only make an exchange look more written than it was.
type countedConn struct {
	net.Conn
	mu      sync.Mutex
	written int64 // bytes that may have left: counted before the write, corrected after it
	sealed  bool
}

// Write counts before it writes, so that a count taken in between is never too low.
func (c *countedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.sealed {
		c.mu.Unlock()
		return 0, net.ErrClosed
	}
	c.written += int64(len(p))
	c.mu.Unlock()
	n, err := c.Conn.Write(p)
	if n < len(p) {
		c.mu.Lock()
		c.written -= int64(len(p) - n)
		c.mu.Unlock()
	}
	return n, err
}

func (c *countedConn) count() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written
}

// seal stops all further writes and returns the final count.
func (c *countedConn) seal() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed = true
	return c.written
}

// counted returns the counter of a connection that the transport handed out, or nil.
func counted(conn net.Conn) *countedConn {
	if over, ok := conn.(*tls.Conn); ok {
		conn = over.NetConn()
	}
	counter, _ := conn.(*countedConn)
	return counter
}

// writing follows one request over the connections that it gets.
type writing struct {
	conn  *countedConn
	taken bool  // the request got a connection
	start int64 // count of the connection at that time
}

func (w *writing) gotConn(conn net.Conn) {
	w.taken, w.conn = true, counted(conn)
	if w.conn != nil {
		w.start = w.conn.count()
	}
}

// anything reports, after the exchange failed, whether any byte of the request may have left. It seals the connection.
func (w *writing) anything() bool {
	if !w.taken {
		return false
	}
	return w.conn == nil || w.conn.seal() != w.start
}
