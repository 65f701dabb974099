package apiclient

import (
	"context"
	"io"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestNetworkTrouble puts each trouble of a real socket before a good answer: what may be repeated gets the good answer
// with its second request, a create only when nothing of it had left.
func TestNetworkTrouble(t *testing.T) {
	t.Parallel()
	stall := func(conn net.Conn) {
		if readRequest(conn) {
			_, _ = io.Copy(io.Discard, conn) // until the client gives up
		}
	}
	tests := []struct {
		name  string
		serve func(net.Conn)
		code  Code
	}{
		{"reset without reading", func(c net.Conn) { waitForBytes(c); reset(c) }, CodeInterrupted},
		{"reset after reading", func(c net.Conn) { readRequest(c); reset(c) }, CodeInterrupted},
		{"closed after reading", func(c net.Conn) { readRequest(c) }, CodeInterrupted},
		{"stalled after reading", stall, CodeTimeout},
		{"half a status line", say("HTTP/1.1 20"), CodeInterrupted},
		{"half of the headers", say("HTTP/1.1 200 OK\r\nContent-Le"), CodeInterrupted},
		{"half of the body", say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":"), CodeAnswer},
		{"half of a chunked body", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"id\":"), CodeAnswer},
		{"garbage", say("\x00\x01\x02 what is this\r\n\r\n"), CodeInterrupted},
		{"endless headers", func(c net.Conn) {
			if readRequest(c) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-Long: "+strings.Repeat("x", 1000)+"\r\n", 200))
			}
		}, CodeInterrupted},
		{"stalled within the body", func(c net.Conn) {
			if readRequest(c) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
				_, _ = io.Copy(io.Discard, c)
			}
		}, CodeAnswer},
		{"switching protocols", func(c net.Conn) {
			say("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")(c)
			_, _ = io.Copy(io.Discard, c)
		}, CodeStatus},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			short := func(o *Options) { o.Timeout = 2 * time.Second } // what stalls ends with it; what answers must not, on a busy machine
			update := send(t, newClient(t, rawServer(t, test.serve, say(wireUpdated)), short), anUpdate(), true)
			if diff := cmp.Diff([]string{"retry", "accepted"}, verdicts(update)); diff != "" {
				t.Errorf("an update (-want +got):\n%s%+v", diff, update)
			}
			create := send(t, newClient(t, rawServer(t, test.serve, say(wireUpdated)), short), aCase(), false)
			if diff := cmp.Diff([]string{"in_doubt"}, verdicts(create)); diff != "" || create.Verdict != InDoubt {
				t.Errorf("a create ended %s (-want +got):\n%s", create.Verdict, diff)
			}
			if err, ok := create.Err.(*Error); !ok || err.Code != test.code {
				t.Errorf("the error is %v, want code %s", create.Err, test.code)
			}
		})
	}
}

// The answer to a new folder may hold anything, but has to come whole: what was cut off may be a page to sign in with.
func TestAFolderWhoseAnswerIsCutOffIsInDoubt(t *testing.T) {
	t.Parallel()
	server := rawServer(t, func(c net.Conn) {
		if readRequest(c) {
			_, _ = io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"id\":")
		}
	})
	if result := send(t, newClient(t, server), aFolder(), false); result.Verdict != InDoubt || !strings.Contains(result.Message, "was cut short after 6 bytes") {
		t.Errorf("%+v", result)
	}
}

// waitForBytes returns when the request has begun to arrive, without reading it from the connection's queue for good.
func waitForBytes(conn net.Conn) { _, _ = conn.Read(make([]byte, 1)) }

func TestRefusedConnectionIsRetriedForCreates(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	inBubble(t, status(201, caseRecord), func(t *testing.T, c *Client) {
		c.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		result := c.Send(t.Context(), aCase(), false)
		if result.Verdict != Failed || len(result.Attempts) < 2 || result.Attempts[0].Verdict != "retry" {
			t.Fatalf("got %+v", result)
		}
		if err := result.Err.(*Error); err.Code != CodeUnreachable || !strings.Contains(err.Message, "connection refused") {
			t.Errorf("error is %v", err)
		}
	})
}

