package importer_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

const benchCaseUpdates = `
operation: update_case
key: Ref
lookups:
  case_ids: {ledger: create_case}
fields:
  id:             {column: Ref, lookup: case_ids}
  name:           Title
  number:         Ref
  file_client_id: {value: null}
  file_status_id: {value: ` + status + `}
  user_id:        {value: ` + user + `}
  active:         {value: true}
  components:     []
`

// BenchmarkLedgerLookup plans updates of cases whose ids earlier runs received, in the order of their creation and in
// another.
func BenchmarkLedgerLookup(b *testing.B) {
	const count = 100_000
	dir := b.TempDir()
	book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer book.Close()
	createdCases(b, book, dir, count)
	for name, step := range map[string]int{"in order": 1, "out of order": 37_619} {
		b.Run(name, func(b *testing.B) {
			path := caseRows(b, dir, count, step)
			for b.Loop() {
				compiled, err := mapping.Parse("updates.yaml", []byte(benchCaseUpdates), mapping.Options{})
				if err != nil {
					b.Fatal(err)
				}
				var most peak
				i := &importer.Importer{Ledger: book, Progress: func(importer.Progress) { most.look() }}
				run, err := i.Plan(b.Context(), importer.Job{Name: "updates", Mapping: compiled, Inputs: []rows.Input{{Path: path}}})
				if err != nil {
					b.Fatal(err)
				}
				counts, err := book.Tally(b.Context(), run.ID)
				if err != nil || len(counts) != 1 || counts[0].State != ledger.Planned || counts[0].N != count {
					b.Fatalf("the plan is %v, %v", counts, err)
				}
				b.ReportMetric(float64(most.bytes.Load())/(1<<20), "peak-MiB")
			}
			b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// createdCases makes the ledger know that many cases. Nothing is sent: the answers are made here.
func createdCases(b *testing.B, book *ledger.Ledger, dir string, count int) {
	b.Helper()
	compiled, err := mapping.Parse("cases.yaml", []byte(casesMapping), mapping.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var ids atomic.Int64
	send := func(context.Context, payload.Payload, bool) apiclient.Result {
		return apiclient.Result{Verdict: apiclient.Accepted, Status: 201, ID: fmt.Sprintf("0b5e4c5a-7f11-4b7e-9a55-%012d", ids.Add(1))}
	}
	i := &importer.Importer{Ledger: book, Service: push.Service{Send: send, Concurrency: 64}}
	path := caseRows(b, dir, count, 1)
	if _, err := i.Run(b.Context(), importer.Job{Name: "cases", Mapping: compiled, Inputs: []rows.Input{{Path: path}}}); err != nil {
		b.Fatal(err)
	}
}

func caseRows(b *testing.B, dir string, rows, step int) string {
	b.Helper()
	path := filepath.Join(dir, fmt.Sprintf("cases-%d.csv", step))
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "Ref,Title,Status")
	for n := range rows {
		fmt.Fprintf(w, "M-%06d,Matter %d,Open\n", n*step%rows, n)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
