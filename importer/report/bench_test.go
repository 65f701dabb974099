package report_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
)

// migration is a run of many records with payloads, cells and attempts of real size; one in a hundred was rejected.
func migration(t testing.TB, many int) *book {
	t.Helper()
	b := newBook(t, func(r *ledger.Run) {
		r.Sources[0].Header = []string{"Ref", "Title", "Opened", "Attorney", "Client", "Office", "Status", "Number", "Value", "Notes", "Remarks", "Last"}
	})
	const page = 1000
	for from := 0; from < many; from += page {
		var records []ledger.Record
		var intents []ledger.Intent
		var outcomes []ledger.Outcome
		for i := from; i < min(from+page, many); i++ {
			r := migrated(b.run, i)
			records = append(records, r)
			if r.State == ledger.Planned {
				intents = append(intents, ledger.Intent{Run: r.Run, Seq: r.Seq})
				at := began.Add(time.Duration(i) * time.Millisecond)
				outcomes = append(outcomes, ledger.Outcome{Run: r.Run, Seq: r.Seq, State: ledger.Accepted, Status: 201, ServiceID: fmt.Sprintf("5b0a5c39-0000-4000-8000-%012d", i), At: at,
					Attempts: []ledger.Attempt{{Run: r.Run, Seq: r.Seq, Number: 1, Started: at, Duration: 23 * time.Millisecond, Status: 201, Verdict: "accepted", Answer: fmt.Sprintf(`{"id":"5b0a5c39-0000-4000-8000-%012d","enable":true,"name":"…"}`, i)}}})
			}
		}
		_, err := b.led.Add(t.Context(), records)
		b.must(err)
		b.must(b.led.Commit(t.Context(), nil, intents))
		b.must(b.led.Commit(t.Context(), outcomes, nil))
	}
	b.run.Phase, b.run.Ended = ledger.Finished, began.Add(time.Hour)
	b.run.Counts = ledger.Counts{Read: many, InRecords: many}
	b.must(b.led.SaveRun(t.Context(), b.run))
	return b
}

var offices = []string{"EUIPO", "UKIPO", "USPTO", "DPMA", "INPI", "IGE", "OEPM", "UIBM", "CIPO", "JPO", "KIPO", "WIPO"}

func migrated(run ledger.Run, i int) ledger.Record {
	ref, name := fmt.Sprintf("M-%06d", i), fmt.Sprintf("%s, matter %d", names[i%len(names)], i*7919%100003)
	r := ledger.Record{
		Run: run.ID, Scope: run.Scope, Seq: int64(i + 1), Key: ref, Action: ledger.Create, State: ledger.Planned, Digest: fmt.Sprintf("%032x", i),
		Payload: json.RawMessage(fmt.Sprintf(`{"name":%q,"number":%q,"active":true,"file_template_id":"6f0c2d7e-5b0a-5c39-8a5e-%012d","user_id":"1f0c2d7e-5b0a-5c39-8a5e-%012d","client_id":"2f0c2d7e-5b0a-5c39-8a5e-%012d"}`, name, ref, i%5, i%40, i%900)),
		Rows:    []ledger.Row{row(i+2, ref, name, d("2024-03-01"), fmt.Sprint("Attorney ", i%40), fmt.Sprint("Client ", i%900), offices[i%len(offices)], "Open", n(fmt.Sprint(1000+i)), n("1250.5"), "some notes about the matter", nil, "end")},
	}
	if i%100 == 99 {
		value := fmt.Sprint("Attorney ", i%40)
		r.State, r.Action, r.Payload, r.Digest = ledger.Rejected, ledger.None, nil, ""
		r.Reasons = []ledger.Reason{{Code: "lookup_unknown", Field: "user_id", Column: "Attorney", Cell: fmt.Sprintf("D%d", i+2), Row: i + 2, Value: value,
			Message: fmt.Sprintf("%q is not in the table attorneys", value), Hint: "Add it to lookups/attorneys.csv."}}
	}
	return r
}

