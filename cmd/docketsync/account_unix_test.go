//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
)

const (
	accountKey      = "subscription-key-of-the-firm"
	accountPassword = "password-of-the-clerk"
)

// accounts are clients that share an account on a PostgreSQL server, each with a connection of its own as a process has it, and the sandbox
// that they send to.
type accounts struct {
	*testing.T
	clients  []*apiclient.Client
	book     *ledger.Ledger
	requests atomic.Int64 // but for sign-ins
	logins   atomic.Int64
}

func newAccounts(t *testing.T, clients int, faults sandbox.Faults, change func(*apiclient.Options)) *accounts {
	t.Helper()
	a := &accounts{T: t}
	server := ledgertest.Own(t)
	var err error
	if a.book, err = ledger.Open(t.Context(), server.DSN()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.book.Close() })
	service, err := sandbox.Open(sandbox.Options{SubscriptionKey: accountKey, AuthCookie: "no-cookie-of-a-user", AnyReference: true, Faults: faults,
		Directory: sandbox.Directory{Users: []sandbox.User{{ID: "77777777-7777-4777-8777-777777777777", UserName: "clerk", Password: accountPassword}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close() })
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/login" {
			a.logins.Add(1)
		} else {
			a.requests.Add(1)
		}
		service.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(listening.Close)
	for range clients {
		kept := a.book.Server().Kept()
		t.Cleanup(func() { _ = kept.Close() })
		o := apiclient.Options{BaseURL: listening.URL, SubscriptionKey: accountKey, Shared: kept.Change, Timeout: 10 * time.Second,
			SignIn: apiclient.SignIn{Path: "/v1/login", User: "clerk", Password: accountPassword},
			Retry:  apiclient.RetryOptions{CreatesAlways: true, FirstDelay: 10 * time.Millisecond, MaxDelay: 100 * time.Millisecond, Total: time.Minute}}
		change(&o)
		client, err := apiclient.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		a.clients = append(a.clients, client)
	}
	return a
}

