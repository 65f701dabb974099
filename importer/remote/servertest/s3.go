package servertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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
func StartS3(t testing.TB) *S3 { return startS3(t, "http") }

// StartS3TLS starts a server whose certificate no authority has signed.
func StartS3TLS(t testing.TB) *S3 {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfSigned(t, cert, key)
	return startS3(t, "https", "--cert", cert, "--key", key)
}

func startS3(t testing.TB, scheme string, flags ...string) *S3 {
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
		s.Address = fmt.Sprintf("127.0.0.1:%d", freePort(t))
		s.Endpoint = scheme + "://" + s.Address
		args := append([]string{"--port", s.Address, "--region", s.Region, "--quiet"}, flags...)
		cmd := exec.Command(program, append(args, "posix", "--sidecar", meta, root)...)
		cmd.Env = []string{"ROOT_ACCESS_KEY=" + s.AccessKey, "ROOT_SECRET_KEY=" + s.SecretKey, "HOME=" + meta, "PATH=" + os.Getenv("PATH")}
		if start(t, cmd).listens(t, s.Address) {
			return s
		}
	}
	t.Fatal("the S3 server does not start")
	return nil
}

func selfSigned(t testing.TB, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes})))
}
