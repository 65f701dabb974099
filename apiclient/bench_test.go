package apiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/apiclient/pace"
)

// BenchmarkSend compares Send with a bare loop: the same transport settings, concurrency and, for the loop, prepared bodies,
// against the same trivial server in the same process. One operation is one request.
//
//	go test -run '^$' -bench Send -benchtime 5s ./apiclient
func BenchmarkSend(b *testing.B) {
	record, err := json.Marshal(map[string]any{"id": guid1, "name": "Acme", "number": "1", "user": map[string]any{"first_name": "Ann", "last_name": "Other"},
		"tags": []string{}, "file_template": map[string]any{"id": guid2, "name": "Standard"}})
	if err != nil {
		b.Fatal(err)
	}
	for _, latency := range []time.Duration{0, 20 * time.Millisecond} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			time.Sleep(latency) // the service's own time, not a way to wait for something
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write(record)
		}))
		for _, concurrency := range []int{8, 32} {
			name := latency.String() + "/" + string(rune('0'+concurrency/10)) + string(rune('0'+concurrency%10))
			b.Run("bare/"+name, func(b *testing.B) { bare(b, server.URL, concurrency) })
			b.Run("client/"+name, func(b *testing.B) {
				c := newClient(b, server.URL, func(o *Options) { o.Pace.Concurrency = concurrency })
				spread(b, concurrency, func() bool { return c.Send(context.Background(), aCase(), false).Verdict == Accepted })
			})
		}
		server.Close()
	}
}

// bare sends prepared bodies with the transport that the client would use.
func bare(b *testing.B, base string, concurrency int) {
	o := Options{BaseURL: base, Pace: pace.Options{Concurrency: concurrency}}.withDefaults()
	client := &http.Client{Transport: newTransport(o, nil)}
	defer client.CloseIdleConnections()
	body := aCase().Body
	spread(b, concurrency, func() bool {
		request, err := http.NewRequest(http.MethodPost, base+"/v1/firms/file", bytes.NewReader(body))
		if err != nil {
			return false
		}
		request.Header = http.Header{"subscription-key": {testKey}, defaultCookieHeader: {testCookie}, "Content-Type": {"application/json"}}
		response, err := client.Do(request)
		if err != nil {
			return false
		}
		defer func() { _ = response.Body.Close() }()
		_, err = io.Copy(io.Discard, response.Body)
		return err == nil && response.StatusCode == http.StatusCreated
	})
}

// spread calls send b.N times from as many goroutines as there may be requests.
func spread(b *testing.B, concurrency int, send func() bool) {
	b.ReportAllocs()
	b.ResetTimer()
	var left, failed atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	for range concurrency {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if !send() {
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	if failed.Load() > 0 {
		b.Errorf("%d requests failed", failed.Load())
	}
}