// sendEach has each client send so many creates, four at a time, and counts the verdicts.
func (a *accounts) sendEach(ctx context.Context, records int) map[apiclient.Verdict]int {
	var all sync.WaitGroup
	var mu sync.Mutex
	verdicts := map[apiclient.Verdict]int{}
	for c, client := range a.clients {
		for worker := range 4 {
			all.Go(func() {
				for n := worker; n < records && ctx.Err() == nil; n += 4 {
					result := a.send(ctx, client, fmt.Sprintf("%d-%d", c, n))
					mu.Lock()
					verdicts[result.Verdict]++
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	return verdicts
}

// send creates a case.
func (a *accounts) send(ctx context.Context, client *apiclient.Client, number string) apiclient.Result {
	p, err := payload.Encoded(payload.CreateCase, []byte(`{"name":"Case","number":"`+number+`","active":true,"file_template_id":"22222222-2222-4222-8222-222222222222","user_id":"77777777-7777-4777-8777-777777777777"}`))
	if err != nil {
		a.Error(err)
	}
	return client.Send(ctx, p, false)
}

// TestACookieOfAnotherNodeMayHaveEnded has a node find its cookie dead, take the one that another node has got since, and find that dead too, as on
// the next of two nights. It signs in.
func TestACookieOfAnotherNodeMayHaveEnded(t *testing.T) {
	t.Parallel()
	a := newAccounts(t, 2, sandbox.Faults{CookieAfter: 3}, func(*apiclient.Options) {})
	for n, client := range []int{1, 0, 0, 0, 0, 0, 1} { // three with the first cookie, three with the second
		if r := a.send(t.Context(), a.clients[client], fmt.Sprint(n)); r.Verdict != apiclient.Accepted {
			t.Errorf("record %d: %s, %v", n, r.Verdict, r.Err)
		}
	}
	if n := a.logins.Load(); n != 3 {
		t.Errorf("%d sign-ins", n)
	}
}

// TestNodesSignInOnce has the cookie of four clients die again and again: each time one of them signs in for all. The others have its cookie
// from the server, where neither it nor another secret stands in clear.
func TestNodesSignInOnce(t *testing.T) {
	t.Parallel()
	a := newAccounts(t, 4, sandbox.Faults{CookieAfter: 100}, func(*apiclient.Options) {})
	verdicts := a.sendEach(t.Context(), 60)
	if verdicts[apiclient.Accepted] != 240 {
		t.Errorf("of 240 records: %v", verdicts)
	}
	if n := a.logins.Load(); n != 3 { // the first one, and after the 100th and 200th record
		t.Errorf("%d sign-ins", n)
	}
	kept := a.kept()
	for _, secret := range []string{accountKey, accountPassword, "sandbox.", "clerk"} {
		if bytes.Contains(kept, []byte(secret)) {
			t.Errorf("%q stands in the database:\n%s", secret, kept)
		}
	}
	if !bytes.Contains(kept, []byte(`"sealed"`)) {
		t.Errorf("no session is kept: %s", kept)
	}
}

// kept is all that the clients keep together.
func (a *accounts) kept() []byte {
	a.Helper()
	out, err := startPSQL(a.T, a.book, `select name || convert_from(kept, 'UTF8') from accounts`)
	if err != nil {
		a.Fatal(err)
	}
	return out
}

// TestNodesTryAWrongPasswordOnce has four clients meet a password that is refused.
func TestNodesTryAWrongPasswordOnce(t *testing.T) {
	t.Parallel()
	a := newAccounts(t, 4, sandbox.Faults{}, func(o *apiclient.Options) { o.SignIn.Password = "not-the-password" })
	verdicts := a.sendEach(t.Context(), 20)
	if verdicts[apiclient.Stopped] != 80 || a.logins.Load() != 1 || a.requests.Load() != 0 {
		t.Errorf("%v, %d sign-ins, %d requests", verdicts, a.logins.Load(), a.requests.Load())
	}
}

// TestNodesShareTheBreaker has four clients meet a service that fails. Each by itself would make ten requests, and a probe after each
// pause.
func TestNodesShareTheBreaker(t *testing.T) {
	t.Parallel()
	a := newAccounts(t, 4, sandbox.Faults{FailBefore: 1}, func(o *apiclient.Options) { o.Pace = pace.Options{Concurrency: 1} })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	verdicts := a.sendEach(ctx, 4)
	if n := a.requests.Load(); n < 10 || n > 30 || verdicts[apiclient.Accepted] > 0 {
		t.Errorf("%d requests: %v", n, verdicts)
	}
	for _, c := range a.clients {
		if !c.Stats().Pace.Tripped {
			t.Error("a client does not know that the service fails")
		}
	}
}

// TestNodesShareALimit has four nodes import against limits that nobody told them. It takes minutes:
//
//	DOCKETSYNC_LONG=1 go test ./cmd/docketsync -run TestNodesShareALimit -v -timeout 60m
func TestNodesShareALimit(t *testing.T) {
	if os.Getenv("DOCKETSYNC_LONG") != "1" {
		t.Skip("skipped: it takes minutes (DOCKETSYNC_LONG=1)")
	}
	for _, limit := range []int{300, 1000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			records := 40 * limit
			c := newNodes(t, records, fmt.Sprintf("seed=7,rate=%d,burst=%d,slow=5ms:1", limit, limit/10))
			for range 4 {
				c.start()
			}
			c.awaitEnd()
			seconds, requests := map[int64]int{}, 0
			for r, err := range c.ledger().Records(t.Context(), c.runs()[0].ID, ledger.RecordFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				seconds[r.Settled.Unix()]++
				requests += r.Attempts
			}
			share, low, high := steady(seconds, float64(limit))
			refused := float64(requests-records) / float64(requests)
			t.Logf("%d creates by 4 nodes, limit %d/s: %.1f %% of it, seconds between %.2f and %.2f of it, %.2f %% of the requests refused", records, limit, 100*share, low, high, 100*refused)
			if share < 0.8 || refused > 0.05 {
				t.Errorf("%.1f %% of the limit, %.2f %% refused", 100*share, 100*refused)
			}
			for _, n := range slices.Clone(c.up) {
				n.end()
			}
		})
	}
}

// TestFourNodesAreFourTimesOne compares the rates of one node and of four, by turns, with a service that answers after 20 ms, or after
// DOCKETSYNC_NODE_SLOW: with more of them the processors that all share have less to do. It takes minutes:
//
//	DOCKETSYNC_LONG=1 go test ./cmd/docketsync -run TestFourNodesAreFourTimesOne -v
func TestFourNodesAreFourTimesOne(t *testing.T) {
	if os.Getenv("DOCKETSYNC_LONG") != "1" {
		t.Skip("skipped: it takes minutes (DOCKETSYNC_LONG=1)")
	}
	slow := setting(t, "DOCKETSYNC_NODE_SLOW", 20, 20)
	rate := func(nodes int) float64 {
		c := newNodes(t, (3000+3000*nodes)*20/slow, fmt.Sprintf("seed=7,slow=%dms:1", slow))
		for range nodes {
			c.start()
		}
		c.awaitEnd()
		seconds := map[int64]int{}
		for r, err := range c.ledger().Records(t.Context(), c.runs()[0].ID, ledger.RecordFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			seconds[r.Settled.Unix()]++
		}
		mean, _, _ := steady(seconds, 1)
		for len(c.up) > 0 {
			c.up[0].end()
		}
		return mean
	}
	for range 2 {
		one, four := rate(1), rate(4)
		t.Logf("one node %.0f/s, four %.0f/s: %.2f of four times one; %d in flight at each node would be %.0f/s without docketsync", one, four, four/one/4, nodeConcurrency, nodeConcurrency*1000/float64(slow))
	}
}

// steady is what was done of a limit, in the mean and in the least and the busiest second, but for the first five seconds and the last two.
func steady(seconds map[int64]int, limit float64) (mean, low, high float64) {
	first, last := int64(1)<<62, int64(0)
	for at := range seconds {
		first, last = min(first, at), max(last, at)
	}
	low = 1e9
	sum := 0.0
	for at := first + 5; at <= last-2; at++ {
		n := float64(seconds[at]) / limit
		sum, low, high = sum+n, min(low, n), max(high, n)
	}
	return sum / float64(last-2-first-5+1), low, high
}

// startPSQL asks the server of a ledger.
func startPSQL(t *testing.T, book *ledger.Ledger, query string) ([]byte, error) {
	t.Helper()
	path, err := ledgertest.Program("psql")
	if err != nil {
		t.Skip(err)
	}
	config := book.Server().Config()
	return exec.CommandContext(t.Context(), path, "-At", "-h", config.Host, "-U", config.User, "-d", config.Database, "-c", query).CombinedOutput()
}
