//go:build unix

package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/stop"
)

// nodeConcurrency is how many records each node has in flight.
const nodeConcurrency = 6

// nodeMinutes is a job that is due every minute.
const nodeMinutes = "  - {name: minutes, source: minutes.csv, mapping: cases.yaml, when: \"* * * * *\"}\n"

// drill is something that happens to four nodes while they send.
type drill struct {
	short, long int    // cases that are created; without a short form it runs only where long ones are asked for
	slow        int    // after how many milliseconds the service answers, see slowly
	faults      string // of the service
	lease       bool   // as long as it is by default; 4 s otherwise, of which a request may take 2
	jobs        string // beside the one that creates the cases
	do          func(c *nodes)
}

// TestNodeDrills has four nodes, as processes, import cases from an inbox, with their ledger on a PostgreSQL server, while something happens to them.
// Whatever it is: in the end every case is in the service once, or is in doubt and there once or not at all; only those are in
// doubt that a node had in flight when it was ended, frozen or cut off, or that the service's own faults left so, or whose request
// timed out on a busy machine; and nodes that are asked to end do so without a complaint. A drill by itself, in full:
//
//	DOCKETSYNC_LONG=1 go test ./cmd/docketsync -run TestNodeDrills/killed -v -timeout 60m
//
// DOCKETSYNC_NODE_RECORDS and DOCKETSYNC_NODE_KILLS say how many of each.
func TestNodeDrills(t *testing.T) {
	t.Parallel()
	const misbehaving = ",500_before=0.002,503=0.01,drop_after=0.002"
	drills := map[string]drill{
		"killed":                          {900, 30000, 20, misbehaving, false, "", killed},
		"killed, with the default lease":  {0, 20000, 300, "", true, "", killedByDefault}, // a run is longer than leases are
		"frozen":                          {900, 20000, 60, "", false, "", frozen},
		"woken to lead again":             {400, 20000, 60, "", false, "", wokenToLead},
		"cut off from the database":       {0, 20000, 60, "", false, "", cutOff},
		"the database is restarted":       {0, 20000, 20, "", false, "", restarted},
		"clocks ten minutes apart":        {0, 20000, 20, "", false, nodeMinutes, clocksApart},
		"the cookie ends":                 {0, 20000, 20, ",cookie_after=2000", false, "", cookieEnds},
		"replaced":                        {900, 20000, 20, "", false, "", replaced},
		"the bell is not heard":           {900, 20000, 20, "", false, "", notHeard},
		"replaced, by the release before": {0, 20000, 20, "", false, "", replacedBefore},
	}
	for name, d := range drills {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := setting(t, "DOCKETSYNC_NODE_RECORDS", d.short, d.long)
			if records == 0 {
				t.Skip("skipped: it takes minutes (DOCKETSYNC_LONG=1)")
			}
			c := newNodes(t, records, slowly(t, d.slow)+d.faults, d.jobs)
			if d.lease {
				c.slack = ""
				c.configure(strings.ReplaceAll(fmt.Sprintf(nodeService, c.box.base), "  timeout: 2s\n", ""), d.jobs)
			}
			began := time.Now()
			d.do(c)
			c.awaitEnd()
			took := time.Since(began)
			doubts, cut := c.account()
			if cut > c.victims*nodeConcurrency || doubts > cut && d.faults != misbehaving {
				t.Errorf("%d records are in doubt, %d because of %d nodes, with %d in flight each", doubts, cut, c.victims, nodeConcurrency)
			}
			for len(c.up) > 0 {
				c.up[0].end()
			}
			t.Logf("%d cases in %.0f s, %d nodes ended, frozen or cut off: 0 lost, 0 twice, %d in doubt, %d of them because of that", records, took.Seconds(), c.victims, doubts, cut)
		})
	}
}

// slowly has the service answer after so many milliseconds, in short forms after five times as many: with a fifth of the records that takes as long, and
// a fifth of the work.
func slowly(t *testing.T, milliseconds int) string {
	return fmt.Sprintf("seed=7,slow=%dms:1", milliseconds*setting(t, "", 5, 1))
}

// four starts the nodes.
func (c *nodes) four() {
	for range 4 {
		c.start()
	}
}

