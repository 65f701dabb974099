package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

var idInAnswer = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// TestACreateAnsweredWithTheIdOfAnotherIsInDoubt has something in front of the service answer each create with what it answered to the first:
// in the same run and in a later one, nobody knows then whether there is a second case.
func TestACreateAnsweredWithTheIdOfAnotherIsInDoubt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	target, err := url.Parse(b.base)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var first []byte
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(answer *http.Response) error {
		body, err := io.ReadAll(answer.Body)
		if answer.Request.Method == http.MethodPost {
			mu.Lock()
			defer mu.Unlock()
			id := idInAnswer.Find(body)
			if first == nil {
				first = id
			}
			body = bytes.ReplaceAll(body, id, first)
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		return err
	}
	service := httptest.NewServer(proxy)
	t.Cleanup(service.Close)
	writeCrashFirm(t, dir, b, 2)
	write(t, dir, "docketsync.yaml", strings.Replace(string(read(t, dir+"/docketsync.yaml")), b.base, service.URL, 1))
	code, out := program(t, dir, "run")
	if code != exit.InDoubt || !strings.Contains(out, "1 of 2 matters was imported; 1 is in doubt") {
		t.Errorf("it ended with %d:\n%s", code, out)
	}
	write(t, dir, "cases.csv", "Ref,Title\nM-00000,Case 0\nM-00001,Case 1\nM-00002,Case 2\n")
	code, out = program(t, dir, "run")
	if code != exit.InDoubt || !strings.Contains(out, "2 are in doubt") || b.state(t).Cases != 3 {
		t.Errorf("the next night ended with %d:\n%s", code, out)
	}
	if _, out = program(t, dir, "resolve"); !strings.Contains(out, `which is the id of "M-0000`) {
		t.Errorf("nobody says whose id it is:\n%s", out)
	}
}
