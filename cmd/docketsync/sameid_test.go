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
	var all sync.WaitGroup // of the first run, so that none of them is in the ledger when another is answered
	all.Add(4)
	asked := 0
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(answer *http.Response) error {
		body, err := io.ReadAll(answer.Body)
		if answer.Request.Method == http.MethodPost {
			mu.Lock()
			id := idInAnswer.Find(body)
			if first == nil {
				first = id
			}
			if asked%2 == 1 {
				first = bytes.ToUpper(first) // the same in another spelling
			}
			body = bytes.ReplaceAll(body, id, first)
			if asked++; asked <= 4 {
				all.Done()
			}
			mu.Unlock()
			all.Wait()
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		return err
	}
	service := httptest.NewServer(proxy)
	t.Cleanup(service.Close)
	writeCrashFirm(t, dir, b, 4)
	write(t, dir, "docketsync.yaml", strings.Replace(string(read(t, dir+"/docketsync.yaml")), b.base, service.URL, 1))
	code, out := program(t, dir, "run")
	if code != exit.InDoubt || !strings.Contains(out, "1 of 4 matters was imported; 3 are in doubt") {
		t.Errorf("it ended with %d:\n%s", code, out)
	}
	write(t, dir, "cases.csv", "Ref,Title\nM-00000,Case 0\nM-00001,Case 1\nM-00002,Case 2\nM-00003,Case 3\nM-00004,Case 4\n")
	code, out = program(t, dir, "run")
	if code != exit.InDoubt || !strings.Contains(out, "4 are in doubt") || b.state(t).Cases != 5 {
		t.Errorf("the next night ended with %d:\n%s", code, out)
	}
	if _, out = program(t, dir, "resolve"); !strings.Contains(out, `which is the id of "M-0000`) {
		t.Errorf("nobody says whose id it is:\n%s", out)
	}
}
