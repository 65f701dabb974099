package importer_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/push"
	results "docketsync/importer/report"
	"docketsync/importer/report/files"
)

// BenchmarkReport runs a job of 100,000 marks to its end and writes its report. The cost of the report is given as a
// share of the run's, in time and in processor time; verdict-s is how long it takes until the verdict is known. The
// service is a process of its own that answers at once, so the run takes no longer than docketsync itself needs.
//
//	go test ./importer -run '^$' -bench Report -benchtime 3x
func BenchmarkReport(b *testing.B) {
	const marks = 100_000
	var ran, told, wrote spent
	var size, html, json int64
	for b.Loop() {
		dir := b.TempDir()
		book, err := ledger.Open(b.Context(), filepath.Join(dir, "ledger.db"))
		if err != nil {
			b.Fatal(err)
		}
		began, before := time.Now(), spent{cpu: ledgertest.CPUTime(), written: bytesWritten()}
		run := sendAll(b, book, benchJob(b, dir, marks))
		ran.add(since(began, before))
		began, before = time.Now(), spent{cpu: ledgertest.CPUTime(), written: bytesWritten()}
		summary, err := results.Build(b.Context(), book.Reader, run.ID)
		if err != nil {
			b.Fatal(err)
		}
		told.add(since(began, before))
		paths, err := files.WriteSummary(b.Context(), book.Reader, summary, dir, nil)
		if err != nil {
			b.Fatal(err)
		}
		wrote.add(since(began, before))
		size, html, json = sizeOf(b, paths.Dir), fileSize(b, paths.HTML), fileSize(b, paths.JSON)
		if err := book.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(ran.time.Seconds()/float64(b.N), "run-s")
	b.ReportMetric(told.time.Seconds()/float64(b.N), "verdict-s")
	b.ReportMetric(wrote.time.Seconds()/float64(b.N), "report-s")
	b.ReportMetric(wrote.time.Seconds()/ran.time.Seconds(), "ratio")
	b.ReportMetric(wrote.cpu.Seconds()/max(ran.cpu.Seconds(), 1e-9), "cpu-ratio")
	b.ReportMetric(float64(size)/1e6, "report-MB")
	b.ReportMetric(float64(html)/1e6, "html-MB")
	b.ReportMetric(float64(json)/1e6, "json-MB")
	b.ReportMetric(0, "ns/op")
}

// sendAll runs a job against a service that keeps nothing and answers at once.
func sendAll(b *testing.B, book *ledger.Ledger, job importer.Job) ledger.Run {
	b.Helper()
	client, err := apiclient.New(apiclient.Options{BaseURL: startService(b, serviceTask{Quick: true}), SubscriptionKey: "key", AuthCookie: "cookie",
		Paths: map[payload.Operation]string{payload.UpdateTrademark: "/v1/firms/trademark"}, Pace: pace.Options{Concurrency: 32, Fixed: true}})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	i := &importer.Importer{Ledger: book, Service: push.Service{Send: client.Send, Concurrency: 32}, Progress: func(importer.Progress) {}}
	run, err := i.Run(b.Context(), job)
	if err != nil || run.Phase != ledger.Finished {
		b.Fatalf("the run ended as %s: %v", run.Phase, err)
	}
	return run
}

// sizeOf returns the total size of the files of a folder.
func sizeOf(b *testing.B, dir string) (n int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, entry := range entries {
		n += fileSize(b, filepath.Join(dir, entry.Name()))
	}
	return n
}

func fileSize(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}
