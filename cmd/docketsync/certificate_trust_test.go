package main

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// A certificate that is no longer the service's stops the run where it is: what was not sent is held, nothing is in doubt and nothing
// is tried again and again. The exit status, the list of runs and the report say so; with the old certificate the rest goes out.
func TestACertificateThatIsNotTrustedStopsTheRun(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	behind, err := url.Parse(g.box.base)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	writeCertificate(t, other)
	wrong, err := tls.LoadX509KeyPair(filepath.Join(other, "cert.pem"), filepath.Join(other, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	sandbox := httputil.NewSingleHostReverseProxy(behind)
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // so that each request sees a certificate
		sandbox.ServeHTTP(w, r)
		sent.Add(1)
	}))
	front.Config.ErrorLog = log.New(io.Discard, "", 0)
	front.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		if sent.Load() < 40 {
			return nil, nil //nolint:nilnil // the server's own
		}
		return &tls.Config{Certificates: []tls.Certificate{wrong}}, nil
	}}
	front.StartTLS()
	t.Cleanup(front.Close)
	g.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})))
	settings, err := os.ReadFile(filepath.Join(g.dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	g.write("docketsync.yaml", strings.Replace(string(settings), "base_url: "+g.box.base, "base_url: "+front.URL+"\n  ca_file: ca.pem", 1))
	g.export(good)
	for _, want := range []string{"in the middle", "from the start"} {
		before := sent.Load()
		said, _ := g.run(exit.Stopped, "run", "marks")
		for _, words := range []string{"is not trusted", "ca_file", "is self-signed", "held"} {
			if !strings.Contains(said, words) {
				t.Errorf("%s: %q is not said:\n%s", want, words, said)
			}
		}
		if strings.Contains(said, "in doubt") || strings.Contains(said, "failed") || want == "from the start" && sent.Load() != before {
			t.Errorf("%s: %d requests, and\n%s", want, sent.Load()-before, said)
		}
	}
	if listed, _ := g.run(exit.AllIn, "runs"); strings.Count(listed, "stopped (certificate)") == 0 {
		t.Errorf("the list of runs is\n%s", listed)
	}
}
