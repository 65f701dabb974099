package apiclient

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docketsync/apiclient/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey    = "key-4711-secret"
	testCookie = "cookie+secret/=="
	guid1      = "11111111-1111-4111-8111-111111111111"
	guid2      = "22222222-2222-4222-8222-222222222222"
	guid3      = "33333333-3333-4333-8333-333333333333"
)

// newClient makes a client for the address with short delays, changed by each option function.
func newClient(t testing.TB, base string, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{
		BaseURL: base, SubscriptionKey: testKey, AuthCookie: testCookie, Timeout: 5 * time.Second,
		Paths: map[payload.Operation]string{payload.UpdateCase: "/v1/firms/file/{id}", payload.UpdateTrademark: "/v1/firms/trademark"},
		Retry: RetryOptions{FirstDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond, Total: 20 * time.Second},
	}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// answerWith serves the handlers one request after the other; the last one serves all that follow.
func answerWith(t testing.TB, handlers ...http.HandlerFunc) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		handler := handlers[0]
		if len(handlers) > 1 {
			handlers = handlers[1:]
		}
		mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// status answers with a status, a body and further headers in pairs.
func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header()[headers[i]] = []string{headers[i+1]}
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// rawServer hands its connections to the functions, one after the other; the last one serves all that follow.
func rawServer(t testing.TB, serve ...func(net.Conn)) (base string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			now := serve[0]
			if len(serve) > 1 {
				serve = serve[1:]
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				now(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return "http://" + listener.Addr().String()
}

// readRequest reads one whole request from the connection.
func readRequest(conn net.Conn) bool {
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, request.Body)
	return err == nil
}

// say reads one request and writes the text as the answer.
func say(text string) func(net.Conn) {
	return func(conn net.Conn) {
		if readRequest(conn) {
			_, _ = io.WriteString(conn, text)
		}
	}
}

// reset makes closing the connection a reset.
func reset(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

const (
	caseRecord  = `{"enable":true,"id":"` + guid1 + `","name":"Acme","number":"1"}`
	markAnswer  = `{"id":"` + guid1 + `","message":"done","successful":true}`
	wireUpdated = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n" + `{"id":"updated"}`
)

func aCase() payload.Payload { return caseNamed("Acme") }

func caseNamed(name string) payload.Payload {
	return encoded(payload.CreateCase, `{"name":"`+name+`","number":"0012","active":true,"file_template_id":"`+guid2+`","user_id":"`+guid3+`"}`)
}

func anUpdate() payload.Payload { return updateNamed("Acme") }

func updateNamed(name string) payload.Payload {
	return encoded(payload.UpdateCase, `{"id":"`+guid1+`","name":"`+name+`","file_status_id":"`+guid2+`","file_client_id":null,"user_id":"`+guid3+`","components":[],"active":true}`)
}

func aFolder() payload.Payload { return folderNamed("Acme") }

func folderNamed(name string) payload.Payload {
	return encoded(payload.CreateFolder, `{"name":"`+name+`","client_id":"`+guid1+`","files":[{"name":"a","number":1}]}`)
}

func aMark() payload.Payload {
	return encoded(payload.UpdateTrademark, `{"id":"`+guid1+`","registry_id":"`+guid2+`","mark_text":"ACME","application_number":"A/1","do_not_create_file":true}`)
}

// encoded is a payload as it goes out without a switch.
func encoded(op payload.Operation, text string) payload.Payload {
	p, err := payload.Encode(op, []byte(text), payload.Switches{})
	if err != nil {
		panic(err)
	}
	return p
}

// send sends and fails the test when it hangs.
func send(t testing.TB, c *Client, p payload.Payload, repeatable bool) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return c.Send(ctx, p, repeatable)
}

// verdicts lists the verdicts of the attempts.
func verdicts(r Result) []string {
	var words []string
	for _, attempt := range r.Attempts {
		words = append(words, attempt.Verdict)
	}
	return words
}