// awaitShare waits until so many parts in a hundred of the cases are in the service.
func (c *nodes) awaitShare(percent int) { c.Helper(); c.awaitCases(c.records * percent / 100) }

// notHeard has what the leader rings for taken out of River's table before any node fetches it. The leader rings again.
func notHeard(c *nodes) {
	c.four()
	c.awaitCases(c.records / 9)
	c.await("parts that wait to be fetched", func() bool {
		out, err := startPSQL(c.T, c.ledger(), `delete from river_job where state = 'available'`)
		return err == nil && strings.TrimSpace(string(out)) != "DELETE 0"
	})
}

// killed kills one node after the other at random, whichever it is, and starts another for each.
func killed(c *nodes) {
	c.four()
	kills, random := setting(c.T, "DOCKETSYNC_NODE_KILLS", 3, 100), rand.New(rand.NewPCG(7, 0))
	for n := range kills {
		c.awaitCases(c.records * (n + 1) / (kills + 2) * 9 / 10) // what is in doubt may never be there
		if c.finished() {
			c.Fatalf("the run ended before kill %d", n+1)
		}
		c.up[random.IntN(len(c.up))].kill()
		c.start()
	}
}

// killedByDefault kills nodes that send, and in the long form those that lead.
func killedByDefault(c *nodes) {
	c.four()
	for n := range setting(c.T, "DOCKETSYNC_NODE_KILLS", 1, 4) {
		c.awaitCases(c.records * (n + 1) / 10)
		leader := c.leader()
		victim, what := leader, "the node that leads"
		if n%2 == 0 {
			victim, what = c.sending(leader), "a node that only sends"
		}
		c.await("a part for it", func() bool { return c.has(victim) })
		victim.kill()
		c.start()
		c.untilTaken(victim, what+" was killed")
	}
}

// has tells whether a node has a part of the run.
func (c *nodes) has(n *node) bool {
	_, has := c.shards()[n.cmd.Process.Pid]
	return has
}

// untilTaken waits until what a node was sending is sent by another, or was sent by it to the end.
func (c *nodes) untilTaken(victim *node, what string) {
	c.Helper()
	began := time.Now()
	c.await("somebody who takes over", func() bool { return len(c.shards()) > 0 && !c.has(victim) || c.finished() })
	c.Logf("%s: its part was taken over after %.1f s", what, time.Since(began).Seconds())
}

// frozen freezes a node that sends for longer than its lease, then the one that leads until another one does, both until what they had is taken over, and
// has both go on. The one that leads then is asked to end.
func frozen(c *nodes) {
	c.four()
	c.awaitShare(10)
	sender := c.sending(c.leader())
	sender.freeze()
	c.awaitLapse(sender)
	c.untilTaken(sender, "a node that only sends was frozen")
	sender.signal(syscall.SIGCONT)
	c.awaitShare(40)
	first := c.leader()
	first.freeze()
	c.awaitAnotherLeader(first)
	c.untilTaken(first, "the node that leads was frozen")
	first.signal(syscall.SIGCONT)
	c.awaitShare(70)
	c.leader().end()
}

// wokenToLead freezes the node that leads until another one has taken over, and wakes it when that one has left in the middle of the run and nobody else
// leads: it may take its lock again, and has to go on with what the other one has left.
func wokenToLead(c *nodes) {
	c.start()
	c.start()
	c.awaitShare(10)
	first := c.leader()
	first.freeze()
	c.awaitAnotherLeader(first)
	second := c.leader()
	c.await("that it resumes the run", func() bool { return strings.Contains(second.said(), "an earlier run was interrupted") })
	second.end()
	first.signal(syscall.SIGCONT)
}

func (n *node) freeze() {
	n.c.victims++
	n.signal(syscall.SIGSTOP)
}

// awaitAnotherLeader waits until a node leads that is not this one.
func (c *nodes) awaitAnotherLeader(n *node) {
	c.Helper()
	began := time.Now()
	c.await("another leader", func() bool { return c.leader() != n })
	c.Logf("another node leads after %.1f s", time.Since(began).Seconds())
}

