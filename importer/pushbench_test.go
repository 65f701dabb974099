package importer_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

// BenchmarkPush sends records over HTTP with the ledger on disk. The same run measures a bare loop of net/http: as many
// goroutines, with bodies ready in memory and answers read and thrown away. The ratio is what docketsync costs. The
// service is a process of its own on the same machine, which answers at once or after a latency, and keeps nothing.
//
// Updates are safe to repeat and wait for no disk. For creates, the loop does the least that durability needs: it
// writes a line to a file and flushes it before each request; waiting goroutines share a flush.
//
// With DOCKETSYNC_BENCH_POSTGRES, the address of a PostgreSQL database, each push is also made with a ledger there, in
// a schema of its own, and of-sqlite is its rate as a part of the rate with SQLite. The server should flush to a disk
// as good as that of the temporary folder.
//
//	go test ./importer -run '^$' -bench Push -benchtime 3x
func BenchmarkPush(b *testing.B) {
	for _, kind := range []payload.Operation{payload.UpdateTrademark, payload.CreateCase} {
		for _, latency := range []time.Duration{0, 20 * time.Millisecond} {
			for _, workers := range []int{8, 32} {
				b.Run(fmt.Sprintf("%s/latency=%v/workers=%d", kind, latency, workers), func(b *testing.B) {
					run := pushing{kind: kind, workers: workers, latency: latency, records: 50_000}
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
	kind             payload.Operation
	workers, records int
	latency          time.Duration
}

func (p pushing) compare(b *testing.B) {
	var most peak
	var pushed, served, bare, flushed spent
	for b.Loop() {
		pushed.add(p.push(b, filepath.Join(b.TempDir(), "ledger.db"), &most))
		if dsn := os.Getenv("DOCKETSYNC_BENCH_POSTGRES"); dsn != "" {
			served.add(p.push(b, newSchema(b, dsn), &most))
		}
		bare.add(p.loop(b, func() {}))
		if p.kind == payload.CreateCase {
			flushed.add(p.loop(b, newLines(b).put))
		}
	}
	records := float64(p.records) * float64(b.N)
	b.ReportMetric(records/pushed.time.Seconds(), "records/s")
	b.ReportMetric(records/bare.time.Seconds(), "bare/s")
	b.ReportMetric(bare.time.Seconds()/pushed.time.Seconds(), "ratio")
	if flushed.time > 0 {
		b.ReportMetric(bare.time.Seconds()/flushed.time.Seconds(), "bound")
	}
	if served.time > 0 {
		b.ReportMetric(pushed.time.Seconds()/served.time.Seconds(), "of-sqlite")
	}
	b.ReportMetric(float64(pushed.cpu.Microseconds())/records, "cpu-µs/record")
	b.ReportMetric(float64(bare.cpu.Microseconds())/records, "bare-cpu-µs/record")
	b.ReportMetric(float64(pushed.written)/records, "written-B/record")
	b.ReportMetric(float64(most.bytes.Load())/(1<<20), "peak-MiB")
	b.ReportMetric(0, "ns/op")
}

// spent is the cost of something: time, processor time of all processors together, and bytes written to the disk.
type spent struct {
	time, cpu time.Duration
	written   int64
}

func (s *spent) add(more spent) {
	s.time += more.time
	s.cpu += more.cpu
	s.written += more.written
}

// since returns the cost since a time and a state of the processors and the disk.
func since(began time.Time, before spent) spent {
	return spent{time.Since(began), ledgertest.CPUTime() - before.cpu, bytesWritten() - before.written}
}

// bytesWritten returns how much this process has written to the disk, as far as the system counts it.
func bytesWritten() (n int64) {
	text, _ := os.ReadFile("/proc/self/io")
	if _, after, found := strings.Cut(string(text), "write_bytes: "); found {
		_, _ = fmt.Sscan(after, &n)
	}
	return n
}

// newSchema makes a schema in a PostgreSQL database, which a ledger uses as if it were the whole database, and returns
// its address.
func newSchema(b *testing.B, dsn string) string {
	b.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	name := fmt.Sprintf("bench_%d", time.Now().UnixNano())
	if _, err := db.ExecContext(b.Context(), "create schema "+name); err != nil {
		b.Fatal(err)
	}
	join := "?"
	if strings.Contains(dsn, "?") {
		join = "&"
	}
	return dsn + join + "search_path=" + name
}

// push runs a job with the ledger that dsn names, and returns what its second pass took.
func (p pushing) push(b *testing.B, dsn string, most *peak) spent {
	b.Helper()
	dir := b.TempDir()
	book, err := ledger.Open(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer book.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: startService(b, serviceTask{Latency: p.latency, Quick: true}), SubscriptionKey: "key", AuthCookie: "cookie",
		Paths: map[payload.Operation]string{payload.UpdateTrademark: "/v1/firms/trademark"}, Pace: pace.Options{Concurrency: p.workers, Fixed: true}})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	var began time.Time
	var before spent
	var once sync.Once
	i := &importer.Importer{Ledger: book, Service: push.Service{Send: client.Send, Concurrency: p.workers}, Progress: func(progress importer.Progress) {
		if progress.Phase == ledger.Pushing {
			once.Do(func() { began, before = time.Now(), spent{cpu: ledgertest.CPUTime(), written: bytesWritten()} })
		}
	}}
	run, err := i.Run(b.Context(), p.job(b, dir))
	took := since(began, before)
	most.look()
	if err != nil || run.Phase != ledger.Finished {
		b.Fatalf("the run ended as %s: %v", run.Phase, err)
	}
	tally, err := book.Tally(b.Context(), run.ID)
	if err != nil || len(tally) != 1 || tally[0].State != ledger.Accepted {
		b.Fatalf("not everything was accepted: %v %v", tally, err)
	}
	return took
}

func (p pushing) job(b *testing.B, dir string) importer.Job {
	b.Helper()
	if p.kind == payload.UpdateTrademark {
		return benchJob(b, dir, p.records)
	}
	compiled, err := mapping.Parse("cases.yaml", []byte(casesMapping), mapping.Options{})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "cases.csv")
	if err := os.WriteFile(path, []byte(cases(1, p.records)), 0o600); err != nil {
		b.Fatal(err)
	}
	return importer.Job{Name: "cases", Mapping: compiled, MappingText: []byte(casesMapping), Inputs: []rows.Input{{Path: path}}}
}

// body is roughly what is sent for a record.
func (p pushing) body(n int64) string {
	if p.kind == payload.CreateCase {
		return fmt.Sprintf(`{"name":"Case %d","number":"M-%05d","active":true,"file_template_id":"%s","user_id":"%s"}`, n, n, template, user)
	}
	return fmt.Sprintf(`{"id":"0b5e4c5a-7f11-4b7e-9a55-%012d","registry_id":"%s","mark_text":"MARK, No %d","application_number":"%09d","application_date":"1999-03-05T00:00:00Z",`+
		`"registration_number":"%07d","registration_date":"2000-11-05T00:00:00Z","status":"Registered","expiry_date":"2039-03-05T00:00:00Z","notes":"renewed","do_not_create_file":true}`, n, registry, n, n, n)
}

// loop sends the same records with net/http only, calling before ahead of each.
func (p pushing) loop(b *testing.B, before func()) spent {
	b.Helper()
	base := startService(b, serviceTask{Latency: p.latency, Quick: true})
	method, path, status := http.MethodPut, "/v1/firms/trademark", http.StatusOK
	if p.kind == payload.CreateCase {
		method, path, status = http.MethodPost, "/v1/firms/file", http.StatusCreated
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: p.workers}}
	defer client.CloseIdleConnections()
	var next atomic.Int64
	var group sync.WaitGroup
	began, at := time.Now(), spent{cpu: ledgertest.CPUTime()}
	for range p.workers {
		group.Go(func() {
			for n := next.Add(1); n <= int64(p.records); n = next.Add(1) {
				before()
				request, _ := http.NewRequestWithContext(b.Context(), method, base+path, strings.NewReader(p.body(n)))
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("subscription-key", "key")
				answer, err := client.Do(request)
				if err != nil {
					b.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != status {
					b.Errorf("%d: %v", answer.StatusCode, err)
				}
			}
		})
	}
	group.Wait()
	return since(began, at)
}

// lines is a file of lines. Each line is on disk before put returns.
type lines struct {
	file    *os.File
	mu      sync.Mutex
	end     int64
	waiting []chan struct{}
	flush   sync.Mutex // held by who flushes
}

// newLines makes a file with room for a benchmark's lines, in pages like the ledger's log: a flush takes longer if it
// makes a file longer, or if the file is kept in memory in larger pieces.
func newLines(b *testing.B) *lines {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "lines"))
	if err == nil {
		b.Cleanup(func() { _ = f.Close() })
	}
	for n := 0; err == nil && n < 16<<20; n += 4096 {
		_, err = f.Write(make([]byte, 4096))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		b.Fatal(err)
	}
	return &lines{file: f}
}

// put writes a line about as long as what the ledger writes for a record, and waits until it has been flushed, by this
// call or another.
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
