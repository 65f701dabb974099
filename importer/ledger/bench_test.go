package ledger

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/store"
)

// onEngines runs a benchmark on each engine.
func onEngines(b *testing.B, bench func(*testing.B, *Ledger)) {
	b.Run("sqlite", func(b *testing.B) { bench(b, open(b, filepath.Join(b.TempDir(), "ledger.db"))) })
	b.Run("postgres", func(b *testing.B) { bench(b, open(b, ledgertest.Shared(b).Database(b))) })
}

const batch = 1000

// BenchmarkPlan looks up and adds batches of 1,000 records in a ledger that knows 1,000,000 keys, as a first pass does
// with records that the last run does not recollect.
func BenchmarkPlan(b *testing.B) {
	const total = 1000000
	for _, payload := range []int{20, 500} {
		b.Run(fmt.Sprintf("payload=%d", payload), func(b *testing.B) {
			onEngines(b, func(b *testing.B, l *Ledger) {
				begin(b, l, "0")
				fillKnown(b, l, total, payload)
				order := rand.New(rand.NewPCG(1, 2)).Perm(total)
				for _, test := range []struct {
					name string
					key  func(n int) int
				}{
					{"order=same", func(n int) int { return n % total }},
					{"order=shuffled", func(n int) int { return order[n%total] }},
				} {
					b.Run(test.name, func(b *testing.B) { planUnchanged(b, l, test.key) })
				}
			})
		})
	}
}

var runCounter atomic.Int64

func planUnchanged(b *testing.B, l *Ledger, key func(int) int) {
	run := fmt.Sprint("plan ", runCounter.Add(1))
	begin(b, l, run)
	keys, records := make([]string, batch), make([]Record, batch)
	n, before := 0, ledgertest.CPUTime()
	for b.Loop() {
		for at := range keys {
			keys[at] = benchKey(key(n + at))
		}
		known, err := l.Known(b.Context(), "create_case", keys)
		must(b, err)
		if len(known) != batch {
			b.Fatal(len(known))
		}
		for at, k := range keys {
			records[at] = Record{Run: run, Seq: int64(n + at + 1), Scope: "create_case", Key: k, Action: None, State: Unchanged, Digest: known[k].Digest, Rows: []Row{{Number: n + at + 2}}}
		}
		_, err = l.Add(b.Context(), records)
		must(b, err)
		n += batch
	}
	perSecond(b, n, before)
}

// perSecond reports the records per second, the processor time for each, and the memory for all.
func perSecond(b *testing.B, n int, before time.Duration) {
	b.ReportMetric(float64((ledgertest.CPUTime()-before).Nanoseconds())/1000/float64(n), "cpu-µs/record")
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(ledgertest.PeakMemory())/(1<<20), "peak-MB")
	b.ReportMetric(0, "ns/op")
}

func benchKey(n int) string { return fmt.Sprintf("TM-%07d", n) }

// fillKnown writes keys as accepted records would be.
func fillKnown(b *testing.B, l *Ledger, total, payload int) {
	b.Helper()
	fill := &store.Bulk{Text: `insert into known (scope, key, digest, payload, service_id, run_no, accepted_at) values {rows}`, Columns: make([]string, 7)}
	number, err := l.h.Number(b.Context(), "0")
	must(b, err)
	digest, body := strings.Repeat("0123456789abcdef", 2), `{"name":"`+strings.Repeat("x", payload)+`"}`
	const part = 20000
	for from := 0; from < total; from += part {
		must(b, l.do(b.Context(), true, func(tx *transaction) error {
			var values []any
			for n := from; n < from+part; n++ {
				values = append(values, "create_case", benchKey(n), digest, body, "7a3f0c9e-0000-4000-8000-000000000000", number, noon.UnixMicro())
			}
			_, err := tx.Bulk(fill, values, nil)
			return err
		}))
	}
}

// BenchmarkAdd adds planned records with payload and cells: the first pass of a first import.
func BenchmarkAdd(b *testing.B) {
	onEngines(b, func(b *testing.B, l *Ledger) {
		begin(b, l, "1")
		n, before := 0, ledgertest.CPUTime()
		payload := json.RawMessage(`{"name":"` + strings.Repeat("x", 500) + `"}`)
		cells := json.RawMessage(`["` + strings.Repeat(`cell","`, 20) + `"]`)
		for b.Loop() {
			records := make([]Record, batch)
			for at := range records {
				n++
				records[at] = Record{
					Run: "1", Seq: int64(n), Scope: "create_case", Key: benchKey(n), Action: Create, State: Planned, Digest: "0123456789abcdef",
					Payload: payload, Rows: []Row{{Number: n, Cells: cells}},
				}
			}
			_, err := l.Add(b.Context(), records)
			must(b, err)
		}
		perSecond(b, n, before)
	})
}

