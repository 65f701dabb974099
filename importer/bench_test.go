package importer_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/lookups"
	"docketsync/importer/report/files"
	"docketsync/importer/rows"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
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

// unmapped is how many columns of an export no field is mapped from: most exports have more of these than of the
// others.
const unmapped = 15

// markRows writes a docketing export of n marks and returns its path.
func markRows(b *testing.B, dir string, n int) string { return numberedRows(b, dir, n, n) }

// numberedRows is markRows with that many application and registration numbers, which the marks share.
func numberedRows(b *testing.B, dir string, n, numbers int) string {
	b.Helper()
	path := filepath.Join(dir, fmt.Sprintf("marks-%d.csv", n))
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	header := "Our Ref,Mark Id,Office,Mark,App No,Filed,Reg No,Registered,Status,Expires,Owner,Notes"
	for n := range unmapped {
		header += fmt.Sprintf(",C%d", n+1)
	}
	fmt.Fprintln(w, header)
	for i := range n {
		day, year := 1+i%28, 1990+i%30
		fmt.Fprintf(w, "TM-%07d,0b5e4c5a-7f11-4b7e-9a55-%012d,EUIPO,\"MARK, No %d\",%09d,%02d/03/%d,%07d,%02d/11/%d,R,%02d/03/%d,Owner %d GmbH,renewed%s\n",
			i, i, i, i%numbers, day, year, i%numbers, day, year+1, day, year+40, i%500, strings.Repeat(fmt.Sprintf(",x%d", i), unmapped))
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// peak remembers the highest memory use that it measured.
type peak struct{ bytes atomic.Uint64 }

func (p *peak) look() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if now := sample[0].Value.Uint64(); now > p.bytes.Load() {
		p.bytes.Store(now)
	}
}

func benchJob(b *testing.B, dir string, count int) importer.Job {
	b.Helper()
	compiled, err := mapping.Parse("marks.yaml", []byte(benchMapping), mapping.Options{Today: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	return importer.Job{Name: "marks", Mapping: compiled, MappingText: []byte(benchMapping), Sources: lookups.Sources{MappingDir: dir},
		Inputs: []rows.Input{{Path: markRows(b, dir, count)}}}
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
			ids := lookup.New("registries")
			if err := ids.Add("EUIPO", registry); err != nil {
				b.Fatal(err)
			}
			var most peak
			b.ReportAllocs()
			for b.Loop() {
				readAll(b, job, &most, map[string]*lookup.Table{"registries": ids})
			}
			report(b, rows, &most)
		})
	}
}

// readAll reads a job's file, and maps its rows when there are lookups.
func readAll(b *testing.B, job importer.Job, most *peak, lookups map[string]*lookup.Table) {
	from, err := source.Open(b.Context(), job.Inputs[0].Path, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer from.Close()
	var mapper *mapping.Mapper
	if lookups != nil {
		if mapper, err = job.Mapping.Bind(from.Header(), lookups); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for row, err := range from.Rows(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		if n++; n%5000 == 0 {
			most.look()
		}
		if mapper == nil {
			continue
		}
		if _, reasons := mapper.Map([]table.Row{row}); len(reasons) > 0 {
			b.Fatal(reasons)
		}
	}
}

// BenchmarkPlan reads, maps and plans a CSV file into a ledger on disk that knows nothing of it yet. That is the first
// pass of a migration: every record is written with its payload and its cells. The same run measures a plain Go program
// that maps the file and keeps nothing; the ratio is how many times as long the plan takes.
//
//	go test ./importer -run '^$' -bench '(Plan|Check)/200000$' -benchtime 3x
func BenchmarkPlan(b *testing.B) { benchFirstPass(b, (*importer.Importer).Plan) }

// BenchmarkCheck is BenchmarkPlan for a check, which does not record what is in order.
func BenchmarkCheck(b *testing.B) { benchFirstPass(b, (*importer.Importer).Check) }

// BenchmarkPlanRepeated plans a file in which every mark shares its numbers with four others, far apart, and so has two
// notes.
func BenchmarkPlanRepeated(b *testing.B) {
	for _, count := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			var most peak
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				dir := b.TempDir()
				job := benchJob(b, dir, count)
				job.Inputs[0].Path = numberedRows(b, dir, count, count/5)
				book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				i := &importer.Importer{Ledger: book, Progress: func(importer.Progress) { most.look() }}
				if _, err := i.Plan(b.Context(), job); err != nil {
					b.Fatal(err)
				}
				if err := book.Close(); err != nil {
					b.Fatal(err)
				}
			}
			report(b, count, &most)
		})
	}
}

