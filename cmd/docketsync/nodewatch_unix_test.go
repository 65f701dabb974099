//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/browsertest"
	"docketsync/importer/cluster"
)

// page is what a node that is watched answers, 0 while it does not.
func (n *node) page(path string) (int, string) {
	_, address, found := strings.Cut(n.said(), "are served on ")
	if !found {
		return 0, ""
	}
	answer, err := http.Get(strings.TrimSpace(strings.SplitN(address, "\n", 2)[0]) + path)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

// awaitProbes waits until the pages for probes answer so.
func (n *node) awaitProbes(when string, live, healthy, ready int) {
	n.c.Helper()
	n.c.await(when, func() bool {
		got := [3]int{}
		for i, path := range []string{"/livez", "/healthz", "/readyz"} {
			got[i], _ = n.page(path)
		}
		return got == [3]int{live, healthy, ready}
	})
}

var sample = regexp.MustCompile(`(?m)^(docketsync_[a-z_]+)(?:\{(.*)\})? (\S+)$`)

// numbers are docketsync's metrics that a node tells, by name and labels.
func (n *node) numbers() map[string]float64 {
	n.c.Helper()
	code, text := n.page("/metrics")
	if code != http.StatusOK {
		n.c.Fatalf("/metrics: %d %s", code, text)
	}
	all := map[string]float64{}
	for _, found := range sample.FindAllStringSubmatch(text, -1) {
		value, err := strconv.ParseFloat(found[3], 64)
		if err != nil {
			n.c.Fatal(err)
		}
		all[strings.TrimSuffix(found[1]+"{"+found[2]+"}", "{}")] = value
	}
	return all
}

// TestNodesAreWatched has two nodes import a file. Their probes turn with the database, their numbers add up to what was sent and agree on how jobs fare, and
// the alert rules and the dashboard ask for nothing that they do not tell.
func TestNodesAreWatched(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	cases := setting(t, "", 450, 4500)
	c := newNodes(t, cases, slowly(t, 20), "  - {name: nightly, source: minutes.csv, mapping: cases.yaml, when: \"0 3 * * *\"}\n")
	addSettings(t, c.dir, "metrics: {listen: 127.0.0.1:0}\nnotify: {channels: {other: {webhook: {file: hook}, on: [success, broken]}}}\n")
	write(t, c.dir, "hook", l.URL)
	for range 2 {
		if code, out := programWith(t, c.dir, []string{"NODE_LEDGER=" + c.server.DSN()}, "ledger", "migrate"); code != exit.AllIn {
			t.Fatalf("ledger migrate: %d %s", code, out)
		}
	}
	if c.count("select count(*) from river_job")+c.count("select count(*) from runs") != 0 {
		t.Error("the ledger that was made is not empty")
	}
	c.server.Halt()
	a := c.start()
	a.awaitProbes("a node that waits for its database", 200, 503, 503)
	c.server.Start(c)
	a.awaitProbes("a node whose database is there", 200, 200, 200)
	b := c.start()
	b.awaitProbes("the second node", 200, 200, 200)
	c.awaitEnd()
	c.await("what the run came to", func() bool {
		const ran = `docketsync_runs_total{job="cases",result="ok"}`
		return a.numbers()[ran]+b.numbers()[ran] == 1
	})

	sent, leading := 0.0, 0.0
	for _, n := range c.up {
		numbers := n.numbers()
		sent += numbers[`docketsync_slice_records_total{job="cases",state="accepted"}`]
		leading += numbers["docketsync_leading"]
		for number, want := range map[string]float64{
			`docketsync_last_run_records{job="cases",outcome="created"}`: float64(cases), `docketsync_last_run_result{job="cases",result="ok"}`: 1,
			`docketsync_ledger_up`: 1, `docketsync_in_doubt_records`: 0, `docketsync_slices_total{event="lost"}`: 0,
		} {
			if got, told := numbers[number]; !told || got != want {
				t.Errorf("%s is %v (told: %v), not %v", number, got, told, want)
			}
		}
		if taken := numbers[`docketsync_slices_total{event="taken"}`]; taken == 0 || taken != numbers[`docketsync_slices_total{event="given_back"}`] {
			t.Errorf("%v parts taken, %v given back", taken, numbers[`docketsync_slices_total{event="given_back"}`])
		}
		for _, when := range []string{`docketsync_last_success_timestamp_seconds{job="cases"}`, `docketsync_next_run_timestamp_seconds{job="nightly"}`} {
			if at := numbers[when]; at == 0 || at != a.numbers()[when] {
				t.Errorf("%s is %f and %f", when, at, a.numbers()[when])
			}
		}
	}
	if sent != float64(cases) || leading != 1 {
		t.Errorf("%v records were sent in parts and %v nodes lead", sent, leading)
	}
	if accounts := c.count("select count(*) from accounts where name not in ('server', 'home', 'account') and name not like 'lock/%'"); accounts != 1 {
		t.Errorf("the nodes share %d accounts", accounts)
	}
	told := append(slices.Concat(names(a.numbers()), names(b.numbers())), "docketsync_stops_total", "docketsync_firms") // no run is stopped here, and there is one firm
	for _, name := range metricsOfSamples(t) {
		if !slices.Contains(told, name) {
			t.Errorf("the samples ask for %s, which no node tells", name)
		}
	}

	c.server.Halt()
	for _, n := range c.up {
		n.awaitProbes("a node that has lost its database", 200, 503, 503)
	}
	if numbers := b.numbers(); numbers["docketsync_ledger_up"] != 0 {
		t.Error("the ledger is up without its server")
	}
	c.server.Start(c)
	for _, n := range c.up {
		n.awaitProbes("a node that has its database again", 200, 200, 200)
	}
	first := c.leader()
	first.end()
	c.await("the node that is left to lead", func() bool { return c.up[0].numbers()["docketsync_leading"] == 1 })
}

// count is a number in the ledger's database.
func (c *nodes) count(query string) (n int) {
	c.Helper()
	db, err := sql.Open("pgx", c.server.DSN())
	if err == nil {
		defer db.Close()
		err = db.QueryRowContext(c.Context(), query).Scan(&n)
	}
	if err != nil {
		c.Fatal(err)
	}
	return n
}

func names(numbers map[string]float64) (list []string) {
	for number := range numbers {
		name, _, _ := strings.Cut(number, "{")
		list = append(list, name)
	}
	return list
}

// metricsOfSamples are docketsync's metrics that the alert rules and the dashboard of the samples ask for.
func metricsOfSamples(t *testing.T) (list []string) {
	t.Helper()
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		text := deployed(t, filepath.Join("..", "monitoring", file))
		list = append(list, regexp.MustCompile(`\bdocketsync_[a-z_]+`).FindAllString(text, -1)...)
	}
	if len(list) < 20 {
		t.Errorf("the samples ask for %d metrics", len(list))
	}
	return list
}

