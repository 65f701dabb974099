package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/arrivals"
	"docketsync/cmd/docketsync/internal/basechange"
	"docketsync/cmd/docketsync/internal/checking"
	"docketsync/cmd/docketsync/internal/daemon"
	"docketsync/cmd/docketsync/internal/doctor"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/proposing"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config/schematest"
	"docketsync/importer"
	"docketsync/importer/certificate"
	"docketsync/importer/cluster"
	"docketsync/importer/compare"
	"docketsync/importer/forecast"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/notify"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/revert"
)

var updateSchemas = flag.Bool("update", false, "write the schemas of what commands print with --json to samples/schemas/json")

// ran is what commands say that run jobs.
type ran struct {
	Exit int             `json:"exit"`
	Runs []runner.Result `json:"runs"`
}

// answers are the forms of what commands print with --json, by name and version. Where a command prints a line for each thing, it is the form of a line.
var answers = []struct {
	command, form string
	of            any
}{
	{"audit", "audit/1", auditLine{}},
	{"bundle", "bundle/1", struct {
		Bundle string `json:"bundle"`
		Run    string `json:"run"`
	}{}},
	{"certificate", "certificate/1", certificate.Certificate{}},
	{"certificate new-key", "certificate-new-key/1", newKey{}},
	{"check", "check/1", struct {
		Checks     []checking.Result `json:"checks"`
		Exit       int               `json:"exit"`
		NotChecked []checking.Failed `json:"not_checked"`
	}{}},
	{"compare", "compare/1", struct {
		Differences []compare.Difference `json:"differences"`
		Result      compare.Result       `json:"result"`
	}{}},
	{"console", "console/1", struct {
		Console   string `json:"console"`
		Listening string `json:"listening"`
		Open      string `json:"open,omitempty"`
	}{}},
	{"console password", "console-password/1", struct {
		Password string `json:"password"`
	}{}},
	{"cutover", "cutover/1", struct {
		Jobs    []standing `json:"jobs"`
		Verdict string     `json:"verdict"`
		Exit    int        `json:"exit"`
	}{}},
	{"demo", "demo/1", struct {
		ran
		Folder string `json:"folder"`
	}{}},
	{"doctor", "doctor/1", doctor.Result{}},
	{"forget", "forget/1", forgotten{}},
	{"inbox", "inbox/1", struct {
		ran
		Files []arrivals.Event `json:"files"`
	}{}},
	{"fleet check", "fleet-check/1", struct {
		Base    string            `json:"base"`
		Changed string            `json:"changed"`
		Firms   []basechange.Firm `json:"firms"`
	}{}},
	{"forecast", "forecast/1", struct {
		Jobs []forecasted       `json:"jobs"`
		All  *forecast.Expected `json:"all,omitempty"`
		Exit int                `json:"exit"`
	}{}},
	{"init", "init/1", proposing.Proposed{}},
	{"ledger", "ledger/1", ledgerInfo{}},
	{"ledger accept-restore", "ledger-accept-restore/1", struct {
		Accepted bool `json:"accepted"`
		Known    int  `json:"known"`
	}{}},
	{"ledger accept-service", "ledger-accept-service/1", struct {
		Before  string `json:"before"`
		Service string `json:"service"`
	}{}},
	{"ledger adopt", "ledger-adopt/1", importer.Adoption{}},
	{"ledger backup", "ledger-backup/1", struct {
		Backup string    `json:"backup"`
		Taken  time.Time `json:"taken"`
	}{}},
	{"ledger check", "ledger-check/1", struct {
		Damage []string `json:"damage"`
		Ledger string   `json:"ledger"`
	}{}},
	{"ledger compact", "ledger-compact/1", struct {
		After  ledger.Size `json:"after"`
		Before ledger.Size `json:"before"`
	}{}},
	{"ledger evidence", "evidence/1", chain.Line{}},
	{"ledger migrate", "ledger-migrate/1", struct {
		Ledger string `json:"ledger"`
	}{}},
	{"ledger prune", "ledger-prune/1", daemon.Pruned{}},
	{"licenses", "licenses/1", struct {
		Modules []licensed `json:"modules"`
	}{}},
	{"lists", "lists/1", struct {
		Lists []shownList `json:"lists"`
	}{}},
	{"lists refresh", "lists/1", nil},
	{"node", "schedule/1", nil},
	{"node", "node-list/1", cluster.Standing{}},
	{"notify test", "notify-test/1", struct {
		Channels []notify.Try `json:"channels"`
		Exit     int          `json:"exit"`
	}{}},
	{"plan", "plan/1", struct {
		Plans []struct {
			Records []planfile.Record `json:"records"`
			Summary *report.Summary   `json:"summary"`
		} `json:"plans"`
	}{}},
	{"plan", "plan-file/1", struct {
		Plan     string          `json:"plan"`
		Seal     string          `json:"seal"`
		Summary  *report.Summary `json:"summary"`
		ToBeSent int             `json:"to_be_sent"`
	}{}},
	{"preview", "preview/1", previewed{}},
	{"rejects", "rejects/1", struct {
		Rejected []rejected `json:"rejected"`
	}{}},
	{"renamed", "renamed/1", struct {
		Renamed []ledger.Rename `json:"renamed"`
	}{}},
	{"report", "report/2", struct {
		Records  []files.Record  `json:"records"`
		Summary  *report.Summary `json:"summary"`
		TooLarge int             `json:"records_too_large,omitempty"`
	}{}},
	{"resolve", "resolve/1", struct {
		InDoubt  []doubt        `json:"in_doubt"`
		UnderWay int            `json:"under_way"`
		Changed  []changedThere `json:"changed"`
	}{}},
	{"resolve", "resolve-ask/1", struct {
		Asked  []inquiry.Answer `json:"asked"`
		DryRun bool             `json:"dry_run"`
	}{}},
	{"resolve", "resolve-changed/1", struct {
		Decision ledger.Side `json:"decision"`
		Fields   []string    `json:"fields"`
		Key      string      `json:"key"`
	}{}},
	{"resolve", "resolve-decisions/1", struct {
		Decisions map[ledger.Decision]int `json:"decisions"`
	}{}},
	{"resolve", "resolve-worklist/1", struct {
		InDoubt  int    `json:"in_doubt"`
		Worklist string `json:"worklist"`
	}{}},
	{"revert-file", "revert-file/1", revert.Result{}},
	{"rows", "rows/1", rowLine{}},
	{"run", "run/1", ran{}},
	{"runs", "runs/1", struct {
		Runs []listedRun `json:"runs"`
	}{}},
	{"sandbox", "sandbox/1", struct {
		BaseURL string `json:"base_url"`
		Data    string `json:"data"`
	}{}},
	{"schedule", "schedule/1", struct {
		Due    *ledger.Occurrence `json:"due,omitempty"`
		File   *arrivals.Event    `json:"file,omitempty"`
		Firm   string             `json:"firm,omitempty"`
		Pruned *daemon.Pruned     `json:"pruned,omitempty"`
		Run    *runner.Result     `json:"run,omitempty"`
	}{}},
	{"schedule", "schedule-list/1", daemon.Listing{}},
	{"test", "test/1", struct {
		Exit   int         `json:"exit"`
		Tested []testedJob `json:"tested"`
	}{}},
	{"verify", "verify/1", verified{}},
	{"version", "version/1", versionInfo{}},
}

