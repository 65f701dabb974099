package sandbox

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync"
)

// spellingListener hands out connections that remember how the names of headers were spelled.
type spellingListener struct {
	net.Listener
	names []string
}

// Accept waits for a connection.
func (l spellingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &spellingConn{Conn: conn, names: l.names, seen: map[string]string{}}, nil
}

// spellingConn looks at every line that comes in. A line of a JSON body cannot look like one of these headers, since it
// would have to start with a bare word.
type spellingConn struct {
	net.Conn
	names []string

	mu   sync.Mutex
	line []byte
	skip bool              // the line is too long to be of interest
	seen map[string]string // name → spelling that differs from it
}

// Read reads and looks.
func (c *spellingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look(p[:n])
	return n, err
}

func (c *spellingConn) look(data []byte) {
	const longest = 128
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		part := data
		if end >= 0 {
			part = data[:end]
		}
		if !c.skip {
			c.line = append(c.line, part[:min(len(part), longest-len(c.line))]...)
			if bytes.IndexByte(c.line, ':') >= 0 || len(c.line) == longest {
				c.note()
				c.skip = true
			}
		}
		if end < 0 {
			return
		}
		c.line, c.skip, data = c.line[:0], false, data[end+1:]
	}
}

func (c *spellingConn) note() {
	name, _, _ := bytes.Cut(c.line, []byte(":"))
	for _, want := range c.names {
		if strings.EqualFold(want, string(name)) && want != string(name) {
			c.seen[want] = string(name)
		}
	}
}

// misspelled gives the spellings since the last call that differ from the ones wanted.
func (c *spellingConn) misspelled() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.seen
	c.seen = map[string]string{}
	return seen
}

type spellingKey struct{}

func withSpelling(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(*spellingConn); ok {
		return context.WithValue(ctx, spellingKey{}, c)
	}
	return ctx
}

// spellingFaults lists headers of the request that are not spelled as interface.md part 4 spells them.
func spellingFaults(ctx context.Context) []Reason {
	c, ok := ctx.Value(spellingKey{}).(*spellingConn)
	if !ok {
		return nil
	}
	var r reasons
	for want, got := range c.misspelled() {
		r.add(want, "is spelled %s", quoted(got))
	}
	return r.list
}

// underlying is the connection below one of ours.
func underlying(conn net.Conn) net.Conn {
	if c, ok := conn.(*spellingConn); ok {
		return c.Conn
	}
	return conn
}
