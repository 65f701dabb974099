package importer_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// benchMapping has what a docketing export usually needs: lookups, dates, a value map, constants.
const benchMapping = `
operation: update_trademark
key: Our Ref
dates: [DD/MM/YYYY, YYYY-MM-DD]
lookups:
  registries: {inline: {EUIPO: ` + registry + `, UKIPO: ` + registry + `, USPTO: ` + registry + `}}
fields:
  id:                 Mark Id
  registry_id:        {column: Office, lookup: registries}
  mark_text:          Mark
  application_number: App No
  application_date:   Filed
  registration_number: Reg No
  registration_date:  Registered
  status:             {column: Status, values: {R: Registered, P: Pending}, default: Unknown}
  expiry_date:        Expires
  notes:              Notes
  do_not_create_file: {value: true}
`

// markRows writes a docketing export of n marks and returns its path.
func markRows(b *testing.B, dir string, n int) string {
	b.Helper()
	path := filepath.Join(dir, fmt.Sprintf("marks-%d.csv", n))
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "Our Ref,Mark Id,Office,Mark,App No,Filed,Reg No,Registered,Status,Expires,Owner,Notes")
	for i := range n {
		day, year := 1+i%28, 1990+i%30
		fmt.Fprintf(w, "TM-%07d,0b5e4c5a-7f11-4b7e-9a55-%012d,EUIPO,\"MARK, No %d\",%09d,%02d/03/%d,%07d,%02d/11/%d,R,%02d/03/%d,Owner %d GmbH,renewed\n",
			i, i, i, i, day, year, i, day, year+1, day, year+40, i%500)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// peak remembers the most memory that was in use whenever it was asked to look.
type peak struct{ bytes atomic.Uint64 }

func (p *peak) look() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if now := sample[0].Value.Uint64(); now > p.bytes.Load() {
		p.bytes.Store(now)
	}
}

func benchJob(b *testing.B, dir string, rows int) importer.Job {
	b.Helper()
	compiled, err := mapping.Parse("marks.yaml", []byte(benchMapping), mapping.Options{Today: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	return importer.Job{Name: "marks", Mapping: compiled, MappingText: []byte(benchMapping), MappingDir: dir,
		Inputs: []importer.Input{{Path: markRows(b, dir, rows)}}}
}

var benchSizes = []int{10_000, 100_000, 1_000_000}

// BenchmarkRead reads a CSV file to its end.
func BenchmarkRead(b *testing.B) {
	for _, rows := range benchSizes {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			job := benchJob(b, b.TempDir(), rows)
			var most peak
			b.ReportAllocs()
			for b.Loop() {
				readAll(b, job, &most, nil)
			}
			report(b, rows, &most)
		})
	}
}

// BenchmarkMap reads a CSV file and maps every row.
func BenchmarkMap(b *testing.B) {
	for _, rows := range benchSizes {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			job := benchJob(b, b.TempDir(), rows)
			lookup := mapping.NewLookup("registries")
			if err := lookup.Add("EUIPO", registry); err != nil {
				b.Fatal(err)
			}
			var most peak
			b.ReportAllocs()
			for b.Loop() {
				readAll(b, job, &most, map[string]*mapping.Lookup{"registries": lookup})
			}
			report(b, rows, &most)
		})
	}
}

// readAll reads a job's file, and maps its rows when there are lookups.
func readAll(b *testing.B, job importer.Job, most *peak, lookups map[string]*mapping.Lookup) {
	table, err := source.Open(b.Context(), job.Inputs[0].Path, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	var mapper *mapping.Mapper
	if lookups != nil {
		if mapper, err = job.Mapping.Bind(table.Header(), lookups); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for row, err := range table.Rows(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		if n++; n%5000 == 0 {
			most.look()
		}
		if mapper == nil {
			continue
		}
		if _, reasons := mapper.Map([]mapping.Row{row}); len(reasons) > 0 {
			b.Fatal(reasons)
		}
	}
}

// BenchmarkPlan reads, maps and plans a CSV file into a ledger on disk that knows nothing of it yet, which is a migration's
// first pass: every record is written with its payload and its cells.
func BenchmarkPlan(b *testing.B) {
	for _, rows := range benchSizes {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			var most peak
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				dir := b.TempDir()
				job := benchJob(b, dir, rows)
				book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
				if err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				i := &importer.Importer{Ledger: book, Progress: func(importer.Progress) { most.look() }}
				b.StartTimer()
				if _, err := i.Plan(b.Context(), job); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := book.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			report(b, rows, &most)
		})
	}
}