// cutOff cuts two nodes off from the database, one after the other, for longer than a lease: one that sends, and the one that leads.
func cutOff(c *nodes) {
	c.server.Listen = fmt.Sprintf("127.%d.%d.1", os.Getpid()/250%250+1, os.Getpid()%250)
	c.server.Restart(c)
	networks := map[*node]*netProxy{}
	for range 4 {
		network, err := netListen(c.server.Listen+":5432", func(int64) netFault { return netFault{} })
		if err != nil {
			c.Fatal(err)
		}
		c.Cleanup(func() { _ = network.Close() })
		networks[c.startAs("docketsync", "postgres://ledger@"+network.Address()+"/postgres?sslmode=disable")] = network
	}
	c.awaitShare(10)
	sender := c.sending(c.leader())
	c.victims++
	networks[sender].Partition()
	c.awaitLapse(sender)
	c.untilTaken(sender, "a node that only sends was cut off")
	c.awaitShare(30)
	networks[sender].Heal()
	c.awaitShare(45)
	first := c.leader()
	c.victims++
	networks[first].Partition()
	c.awaitAnotherLeader(first)
	c.awaitShare(70)
	networks[first].Heal()
}

// restarted restarts the database's server, in the long form several times. Nothing is in doubt because of that.
func restarted(c *nodes) {
	c.four()
	restarts := setting(c.T, "", 1, 5)
	for n := range restarts {
		c.awaitCases(c.records * (n + 1) / (restarts + 1))
		c.server.Restart(c)
		began, had := time.Now(), c.box.state(c.T).Cases
		c.awaitCases(int(had) + 4*nodeConcurrency) // more than was in flight
		c.Logf("the server was restarted: the nodes send again after %.1f s", time.Since(began).Seconds())
	}
}

// clocksApart has two nodes whose clocks are ten minutes ahead of those of the other two and of the database, and each of them lead in turn, while a
// job is due every minute: each minute is accounted for once.
func clocksApart(c *nodes) {
	write(c.T, c.dir, "minutes.csv", "Ref,Title\n")
	ahead := buildAhead(c.T)
	for range 2 {
		c.start()
		c.startAs(ahead, c.server.DSN())
	}
	for percent := 15; percent <= 75; percent += 15 {
		c.awaitShare(percent)
		c.leader().end()
		c.start()
	}
	c.awaitEnd()
	dues, err := c.ledger().Occurrences(c.Context(), ledger.OccurrenceFilter{Job: "minutes"})
	if err != nil {
		c.Fatal(err)
	}
	slices.SortFunc(dues, func(a, b ledger.Occurrence) int { return a.At.Compare(b.At) })
	for n, due := range dues {
		if n > 0 && due.At.Sub(dues[n-1].At) != time.Minute || due.Taken > 1 {
			c.Errorf("%+v", due)
		}
	}
	c.Logf("%d minutes, each accounted for once", len(dues))
}