// silent are the commands that print no result of their own: a text that is the same either way, or the help.
var silent = []string{"", "completion", "completion bash", "completion fish", "completion powershell", "completion zsh", "fleet", "guide", "notify", "schema"}

// TestEveryCommandHasAForm holds the commands, the forms, the schemas and the guide against each other.
func TestEveryCommandHasAForm(t *testing.T) {
	t.Parallel()
	var commands []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "docketsync"), " "); c.Runnable() && c.Name() != "help" && !slices.Contains(silent, name) {
			commands = append(commands, name)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(quietApp(os.LookupEnv, "")))
	page, err := os.ReadFile(filepath.Join("guide", "scripts.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, a := range answers {
		known[a.command], known[a.form] = true, true
		if !slices.Contains(commands, a.command) {
			t.Errorf("%s has a form, and there is no such command", a.command)
		}
		if row := fmt.Sprintf("| `%s` |", a.command); !strings.Contains(string(page), row) || !strings.Contains(string(page), "`docketsync-"+a.form+"`") {
			t.Errorf("scripts.md does not list docketsync-%s of %s", a.form, a.command)
		}
	}
	for _, command := range commands {
		if !known[command] {
			t.Errorf("docketsync %s prints something with --json that has no form: name it in answers, and list it in scripts.md", command)
		}
	}
	for _, file := range sourceFiles(t) {
		for _, form := range regexp.MustCompile(`\.(?:Result|Line)\("([^"]+)"`).FindAllStringSubmatch(file, -1) {
			if !known[form[1]] {
				t.Errorf("a command prints the form %s, which answers does not have", form[1])
			}
		}
	}
}

