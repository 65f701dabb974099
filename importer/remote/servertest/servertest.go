// Package servertest starts real servers for tests: OpenSSH for SFTP, and the S3 gateway of Versity. A test is skipped
// where the program is missing, unless DOCKETSYNC_REQUIRE names sftp or s3.
package servertest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// missing skips the test, or fails it where the servers are required.
func missing(t testing.TB, name string, format string, args ...any) {
	t.Helper()
	if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), name) {
		t.Fatalf("DOCKETSYNC_REQUIRE asks for %s: %s", name, fmt.Sprintf(format, args...))
	}
	t.Skipf("skipped: "+format, args...)
}

// process is a server that runs until the test ends.
type process struct {
	gone   chan struct{}
	output *output
}

type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func start(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{gone: make(chan struct{}), output: &output{}}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.gone)
		_ = cmd.Wait() // it is killed in the end
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.gone
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd.Path, p.output)
		}
	})
	return p
}

// listens waits until the server takes connections; false when it ended before.
func (p *process) listens(t testing.TB, address string) bool {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 3000 {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return true
		}
		select {
		case <-p.gone:
			return false
		case <-tick.C:
		}
	}
	t.Fatalf("nothing listens on %s:\n%s", address, p.output)
	return false
}

// freePort is a port of the loopback address that nothing listened on a moment ago.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
