package importer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
)

// A benchmark starts this test binary again as the service, because a service is another process: in the same one, its
// garbage would be collected together with the importer's, and its flushes would hold up the importer's goroutines.

const serviceEnv = "DOCKETSYNC_BENCH_SERVICE"

// serviceTask is what such a child serves, as JSON in its environment.
type serviceTask struct {
	Data    string        // the file of its cases, "" for memory
	Latency time.Duration // of every answer
}

// startService starts a child that serves cases until the benchmark ends, and returns its address.
func startService(b *testing.B, task serviceTask) (base string) {
	b.Helper()
	text, err := json.Marshal(task)
	if err != nil {
		b.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), serviceEnv+"="+string(text)), os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := child.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close() // which ends it
		if err := child.Wait(); err != nil {
			b.Errorf("the service ended with %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("the service did not say where it is: %v", err)
	}
	return "http://" + strings.TrimSpace(address)
}

// serviceChild says its address and serves until its standard input ends, as it does with the parent in any case.
func serviceChild(text string) error {
	var task serviceTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
	options := sandbox.Options{Directory: directory(), SubscriptionKey: "key", AuthCookie: "cookie", Data: task.Data}
	if task.Latency > 0 {
		options.Faults.Slow = sandbox.Delay{Wait: task.Latency, Probability: 1}
	}
	box, err := sandbox.Open(options)
	if err != nil {
		return err
	}
	defer box.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	fmt.Println(listener.Addr())
	return box.Serve(ctx, listener)
}