// sourceFiles are the texts of the commands and their rooms.
func sourceFiles(t *testing.T) (texts []string) {
	t.Helper()
	for _, pattern := range []string{"*.go", "internal/*/*.go"} {
		paths, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(paths) < 10 {
			t.Fatal(len(paths), err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(path, "_test.go") {
				texts = append(texts, string(text))
			}
		}
	}
	return texts
}

// TestSchemasOfAnswers keeps the schemas equal to what the code writes: go test ./cmd/docketsync -run TestSchemasOfAnswers -update
func TestSchemasOfAnswers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "samples", "schemas", "json")
	schemas := answerSchemas(false)
	for name, schema := range schemas {
		schematest.Stored(t, filepath.Join(dir, name), schema, *updateSchemas, "go test ./cmd/docketsync -run TestSchemasOfAnswers -update")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(schemas) {
		t.Errorf("%s holds %d schemas of %d, %v", dir, len(entries), len(schemas), err)
	}
}

func schemaFile(form string) string {
	name, _, _ := strings.Cut(form, "/")
	return name + ".schema.json"
}

// answered checks what commands print against the strict schemas of their forms, which have no other members, and against those that docketsync schema prints.
type answered struct {
	t               *testing.T
	dir             string
	strict, printed map[string]*jsonschema.Schema
	seen            map[string]bool
}

func newAnswered(t *testing.T, dir string) *answered {
	a := &answered{t: t, dir: dir, strict: map[string]*jsonschema.Schema{}, printed: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	texts := map[string][]byte{}
	for name, schema := range answerSchemas(true) {
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = text
	}
	for _, of := range answers {
		if of.of == nil {
			continue
		}
		var err error
		if a.strict["docketsync-"+of.form], err = schematest.Compile(texts[schemaFile(of.form)], map[string][]byte{definitions: texts[definitions]}); err != nil {
			t.Fatalf("%s: %v", of.form, err)
		}
		var stdout, stderr bytes.Buffer
		name, _, _ := strings.Cut(of.form, "/")
		if code := Main([]string{"schema", name}, &stdout, &stderr); code != 0 {
			t.Fatalf("docketsync schema %s ended with %d: %s", name, code, stderr.String())
		}
		if a.printed["docketsync-"+of.form], err = schematest.Compile(stdout.Bytes(), nil); err != nil {
			t.Fatalf("docketsync schema %s: %v", name, err)
		}
	}
	return a
}

// fits checks every document of a text, and that each is of the form. It returns the last.
func (a *answered) fits(form, text string) map[string]any {
	a.t.Helper()
	form = "docketsync-" + form
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var last map[string]any
	for {
		var value any
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			a.t.Fatalf("%s: %v in\n%s", form, err, text)
		}
		object, _ := value.(map[string]any)
		if object["form"] != form {
			a.t.Fatalf("the form is %v, want %s, of\n%s", object["form"], form, text)
		}
		if err := a.strict[form].Validate(value); err != nil {
			a.t.Errorf("%s: %v", form, err)
		}
		if err := a.printed[form].Validate(value); err != nil {
			a.t.Errorf("%s, as docketsync schema prints it: %v", form, err)
		}
		last = object
	}
	if last == nil {
		a.t.Errorf("%s: nothing was printed", form)
	}
	a.seen[form] = true
	return last
}

