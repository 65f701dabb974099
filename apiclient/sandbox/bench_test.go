package sandbox_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"docketsync/apiclient/sandbox"
)

// BenchmarkCreateCase measures creates per second over HTTP on the loopback, with the callers in the same process.
func BenchmarkCreateCase(b *testing.B) {
	for _, c := range []struct {
		name, data string
		clients    int
	}{
		{"memory", "", 16},
		{"disk", "sandbox.db", 16},
	} {
		b.Run(fmt.Sprintf("%s/%d clients", c.name, c.clients), func(b *testing.B) {
			o := sandbox.Options{}
			if c.data != "" {
				o.Data = filepath.Join(b.TempDir(), c.data)
			}
			createCases(b, start(b, o), c.clients)
		})
	}
}

func createCases(b *testing.B, s *service, clients int) {
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for range clients {
		group.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				r, err := s.try("POST", "/v1/firms/file", strings.Replace(caseA, "M-001", fmt.Sprintf("M-%07d", n), 1))
				if err != nil || r.status != http.StatusCreated {
					b.Errorf("answer %d %s: %v", r.status, r.body, err)
					return
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
}
