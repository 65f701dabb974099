package servertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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