// prints runs a command in this process, which must end with a status and print the form.
func (a *answered) prints(form string, want int, args ...string) map[string]any {
	a.t.Helper()
	var stdout, stderr bytes.Buffer
	args = append(args, "--json", "--quiet", "--config", filepath.Join(a.dir, installation.DefaultConfig))
	if code := Main(args, &stdout, &stderr); code != want {
		a.t.Fatalf("docketsync %v ended with %d, want %d:\n%s%s", args, code, want, stdout.String(), stderr.String())
	}
	return a.fits(form, stdout.String())
}

// serves starts a command that stays up, reads the first thing it prints, and ends it.
func (a *answered) serves(form string, args ...string) {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), "docketsync", append(args, "--json", "--quiet")...)
	cmd.Dir, cmd.Env = a.dir, environment()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	var first json.RawMessage
	if err := json.NewDecoder(out).Decode(&first); err != nil {
		a.t.Errorf("docketsync %v printed no JSON: %v", args, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	a.fits(form, string(first))
}

// TestAnswersFitTheirSchemas runs every command with --json, and holds what it prints against the schema of its form.
func TestAnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeAnswerFirm(t, dir, b)
	a := newAnswered(t, dir)
	path := func(name string) string { return filepath.Join(dir, name) }

	a.prints("version/1", 0, "version")
	a.prints("licenses/1", 0, "licenses")
	a.prints("init/1", 0, "init", path("other.csv"), "--out", path("other.yaml"))
	a.prints("rows/1", 0, "rows", path("cases.csv"))
	a.prints("rows/1", exit.CouldNotRun, "rows", path("nothing.csv"))
	a.prints("lists/1", 0, "lists")
	a.prints("lists/1", 0, "lists", "refresh")
	a.prints("doctor/1", 0, "doctor")
	a.prints("notify-test/1", 0, "notify", "test")
	a.prints("test/1", 0, "test")
	a.prints("check/1", exit.Rejects, "check", "cases")
	a.prints("preview/1", 0, "preview", "cases", "--key", "M-1")
	a.prints("plan/1", exit.Rejects, "plan", "cases")
	a.prints("plan-file/1", exit.Rejects, "plan", "cases", "--out", path("plan.jsonl"))
	a.prints("compare/1", 0, "compare", path("plan.jsonl"), path("plan.jsonl"))
	a.prints("forecast/1", exit.Rejects, "forecast", "cases")
	a.prints("cutover/1", exit.Rejects, "cutover", "cases")
	run := a.prints("run/1", exit.Rejects, "run", "cases")
	id := run["runs"].([]any)[0].(map[string]any)["run"].(map[string]any)["id"].(string)
	a.prints("compare/1", 0, "compare", path("plan.jsonl"), id)
	a.prints("run/1", exit.Usage, "run", "absent", "cases")
	a.prints("inbox/1", 0, "inbox")
	a.prints("runs/1", 0, "runs", "--all")
	a.prints("report/2", 0, "report", id)
	a.prints("certificate/1", exit.Rejects, "certificate", id)
	a.prints("certificate-new-key/1", 0, "certificate", "new-key", path("signing.key"))
	a.prints("evidence/1", 0, "ledger", "evidence")
	a.prints("verify/1", 0, "verify")
	a.prints("bundle/1", 0, "bundle", id, "--out", path("bundle.zip"))
	a.prints("revert-file/1", 0, "revert-file", id, "--dir", path("revert"))
	a.prints("renamed/1", 0, "renamed")
	a.rejected(id)
	a.prints("schedule-list/1", 0, "schedule", "--list")
	a.doubts(b)
	a.prints("cutover/1", exit.Rejects, "cutover", "cases")
	a.changed()
	a.prints("audit/1", 0, "audit")
	a.ledger(path("backup.db"))

	a.serves("sandbox/1", "sandbox", "--listen", "127.0.0.1:0")
	a.serves("console/1", "console")
	if err := os.WriteFile(filepath.Join(dir, "in", "b.csv"), []byte("Ref,Title\nB-1,Later\n"), 0o600); err != nil { // a scheduler with nothing to do says nothing
		t.Fatal(err)
	}
	a.serves("schedule/1", "schedule")
	a.demo()
	a.fleet()
	cmd := exec.Command("docketsync", "console", "password", "--json")
	cmd.Stdin, cmd.Env = strings.NewReader("a long enough password\n"), environment()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	a.fits("console-password/1", string(out))
	for _, of := range answers {
		if !a.seen["docketsync-"+of.form] && of.form != "node-list/1" { // of a server: TestConsoleShowsNodes
			t.Errorf("docketsync-%s was never printed", of.form)
		}
	}
}

