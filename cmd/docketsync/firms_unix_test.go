//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
)

// severalFirms are those that nodes serve together, each in a folder and a schema of its own.
type severalFirms struct {
	*nodes
	books map[string]*ledger.Ledger
	env   []string // of all nodes

	mu   sync.Mutex
	told string // by the channel of the fleet
}

// firmService is the service of a firm, whose secrets are its own.
const firmService = `service:
  base_url: %s
  subscription_key: {env: %[2]s_KEY}
  auth_cookie: {env: %[2]s_COOKIE}
  timeout: 2s
ledger: {env: NODE_LEDGER}
ledger_server: {schema: folder}
pace: {concurrency: 4}
retry: {first_delay: 10ms, max_delay: 100ms}
jobs:
  - {name: cases, source: {inbox: {folder: in, poll: 1s, still: 1s}}, mapping: cases.yaml}
`

func newFirms(t *testing.T, faults string, names ...string) *severalFirms {
	t.Helper()
	c := &severalFirms{nodes: &nodes{T: t, dir: t.TempDir(), server: ledgertest.Own(t), slack: "2s"}, books: map[string]*ledger.Ledger{}}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		c.told += string(body) + "\n"
		c.mu.Unlock()
	}))
	t.Cleanup(hook.Close)
	c.env = []string{"HOOK=" + hook.URL}
	c.box = startSandbox(t, c.dir, "--faults", faults)
	write(t, c.dir, "docketsync.yaml", "firms: firms\nledger: {env: NODE_LEDGER}\nmetrics: {textfile: fleet.prom, listen: 127.0.0.1:0}\nnotify: {channels: {ops: {webhook: {env: HOOK}}}}\n")
	for _, name := range names {
		c.add(name)
		c.sql(`create schema ` + name)
	}
	return c
}

// add makes the folder of a firm.
func (c *severalFirms) add(name string) {
	c.Helper()
	dir := c.firm(name)
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
		c.Fatal(err)
	}
	writeCrashFirm(c.T, dir, c.box, 0)
	if err := os.Remove(filepath.Join(dir, "cases.csv")); err != nil {
		c.Fatal(err)
	}
	write(c.T, dir, "docketsync.yaml", fmt.Sprintf(firmService, c.box.base, strings.ToUpper(name)))
}

func (c *severalFirms) firm(name string) string { return filepath.Join(c.dir, "firms", name) }

// arrive puts a file of so many cases into the inbox of a firm.
func (c *severalFirms) arrive(name string, records int) {
	c.Helper()
	var rows strings.Builder
	rows.WriteString("Ref,Title\n")
	for n := range records {
		fmt.Fprintf(&rows, "%s-%05d,%s\n", name, n, titleOf(name))
	}
	write(c.T, c.firm(name), "arriving.csv", rows.String())
	if err := os.Rename(filepath.Join(c.firm(name), "arriving.csv"), filepath.Join(c.firm(name), "in", "cases.csv")); err != nil {
		c.Fatal(err)
	}
}

// What nobody but the firm may see.
func keyOf(name string) string    { return "key-canary-of-" + name + "-5f1c" }
func cookieOf(name string) string { return "cookie-canary-of-" + name + "-91ab" }
func titleOf(name string) string  { return "Title canary of " + name }

// start starts a node, with the secrets of some firms.
func (c *severalFirms) start(secrets []string, args ...string) *node {
	c.Helper()
	env := append([]string{"NODE_LEDGER=" + c.server.DSN(), "DOCKETSYNC_LEASE_SLACK=" + c.slack}, c.env...)
	for _, name := range secrets {
		env = append(env, strings.ToUpper(name)+"_KEY="+keyOf(name), strings.ToUpper(name)+"_COOKIE="+cookieOf(name))
	}
	return c.startProgram(append([]string{"docketsync", "node"}, args...), env...)
}

func (c *severalFirms) sql(text string) {
	c.Helper()
	conn, err := pgx.Connect(context.Background(), c.server.DSN())
	if err == nil {
		_, err = conn.Exec(context.Background(), text)
		_ = conn.Close(context.Background())
	}
	if err != nil {
		c.Fatal(err)
	}
}

// ledgerOf is the ledger of a firm.
func (c *severalFirms) ledgerOf(name string) *ledger.Ledger {
	c.Helper()
	if c.books[name] == nil {
		book, err := ledger.Open(context.Background(), c.server.DSN()+"&search_path="+name)
		if err != nil {
			c.Fatal(err)
		}
		c.Cleanup(func() { _ = book.Close() })
		c.books[name] = book
	}
	return c.books[name]
}