// TestADueWaitsForItsJob has another process hold what a job needs when it is due on a node, as a person's run does, until the job is due once more; it is
// run all the same, and so is a file that arrives meanwhile in an inbox which is looked into once an hour.
func TestADueWaitsForItsJob(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, "", nodeMinutes, "  - {name: hours, source: {inbox: {folder: hours, poll: 1h, still: 1s}}, mapping: cases.yaml}\n")
	write(t, c.dir, "minutes.csv", "Ref,Title\n")
	if err := os.Mkdir(filepath.Join(c.dir, "hours"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.start()
	c.awaitEnd()
	list := func(state ledger.OccurrenceState) []ledger.Occurrence {
		dues, err := c.ledger().Occurrences(c.Context(), ledger.OccurrenceFilter{Job: "minutes", States: []ledger.OccurrenceState{state}})
		if err != nil {
			c.Fatal(err)
		}
		return dues
	}
	var release func() error
	c.await("the lock", func() bool { // a minute may have begun just now, and its run have it
		var err error
		if release, err = c.ledger().Lock(c.Context(), "create_case"); err != nil && !errors.As(err, new(*fault.BusyError)) {
			c.Fatal(err)
		}
		return err == nil
	})
	c.await("a due", func() bool { return len(list(ledger.Running)) > 0 })
	due := list(ledger.Running)[0]
	c.await("a try", func() bool {
		return slices.ContainsFunc(c.up, func(n *node) bool {
			return strings.Contains(n.said(), "job minutes waits: another run of create_case is in progress")
		})
	})
	write(t, c.dir, "hours.csv", "Ref,Title,Due\nH-1,Held,2030-01-02\n")
	if err := os.Rename(filepath.Join(c.dir, "hours.csv"), filepath.Join(c.dir, "hours", "hours.csv")); err != nil {
		c.Fatal(err)
	}
	c.await("the next due", func() bool { return len(list(ledger.Overlapped)) > 0 })
	if n := strings.Count(c.up[0].said(), "job minutes waits"); n != 1 {
		t.Errorf("it says %d times that it waits", n)
	}
	if err := release(); err != nil {
		c.Fatal(err)
	}
	c.awaitCases(2)
	c.await("its run", func() bool {
		return slices.ContainsFunc(list(ledger.Ran), func(o ledger.Occurrence) bool { return o.Local == due.Local })
	})
	c.up[0].end()
}

// buildAhead builds docketsync for a machine whose clock is ten minutes ahead: all that reads the time of day gets it from there.
func buildAhead(t *testing.T) (program string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	clock, dir := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go"), t.TempDir()
	text, err := os.ReadFile(clock)
	if err != nil {
		t.Skip(err)
	}
	const reads = "	sec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), reads) != 1 {
		t.Fatal("the standard library reads the clock in another way than this test knows")
	}
	write(t, dir, "time.go", strings.Replace(string(text), reads, reads+"	sec += 600\n", 1))
	write(t, dir, "overlay.json", fmt.Sprintf(`{"Replace": {%q: %q}}`, clock, filepath.Join(dir, "time.go")))
	program = filepath.Join(dir, "docketsync-ahead")
	build := exec.Command("go", "build", "-trimpath", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// cookieEnds has nodes sign in with a password, and their cookie end now and then: each time one of them signs in for all.
func cookieEnds(c *nodes) {
	signIns := c.signIn("sandbox")
	c.four()
	c.awaitEnd()
	if n := int(signIns.Load()); n < 1 || n > c.records/2000+3 {
		c.Errorf("%d sign-ins for %d cases, of which 2,000 use up a cookie", n, c.records)
	}
	c.Logf("%d sign-ins for %d cases", signIns.Load(), c.records)
}

// signIn has all sign in with a password, and counts how often they do.
func (c *nodes) signIn(password string, jobs ...string) *atomic.Int64 {
	c.Helper()
	base, err := url.Parse(c.box.base)
	if err != nil {
		c.Fatal(err)
	}
	var signIns atomic.Int64
	pass := httputil.NewSingleHostReverseProxy(base)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/login" {
			signIns.Add(1)
		}
		pass.ServeHTTP(w, r)
	}))
	c.Cleanup(front.Close)
	c.configure(strings.ReplaceAll(fmt.Sprintf(nodeService, front.URL), "  auth_cookie: {env: NO_COOKIE, default: cookie}\n",
		fmt.Sprintf("  sign_in: {path: /v1/login, user: api, password: {env: NO_PASSWORD, default: %s}}\n", password)), jobs...)
	return &signIns
}

// TestARunNamesTheNodeThatStopsIt has two nodes send a run, one of them with a cookie that has ended: the run says which, and so does the log of that node.
func TestARunNamesTheNodeThatStopsIt(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 600, slowly(t, 10))
	base, err := url.Parse(c.box.base)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(base)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(".service.authcookie") == "old" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	c.configure(fmt.Sprintf(nodeService, front.URL))
	good := c.start()
	old := c.startProgram([]string{"docketsync", "node"}, "NODE_LEDGER="+c.server.DSN(), "DOCKETSYNC_LEASE_SLACK="+c.slack, "NO_COOKIE=old")
	why := ""
	c.await("the end of the run", func() bool {
		for _, run := range c.runs() {
			if run.StopCode == stop.SignIn {
				why = run.Stop
			}
		}
		return why != ""
	})
	_, name, _ := strings.Cut(old.said(), "docketsync: node ")
	name, _, joined := strings.Cut(name, " has joined")
	if !joined || !strings.Contains(why, " (node "+name+")") {
		t.Errorf("the run does not name the node %q: %s", name, why)
	}
	const warned = "a part that this node sent stops the run"
	if !strings.Contains(old.said(), warned) || strings.Contains(good.said(), warned) {
		t.Error("the log does not tell which node it was")
	}
	good.end()
	old.end()
}

