package importer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"docketsync/apiclient/sandbox"
)

// A benchmark starts this test binary again as the service, because a real service is another process. In the same
// process, its garbage would be collected together with the importer's, and its flushes would hold up the importer's
// goroutines.

const serviceEnv = "DOCKETSYNC_BENCH_SERVICE"

// serviceTask tells such a child what to serve, as JSON in its environment.
type serviceTask struct {
	Data    string        // the file of its cases, "" for memory
	Latency time.Duration // of every answer
	// Quick answers everything at once and keeps nothing, so that nothing but the client's side costs time.
	Quick bool
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

// serviceChild prints its address and serves until its standard input ends, which happens at the latest when the parent
// dies.
func serviceChild(text string) error {
	var task serviceTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
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
	if task.Quick {
		server := &http.Server{Handler: quickly(task.Latency), ReadHeaderTimeout: time.Minute}
		context.AfterFunc(ctx, func() { _ = server.Close() })
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
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
	return box.Serve(ctx, listener)
}

// quickly accepts everything it is sent, with the id in the request or a new one.
func quickly(latency time.Duration) http.Handler {
	id := regexp.MustCompile(`"id":"([0-9a-f-]{36})"`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if latency > 0 {
			time.Sleep(latency)
		}
		w.Header().Set("Content-Type", "application/json")
		var found string
		if m := id.FindSubmatch(body); m != nil {
			found = string(m[1])
		}
		if r.Method == http.MethodPost {
			found = uuid.NewString() // an id that another case has would put this one in doubt
			w.WriteHeader(http.StatusCreated)
		}
		fmt.Fprintf(w, `{"id":%q,"message":"done","successful":true}`, found)
	})
}