func benchFirstPass(b *testing.B, pass func(*importer.Importer, context.Context, importer.Job) (ledger.Run, error)) {
	for _, rows := range []int{10_000, 200_000, 1_000_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			var most peak
			var alone, aloneCPU, wholeCPU time.Duration
			var stored int64
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				dir := b.TempDir()
				job := benchJob(b, dir, rows)
				book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
				if err != nil {
					b.Fatal(err)
				}
				began, used := time.Now(), ledgertest.CPUTime()
				plainMap(b, job.Inputs[0].Path)
				alone, aloneCPU = alone+time.Since(began), aloneCPU+ledgertest.CPUTime()-used
				runtime.GC()
				i := &importer.Importer{Ledger: book, Progress: func(importer.Progress) { most.look() }}
				used = ledgertest.CPUTime()
				b.StartTimer()
				if _, err := pass(i, b.Context(), job); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				wholeCPU += ledgertest.CPUTime() - used
				if err := book.Close(); err != nil {
					b.Fatal(err)
				}
				if info, err := os.Stat(filepath.Join(dir, "ledger.db")); err == nil {
					stored += info.Size()
				}
				b.StartTimer()
			}
			report(b, rows, &most)
			b.ReportMetric(b.Elapsed().Seconds()/alone.Seconds(), "ratio")
			b.ReportMetric(wholeCPU.Seconds()/max(aloneCPU.Seconds(), 1e-9), "cpu-ratio")
			b.ReportMetric(float64(stored)/float64(rows)/float64(b.N), "ledger-B/record")
		})
	}
}

// plainMap maps a file with plainRows and drops the result.
func plainMap(b *testing.B, path string) {
	if err := plainRows(path, func([]byte) {}); err != nil {
		b.Fatal(err)
	}
}

// plainRows is what somebody writes in an afternoon: the standard library reads the file, and each row becomes a
// payload, as benchMapping says.
func plainRows(path string, each func(payload []byte)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReaderSize(f, 1<<16))
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return err
	}
	var wrong error
	date := func(cell string) string {
		day, err := time.Parse("02/01/2006", cell)
		wrong = errors.Join(wrong, err)
		return day.Format(time.RFC3339)
	}
	ids, states := map[string]string{"EUIPO": registry}, map[string]string{"R": "Registered", "P": "Pending"}
	for {
		c, err := r.Read()
		if err == io.EOF {
			return wrong
		}
		if err != nil {
			return err
		}
		payload, err := json.Marshal(struct {
			ID        string `json:"id"`
			Registry  string `json:"registry_id"`
			Mark      string `json:"mark_text"`
			AppNo     string `json:"application_number"`
			Filed     string `json:"application_date"`
			RegNo     string `json:"registration_number"`
			Registers string `json:"registration_date"`
			Status    string `json:"status"`
			Expires   string `json:"expiry_date"`
			Notes     string `json:"notes"`
			NoFile    bool   `json:"do_not_create_file"`
		}{c[1], ids[c[2]], c[3], c[4], date(c[5]), c[6], date(c[7]), states[c[8]], date(c[9]), c[11], true})
		if err != nil {
			return err
		}
		each(payload)
	}
}

func report(b *testing.B, rows int, most *peak) {
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(most.bytes.Load())/(1<<20), "peak-MiB")
}