// TestAPersonSharesTheSessionOfNodes has a person run jobs beside a node: all of them use the cookie that the first one got, and a password that is refused
// is tried once.
func TestAPersonSharesTheSessionOfNodes(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]int{"sandbox": exit.AllIn, "wrong": exit.Stopped} {
		t.Run(password, func(t *testing.T) {
			t.Parallel()
			c := newNodes(t, 1, "")
			signIns := c.signIn(password, "  - {name: due, source: due.csv, mapping: cases.yaml}\n")
			c.start()
			c.await("a run", func() bool {
				return len(c.runs()) > 0 && slices.Contains([]ledger.Phase{ledger.Finished, ledger.Stopped}, c.runs()[0].Phase)
			})
			c.up[0].end()
			for n := range 2 {
				write(t, c.dir, "due.csv", fmt.Sprintf("Ref,Title,Due\nD-%d,Case %d,203%d-01-02\n", n, n, n))
				cmd := exec.Command("docketsync", "run", "due")
				cmd.Dir, cmd.Env = c.dir, environment("NODE_LEDGER="+c.server.DSN())
				if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != want {
					t.Errorf("exit status %d, want %d: %s", cmd.ProcessState.ExitCode(), want, out)
				}
			}
			if n := signIns.Load(); n != 1 {
				t.Errorf("%d sign-ins", n)
			}
		})
	}
}

