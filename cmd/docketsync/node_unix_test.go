//go:build unix

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
)

// nodes are processes that share a ledger and an inbox, and what they send to.
type nodes struct {
	*testing.T
	dir     string
	server  *ledgertest.Server
	box     box
	book    *ledger.Ledger
	slack   string  // of leases, "" for the default
	records int     // cases to be created
	up      []*node // the processes that were not ended
	victims int     // nodes that were ended, frozen or cut off while they sent
}

// service is the part of a configuration about a service; those who send have the timeout of a test.
const nodeService = `service:
  base_url: %s
  subscription_key: {env: NO_KEY, default: key}
  auth_cookie: {env: NO_COOKIE, default: cookie}
  timeout: 2s
`

// newNodes makes a file of so many cases that has arrived in an inbox, and a service with faults. jobs are those beside it.
func newNodes(t *testing.T, records int, faults string, jobs ...string) *nodes {
	t.Helper()
	c := &nodes{T: t, dir: t.TempDir(), server: ledgertest.Own(t), slack: "2s", records: records}
	c.box = startSandbox(t, c.dir, "--data", "", "--faults", faults) // which answers from memory
	writeCrashFirm(t, c.dir, c.box, records)
	c.configure(fmt.Sprintf(nodeService, c.box.base), jobs...)
	if err := os.Mkdir(filepath.Join(c.dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(c.dir, "cases.csv"), filepath.Join(c.dir, "in", "cases.csv")); err != nil {
		t.Fatal(err)
	}
	return c
}

// ledger is opened when it is first asked for: that upgrades it.
func (c *nodes) ledger() *ledger.Ledger {
	c.Helper()
	if c.book == nil {
		var err error
		if c.book, err = ledger.Open(context.Background(), c.server.DSN()); err != nil {
			c.Fatal(err)
		}
		c.Cleanup(func() { _ = c.book.Close() })
	}
	return c.book
}

// configure writes the configuration that all nodes have.
func (c *nodes) configure(service string, jobs ...string) {
	c.Helper()
	write(c.T, c.dir, "docketsync.yaml", service+fmt.Sprintf(`ledger: {env: NODE_LEDGER}
ledger_server: {outage: 30s}
pace: {concurrency: %d}
retry: {first_delay: 10ms, max_delay: 100ms}
stop_after: {in_doubt: 0, failed: 0, same_refusal: 0}
jobs:
  - {name: cases, source: {inbox: {folder: in, poll: 1s, still: 1s}}, mapping: cases.yaml}
`, nodeConcurrency)+strings.Join(jobs, ""))
}

// node is one process.
type node struct {
	c   *nodes
	cmd *exec.Cmd
	log *os.File
	out chan error
}

func (c *nodes) start() *node { return c.startAs("docketsync", c.server.DSN()) }

// startAs starts a node of some build of docketsync, which finds the database at an address.
func (c *nodes) startAs(program, dsn string) *node {
	c.Helper()
	env := []string{"NODE_LEDGER=" + dsn}
	if c.slack != "" {
		env = append(env, "DOCKETSYNC_LEASE_SLACK="+c.slack)
	}
	return c.startProgram([]string{program, "node"}, env...)
}

// startProgram starts a program as a node.
func (c *nodes) startProgram(command []string, env ...string) *node {
	c.Helper()
	log, err := os.CreateTemp(c.dir, "node-*.log")
	if err != nil {
		c.Fatal(err)
	}
	n := &node{c: c, cmd: exec.Command(command[0], command[1:]...), out: make(chan error, 1), log: log}
	n.cmd.Dir, n.cmd.Env, n.cmd.Stderr = c.dir, environment(env...), log
	if err := n.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	go func() { n.out <- n.cmd.Wait() }()
	c.up = append(c.up, n)
	c.Cleanup(func() {
		n.signal(syscall.SIGCONT)
		_ = n.cmd.Process.Kill()
		select {
		case err := <-n.out:
			n.out <- err
		case <-time.After(10 * time.Second):
		}
		if c.Failed() {
			c.Logf("node %d:\n%s", n.cmd.Process.Pid, n.said())
		}
		_ = log.Close()
	})
	return n
}

// said is what the node has written so far.
func (n *node) said() string {
	text, err := os.ReadFile(n.log.Name())
	if err != nil {
		n.c.Error(err)
	}
	return string(text)
}

func (n *node) signal(s syscall.Signal) { _ = n.cmd.Process.Signal(s) }

func (n *node) kill() {
	n.c.victims++
	n.signal(syscall.SIGKILL)
	n.gone()
}

// end asks a node to end, and waits until it has handed over.
func (n *node) end() {
	n.c.Helper()
	n.signal(syscall.SIGTERM)
	if err := n.gone(); err != nil {
		n.c.Errorf("a node that was asked to end: %v\n%s", err, n.said())
	}
}

// gone waits for the end of a node.
func (n *node) gone() error {
	err := <-n.out
	n.out <- err
	n.c.up = slices.DeleteFunc(n.c.up, func(one *node) bool { return one == n })
	return err
}

// await asks again and again until something is so.
func (c *nodes) await(what string, so func() bool) {
	c.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for end := time.After(time.Duration(setting(c.T, "", 100, 1200)) * time.Second); !so(); {
		select {
		case <-look.C:
		case <-end:
			c.Fatalf("%s: not in time", what)
		}
	}
}

// awaitCases waits until the service has so many cases.
func (c *nodes) awaitCases(n int) {
	c.Helper()
	c.await(fmt.Sprint(n, " cases"), func() bool { return c.box.state(c.T).Cases >= int64(n) })
}

func (c *nodes) runs() []ledger.Run {
	runs, err := c.ledger().Runs(context.Background(), ledger.RunFilter{Job: "cases", Kinds: []ledger.Kind{ledger.Push}})
	if err != nil {
		return nil // the server is being restarted
	}
	return runs
}

func (c *nodes) finished() bool {
	runs := c.runs()
	return len(runs) > 0 && runs[0].Phase == ledger.Finished
}

func (c *nodes) awaitEnd() {
	c.Helper()
	c.await("the end of the run", c.finished)
}

// shards are the parts of the run, by the process that has them.
func (c *nodes) shards() map[int]ledger.Shard {
	had := map[int]ledger.Shard{}
	for _, run := range c.runs() {
		maps.Copy(had, c.shardsOf(run.ID))
	}
	return had
}

func (c *nodes) shardsOf(run string) map[int]ledger.Shard {
	list, err := c.ledger().Shards(context.Background(), run)
	if err != nil {
		return nil
	}
	had := map[int]ledger.Shard{}
	for _, s := range list {
		if parts := strings.Split(s.Node, ":"); len(parts) == 3 {
			pid, _ := strconv.Atoi(parts[1])
			had[pid] = s
		}
	}
	return had
}

// sending is a node that sends a part of the run and is not the one left out.
func (c *nodes) sending(but *node) (found *node) {
	c.Helper()
	c.await("a node that sends", func() bool {
		had := c.shards()
		for _, n := range c.up {
			if s, ok := had[n.cmd.Process.Pid]; ok && !s.Expired && n != but {
				found = n
			}
		}
		return found != nil
	})
	return found
}

// leader is the node that schedules.
func (c *nodes) leader() (found *node) {
	c.Helper()
	c.await("a node that leads", func() bool {
		release, err := c.ledger().Lock(context.Background(), "schedule")
		if err == nil {
			_ = release()
		}
		for _, n := range c.up {
			if err != nil && strings.Contains(err.Error(), fmt.Sprintf("process %d ", n.cmd.Process.Pid)) {
				found = n
			}
		}
		return found != nil
	})
	return found
}

// awaitLapse waits until nobody believes any more that a node sends.
func (c *nodes) awaitLapse(n *node) {
	c.Helper()
	c.await("the end of a lease", func() bool {
		s, ok := c.shards()[n.cmd.Process.Pid]
		return !ok || s.Expired
	})
}

// nodeWakes is how long a node that was frozen may take from finding out that a record is another's to writing down what came of it.
const nodeWakes = 2 * time.Second

// account compares the service with the ledger: how many records are in doubt, but for those whose request took longer than it may, as on a
// machine that is busy with other tests, and how many of them because their process ended.
func (c *nodes) account() (doubts, cut int) {
	c.Helper()
	made := map[string]int{}
	for _, one := range c.box.snapshot(c.T).Cases {
		made[one.Number]++
	}
	run := c.runs()[0]
	seen, why, ended := 0, map[string]int{}, run.Ended.Add(-nodeWakes)
	for r, err := range c.ledger().Records(c.Context(), run.ID, ledger.RecordFilter{}) {
		if err != nil {
			c.Fatal(err)
		}
		seen++
		n := made[r.Key]
		delete(made, r.Key)
		switch {
		case n > 1:
			c.Errorf("%s was created %d times", r.Key, n)
		case r.State == ledger.InDoubt:
			why[r.Message]++
			if strings.HasPrefix(r.Message, "no answer within") {
				continue
			}
			doubts++
			if strings.Contains(r.Message, "interrupted after it recorded the intent") {
				cut++
			}
		case r.State == ledger.Held && n == 0 && r.Settled.After(ended): // a frozen process said so when the run had ended: it was in doubt until then
			doubts, cut = doubts+1, cut+1
			why[r.Message]++
		case r.State != ledger.Accepted || n != 1:
			c.Errorf("%s is %s (%s) and there %d times", r.Key, r.State, r.Message, n)
		}
	}
	c.Logf("why records are in doubt: %v", why)
	if seen != c.records || len(made) > 0 {
		c.Errorf("%d records of %d, and %d that nobody planned", seen, c.records, len(made))
	}
	return doubts, cut
}

// A node whose configuration names another service than the ledger's does not join: it could send nothing of what the others plan.
func TestANodeOfAnotherServiceDoesNotJoin(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 3, "")
	c.start()
	c.await("the run", c.finished)
	c.configure(fmt.Sprintf(nodeService, "http://127.0.0.1:1"))
	other := c.start()
	if err := other.gone(); err == nil || !strings.Contains(other.said(), "belongs to the service") || strings.Contains(other.said(), "has joined") {
		t.Errorf("it ended with %v:\n%s", err, other.said())
	}
}

