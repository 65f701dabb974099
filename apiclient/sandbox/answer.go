package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// answer is what goes back to the caller. A nil body is an empty one.
type answer struct {
	status int
	acted  bool
	target string // id of what was created or changed
	body   any
}

// plainText is a body that is not JSON.
type plainText string

// failure is the body of every refusal. interface.md does not show one.
type failure struct {
	Message string   `json:"message"`
	Errors  []Reason `json:"errors"`
}

func invalid(wrong []Reason) *answer {
	return &answer{status: http.StatusBadRequest, body: failure{Message: summary(wrong), Errors: wrong}}
}

func refusal(status int, field, format string, args ...any) *answer {
	message := fmt.Sprintf(format, args...)
	return &answer{status: status, body: failure{Message: message, Errors: []Reason{{Field: field, Message: message}}}}
}

// summary lists all reasons on one line.
func summary(wrong []Reason) string {
	parts := make([]string, 0, len(wrong))
	for _, r := range wrong {
		parts = append(parts, strings.TrimSpace(r.Field+" "+r.Message))
	}
	return strings.Join(parts, "; ")
}

// trademarkAnswer is the answer of interface.md part 4.3.
type trademarkAnswer struct {
	ID         string `json:"id"`
	Message    string `json:"message"`
	Successful bool   `json:"successful"`
}

// message returns what the request log keeps of an answer: why it refused.
func (a *answer) message() string {
	switch body := a.body.(type) {
	case failure:
		return body.Message
	case trademarkAnswer:
		if !body.Successful {
			return body.Message
		}
	}
	return ""
}

// encode returns the bytes of the body. The bodies are structs of this package, which always encode.
func (a *answer) encode() []byte {
	switch body := a.body.(type) {
	case nil:
		return nil
	case plainText:
		return []byte(body)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a.body); err != nil {
		panic(fmt.Sprintf("encode %T: %v", a.body, err))
	}
	return b.Bytes()
}

func (a *answer) write(w http.ResponseWriter) {
	_, _ = w.Write(a.begin(w, 0)) // a caller that has gone is not a fault of the sandbox
}

// begin writes the status and headers, and announces more bytes than the body has.
func (a *answer) begin(w http.ResponseWriter, more int) (body []byte) {
	if body = a.encode(); body != nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+more))
	w.WriteHeader(a.status)
	return body
}

const page200 = "<!doctype html>\n<title>Maintenance</title>\n<h1>We will be back soon</h1>\n"

// spoil writes an answer as the fault of the request requires, if the fault strikes after acting.
func (a *answer) spoil(w http.ResponseWriter, f fate) {
	switch f.fault {
	case dropBefore, dropAfter:
		drop(w, f.reset)
	case failAfter:
		refusal(http.StatusInternalServerError, "", "an internal error occurred").write(w)
	case busyAfter:
		refusal(http.StatusServiceUnavailable, "", "the service is not available").write(w)
	case htmlAfter:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte(page200))
	case emptyAfter:
		w.WriteHeader(http.StatusOK)
	case truncated:
		a.truncate(w)
	default:
		a.write(w)
	}
}

// truncate announces a longer body, sends half of it, and closes the connection.
func (a *answer) truncate(w http.ResponseWriter) {
	body := a.begin(w, 1)
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// drop closes the connection without an answer.
func drop(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