// messages are what the channel of the fleet was told.
func (c *severalFirms) messages() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told
}

// finished tells whether the last run of a firm is.
func (c *severalFirms) finished(name string) bool {
	runs, err := c.ledgerOf(name).Runs(context.Background(), ledger.RunFilter{Job: "cases", Kinds: []ledger.Kind{ledger.Push}})
	return err == nil && len(runs) > 0 && runs[0].Phase == ledger.Finished
}

// casesOf is how many cases the service has of a firm.
func (c *severalFirms) casesOf(name string) (n int) {
	for _, one := range c.box.snapshot(c.T).Cases {
		if strings.HasPrefix(one.Number, name+"-") {
			n++
		}
	}
	return n
}

// TestNodesServeFirms has two nodes serve firms of which some are broken: the others are served, the broken ones are named and are served once they
// are mended, and what is one firm's appears nowhere outside it.
func TestNodesServeFirms(t *testing.T) {
	t.Parallel()
	c := newFirms(t, "", "acme", "birch", "cedar")
	c.add("dogwood") // without a schema
	all := []string{"acme", "birch", "cedar", "dogwood"}
	broken := filepath.Join(c.firm("cedar"), "docketsync.yaml")
	whole, err := os.ReadFile(broken)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.firm("cedar"), "docketsync.yaml", "jobz: []\n"+string(whole))
	first, second := c.start(all), c.start(all)
	said := func() string { return first.said() + second.said() }
	c.arrive("acme", 30)
	cases := setting(t, "", 250, 2500) // more than a part, so that both send
	c.arrive("birch", cases)
	c.await("both firms", func() bool { return c.finished("acme") && c.finished("birch") })
	if _, out := programWith(t, c.firm("acme"), []string{"NODE_LEDGER=" + c.server.DSN(), "ACME_KEY=k", "ACME_COOKIE=c"}, "node", "--list"); !strings.Contains(out, "firms: DIR") {
		t.Errorf("the list of a firm does not say where its nodes are:\n%s", out)
	}
	c.await("the broken firms", func() bool {
		return strings.Contains(said(), "firm cedar cannot be served") && strings.Contains(said(), "firm dogwood cannot be served")
	})
	for _, want := range []string{"jobz", "there is no schema dogwood"} {
		if !strings.Contains(said(), want) {
			t.Errorf("nobody says %s:\n%s", want, said())
		}
	}
	c.await("the numbers of firms", func() bool {
		text, _ := os.ReadFile(filepath.Join(c.dir, "fleet.prom"))
		return strings.Contains(string(text), `docketsync_firms{state="broken"} 2`)
	})
	if told := c.messages(); strings.Count(told, `"event":"broken"`) != 2 || !strings.Contains(told, "Firm dogwood needs attention: it cannot be served: ") {
		t.Errorf("people were told\n%s", told)
	}
	c.await("the numbers of each firm", func() bool {
		sent, requested, told := 0.0, 0.0, 0
		for _, n := range []*node{first, second} {
			numbers := n.numbers()
			sent += numbers[`docketsync_slice_records_total{firm="birch",job="cases",state="accepted"}`]
			requested += numbers[`docketsync_requests_total{firm="birch"}`]
			if numbers[`docketsync_last_run_records{firm="birch",job="cases",outcome="created"}`] == float64(cases) && numbers[`docketsync_last_run_records{firm="acme",job="cases",outcome="created"}`] == 30 &&
				numbers[`docketsync_last_success_timestamp_seconds{firm="acme",job="cases"}`] > 0 && numbers["docketsync_leading"] == 1 {
				told++
			}
		}
		return sent == float64(cases) && requested >= sent && told == 1 // by the node that leads
	})
	c.arrive("cedar", 10)
	write(t, c.firm("cedar"), "docketsync.yaml", string(whole))
	c.await("the firm that was mended", func() bool { return c.finished("cedar") })
	for name, want := range map[string]int{"acme": 30, "birch": cases, "cedar": 10} {
		if got := c.casesOf(name); got != want {
			t.Errorf("the service has %d cases of %s, not %d", got, name, want)
		}
	}
	c.await("the news that it is served again", func() bool { return strings.Contains(c.messages(), `"event":"recovered"`) })
	c.canaries(all, first, second)
	for _, n := range []*node{first, second} {
		n.end()
	}
}