// TestANodeWithOtherSettingsSendsNothing has a node whose configuration names another path join one that sends a run. It
// gives back what it takes, says which setting differs, and the other one sends everything.
func TestANodeWithOtherSettingsSendsNothing(t *testing.T) {
	t.Parallel()
	c := newNodes(t, setting(t, "", 800, 8000), slowly(t, 20))
	first := c.start()
	c.await("the first node to lead", func() bool { return strings.Contains(first.said(), "docketsync: scheduling") })
	config, err := os.ReadFile(filepath.Join(c.dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.dir, "other.yaml", strings.Replace(string(config), "service:\n", "service:\n  paths: {create_case: /v2/nowhere}\n", 1))
	other := c.startProgram([]string{"docketsync", "node", "--config", "other.yaml"}, "NODE_LEDGER="+c.server.DSN(), "DOCKETSYNC_LEASE_SLACK="+c.slack)
	c.await("the other node to say why it does not send", func() bool {
		return strings.Contains(other.said(), "service.paths.create_case: not as on the node that leads the run")
	})
	c.awaitEnd()
	counts, err := c.ledger().Tally(t.Context(), c.runs()[0].ID)
	if want := fmt.Sprintf("[{create accepted %d}]", c.records); err != nil || fmt.Sprint(counts) != want {
		t.Errorf("the run has %v, want %s: %v", counts, want, err)
	}
	other.end()
	first.end()
}