// fleet compares a base mapping with itself, for one firm.
func (a *answered) fleet() {
	a.t.Helper()
	of := *a
	of.dir = a.t.TempDir()
	for name, text := range map[string]string{
		"docketsync.yaml":            "firms: firms\n",
		"base.yaml":                  "operation: create_case\nkey: Ref\nfields: {name: Title, number: Ref, active: {value: true}, file_template_id: {value: " + firstOf(a.t, "templates") + "}, user_id: {value: " + firstOf(a.t, "users") + "}}\n",
		"firms/acme/docketsync.yaml": "service: {base_url: sandbox}\njobs: [{name: cases, source: cases.csv, mapping: cases.yaml}]\n",
		"firms/acme/cases.yaml":      "extends: ../../base.yaml\n",
		"firms/acme/cases.csv":       "Ref,Title\n1,One\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(of.dir, name)), 0o700); err != nil {
			a.t.Fatal(err)
		}
		write(a.t, of.dir, name, text)
	}
	of.prints("fleet-check/1", 0, "fleet", "check", "--changed", filepath.Join(of.dir, "base.yaml"))
}

// rejected acknowledges the record that a run rejected, and then deletes it.
func (a *answered) rejected(run string) {
	a.t.Helper()
	a.prints("rejects/1", 0, "rejects", run)
	acknowledged := a.prints("rejects/1", 0, "rejects", run, "--all", "--acknowledge", "--note", "known")["rejected"].([]any)
	if len(acknowledged) != 1 || acknowledged[0].(map[string]any)["acknowledged"] == nil {
		a.t.Errorf("acknowledged were %v", acknowledged)
	}
	a.prints("forget/1", 0, "forget", "--key", "nobody")
	a.prints("forget/1", 0, "forget", "--key", "M-2")
	if done := a.prints("forget/1", 0, "forget", "--key", "M-2", "--yes"); done["deleted"] != true {
		a.t.Errorf("nothing was deleted: %v", done)
	}
}