func report(b *testing.B, rows int, most *peak) {
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(most.bytes.Load())/(1<<20), "peak-MiB")
}

// BenchmarkPush sends cases to a sandbox over HTTP with the ledger on disk, and measures in the same run what a bare loop
// reaches with the same client settings, concurrency and prepared bodies: the ratio is what the ledger, the retries and
// the payloads cost.
func BenchmarkPush(b *testing.B) {
	const records, workers = 20_000, 8
	for b.Loop() {
		pushed, most := pushAll(b, records, workers)
		bare := bareLoop(b, records, workers)
		b.ReportMetric(records/pushed.Seconds(), "records/s")
		b.ReportMetric(records/bare.Seconds(), "bare/s")
		b.ReportMetric(bare.Seconds()/pushed.Seconds(), "ratio")
		b.ReportMetric(float64(most.bytes.Load())/(1<<20), "peak-MiB")
	}
}

// benchService is a sandbox that commits what it is sent to disk before it answers, behind a loopback listener.
func benchService(b *testing.B) (base string) {
	b.Helper()
	box, err := sandbox.Open(sandbox.Options{Data: filepath.Join(b.TempDir(), "sandbox.db"), Directory: directory(), SubscriptionKey: "key", AuthCookie: "cookie"})
	if err != nil {
		b.Fatal(err)
	}
	listener := listen(b)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- box.Serve(ctx, listener) }()
	b.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			b.Error(err)
		}
		if err := box.Close(); err != nil {
			b.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

func pushAll(b *testing.B, records, workers int) (took time.Duration, most *peak) {
	b.Helper()
	dir := b.TempDir()
	book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer book.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: benchService(b), SubscriptionKey: "key", AuthCookie: "cookie",
		Pace: apiclient.PaceOptions{Concurrency: workers}})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	compiled, err := mapping.Parse("cases.yaml", []byte(casesMapping), mapping.Options{})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "cases.csv")
	if err := os.WriteFile(path, []byte(cases(1, records)), 0o600); err != nil {
		b.Fatal(err)
	}
	job := importer.Job{Name: "cases", Mapping: compiled, MappingText: []byte(casesMapping), Inputs: []importer.Input{{Path: path}}}
	most = &peak{}
	var began time.Time
	var once sync.Once
	i := &importer.Importer{Ledger: book, Send: client.Send, Concurrency: workers, Progress: func(p importer.Progress) {
		if p.Phase == ledger.Pushing {
			once.Do(func() { began = time.Now() })
		}
	}}
	run, err := i.Run(b.Context(), job)
	took = time.Since(began)
	most.look()
	if err != nil || run.Phase != ledger.Finished {
		b.Fatalf("the run ended as %s: %v", run.Phase, err)
	}
	return took, most
}

// bareLoop posts prepared bodies with the standard client and nothing else.
func bareLoop(b *testing.B, records, workers int) time.Duration {
	b.Helper()
	address := benchService(b) + "/v1/firms/file"
	bodies := make([][]byte, records)
	for n := range bodies {
		bodies[n] = fmt.Appendf(nil, `{"name":"Case %d","number":"M-%05d","active":true,"file_template_id":"%s","user_id":"%s"}`, n, n, template, user)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	defer client.CloseIdleConnections()
	var next atomic.Int64
	var group sync.WaitGroup
	began := time.Now()
	for range workers {
		group.Go(func() {
			for n := next.Add(1) - 1; n < int64(records); n = next.Add(1) - 1 {
				post(b, client, address, bodies[n])
			}
		})
	}
	group.Wait()
	return time.Since(began)
}

func post(b *testing.B, client *http.Client, address string, body []byte) {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	request.Header["subscription-key"] = []string{"key"}
	request.Header[".Service.AuthCookie"] = []string{"cookie"}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		b.Error(err)
		return
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusCreated {
		b.Errorf("status %d: %v", response.StatusCode, err)
	}
}
