package importer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"docketsync/importer/ledger/ledgertest"
)

// BenchmarkEndToEnd runs the command itself from start to end: a file of marks is read, mapped, planned, sent and
// reported. The same run measures a plain Go worker, also a process of its own. It reads the same file, maps it by hand
// and sends it over as many connections, without a ledger, retries or a report. The ratio is how many times as long the
// command takes.
//
//	go test ./importer -run '^$' -bench EndToEnd -benchtime 3x
func BenchmarkEndToEnd(b *testing.B) {
	program := filepath.Join(b.TempDir(), "docketsync")
	if out, err := exec.Command("go", "build", "-o", program, "docketsync/cmd/docketsync").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, latency := range []time.Duration{0, 20 * time.Millisecond} {
		b.Run(fmt.Sprintf("latency=%v", latency), func(b *testing.B) {
			const workers = 32
			records := 200_000
			if latency > 0 {
				records = workers * 1000
			}
			rows := markRows(b, b.TempDir(), records)
			var whole, plain spent
			var memory, ledger, reports int64
			for b.Loop() {
				base := startService(b, serviceTask{Latency: latency, Quick: true})
				dir := firm(b, rows, base, workers)
				command := exec.Command(program, "run", "--quiet")
				command.Dir, command.Env = dir, append(os.Environ(), "K=a long key", "C=a long cookie")
				most := runChild(b, command, &whole)
				memory, ledger = max(memory, most), fileSize(b, filepath.Join(dir, "ledger.db"))
				paths, _ := filepath.Glob(filepath.Join(dir, "reports", "*", "*"))
				reports = 0
				for _, path := range paths {
					reports += fileSize(b, path)
				}
				task, err := json.Marshal(workerTask{rows, startService(b, serviceTask{Latency: latency, Quick: true}), workers})
				if err != nil {
					b.Fatal(err)
				}
				command = exec.Command(os.Args[0])
				command.Env = append(os.Environ(), workerEnv+"="+string(task))
				runChild(b, command, &plain)
			}
			each := float64(records) * float64(b.N)
			b.ReportMetric(whole.time.Seconds()/float64(b.N), "run-s")
			b.ReportMetric(whole.time.Seconds()/plain.time.Seconds(), "ratio")
			b.ReportMetric(float64(whole.cpu.Microseconds())/each, "cpu-µs/record")
			b.ReportMetric(float64(plain.cpu.Microseconds())/each, "plain-cpu-µs/record")
			b.ReportMetric(float64(memory)/(1<<20), "peak-RSS-MiB")
			b.ReportMetric(float64(ledger)/float64(records), "ledger-B/record")
			b.ReportMetric(float64(reports)/1e6, "report-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// firm makes a folder with everything the command needs to send a file, and returns it.
func firm(b *testing.B, rows, base string, workers int) string {
	b.Helper()
	dir := b.TempDir()
	for name, text := range map[string]string{
		"docketsync.yaml": fmt.Sprintf(`service: {base_url: %q, subscription_key: {env: K}, auth_cookie: {env: C}, paths: {update_trademark: /v1/firms/trademark}}
pace: {concurrency: %d}
ledger: ledger.db
reports: reports
jobs: [{name: marks, source: {file: %q}, mapping: marks.yaml}]
`, base, workers, rows),
		"marks.yaml": benchMapping,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// runChild runs a process to its end, adds its cost to took, and returns its peak memory in bytes.
func runChild(b *testing.B, child *exec.Cmd, took *spent) int64 {
	b.Helper()
	var said bytes.Buffer
	child.Stdout, child.Stderr = &said, &said
	began := time.Now()
	if err := child.Run(); err != nil {
		b.Fatalf("%v: %s", err, said.String())
	}
	took.add(spent{time: time.Since(began), cpu: child.ProcessState.UserTime() + child.ProcessState.SystemTime()})
	return ledgertest.PeakMemoryOf(child.ProcessState)
}

const workerEnv = "DOCKETSYNC_BENCH_WORKER"

// workerTask tells a plain worker what to do, as JSON in its environment.
type workerTask struct {
	Rows, Base string
	Workers    int
}

// workerChild reads a file, maps it by hand and sends it.
func workerChild(text string) error {
	var task workerTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: task.Workers}}
	payloads := make(chan []byte, 1000)
	problems := make([]error, task.Workers)
	var group sync.WaitGroup
	for n := range problems {
		group.Go(func() {
			for payload := range payloads {
				problems[n] = errors.Join(problems[n], put(client, task.Base+"/v1/firms/trademark", payload))
			}
		})
	}
	err := plainRows(task.Rows, func(payload []byte) { payloads <- payload })
	close(payloads)
	group.Wait()
	return errors.Join(append(problems, err)...)
}

func put(client *http.Client, address string, payload []byte) error {
	request, err := http.NewRequest(http.MethodPut, address, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("subscription-key", "key")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && (answer.StatusCode != http.StatusOK || !bytes.Contains(said, []byte(`"successful":true`))) {
		err = fmt.Errorf("%d: %s", answer.StatusCode, said)
	}
	return err
}
