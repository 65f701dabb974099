package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a certificate for this machine and its key into a folder, and returns who trusts it.
func writeCertificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	certificate, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	for name, data := range map[string][]byte{"cert.pem": text, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// With a certificate, the console speaks TLS and nothing else, and its cookies are for TLS alone. A browser signs in so.
func TestConsoleSpeaksTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 1)
	pool := writeCertificate(t, dir)
	appendConfig(t, dir, consoleUsers("  tls: {cert: cert.pem, key: key.pem}\n"))
	c := startConsole(t, dir)
	if !strings.HasPrefix(c.base, "https://") {
		t.Fatalf("it says that it is at %s", c.base)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	answer, err := client.Get(c.base + "/sign-in")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.ProtoMajor != 2 || answer.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("answered by %s with %v", answer.Proto, answer.Header)
	}
	for _, cookie := range answer.Cookies() {
		if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") {
			t.Errorf("%s", cookie)
		}
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, strings.Replace(c.base, "https", "http", 1)+"/sign-in", nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(request); err == nil {
		answer.Body.Close()
		if answer.StatusCode < 400 {
			t.Errorf("without TLS it is answered with %s", answer.Status)
		}
	}
	old := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}}}
	if answer, err := old.Get(c.base + "/sign-in"); err == nil {
		answer.Body.Close()
		t.Error("TLS 1.1 is taken")
	}
	tab := c.signedIn("Victor", viewerPassword)
	tab.Go(c.base + "/runs")
	tab.Quiet(c.base)
}

// A certificate that is renewed counts without a restart; one without its key leaves the last one in use, and is told.
func TestConsoleTakesUpItsCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 1)
	writeCertificate(t, dir)
	appendConfig(t, dir, consoleUsers("  tls: {cert: cert.pem, key: key.pem}\n"))
	c := startConsole(t, dir)
	serial := func() string {
		connection, err := tls.Dial("tcp", strings.TrimPrefix(c.base, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		return connection.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	first := serial()
	writeCertificate(t, dir)
	late := time.Now().Add(time.Minute)
	for serial() == first {
		if time.Now().After(late) {
			t.Fatal("the new certificate is not used")
		}
	}
	second := serial()
	if err := os.WriteFile(filepath.Join(dir, "cert.pem"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tab := c.signedIn("Ines", operatorPassword)
	until(t, tab, `fetch("/").then((r) => r.text()).then((t) => t.includes("Check console.tls"))`)
	if got := serial(); got != second {
		t.Errorf("the certificate is %s, want %s", got, second)
	}
}