// canaries looks for what is a firm's own outside of it.
func (c *severalFirms) canaries(names []string, all ...*node) {
	c.Helper()
	look := func(where, text, but string) {
		for _, name := range names {
			for _, secret := range []string{keyOf(name), cookieOf(name)} {
				if strings.Contains(text, secret) {
					c.Errorf("a secret of %s is in %s", name, where)
				}
			}
			if name != but && strings.Contains(text, titleOf(name)) {
				c.Errorf("a record of %s is in %s", name, where)
			}
		}
	}
	for _, n := range all {
		look("the log of a node", n.said(), "")
	}
	look("a message", c.messages(), "")
	dump, err := ledgertest.Program("pg_dump")
	if err != nil {
		c.Fatal(err)
	}
	for _, schema := range append(names[:3:3], "public") { // public is where the nodes meet, and River's tables are
		text, err := exec.Command(dump, "-n", schema, c.server.DSN()).Output()
		if err != nil {
			c.Fatal(err)
		}
		if schema != "public" && !strings.Contains(string(text), titleOf(schema)) {
			c.Errorf("the dump of %s holds nothing of it, so it proves nothing", schema)
		}
		if schema == "public" && !strings.Contains(string(text), "river_job") {
			c.Error("the tables of River are not where they are looked for")
		}
		look("the schema "+schema, string(text), schema)
	}
	_ = filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && !strings.Contains(path, "sandbox.db") {
			text, _ := os.ReadFile(path)
			in, _ := filepath.Rel(filepath.Join(c.dir, "firms"), path)
			look(path, string(text), strings.Split(in, string(filepath.Separator))[0])
		}
		return err
	})
}

// TestScheduleServesFirmsInFiles has one process serve firms whose ledgers are files, by the same visits as nodes.
func TestScheduleServesFirmsInFiles(t *testing.T) {
	t.Parallel()
	c := &severalFirms{nodes: &nodes{T: t, dir: t.TempDir()}}
	c.box = startSandbox(t, c.dir)
	write(t, c.dir, "docketsync.yaml", "firms: firms\n")
	for _, name := range []string{"acme", "birch"} {
		c.addInFile(name)
	}
	n := c.startProgram([]string{"docketsync", "schedule"}, "ACME_KEY="+keyOf("acme"), "ACME_COOKIE="+cookieOf("acme"), "BIRCH_KEY="+keyOf("birch"), "BIRCH_COOKIE="+cookieOf("birch"))
	c.arrive("acme", 30)
	c.arrive("birch", 250)
	c.await("both firms", func() bool { return c.casesOf("acme") == 30 && c.casesOf("birch") == 250 })
	n.end()
	for _, name := range []string{"acme", "birch"} {
		if _, err := os.Stat(filepath.Join(c.firm(name), "docketsync.db")); err != nil {
			t.Error(err)
		}
		said := succeed(t, c.firm(name), "schedule", "--list")
		if !strings.Contains(said, "run by the process that serves the firm "+name+" together with others") || strings.Contains(said, "Start it with") {
			t.Errorf("the schedule of one of the firms is\n%s", said)
		}
	}
}

// addInFile makes the folder of a firm whose ledger is a file.
func (c *severalFirms) addInFile(name string) {
	c.Helper()
	c.add(name)
	path := filepath.Join(c.firm(name), "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		c.Fatal(err)
	}
	write(c.T, c.firm(name), "docketsync.yaml", strings.NewReplacer("ledger: {env: NODE_LEDGER}\n", "", "ledger_server: {schema: folder}\n", "").Replace(string(text)))
}