// peak runs f and returns the largest heap seen meanwhile.
func peak(f func()) uint64 {
	runtime.GC()
	done, largest := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		most := uint64(0)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-tick.C:
			case <-done:
				largest <- most
				return
			}
		}
	}()
	f()
	close(done)
	return <-largest
}

// countingWriter counts what is written and throws it away.
type countingWriter struct{ n int64 }

func (c *countingWriter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func BenchmarkWrite(b *testing.B) {
	const many = 100_000
	book := migration(b, many)
	for _, form := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"summary", func(io.Writer) error {
			_, err := report.Build(b.Context(), book.led.Reader, book.run.ID)
			return err
		}},
		{"html", func(w io.Writer) error {
			return files.WriteOne(b.Context(), w, book.led.Reader, book.run.ID, "report.html")
		}},
		{"json", func(w io.Writer) error {
			return files.WriteOne(b.Context(), w, book.led.Reader, book.run.ID, "report.json")
		}},
		{"csv", func(w io.Writer) error {
			return files.WriteOne(b.Context(), w, book.led.Reader, book.run.ID, "report.csv")
		}},
		{"rejects", func(w io.Writer) error {
			return files.WriteOne(b.Context(), w, book.led.Reader, book.run.ID, "rejects.xlsx")
		}},
		{"all", func(io.Writer) error {
			_, err := files.Write(b.Context(), book.led.Reader, book.run.ID, b.TempDir())
			return err
		}},
	} {
		b.Run(form.name, func(b *testing.B) {
			for b.Loop() {
				var out countingWriter
				most := peak(func() { book.must(form.write(&out)) })
				b.ReportMetric(float64(most)/(1<<20), "peak-MB")
				b.ReportMetric(float64(out.n)/(1<<20), "file-MB")
			}
			b.ReportMetric(many*float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkOpen measures how long the page of 100,000 records takes in a browser until its table can be used, and how
// long its filters, searches and sorts take.
func BenchmarkOpen(b *testing.B) {
	book := migration(b, 100_000)
	tab := newTab(b)
	files, err := files.Write(b.Context(), book.led.Reader, book.run.ID, b.TempDir())
	book.must(err)
	page, err := os.Stat(files.HTML)
	book.must(err)
	measure := func(name, script string) {
		tab.refreshed(script)
		var ms float64
		_, err := fmt.Sscan(tab.Eval(`document.documentElement.dataset.filterMs`), &ms)
		book.must(err)
		b.ReportMetric(ms, name)
	}
	for b.Loop() {
		tab.show(files.HTML)
		var ready float64
		_, err := fmt.Sscan(tab.Eval(`performance.now()`), &ready)
		book.must(err)
		b.ReportMetric(ready, "open-ms")
		measure("filter-ms", `document.querySelector('.tiles a[data-outcome="3"]').click()`)
		measure("reset-ms", `[...document.querySelectorAll('.tools button')].pop().click()`)
		measure("client-ms", `(list => { list.selectedIndex = 451; list.dispatchEvent(new Event('change')); })([...document.querySelectorAll('.tools select')].find(list => list.options.length > 900))`)
		measure("unclient-ms", `[...document.querySelectorAll('.tools button')].pop().click()`)
		measure("first-search-ms", `(box => { box.focus(); box.value = 'first'; box.dispatchEvent(new Event('input')); })(document.querySelector('input[type=search]'))`)
		measure("search-ms", `(box => { box.value = 'muller 4711'; box.dispatchEvent(new Event('input')); })(document.querySelector('input[type=search]'))`)
		tab.search("")
		measure("sort-ms", `document.querySelector('.records th:nth-child(3) button').click()`)
		b.ReportMetric(float64(page.Size())/(1<<20), "file-MB")
		measure("sort-again-ms", `document.querySelector('.records th:nth-child(3) button').click()`)
	}
}
