package doctor_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMailServersAreSpokenTo signs in and says goodbye, and begins no mail.
func TestMailServersAreSpokenTo(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	heard := make(chan string, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, "220 ready\r\n")
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				heard <- lines.Text()
				fmt.Fprint(conn, "250 ok\r\n")
			}
			conn.Close()
		}
	}()
	channel := func(tls string) string {
		return "notify: {channels: {ops: {mail: {server: \"" + listener.Addr().String() + "\", tls: " + tls + ", from: a@b.example, to: c@d.example}}}}\n"
	}
	found := look(t, firm(t, "sandbox", "", channel("none")), map[string]string{"KEY": key})
	has(t, found, "notifications", "ok channel ops: 127.0.0.1:", "takes mail, without encryption")
	found = look(t, firm(t, "sandbox", "", channel("starttls")), map[string]string{"KEY": key})
	has(t, found, "notifications", "failed channel ops: 127.0.0.1:", "takes connections, but no mail", "STARTTLS")
	listener.Close()
	close(heard)
	said := ""
	for line := range heard {
		said += line + "\n"
	}
	if !strings.Contains(said, "EHLO ") || strings.Contains(said, "MAIL") || strings.Contains(said, "RCPT") || strings.Contains(said, "DATA") {
		t.Errorf("the server was told\n%s", said)
	}
}

// TestRemotesAreTried says of each remote whether it lets us in.
func TestRemotesAreTried(t *testing.T) {
	t.Parallel()
	dir := firm(t, "sandbox", "", "remotes:\n  bank: {sftp: {host: 127.0.0.1, port: 1, user: us, password: {env: SFTP}, fingerprint: \"SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}}\n"+
		"  store: {sftp: {host: 127.0.0.1, port: 1, user: us, password: {env: NONE}, fingerprint: \"SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}}\n")
	found := look(t, dir, map[string]string{"KEY": key, "SFTP": password})
	has(t, found, "remotes", "failed remote bank: ", "not_tried remote store: a secret is missing")
}

// TestTheConsolesCertificate tells of one that browsers would refuse, and of one that they soon will.
func TestTheConsolesCertificate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		from, to time.Duration
		host     string
		says     string
	}{
		"good":         {-time.Hour, 90 * 24 * time.Hour, "sync.example", "ok the certificate of the console is valid until"},
		"soon over":    {-time.Hour, 5*24*time.Hour + time.Hour, "sync.example", "warning the certificate of the console expires in 5 days"},
		"the last day": {-time.Hour, 24*time.Hour + time.Hour, "sync.example", "warning the certificate of the console expires in 1 day"},
		"over":         {-48 * time.Hour, -time.Hour, "sync.example", "failed the certificate of the console expired on"},
		"of tomorrow":  {24 * time.Hour, 48 * time.Hour, "sync.example", "failed the certificate of the console is valid only from"},
		"of another":   {-time.Hour, 90 * 24 * time.Hour, "other.example", "warning the certificate of the console is not for sync.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := firm(t, "sandbox", "", "console: {url: \"https://sync.example\", tls: {cert: cert.pem, key: key.pem}}\n")
			own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			about := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{test.host}, NotBefore: time.Now().Add(test.from), NotAfter: time.Now().Add(test.to)}
			cert, err := x509.CreateCertificate(rand.Reader, about, about, own.Public(), own)
			if err != nil {
				t.Fatal(err)
			}
			secret, err := x509.MarshalPKCS8PrivateKey(own)
			if err != nil {
				t.Fatal(err)
			}
			for file, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
				if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			has(t, look(t, dir, map[string]string{"KEY": key}), "console", test.says)
		})
	}
}