// TestKeptConnectionThatTakesNoByteIsReplaced breaks the sending side of a kept connection, so that not one byte of the
// second create can be written: it goes out again on a new connection, although a create.
func TestKeptConnectionThatTakesNoByteIsReplaced(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := tlsServer(t, &requests)
			base, trust := server.URL, func(o *Options) { o.CAFile = pemFile(t, server) }
			if scheme == "http" {
				plain := httptest.NewServer(server.Config.Handler)
				t.Cleanup(plain.Close)
				base = plain.URL
			}
			c := newClient(t, base, trust)
			dialled := spyOnDials(c)
			if first := send(t, c, aCase(), false); first.Verdict != Accepted {
				t.Fatalf("the first: %+v", first)
			}
			if err := (*dialled)[0].SetWriteDeadline(time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			second := send(t, c, aCase(), false)
			if diff := cmp.Diff([]string{"retry", "accepted"}, verdicts(second)); diff != "" {
				t.Errorf("the second (-want +got):\n%s%+v", diff, second)
			}
			if requests.Load() != 2 || len(*dialled) != 2 {
				t.Errorf("the server saw %d requests on %d connections", requests.Load(), len(*dialled))
			}
		})
	}
}

// spyOnDials keeps what lies below the counters of the connections that the client makes.
func spyOnDials(c *Client) *[]net.Conn {
	var dialled []net.Conn
	spy := func(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err == nil {
				dialled = append(dialled, conn.(*countedConn).Conn)
			}
			return conn, err
		}
	}
	c.transport.DialContext, c.transport.DialTLSContext = spy(c.transport.DialContext), spy(c.transport.DialTLSContext)
	return &dialled
}

// TestServerThatClosesEveryConnectionNeverGetsACreateTwice closes after each answer without saying so before. The client may find
// out before, while or after it writes the next create; whichever it is, no create may arrive twice.
func TestServerThatClosesEveryConnectionNeverGetsACreateTwice(t *testing.T) {
	t.Parallel()
	var requests, accepted, doubt int64
	base := rawServer(t, func(conn net.Conn) {
		if readRequest(conn) {
			atomic.AddInt64(&requests, 1)
			_, _ = io.WriteString(conn, created(caseRecord))
		}
	})
	c := newClient(t, base)
	for range 200 {
		switch result := send(t, c, aCase(), false); result.Verdict {
		case Accepted:
			accepted++
		case InDoubt:
			doubt++
		default:
			t.Fatalf("got %+v", result)
		}
	}
	if seen := atomic.LoadInt64(&requests); seen != accepted {
		t.Errorf("the server acted on %d creates, %d were accepted, %d in doubt", seen, accepted, doubt)
	}
}

func created(body string) string {
	return "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// TestFailedWriteCounts covers what the counter of a connection says after writes that failed.
func TestFailedWriteCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		write   shortWriter
		written bool
	}{
		{"not a byte taken", shortWriter{n: 0}, false},
		{"one byte taken", shortWriter{n: 1}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn := &countedConn{Conn: test.write}
			var w writing
			w.gotConn(conn)
			_, _ = conn.Write([]byte("POST"))
			if got := w.anything(); got != test.written {
				t.Errorf("written is %v, want %v", got, test.written)
			}
			if _, err := conn.Write([]byte("late")); err != net.ErrClosed {
				t.Errorf("a write after the judgement gave %v", err)
			}
		})
	}
	t.Run("unknown connection counts as written", func(t *testing.T) {
		t.Parallel()
		var w writing
		w.gotConn(shortWriter{})
		if !w.anything() {
			t.Error("not written")
		}
	})
}

// shortWriter takes n bytes of a write and then fails.
type shortWriter struct {
	net.Conn
	n int
}

func (s shortWriter) Write([]byte) (int, error) { return s.n, syscall.EPIPE }