// BenchmarkCommit settles records with that many workers. Each commits the outcome of one record with the intent of the
// next.
func BenchmarkCommit(b *testing.B) {
	for _, workers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			onEngines(b, func(b *testing.B, l *Ledger) {
				beginAs(b, l, "1", Push, Ready)
				fillPlanned(b, l, b.N)
				finish(b, l, "1", Pushing)
				b.ResetTimer()
				before := ledgertest.CPUTime()
				next := make(chan int64, 1000)
				var done sync.WaitGroup
				done.Go(func() { feed(b, l, next) })
				for range workers {
					done.Go(func() {
						var last []Outcome
						for seq := range next {
							must(b, l.Commit(b.Context(), last, []Intent{{Run: "1", Seq: seq}}))
							last = []Outcome{{
								Run: "1", Seq: seq, State: Accepted, Status: 201, ServiceID: "7a3f0c9e-0000-4000-8000-000000000000", At: noon,
								Attempts: []Attempt{{Started: noon, Duration: time.Millisecond, Status: 201, Verdict: "accepted"}},
							}}
						}
						must(b, l.Commit(b.Context(), last, nil))
					})
				}
				done.Wait()
				b.ReportMetric(float64(b.N)/float64(l.groups.Load()), "records/group")
				perSecond(b, b.N, before)
			})
		})
	}
}

// BenchmarkVerify checks a ledger with that many accepted records against its evidence. The cost per record is the same
// for both sizes.
func BenchmarkVerify(b *testing.B) {
	for _, total := range []int{5000, 50000} {
		b.Run(fmt.Sprintf("records=%d", total), func(b *testing.B) {
			onEngines(b, func(b *testing.B, l *Ledger) {
				begin(b, l, "1")
				fillPlanned(b, l, total)
				for from := 0; from < total; from += 100 {
					var intents []Intent
					var outcomes []Outcome
					for seq := from + 1; seq <= from+100; seq++ {
						intents = append(intents, Intent{Run: "1", Seq: int64(seq)})
						outcomes = append(outcomes, Outcome{
							Run: "1", Seq: int64(seq), State: Accepted, Status: 201, ServiceID: fmt.Sprintf("7a3f0c9e-0000-4000-8000-%012d", seq), At: noon,
							Attempts: []Attempt{{Started: noon, Duration: time.Millisecond, Status: 201, Verdict: "accepted"}},
						})
					}
					must(b, l.Commit(b.Context(), nil, intents))
					must(b, l.Commit(b.Context(), outcomes, nil))
				}
				n, before := 0, ledgertest.CPUTime()
				for b.Loop() {
					v, err := l.Verify(b.Context(), chain.Head{})
					must(b, err)
					if len(v.Misfits) > 0 {
						b.Fatal(v.Misfits[0])
					}
					n += total
				}
				perSecond(b, n, before)
			})
		})
	}
}

// feed reads what is planned, page by page.
func feed(b *testing.B, l *Ledger, into chan<- int64) {
	defer close(into)
	for after := int64(0); ; {
		page, err := l.Pending(b.Context(), "1", after, 500)
		must(b, err)
		if len(page) == 0 {
			return
		}
		for _, r := range page {
			after = r.Seq
			into <- r.Seq
		}
	}
}

func fillPlanned(b *testing.B, l *Ledger, total int) {
	payload := json.RawMessage(`{"name":"` + strings.Repeat("x", 300) + `"}`)
	for from := 0; from < total; from += batch {
		var records []Record
		for n := from; n < min(from+batch, total); n++ {
			records = append(records, Record{
				Run: "1", Seq: int64(n + 1), Scope: "create_case", Key: benchKey(n), Action: Create, State: Planned, Digest: "0123456789abcdef",
				Payload: payload, Rows: []Row{{Number: n + 2, Cells: json.RawMessage(`["cell"]`)}},
			})
		}
		add(b, l, records...)
	}
}