// BenchmarkNight runs a job whose records the service all holds already, as on most nights, and writes its report. The
// same run measures reading and mapping the same file alone; the ratio is the cost of finding out that nothing has
// changed. The first night after a migration looks every record up; it is not measured.
//
//	go test ./importer -run '^$' -bench 'Night/1000000$' -benchtime 5x
func BenchmarkNight(b *testing.B) {
	for _, rows := range benchSizes {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			dir := b.TempDir()
			job := benchJob(b, dir, rows)
			book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer book.Close()
			var most peak
			night := &importer.Importer{Ledger: book, Progress: func(importer.Progress) { most.look() }}
			seed(b, book, night, job)
			quietNight(b, night, job, dir)
			runtime.GC()
			debug.FreeOSMemory()
			forgetPeak()
			ids := lookup.New("registries")
			if err := ids.Add("EUIPO", registry); err != nil {
				b.Fatal(err)
			}
			most.bytes.Store(0)
			var alone, whole, aloneCPU, wholeCPU time.Duration
			for b.Loop() {
				began, used := time.Now(), ledgertest.CPUTime()
				var bare peak
				readAll(b, job, &bare, map[string]*lookup.Table{"registries": ids})
				alone += time.Since(began)
				aloneCPU += ledgertest.CPUTime() - used
				began, used = time.Now(), ledgertest.CPUTime()
				quietNight(b, night, job, dir)
				most.look()
				whole += time.Since(began)
				wholeCPU += ledgertest.CPUTime() - used
			}
			report(b, rows, &most)
			b.ReportMetric(alone.Seconds()/float64(b.N), "map-s")
			b.ReportMetric(whole.Seconds()/float64(b.N), "night-s")
			b.ReportMetric(whole.Seconds()/alone.Seconds(), "ratio")
			b.ReportMetric(wholeCPU.Seconds()/max(aloneCPU.Seconds(), 1e-9), "cpu-ratio")
			b.ReportMetric(peakResident(), "peak-RSS-MiB")
		})
	}
}

// quietNight makes a run in which nothing is sent, and its report.
func quietNight(b *testing.B, i *importer.Importer, job importer.Job, dir string) {
	run, err := i.Run(b.Context(), job)
	if err != nil || run.Phase != ledger.Finished || run.Export.ToSend != 0 {
		b.Fatalf("the night ended as %s: %v", run.Phase, err)
	}
	if _, err := files.Write(b.Context(), i.Ledger.Reader, run.ID, dir); err != nil {
		b.Fatal(err)
	}
}

// forgetPeak resets the peak memory of the process that the kernel counts, on Linux.
func forgetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakResident returns the peak memory of the process in MiB; 0 if the system does not tell.
func peakResident() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib := 0.0
	_, _ = fmt.Sscan(rest, &kib)
	return kib / 1024
}

// seed makes the ledger know all records of a job as accepted without sending them, with the ledger's own steps, in
// bulk.
func seed(b *testing.B, book *ledger.Ledger, i *importer.Importer, job importer.Job) {
	b.Helper()
	plan, err := i.Plan(b.Context(), job)
	if err != nil {
		b.Fatal(err)
	}
	var intents []ledger.Intent
	var outcomes []ledger.Outcome
	commit := func() {
		if err := book.Commit(b.Context(), nil, intents); err != nil {
			b.Fatal(err)
		}
		if err := book.Commit(b.Context(), outcomes, nil); err != nil {
			b.Fatal(err)
		}
		intents, outcomes = intents[:0], outcomes[:0]
	}
	for after := int64(0); ; {
		page, err := book.Pending(b.Context(), plan.ID, after, 1000)
		if err != nil {
			b.Fatal(err)
		}
		if len(page) == 0 {
			return
		}
		for _, r := range page {
			after = r.Seq
			intents = append(intents, ledger.Intent{Run: r.Run, Seq: r.Seq})
			outcomes = append(outcomes, ledger.Outcome{Run: r.Run, Seq: r.Seq, State: ledger.Accepted, At: time.Now()})
		}
		commit()
	}
}
