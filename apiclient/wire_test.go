package apiclient

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// capture answers like answer and keeps the bytes of the first request.
func capture(t *testing.T, answer string) (base string, request func() string) {
	t.Helper()
	got := make(chan string, 1)
	base = rawServer(t, func(conn net.Conn) {
		var raw bytes.Buffer
		tee := struct {
			io.Reader
			net.Conn
		}{io.TeeReader(conn, &raw), conn}
		if readRequest(readerConn{conn, tee.Reader}) {
			_, _ = io.WriteString(conn, answer)
			got <- raw.String()
		}
	})
	return base, func() string { return <-got }
}

type readerConn struct {
	net.Conn
	from io.Reader
}

func (c readerConn) Read(p []byte) (int, error) { return c.from.Read(p) }

func TestHeadersAreSpelledAsTheInterfaceSpellsThem(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			var request string
			var result Result
			if scheme == "http" {
				base, read := capture(t, created(caseRecord))
				result = send(t, newClient(t, base), aCase(), false)
				request = read()
			} else {
				result, request = throughTLS(t)
			}
			if result.Verdict != Accepted || result.ID != guid1 {
				t.Fatalf("got %+v", result)
			}
			head, body, _ := strings.Cut(request, "\r\n\r\n")
			lines := strings.Split(head, "\r\n")
			slices.Sort(lines[2:])
			want := []string{
				".Service.AuthCookie: " + testCookie,
				"Accept: application/json",
				"Content-Length: " + strconv.Itoa(len(body)),
				"Content-Type: application/json",
				"User-Agent: docketsync",
				"subscription-key: " + testKey,
			}
			if diff := cmp.Diff(want, lines[2:]); diff != "" || lines[0] != "POST /v1/firms/file HTTP/1.1" {
				t.Errorf("%s (-want +got):\n%s", lines[0], diff)
			}
		})
	}
}

// throughTLS sends a case to a server with a certificate of its own authority and returns the decrypted request.
func throughTLS(t *testing.T) (Result, string) {
	t.Helper()
	recorded := make(chan string, 1)
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	certificate, authority := server.TLS.Certificates[0], pemFile(t, server)
	server.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		var raw bytes.Buffer
		if readRequest(readerConn{conn, io.TeeReader(conn, &raw)}) {
			_, _ = io.WriteString(conn, created(caseRecord))
			recorded <- raw.String()
		}
	}()
	t.Cleanup(func() { <-done })
	c := newClient(t, "https://"+listener.Addr().String(), func(o *Options) { o.CAFile = authority })
	return send(t, c, aCase(), false), <-recorded
}

func pemFile(t *testing.T, server *httptest.Server) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tlsServer is a quiet TLS server that counts the requests it gets.
func tlsServer(t *testing.T, requests *atomic.Int64) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		status(http.StatusCreated, caseRecord)(w, nil)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestTheFirmsAuthorityIsTrusted(t *testing.T) {
	t.Parallel()
	server := tlsServer(t, new(atomic.Int64))
	trusting := newClient(t, server.URL, func(o *Options) { o.CAFile = pemFile(t, server) })
	if result := send(t, trusting, aCase(), false); result.Verdict != Accepted {
		t.Errorf("with the authority's file: %+v", result)
	}
}

// TestProxyTunnelsTLS sends through a proxy to a host that is not this machine: the proxy sees no more than CONNECT.
func TestProxyTunnelsTLS(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := tlsServer(t, &requests)
	var seen atomic.Value
	proxy := rawServer(t, func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		seen.Store(request)
		onward, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		defer func() { _ = onward.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(onward, conn); _ = onward.Close() }()
		_, _ = io.Copy(conn, onward)
	})
	c := newClient(t, "https://example.com", func(o *Options) { // the name in httptest's certificate
		o.CAFile = pemFile(t, server)
		o.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy) }
	})
	if result := send(t, c, aCase(), false); result.Verdict != Accepted || requests.Load() != 1 {
		t.Fatalf("got %+v", result)
	}
	request := seen.Load().(*http.Request)
	if request.Method != http.MethodConnect || request.Host != "example.com:443" || request.Header.Get("Subscription-Key") != "" {
		t.Errorf("the proxy saw %s %s %v", request.Method, request.Host, request.Header)
	}
}

// TestAProxyThatRefusesIsNamed has a proxy open no way to the service: the message names the proxy, without its password.
func TestAProxyThatRefusesIsNamed(t *testing.T) {
	t.Parallel()
	for answer, said := range map[string]string{
		"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n": "Proxy Authentication Required",
		"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n":                     "Forbidden",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n":                      "the connection was closed",
	} {
		proxy := rawServer(t, func(conn net.Conn) {
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.WriteString(conn, answer)
			}
		})
		address := strings.TrimPrefix(proxy, "http://")
		c := newClient(t, "https://example.com", func(o *Options) {
			o.Retry.Total = time.Millisecond
			o.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://ann:pa55word@" + address) }
		})
		result := send(t, c, aCase(), false)
		text := fmt.Sprint(result.Err)
		for _, want := range []string{"reached through the proxy " + address + " (HTTPS_PROXY)", said, "firm's IT"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: there is no %q in %q", answer, want, text)
			}
		}
		if strings.Contains(text, "pa55word") {
			t.Errorf("the password of the proxy is in %q", text)
		}
	}
}

func TestRedirectIsNeverFollowed(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			var elsewhere atomic.Int64
			target := answerWith(t, func(w http.ResponseWriter, _ *http.Request) { elsewhere.Add(1) })
			server := answerWith(t, status(code, "", "Location", target.URL))
			result := send(t, newClient(t, server.URL), anUpdate(), true)
			if err, ok := result.Err.(*Error); !ok || err.Code != CodeRedirect || result.Verdict != Stopped || len(result.Attempts) != 1 {
				t.Errorf("got %+v", result)
			}
			if elsewhere.Load() != 0 {
				t.Error("the redirect was followed")
			}
		})
	}
}

func TestProxyIsUsedOnlyOffThisMachine(t *testing.T) {
	t.Parallel()
	server := answerWith(t, status(http.StatusCreated, caseRecord))
	c := newClient(t, server.URL, func(o *Options) {
		o.Proxy = func(*http.Request) (*url.URL, error) { t.Error("asked for a proxy"); return nil, nil }
	})
	if result := send(t, c, aCase(), false); result.Verdict != Accepted {
		t.Errorf("got %+v", result)
	}
	asked := false
	use := proxyOffMachine(func(*http.Request) (*url.URL, error) { asked = true; return nil, nil })
	request := httptest.NewRequest(http.MethodPost, "https://service.example.com/v1", nil)
	if _, err := use(request); err != nil || !asked {
		t.Errorf("the proxy for another machine was not asked: %v", err)
	}
}
