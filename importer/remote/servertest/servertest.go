// Package servertest starts real servers for tests: OpenSSH for SFTP, and the S3 gateway of Versity. A test is skipped
// where the program is missing, unless DOCKETSYNC_REQUIRE names sftp or s3.
package servertest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// free is a loopback address and a port of it that nothing listened on a moment ago. On Linux the address is the server's own: between
// the look and the server's start another one could take a port of an address that they share, and would be taken for this server.
func free(t testing.TB) (host string, port int) {
	t.Helper()
	host = "127.0.0.1"
	if runtime.GOOS == "linux" {
		host = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return host, l.Addr().(*net.TCPAddr).Port
}

// S3 is an S3 server with one bucket, which is a folder of this machine.
type S3 struct {
	Endpoint  string
	Address   string // host and port of Endpoint
	Region    string
	Bucket    string
	AccessKey string
	SecretKey string
	Dir       string // the bucket's folder
}

// StartS3 starts a server that ends with the test.
func StartS3(t testing.TB) *S3 {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		missing(t, "s3", "there is no versitygw here (.ci/run installs it)")
	}
	root, meta := t.TempDir(), t.TempDir()
	s := &S3{Region: "eu-central-1", Bucket: "exports", AccessKey: "DOCKETSYNCTEST", SecretKey: "tH1s+1s/n0t=s3cret", Dir: filepath.Join(root, "exports")}
	if err := os.Mkdir(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		host, port := free(t)
		s.Address = fmt.Sprintf("%s:%d", host, port)
		s.Endpoint = "http://" + s.Address
		cmd := exec.Command(program, "--port", s.Address, "--region", s.Region, "--quiet", "posix", "--sidecar", meta, root)
		cmd.Env = []string{"ROOT_ACCESS_KEY=" + s.AccessKey, "ROOT_SECRET_KEY=" + s.SecretKey, "HOME=" + meta, "PATH=" + os.Getenv("PATH")}
		if start(t, cmd).listens(t, s.Address) {
			return s
		}
	}
	t.Fatal("the S3 server does not start")
	return nil
}
