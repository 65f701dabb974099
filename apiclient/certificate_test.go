package apiclient

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// issued is a certificate with its key.
type issued struct {
	*x509.Certificate
	key *ecdsa.PrivateKey
}

// issue makes a certificate for this machine, signed by its parent, or by itself where there is none.
func issue(t *testing.T, subject string, parent *issued, change func(*x509.Certificate)) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: subject}, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	if change != nil {
		change(form)
	}
	signer := issued{form, key}
	if parent != nil {
		signer = *parent
	}
	der, err := x509.CreateCertificate(rand.Reader, form, signer.Certificate, &key.PublicKey, signer.key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &issued{made, key}
}

func isAuthority(c *x509.Certificate) { c.IsCA = true }

func ofThisMachine(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)} }

// showing starts a server that shows a chain of certificates, and counts what it is sent.
func showing(t *testing.T, settings *tls.Config, chain ...*issued) (base string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	shown := tls.Certificate{PrivateKey: chain[0].key}
	for _, c := range chain {
		shown.Certificate = append(shown.Certificate, c.Raw)
	}
	settings.Certificates = []tls.Certificate{shown}
	server.TLS = settings
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, requests
}

func trusting(t *testing.T, authority *issued) func(*Options) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.CAFile = file }
}

// A service that is not trusted stops the run at once, with nothing sent, and says which link of its chain is wrong and what to do;
// so does one that no TLS can be agreed on with. No patience would mend either.
func TestAServiceWithoutTrustStopsAtOnce(t *testing.T) {
	t.Parallel()
	root := issue(t, "Firm Root", nil, isAuthority)
	between := issue(t, "Firm Issuing", root, isAuthority)
	good := issue(t, "service", between, ofThisMachine)
	for name, c := range map[string]struct {
		chain    []*issued
		settings *tls.Config
		says     []string
	}{
		"is self-signed": {[]*issued{issue(t, "alone\x1b[2J", nil, ofThisMachine)}, &tls.Config{}, []string{"CN=alone?[2J is self-signed", "ca_file", "certificate 1 of 1", "for 127.0.0.1"}},
		"unknown authority": {[]*issued{issue(t, "service", issue(t, "Other Issuing", issue(t, "Other Root", nil, isAuthority), isAuthority), ofThisMachine)}, &tls.Config{},
			[]string{"the authority CN=Other Issuing, which signed CN=service, is not trusted on this machine", "ca_file"}},
		"a link is missing": {[]*issued{good}, &tls.Config{}, []string{"the authority CN=Firm Issuing, which signed CN=service, is not trusted on this machine"}},
		"expired": {[]*issued{issue(t, "service", between, func(c *x509.Certificate) {
			ofThisMachine(c)
			c.NotBefore, c.NotAfter = time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2021, 1, 2, 3, 4, 0, 0, time.UTC)
		}), between}, &tls.Config{}, []string{"CN=service is valid from 2020-01-02 00:00 UTC to 2021-01-02 03:04 UTC", "clock", "certificate 2 of 2: CN=Firm Issuing, issued by CN=Firm Root"}},
		"an expired link": {[]*issued{good, issueAgain(t, between, root)}, &tls.Config{}, []string{"Firm Issuing", "clock"}},
		"another host": {[]*issued{issue(t, "service", between, func(c *x509.Certificate) { c.DNSNames = []string{"other.example", "www.other.example"} }), between}, &tls.Config{},
			[]string{"not for 127.0.0.1", "for other.example, www.other.example", "base_url"}},
		"old TLS": {[]*issued{good, between}, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, []string{"the TLS handshake with the service failed", "TLS 1.2 or 1.3"}},
		"no cipher in common": {[]*issued{good, between}, &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_RC4_128_SHA}},
			[]string{"the TLS handshake with the service failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, requests := showing(t, c.settings, c.chain...)
			result := send(t, newClient(t, base, trusting(t, root)), aCase(), false)
			err, _ := result.Err.(*Error)
			if result.Verdict != Stopped || result.Doubt || len(result.Attempts) != 1 || err == nil || err.Code != CodeCertificate || requests.Load() != 0 {
				t.Fatalf("%d requests, and %+v", requests.Load(), result)
			}
			for _, want := range append(c.says, "nothing was sent") {
				if !strings.Contains(result.Message, want) {
					t.Errorf("%q is not said: %s", want, result.Message)
				}
			}
		})
	}
}

// issueAgain is the certificate of an authority as it was before it was renewed.
func issueAgain(t *testing.T, authority, parent *issued) *issued {
	t.Helper()
	form := *authority.Certificate
	form.NotBefore, form.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, &form, parent.Certificate, &authority.key.PublicKey, parent.key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &issued{made, authority.key}
}

func TestAServerThatSpeaksNoTLSStopsAtOnce(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	result := send(t, newClient(t, strings.Replace(server.URL, "http:", "https:", 1)), aCase(), false)
	if err, _ := result.Err.(*Error); result.Verdict != Stopped || err == nil || err.Code != CodeCertificate || !strings.Contains(err.Message, "does not use TLS, so nothing was sent") {
		t.Errorf("got %+v", result)
	}
}

// A server with TLS that has only HTTP/2 ends the handshake with an alert; that of Go would not.
func TestAServerWithoutHTTP1StopsAtOnce(t *testing.T) {
	t.Parallel()
	base := rawServer(t, func(c net.Conn) {
		waitForBytes(c)
		_, _ = io.WriteString(c, "\x15\x03\x03\x00\x02\x02\x78") // no_application_protocol (RFC 7301 part 3.2)
		_, _ = io.Copy(io.Discard, c)
	})
	result := send(t, newClient(t, strings.Replace(base, "http:", "https:", 1)), aCase(), false)
	if result.Verdict != Stopped || !strings.Contains(result.Message, "no application protocol") || !strings.Contains(result.Message, "HTTP/1.1 (not only HTTP/2) are required") {
		t.Errorf("got %+v", result)
	}
}

// A sign-in meets the same server, and gives it no password.
func TestSignInToAServiceWithoutTrustStopsAtOnce(t *testing.T) {
	t.Parallel()
	base, requests := showing(t, &tls.Config{}, issue(t, "alone", nil, ofThisMachine))
	result := send(t, newClient(t, base, func(o *Options) {
		o.AuthCookie, o.SignIn = "", SignIn{Path: "/v1/login", User: "import", Password: "s3cret-word", UserMember: "user", PasswordMember: "word"}
	}), aCase(), false)
	if err, _ := result.Err.(*Error); result.Verdict != Stopped || err == nil || err.Code != CodeCertificate || requests.Load() != 0 {
		t.Errorf("%d requests, and %+v", requests.Load(), result)
	}
}