// TestAStandbyTakesOver has the standby of the database take over while four nodes send. One that commits waited for has all of them, and the run goes
// on. One that lacks the newest commits, as its configuration accepts, has forgotten what was created last: nothing more is sent, by nodes that were
// there nor by others, until a person says so.
//
//	DOCKETSYNC_LONG=1 go test ./cmd/docketsync -run TestAStandbyTakesOver -v
func TestAStandbyTakesOver(t *testing.T) {
	t.Parallel()
	for _, waits := range []bool{true, false} {
		t.Run(fmt.Sprintf("commits wait %v", waits), func(t *testing.T) {
			t.Parallel()
			c := newNodes(t, setting(t, "DOCKETSYNC_NODE_RECORDS", 900, 20000), slowly(t, 20))
			text, err := os.ReadFile(filepath.Join(c.dir, "docketsync.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, c.dir, "docketsync.yaml", strings.ReplaceAll(string(text), "outage: 30s", "outage: 30s, lagging_standby: accept"))
			first := c.server
			second := first.Standby(t, "second")
			connected := func() bool {
				return first.Ask(t, `select count(*) from pg_stat_replication where state = 'streaming'`) == "1"
			}
			c.await("a standby that follows", connected)
			if waits {
				first.Ask(t, `alter system set synchronous_standby_names = 'second'`, `select pg_reload_conf()`)
				c.await("a standby that commits wait for", func() bool { return first.Ask(t, `select sync_state from pg_stat_replication`) == "sync" })
			}
			c.four()
			c.awaitShare(20)
			if !waits {
				second.Ask(t, `alter system set primary_conninfo = 'host=/nowhere'`, `select pg_reload_conf()`)
				c.await("a standby that is cut off", func() bool { return !connected() })
				c.awaitShare(40)
			}
			began := time.Now()
			first.Halt()
			second.Ask(t, `select pg_promote()`)
			had := c.box.state(t).Cases
			if waits {
				c.awaitCases(int(had) + 4*nodeConcurrency) // more than was in flight
				c.Logf("the nodes send again %.1f s after the server ended", time.Since(began).Seconds())
				c.awaitEnd()
				if doubts, _ := c.account(); doubts > 0 {
					t.Errorf("%d in doubt", doubts)
				}
				for len(c.up) > 0 {
					c.up[0].end()
				}
				return
			}
			c.haltedForAPerson()
		})
	}
}

// haltedForAPerson makes sure that nothing is sent any more.
func (c *nodes) haltedForAPerson() {
	c.Helper()
	refuses := func(n *node) bool { return strings.Contains(n.said(), "accept-restore") }
	c.await("a node that refuses", func() bool { return slices.ContainsFunc(c.up, refuses) })
	had := c.box.state(c.T).Cases
	for len(c.up) > 0 {
		c.up[0].end()
	}
	fresh := c.start()
	c.await("a new node that refuses", func() bool { return refuses(fresh) })
	made := map[string]int{}
	for _, one := range c.box.snapshot(c.T).Cases {
		if made[one.Number]++; made[one.Number] > 1 {
			c.Errorf("%s was created twice", one.Number)
		}
	}
	if now := c.box.state(c.T).Cases; now != had {
		c.Errorf("%d cases were created by a ledger that lacks commits", now-had)
	}
	lost := 0
	for r, err := range c.ledger().Records(c.Context(), c.runs()[0].ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
		if err != nil {
			c.Fatal(err)
		}
		lost += made[r.Key]
	}
	if lost == 0 {
		c.Error("the standby lacked nothing")
	}
	c.Logf("the standby lacked %d cases, of which none was created twice", lost)
}

// replaced replaces all nodes by others, one after the other. Nothing is in doubt because of that.
func replaced(c *nodes) {
	c.four()
	c.replace("docketsync", 15, (*node).drain)
}

// replacedBefore replaces nodes of the release before, the program at DOCKETSYNC_BEFORE, by those of this one, and where this one has not
// upgraded the ledger, these by those before and by new ones again.
func replacedBefore(c *nodes) {
	before := os.Getenv("DOCKETSYNC_BEFORE")
	if before == "" {
		c.Skip("skipped: DOCKETSYNC_BEFORE names no build of the release before")
	}
	for range 4 {
		c.startAs(before, c.server.DSN())
	}
	c.replace("docketsync", 5, (*node).end) // that release knows no command for it
	look := exec.Command(before, "runs", "--quiet")
	look.Dir, look.Env = c.dir, environment("NODE_LEDGER="+c.server.DSN())
	if out, err := look.CombinedOutput(); err != nil {
		c.Logf("there is no way back: %s", out)
		return
	}
	c.replace(before, 35, (*node).drain)
	c.replace("docketsync", 65, (*node).end)
}

// drain asks a node to leave, by a command on the same machine.
func (n *node) drain() {
	host, _ := os.Hostname()
	name := fmt.Sprintf("%.40s:%d", host, n.cmd.Process.Pid)
	db, err := sql.Open("pgx", n.c.server.DSN())
	if err != nil {
		n.c.Fatal(err)
	}
	defer db.Close()
	var cut int // the connection on which it is seen: it is found all the same
	err = db.QueryRowContext(n.c.Context(), `select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name like $1`, name+":%").Scan(&cut)
	if err != nil || cut != 1 {
		n.c.Fatalf("%d connections were cut: %v", cut, err)
	}
	if out, status := n.c.asksToLeave(name); status != exit.AllIn {
		n.c.Fatalf("exit status %d: %s", status, out)
	}
	if err := n.gone(); err != nil {
		n.c.Errorf("a node that was drained: %v", err)
	}
}

// asksToLeave asks nodes to leave, by the command for it.
func (c *nodes) asksToLeave(names ...string) (out string, status int) {
	ask := exec.Command("docketsync", append([]string{"node", "--drain"}, names...)...)
	ask.Dir, ask.Env = c.dir, environment("NODE_LEDGER="+c.server.DSN())
	text, _ := ask.CombinedOutput()
	return string(text), ask.ProcessState.ExitCode()
}

// TestDrainSaysWhoIsThere asks nodes to leave that are not there, and then all of this machine.
func TestDrainSaysWhoIsThere(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, "")
	expect := func(said string, status int, names ...string) {
		t.Helper()
		if out, got := c.asksToLeave(names...); got != status || !strings.Contains(out, said) {
			t.Errorf("drain %v: exit status %d, want %d: %s", names, got, status, out)
		}
	}
	expect("no node is up on this machine", exit.AllIn)
	expect("there is no node elsewhere; none is up", exit.Usage, "elsewhere")
	n := c.start()
	c.awaitEnd()
	expect(fmt.Sprintf(":%d:", n.cmd.Process.Pid), exit.Usage, "elsewhere")
	expect("has left", exit.AllIn)
	if err := n.gone(); err != nil {
		t.Errorf("a node that was drained: %v", err)
	}
}

// TestAPersonRunsAJobBesideNodes runs a job in the order of a date while nodes send records of the same kind, which is refused, and once more when
// they are done; then the nodes run one in that order.
func TestAPersonRunsAJobBesideNodes(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 600, "slow=60ms:1", "  - {name: due, source: due.csv, mapping: due.yaml}\n", "  - {name: early, source: {inbox: {folder: early, poll: 1s, still: 1s}}, mapping: due.yaml}\n")
	text, err := os.ReadFile(filepath.Join(c.dir, "cases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(c.dir, "early"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, c.dir, "due.yaml", string(text)+"order: {by: {column: Due}}\n")
	write(t, c.dir, "due.csv", "Ref,Title,Due\nD-1,Later,2031-01-02\nD-2,Sooner,2030-01-02\n")
	c.start()
	c.start()
	c.awaitCases(50)
	run := func(status int, said string) {
		t.Helper()
		cmd := exec.Command("docketsync", "run", "due")
		cmd.Dir, cmd.Env = c.dir, environment("NODE_LEDGER="+c.server.DSN())
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != status || !strings.Contains(string(out), said) {
			t.Errorf("exit status %d, want %d: %s", cmd.ProcessState.ExitCode(), status, out)
		}
	}
	run(1, "another run of create_case is in progress")
	c.awaitEnd()
	run(exit.AllIn, "All 2 matters were imported")
	write(t, filepath.Join(c.dir, "early"), "early.csv", "Ref,Title,Due\nE-1,Later,2031-01-02\nE-2,Sooner,2030-01-02\n")
	c.awaitCases(604)
	runs, err := c.ledger().Runs(t.Context(), ledger.RunFilter{Job: "early"})
	if err != nil || len(runs) != 1 || runs[0].Order == "" {
		t.Errorf("%+v, %v", runs, err)
	}
	for len(c.up) > 0 {
		c.up[0].end()
	}
}

// TestNodesSendWhatAPersonStarts runs a job by hand beside two nodes: all three send it.
func TestNodesSendWhatAPersonStarts(t *testing.T) {
	t.Parallel()
	cases := setting(t, "", 850, 8500)
	c := newNodes(t, 1, slowly(t, 20), "  - {name: big, source: big.csv, mapping: cases.yaml}\n")
	var rows strings.Builder
	rows.WriteString("Ref,Title\n")
	for n := range cases {
		fmt.Fprintf(&rows, "B-%d,Case B %d\n", n, n)
	}
	write(t, c.dir, "big.csv", rows.String())
	c.start()
	c.start()
	c.awaitEnd()
	var out bytes.Buffer
	cmd := exec.Command("docketsync", "run", "big", "--yes")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, environment("NODE_LEDGER="+c.server.DSN()), &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	senders := map[int]bool{c.up[0].cmd.Process.Pid: false, c.up[1].cmd.Process.Pid: false, cmd.Process.Pid: false}
	c.await("all three to send", func() bool {
		runs, err := c.ledger().Runs(t.Context(), ledger.RunFilter{Job: "big"})
		if err != nil || len(runs) == 0 {
			return false
		}
		for pid := range c.shardsOf(runs[0].ID) {
			senders[pid] = true
		}
		return senders[c.up[0].cmd.Process.Pid] && senders[c.up[1].cmd.Process.Pid] && senders[cmd.Process.Pid]
	})
	if err := cmd.Wait(); err != nil || !strings.Contains(strings.ReplaceAll(out.String(), ",", ""), fmt.Sprintf("All %d matters were imported", cases)) {
		t.Errorf("%v: %s", err, &out)
	}
	made := map[string]int{}
	for _, one := range c.box.snapshot(t).Cases {
		made[one.Number]++
	}
	if len(made) != cases+1 || slices.Max(slices.Collect(maps.Values(made))) != 1 {
		t.Errorf("%d cases", len(made))
	}
	if out, status := c.asksToLeave(); status != exit.AllIn || strings.Count(out, "has left") != 2 {
		t.Errorf("exit status %d: %s", status, out)
	}
}

// replace has another build take the place of each node, one after the other.
func (c *nodes) replace(program string, percent int, leave func(*node)) {
	for n, old := range slices.Clone(c.up) {
		c.awaitShare(percent + 6*n)
		c.startAs(program, c.server.DSN())
		began := time.Now()
		leave(old)
		c.Logf("a node has left after %.1f s", time.Since(began).Seconds())
	}
}