// TestAnotherRoleListsNodes asks as a role to which PostgreSQL does not tell since when others are connected, and what they say.
func TestAnotherRoleListsNodes(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, "")
	c.start()
	c.leader()
	conn, err := pgx.Connect(t.Context(), c.server.DSN())
	if err == nil {
		_, err = conn.Exec(t.Context(), `create role watcher login; grant select on all tables in schema public to watcher`)
		_ = conn.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	as := "NODE_LEDGER=" + strings.Replace(c.server.DSN(), "ledger@", "watcher@", 1)
	code, out := programWith(t, c.dir, []string{as}, "node", "--list", "--json", "--quiet")
	var list struct{ cluster.Standing }
	if err := json.Unmarshal([]byte(out), &list); code != exit.AllIn || err != nil || len(list.Nodes) != 1 || !list.Nodes[0].Schedules {
		t.Fatalf("node --list: %d %v %s", code, err, out)
	}
	newAnswered(t, c.dir).fits("node-list/1", out)
	if code, out := programWith(t, c.dir, []string{as}, "node", "--list"); code != exit.AllIn || strings.Contains(out, "0001") {
		t.Errorf("node --list: %d %s", code, out)
	}
}

// TestConsoleShowsNodes looks at the page of nodes, and at the list in the terminal, before the first node, while two share a run, and when one has gone.
func TestConsoleShowsNodes(t *testing.T) {
	t.Parallel()
	browsertest.Open(t)
	c := newNodes(t, setting(t, "", 1800, 9000), slowly(t, 40))
	appendConfig(t, c.dir, consoleUsers(""))
	ledgerOf := "NODE_LEDGER=" + c.server.DSN()
	list := func() (list struct{ cluster.Standing }) {
		t.Helper()
		code, out := programWith(t, c.dir, []string{ledgerOf}, "node", "--list", "--json", "--quiet")
		if err := json.Unmarshal([]byte(out), &list); code != exit.AllIn || err != nil {
			t.Fatalf("node --list: %d %v %s", code, err, out)
		}
		newAnswered(t, c.dir).fits("node-list/1", out)
		return list
	}
	if before := list(); len(before.Nodes) > 0 {
		t.Errorf("nodes before there are any: %+v", before)
	}
	console := startConsole(t, c.dir, "env", ledgerOf)
	tab := console.signedIn("Victor", viewerPassword)
	tab.Press(`nav a[href="/nodes"]`)
	if got := tab.Text(".lead"); got != "No node is up, so no job starts on its schedule." {
		t.Errorf("without a node: %s", got)
	}
	a, b := c.start(), c.start()
	tab.Until(`document.querySelectorAll("[aria-label=Nodes] tbody tr").length === 2 && document.body.innerText.includes("2 nodes up.")`)
	tab.Until(`[...document.querySelectorAll("[aria-label=Nodes] tbody tr")].filter((r) => r.innerText.includes("sends cases")).length === 2`)
	if got := tab.Eval(`[...document.querySelectorAll("[aria-label=Nodes] tbody tr")].filter((r) => r.innerText.includes("schedules")).length`); got != "1" {
		t.Errorf("%s nodes are said to schedule", got)
	}
	tab.Look("nodes")
	leader := c.leader()
	for _, node := range list().Nodes {
		parts := strings.Split(node.Node, ":")
		if pid, _ := strconv.Atoi(parts[1]); pid != a.cmd.Process.Pid && pid != b.cmd.Process.Pid || node.Schedules != (pid == leader.cmd.Process.Pid) || node.Version == "" || node.Since.IsZero() {
			t.Errorf("node --list says %+v", node)
		}
	}
	leader.end()
	tab.Until(`document.querySelectorAll("[aria-label=Nodes] tbody tr").length === 1 && document.body.innerText.includes("1 node up.")`)
	tab.Quiet(console.base)
}