// doubts leaves two records in doubt, and settles one of them by decision and asks about the other.
func (a *answered) doubts(b box) {
	b.misbehave(a.t, "drop_after=1")
	text := "Ref,Title\nD-1,Four\nD-2,Five\n"
	if err := os.WriteFile(filepath.Join(a.dir, "cases.csv"), []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
	a.prints("run/1", exit.InDoubt, "run", "cases")
	b.behave(a.t)
	doubts := a.prints("resolve/1", 0, "resolve")["in_doubt"].([]any)
	if len(doubts) != 2 {
		a.t.Fatalf("%d records are in doubt", len(doubts))
	}
	a.prints("resolve-worklist/1", 0, "resolve", "--worklist", filepath.Join(a.dir, "doubts.csv"))
	a.prints("resolve-ask/1", 0, "resolve", "--ask", "--dry-run")
	first := doubts[0].(map[string]any)
	a.prints("resolve-decisions/1", 0, "resolve", first["run"].(string), first["key"].(string), "exists")
}

// changed holds the update of a mark that somebody else is said to have changed, and leaves it as it is.
func (a *answered) changed() {
	a.t.Helper()
	a.prints("run/1", 0, "run", "marks")
	text, err := os.ReadFile(filepath.Join(a.dir, "marks.csv"))
	if err == nil {
		err = os.WriteFile(filepath.Join(a.dir, "marks.csv"), bytes.Replace(text, []byte("One"), []byte("Two"), 1), 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.prints("run/1", exit.Rejects, "run", "marks")
	held := a.prints("resolve/1", 0, "resolve")["changed"].([]any)
	if len(held) != 1 {
		a.t.Fatalf("%d updates are held", len(held))
	}
	c := held[0].(map[string]any)
	if both := c["differs"].([]any); len(both) != 2 || both[0].(map[string]any)["theirs"] != "One" || both[0].(map[string]any)["ours"] != "Two" {
		a.t.Errorf("both sides are %v", both)
	}
	a.prints("resolve-changed/1", 0, "resolve", c["run_name"].(string), c["key"].(string), "theirs")
	a.prints("run/1", 0, "run", "marks")
}

func (a *answered) ledger(backup string) {
	a.prints("ledger/1", 0, "ledger")
	a.prints("ledger-check/1", 0, "ledger", "check")
	a.prints("ledger-migrate/1", 0, "ledger", "migrate")
	a.prints("ledger-backup/1", 0, "ledger", "backup", backup)
	a.prints("ledger-prune/1", 0, "ledger", "prune", "--older-than", "400d")
	a.prints("ledger-compact/1", 0, "ledger", "compact")
	a.prints("ledger-adopt/1", 0, "ledger", "adopt", "cases")
	a.prints("ledger-accept-restore/1", 0, "ledger", "accept-restore")
	a.prints("ledger-accept-service/1", 0, "ledger", "accept-service")
}

func (a *answered) demo() {
	a.t.Helper()
	cmd := exec.Command("docketsync", "demo", "--json", "--quiet")
	cmd.Dir, cmd.Env = a.t.TempDir(), environment()
	out, err := cmd.Output()
	if err != nil {
		a.t.Fatal(err)
	}
	a.fits("demo/1", string(out))
}

// writeAnswerFirm writes a configuration with something for every command.
func writeAnswerFirm(t *testing.T, dir string, b box) {
	t.Helper()
	writeCrashFirm(t, dir, b, 1)
	channel := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(channel.Close)
	settings, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	inbox := filepath.Join(dir, "in")
	text := strings.Replace(string(settings), "pace:", "  lists: {settle_after: 0s, cases: {path: /v1/lists/files}, trademarks: {path: /v1/lists/trademarks, name: mark_text, changed: {by: updated_by, us: nobody}}}\n  paths: {update_trademark: /v1/firms/trademark}\nconsole: {listen: \"127.0.0.1:0\"}\nnotify: {channels: {hook: {webhook: {env: NO_HOOK, default: \""+channel.URL+"\"}}}}\npace:", 1) +
		"  - {name: arriving, mapping: cases.yaml, source: {inbox: {folder: in, poll: 1s, still: 1s}}}\n" +
		"  - {name: nightly, source: cases.csv, mapping: cases.yaml, when: \"0 2 * * *\"}\n" +
		"  - {name: marks, source: marks.csv, mapping: marks.yaml}\n"
	for name, text := range map[string]string{
		"docketsync.yaml": text, "cases.csv": "Ref,Title\nM-1,One\nM-2,\nM-3,Three\n", "other.csv": "Reference,Name\nX-1,One\n",
		"marks.csv": "Id,Mark\n" + firstOf(t, "trademarks") + ",One\n",
		"marks.yaml": "operation: update_trademark\nkey: Id\nfields:\n  id: Id\n  registry_id: {value: " + firstOf(t, "registries") + "}\n  mark_text: Mark\n" +
			"  application_number: Mark\n  do_not_create_file: {value: true}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(inbox, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inbox, "a.csv"), []byte("Ref,Title\nA-1,Arrived\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
