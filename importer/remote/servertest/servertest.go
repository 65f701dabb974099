// Package servertest starts real servers for tests: OpenSSH for SFTP, and the S3 gateway of Versity. A test is skipped
// where the program is missing, unless DOCKETSYNC_REQUIRE names sftp or s3.
package servertest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// missing skips the test, or fails it where the servers are required.
func missing(t testing.TB, name, what string) {
	t.Helper()
	if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), name) {
		t.Fatalf("DOCKETSYNC_REQUIRE asks for %s: %s", name, what)
	}
	t.Skip("skipped:", what)
}

// process is a server that runs until the test ends. What it said is shown when the test failed.
type process struct{ gone chan struct{} }

func start(t testing.TB, cmd *exec.Cmd) process {
	t.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := process{gone: make(chan struct{})}
	go func() {
		defer close(p.gone)
		_ = cmd.Wait() // it is killed in the end
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.gone
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd.Path, &output)
		}
	})
	return p
}

// listens waits until the server takes connections; false when it ended before.
func (p process) listens(t testing.TB, address string) bool {
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
	t.Fatalf("nothing listens on %s", address)
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