// TestNoTwoFirmsShareALedger has a firm use a copy of another one's ledger, which knows of nothing that was sent for it and of much that was not.
func TestNoTwoFirmsShareALedger(t *testing.T) {
	t.Parallel()
	c := &severalFirms{nodes: &nodes{T: t, dir: t.TempDir()}}
	c.box = startSandbox(t, c.dir)
	write(t, c.dir, "docketsync.yaml", "firms: firms\n")
	c.addInFile("acme")
	env := []string{"ACME_KEY=" + keyOf("acme"), "ACME_COOKIE=" + cookieOf("acme"), "BIRCH_KEY=" + keyOf("birch"), "BIRCH_COOKIE=" + cookieOf("birch")}
	n := c.startProgram([]string{"docketsync", "schedule"}, env...)
	c.arrive("acme", 30)
	c.await("the firm whose ledger it is", func() bool { return c.casesOf("acme") == 30 })
	n.end()
	c.addInFile("birch")
	book, err := os.ReadFile(filepath.Join(c.firm("acme"), "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.firm("birch"), "docketsync.db", string(book))
	c.arrive("birch", 20)
	n = c.startProgram([]string{"docketsync", "schedule"}, env...)
	c.await("the firm with the copy", func() bool { return strings.Contains(n.said(), "birch") })
	n.end()
	if !strings.Contains(n.said(), "belongs to the firm acme") {
		t.Errorf("the ledger of another firm is used:\n%s", n.said())
	}
	for _, command := range []string{"run cases --file in/cases.csv", "runs", "certificate cases", "ledger backup copy.db", "forget Nobody", "lists"} {
		if code, out := programWith(t, c.firm("birch"), env, strings.Fields(command)...); code != exit.Usage || !strings.Contains(out, "belongs to the firm acme") {
			t.Errorf("%s uses it: %d\n%s", command, code, out)
		}
	}
	if code, out := programWith(t, c.firm("birch"), env, "ledger", "accept-service"); code != 0 {
		t.Errorf("that it is the same firm cannot be confirmed: %d\n%s", code, out)
	}
	if code, out := programWith(t, c.firm("birch"), env, "runs"); code != 0 {
		t.Errorf("it was confirmed, and is refused: %d\n%s", code, out)
	}
	if got := c.casesOf("birch"); got != 0 {
		t.Errorf("%d cases were sent by another firm's ledger", got)
	}
}

// TestAFirmThatNoNodeServesIsToldOf has a firm demand a label that no running node has, until one has it. A hangup has a node look now.
func TestAFirmThatNoNodeServesIsToldOf(t *testing.T) {
	t.Parallel()
	c := newFirms(t, "", "acme", "birch")
	text, err := os.ReadFile(filepath.Join(c.firm("birch"), "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.firm("birch"), "docketsync.yaml", "labels: {region: eu}\n"+string(text))
	other := c.start([]string{"acme"})
	says := func(what string) {
		t.Helper()
		c.await(what, func() bool {
			other.signal(syscall.SIGHUP)
			return strings.Contains(other.said(), what)
		})
	}
	c.await("the node that schedules", func() bool { return strings.Contains(other.said(), "scheduling 1 firm") })
	says("no running node has the labels region=eu")
	eu := c.start([]string{"acme", "birch"}, "--label", "region=eu")
	says("firm birch is served again")
	for _, n := range []*node{other, eu} {
		n.end()
	}
}

// TestLabelsBindFirmsToNodes has a firm that demands a label served by the node that has it and by no other, which needs none of its secrets.
func TestLabelsBindFirmsToNodes(t *testing.T) {
	t.Parallel()
	c := newFirms(t, "", "acme", "birch")
	path := filepath.Join(c.firm("birch"), "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.firm("birch"), "docketsync.yaml", "labels: {region: eu}\n"+string(text))
	other := c.start([]string{"acme"}, "--label", "region=us")
	cases := setting(t, "", 250, 2500)
	c.arrive("birch", cases)
	c.arrive("acme", 20)
	c.await("the firm that demands nothing", func() bool { return c.finished("acme") })
	eu := c.start([]string{"acme", "birch"}, "--label", "region=eu")
	c.await("the firm that demands a label", func() bool { return c.finished("birch") })
	if strings.Contains(other.said(), "birch") {
		t.Errorf("a node without the label touched the firm:\n%s", other.said())
	}
	if !strings.Contains(eu.said(), "region=eu") {
		t.Errorf("the node with the label does not say that it serves such firms:\n%s", eu.said())
	}
	if got := c.casesOf("birch"); got != cases {
		t.Errorf("the service has %d cases", got)
	}
	drain := exec.Command("docketsync", "node", "--drain")
	drain.Dir, drain.Env = c.dir, environment("NODE_LEDGER="+c.server.DSN(), c.env[0])
	if out, err := drain.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, n := range []*node{other, eu} {
		if err := n.gone(); err != nil {
			t.Errorf("a node that was asked to leave: %v\n%s", err, n.said())
		}
	}
}

// TestALargeFirmKeepsNoSmallOneWaiting has room for one firm that is open and one large run that is led. A large firm is being sent, another one waits; a
// small firm is sent meanwhile. In the long form the node that leads is killed on the way. In the end all is in, and nothing twice.
func TestALargeFirmKeepsNoSmallOneWaiting(t *testing.T) {
	t.Parallel()
	c := newFirms(t, slowly(t, 40), "acme", "birch", "cedar")
	c.env = append(c.env, "DOCKETSYNC_FIRMS_AT_ONCE=1")
	all, large := []string{"acme", "birch", "cedar"}, setting(t, "", 600, 8000)
	nodes := []*node{c.start(all), c.start(all)}
	c.arrive("acme", large)
	c.await("the large firm's run", func() bool { return c.casesOf("acme") > 0 })
	c.arrive("birch", setting(t, "", shortShard, 2000)+10)
	c.await("the other large firm gives way", func() bool { return strings.Contains(nodes[0].said()+nodes[1].said(), "firm birch waits: ") })
	c.arrive("cedar", 50)
	c.await("the small firm", func() bool { return c.finished("cedar") })
	if c.finished("acme") || c.casesOf("birch") > 0 {
		t.Errorf("the small firm was sent when the large one had %d cases of %d, and the other %d", c.casesOf("acme"), large, c.casesOf("birch"))
	}
	if os.Getenv("DOCKETSYNC_LONG") == "1" {
		led := nodes[0]
		if strings.Contains(nodes[1].said(), "scheduling 3 firms") {
			led = nodes[1]
		}
		led.kill()
	}
	c.await("the large firm", func() bool { return c.finished("acme") })
	c.await("the other large firm", func() bool { return c.finished("birch") })
	c.noneTwice()
	lost := 0
	for _, name := range all {
		runs, err := c.ledgerOf(name).Runs(context.Background(), ledger.RunFilter{Job: "cases", Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}})
		if err != nil || len(runs) != 1 {
			t.Fatalf("%s has %d finished runs (%v)", name, len(runs), err)
		}
		counts, err := c.ledgerOf(name).Tally(context.Background(), runs[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, count := range counts {
			switch count.State {
			case ledger.Accepted, ledger.InDoubt:
			default:
				lost += count.N
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d records are neither in nor in doubt", lost)
	}
}

// noneTwice looks for cases that were created twice.
func (c *severalFirms) noneTwice() {
	c.Helper()
	seen := map[string]int{}
	for _, one := range c.box.snapshot(c.T).Cases {
		if seen[one.Number]++; seen[one.Number] > 1 {
			c.Errorf("%s was created twice", one.Number)
		}
	}
}

// TestALargeRunThatNoNodeCanSendGivesWay breaks the configuration of a firm while all nodes send a large run of it: its place to lead becomes another large
// firm's, people are told what is wrong with the firm, and its run goes on when that is mended.
func TestALargeRunThatNoNodeCanSendGivesWay(t *testing.T) {
	t.Parallel()
	c := newFirms(t, slowly(t, 20), "acme", "birch")
	c.env = append(c.env, "DOCKETSYNC_FIRMS_AT_ONCE=1")
	all, large := []string{"acme", "birch"}, setting(t, "", 600, 8000)
	nodes := []*node{c.start(all), c.start(all)}
	said := func(what string) func() bool {
		return func() bool { return strings.Contains(nodes[0].said()+nodes[1].said(), what) }
	}
	c.arrive("acme", large)
	c.await("the large run", func() bool { return c.casesOf("acme") > 0 })
	path := filepath.Join(c.firm("acme"), "docketsync.yaml")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.firm("acme"), "docketsync.yaml", "jobz: []\n"+string(whole))
	c.arrive("birch", setting(t, "", shortShard, 2000)+10)
	c.await("the other large run", func() bool { return c.finished("birch") })
	if c.finished("acme") {
		t.Error("the run of the firm that is broken was sent to its end")
	}
	c.await("the trouble", said("firm acme cannot be served"))
	write(t, c.firm("acme"), "docketsync.yaml", string(whole))
	c.await("the run of the firm that was mended", func() bool { return c.finished("acme") })
	if got := c.casesOf("acme"); got != large {
		t.Errorf("the service has %d cases, not %d", got, large)
	}
	c.noneTwice()
	for _, n := range nodes {
		if said := strings.Count(n.said(), "not sent from here"); said > 5 {
			t.Errorf("a node says %d times that it cannot send", said)
		}
		n.end()
	}
}
