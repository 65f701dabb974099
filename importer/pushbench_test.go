package importer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

// BenchmarkPush sends cases to a sandbox over HTTP with the ledger on disk, and measures in the same run what a bare loop
// reaches: the same client with the same settings and as many goroutines, payloads ready in memory, results thrown away.
// The ratio is what the ledger costs; the time of the processors, of this process alone, says what of that is work rather
// than waiting. The sandbox is a process of its own on the same machine, for both. It keeps its cases on disk, as a service
// would, or in memory, which leaves the disk to the ledger and shows its share more sharply.
//
// The bound is the ratio of a loop that does no more about durability than anybody must: a line to a file and a flush before
// each request, shared by all who wait. What the ledger lacks to it is its own doing, what the bound lacks to 1 is the disk's.
//
//	go test ./importer -run '^$' -bench Push -benchtime 3x
func BenchmarkPush(b *testing.B) {
	for _, service := range []string{"disk", "memory"} {
		for _, latency := range []time.Duration{0, 20 * time.Millisecond} {
			for _, workers := range []int{8, 16, 32} {
				b.Run(fmt.Sprintf("%s/latency=%v/workers=%d", service, latency, workers), func(b *testing.B) {
					run := pushing{workers: workers, latency: latency, inMemory: service == "memory", records: 20_000}
					if latency > 0 {
						run.records = workers * 400
					}
					run.compare(b)
				})
			}
		}
	}
}

// pushing is one comparison of a push and a bare loop.
type pushing struct {
	workers, records int
	latency          time.Duration
	inMemory         bool
}

func (p pushing) compare(b *testing.B) {
	var most peak
	var pushed, bare, flushed spent
	for b.Loop() {
		pushed.add(p.push(b, &most))
		bare.add(p.loop(b, func() {}))
		flushed.add(p.loop(b, newLines(b).put))
	}
	records := float64(p.records) * float64(b.N)
	b.ReportMetric(records/pushed.time.Seconds(), "records/s")
	b.ReportMetric(records/bare.time.Seconds(), "bare/s")
	b.ReportMetric(bare.time.Seconds()/pushed.time.Seconds(), "ratio")
	b.ReportMetric(bare.time.Seconds()/flushed.time.Seconds(), "bound")
	b.ReportMetric(float64(pushed.cpu.Microseconds())/records, "cpu-µs/record")
	b.ReportMetric(float64(bare.cpu.Microseconds())/records, "bare-cpu-µs/record")
	b.ReportMetric(float64(most.bytes.Load())/(1<<20), "peak-MiB")
	b.ReportMetric(0, "ns/op")
}

// spent is what something took: of the clock, and of all processors together.
type spent struct{ time, cpu time.Duration }

func (s *spent) add(more spent) {
	s.time += more.time
	s.cpu += more.cpu
}

// since is what passed since an instant and a state of the processors.
func since(began time.Time, cpu time.Duration) spent {
	return spent{time.Since(began), cpuTime() - cpu}
}

// service starts a sandbox and returns a client for it.
func (p pushing) service(b *testing.B) *apiclient.Client {
	b.Helper()
	task := serviceTask{Latency: p.latency}
	if !p.inMemory {
		task.Data = filepath.Join(b.TempDir(), "sandbox.db")
	}
	client, err := apiclient.New(apiclient.Options{BaseURL: startService(b, task), SubscriptionKey: "key", AuthCookie: "cookie",
		Pace: pace.Options{Concurrency: p.workers, Fixed: true}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return client
}

// push runs a job and returns how long its second pass took.
func (p pushing) push(b *testing.B, most *peak) spent {
	b.Helper()
	dir := b.TempDir()
	book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer book.Close()
	compiled, err := mapping.Parse("cases.yaml", []byte(casesMapping), mapping.Options{})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "cases.csv")
	if err := os.WriteFile(path, []byte(cases(1, p.records)), 0o600); err != nil {
		b.Fatal(err)
	}
	job := importer.Job{Name: "cases", Mapping: compiled, MappingText: []byte(casesMapping), Inputs: []rows.Input{{Path: path}}}
	var began time.Time
	var cpu time.Duration
	var once sync.Once
	i := &importer.Importer{Ledger: book, Send: p.service(b).Send, Concurrency: p.workers, Progress: func(progress importer.Progress) {
		if progress.Phase == ledger.Pushing {
			once.Do(func() { began, cpu = time.Now(), cpuTime() })
		}
	}}
	run, err := i.Run(b.Context(), job)
	took := since(began, cpu)
	most.look()
	if err != nil || run.Phase != ledger.Finished {
		b.Fatalf("the run ended as %s: %v", run.Phase, err)
	}
	return took
}

// loop sends the same cases with the client, and does no more than something before each.
func (p pushing) loop(b *testing.B, before func()) spent {
	b.Helper()
	client := p.service(b)
	var next atomic.Int64
	var group sync.WaitGroup
	began, cpu := time.Now(), cpuTime()
	for range p.workers {
		group.Go(func() {
			for n := next.Add(1); n <= int64(p.records); n = next.Add(1) {
				before()
				created := payload.Payload{Operation: payload.CreateCase, Body: fmt.Appendf(nil,
					`{"name":"Case %d","number":"M-%05d","active":true,"file_template_id":"%s","user_id":"%s"}`, n, n, template, user)}
				if result := client.Send(b.Context(), created, false); result.Verdict != apiclient.Accepted {
					b.Errorf("%s: %v", result.Verdict, result.Err)
				}
			}
		})
	}
	group.Wait()
	return since(began, cpu)
}

// lines is a file of lines, each of which is on disk before anything else is done.
type lines struct {
	file    *os.File
	mu      sync.Mutex
	end     int64
	waiting []chan struct{}
	flush   sync.Mutex // held by who flushes
}

// newLines makes a file with room for a benchmark's lines: a flush takes longer when it makes a file longer.
func newLines(b *testing.B) *lines {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "lines"))
	if err == nil {
		b.Cleanup(func() { _ = f.Close() })
		_, err = f.Write(make([]byte, 16<<20))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		b.Fatal(err)
	}
	return &lines{file: f}
}

// put writes a line, about as long as what the ledger puts down for a record, and waits until it has been flushed, by whomever.
func (l *lines) put() {
	done := make(chan struct{})
	l.mu.Lock()
	_, err := l.file.WriteAt(make([]byte, 200), l.end)
	l.end += 200
	l.waiting = append(l.waiting, done)
	l.mu.Unlock()
	l.flush.Lock()
	defer l.flush.Unlock()
	select {
	case <-done:
		return
	default:
	}
	runtime.Gosched() // others are about to put a line as well
	l.mu.Lock()
	waiting := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	if err = errors.Join(err, flushData(l.file)); err != nil {
		panic(err)
	}
	for _, done := range waiting {
		close(done)
	}
}
