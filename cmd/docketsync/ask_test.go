package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/inquiry"
)

// doubtful is a firm with three cases that all are in doubt after a first run against a sandbox with these faults, and
// lists in its configuration.
func doubtful(t *testing.T, faults, lists string) (dir string, b box) {
	t.Helper()
	dir = t.TempDir()
	b = startSandbox(t, dir, "--faults", faults)
	writeCrashFirm(t, dir, b, 3)
	if code, out := command(t, dir, "run"); code != exit.InDoubt {
		t.Fatalf("a run whose answers were all lost ended with %d:\n%s", code, out)
	}
	configure(t, dir, lists)
	b.behave(t)
	return dir, b
}

// configure adds lists to the configuration of a firm, in the place of those that it has.
func configure(t *testing.T, dir, lists string) {
	t.Helper()
	path := filepath.Join(dir, "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), "\npace:")
	head, _, _ = strings.Cut(head, "\n  lists:")
	if err := os.WriteFile(path, []byte(head+"\n  lists: "+lists+"\npace:"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
}

const atOnce = "{settle_after: 0s, cases: {path: /v1/lists/files, take: 2}}"

// ask asks the service and returns the decisions by key, with how many of them were settled.
func ask(t *testing.T, dir string, flags ...string) (decisions map[string]string, settled int) {
	t.Helper()
	code, out := command(t, dir, append([]string{"resolve", "--ask", "--json"}, flags...)...)
	if code != exit.AllIn {
		t.Fatalf("asking ended with %d:\n%s", code, out)
	}
	var said struct{ Asked []inquiry.Answer }
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	decisions = map[string]string{}
	for _, a := range said.Asked {
		decisions[a.Key] = string(a.Decision)
		if a.Settled {
			settled++
		}
		if a.Settled != (a.Decision == "exists" && a.ID != "" || a.Decision == "absent" && a.ID == "") && a.Settled {
			t.Errorf("settled without an id, or with one: %+v", a)
		}
	}
	return decisions, settled
}

func all(decision string) map[string]string {
	return map[string]string{"M-00000": decision, "M-00001": decision, "M-00002": decision}
}

func TestAskFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir, b := doubtful(t, "drop_after=1", atOnce)
	b.misbehave(t, "lists=yes,seed=5,drop_before=0.2,500_after=0.2,truncate=0.1")
	if got, settled := ask(t, dir, "--dry-run"); settled != 0 || !cmp.Equal(got, all("exists")) {
		t.Errorf("a dry run settled %d: %v", settled, got)
	}
	if _, out := command(t, dir, "resolve"); listed(out) != 3 {
		t.Fatalf("the dry run settled something:\n%s", out)
	}
	if got, settled := ask(t, dir, "--who", "Ada"); settled != 3 || !cmp.Equal(got, all("exists")) {
		t.Errorf("settled %d: %v", settled, got)
	}
	b.behave(t)
	code, out := command(t, dir, "run")
	if code != exit.AllIn || !strings.Contains(out, "All 3 matters were already up to date") || b.state(t).Cases != 3 {
		t.Errorf("the next run ended with %d and left %d cases:\n%s", code, b.state(t).Cases, out)
	}
	// The ids are known to the jobs that ask the ledger for them, and the reports say who found them.
	report, err := filepath.Glob(filepath.Join(dir, "reports", "cases-*"))
	if err != nil || len(report) == 0 {
		t.Fatal(err, report)
	}
	if got, _ := ask(t, dir); len(got) != 0 {
		t.Errorf("still in doubt: %v", got)
	}
}

func TestAskOffersWhatIsNotThere(t *testing.T) {
	t.Parallel()
	dir, b := doubtful(t, "drop_before=1", atOnce)
	if got, settled := ask(t, dir); settled != 0 || !cmp.Equal(got, all("absent")) {
		t.Errorf("settled %d without an order: %v", settled, got)
	}
	if _, out := command(t, dir, "resolve", "--ask"); !strings.Contains(out, ` M-00001 absent`) || !strings.Contains(out, " resolve --ask --absent") {
		t.Errorf("nothing is offered:\n%s", out)
	}
	if code, _ := command(t, dir, "run"); code != exit.InDoubt || b.state(t).Cases != 0 {
		t.Fatalf("a run sent what is in doubt: %d, %d cases", code, b.state(t).Cases)
	}
	if got, settled := ask(t, dir, "--absent"); settled != 3 || !cmp.Equal(got, all("absent")) {
		t.Errorf("settled %d: %v", settled, got)
	}
	if code, out := command(t, dir, "run"); code != exit.AllIn || b.state(t).Cases != 3 || len(b.state(t).Repeated) > 0 {
		t.Errorf("the next run ended with %d and left %d cases:\n%s", code, b.state(t).Cases, out)
	}
}

func TestAskLeavesWhatIsNotCertain(t *testing.T) {
	t.Parallel()
	dir, b := doubtful(t, "drop_before=1", "{cases: {path: /v1/lists/files}}")
	if _, out := command(t, dir, "resolve", "--ask", "--absent"); strings.Count(out, "first looked for it only 0s ago; ask again in 10m0s") != 3 || listedInDoubt(t, dir) != 3 {
		t.Errorf("a record that was sent just now was settled as absent:\n%s", out)
	}
	configure(t, dir, atOnce)
	// Two have the number of one record, another has the number of a second record under another name.
	for _, c := range []string{"M-00000 Case 0", "M-00000 Case 0", "M-00001 Somebody else", "m00002 Case 2"} {
		number, name, _ := strings.Cut(c, " ")
		b.create(t, number, name)
	}
	code, out := command(t, dir, "resolve", "--ask", "--absent")
	for _, words := range []string{`2 items of the list cases have the number "M-00000": `, `but its name is "Somebody else" and "Case 1" was sent`, "similar spellings", "0 settled as existing, 0 as absent; 3 left in doubt"} {
		if code != exit.AllIn || !strings.Contains(out, words) {
			t.Errorf("the answer (%d) lacks %q:\n%s", code, words, out)
		}
	}
	if n := listedInDoubt(t, dir); n != 3 {
		t.Errorf("%d are in doubt, want 3", n)
	}
	configure(t, dir, "{companies: /v1/lists/companies}")
	if _, out := command(t, dir, "resolve", "--ask"); strings.Count(out, "the configuration has no list cases under service.lists") != 3 {
		t.Errorf("without a list:\n%s", out)
	}
}

// TestAskGoesByOneClock asks on a machine whose clock is an hour ahead of that which sent, and once more when the time is over.
func TestAskGoesByOneClock(t *testing.T) {
	t.Parallel()
	dir, _ := doubtful(t, "drop_before=1", "{cases: {path: /v1/lists/files}}")
	db, err := sql.Open("sqlite", filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, step := range []struct{ change, words string }{
		{`update records set sent_at = sent_at - 3600000000, settled_at = settled_at - 3600000000`, "ask again in 10m0s"},
		{`update looks set at = at - 540000000`, "ask again in 1m0s"},
		{`update looks set at = at + 3600000000`, "ask again in 10m0s"}, // the clock was set back
		{`update looks set at = at - 600000000`, "3 as absent"},
	} {
		if _, err := db.ExecContext(t.Context(), step.change); err != nil {
			t.Fatal(err)
		}
		if _, out := command(t, dir, "resolve", "--ask", "--absent"); !strings.Contains(out, step.words) {
			t.Errorf("after %s the answer lacks %q:\n%s", step.change, step.words, out)
		}
	}
}

// TestAskDoesNotBelieveAnotherService asks a sandbox that knows nothing of what was sent before, though somebody said that it is
// the same service at a new address.
func TestAskDoesNotBelieveAnotherService(t *testing.T) {
	t.Parallel()
	dir, b := doubtful(t, "drop_before=1", atOnce)
	writeCrashFirm(t, dir, b, 4)
	configure(t, dir, atOnce)
	if code, out := command(t, dir, "run"); code != exit.InDoubt || b.state(t).Cases != 1 {
		t.Fatalf("the second run ended with %d:\n%s", code, out)
	}
	if got, settled := ask(t, dir); settled != 0 || !cmp.Equal(got, all("absent")) {
		t.Errorf("the service itself is not believed: %v", got)
	}
	path := filepath.Join(dir, "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []struct{ base, sandbox, words string }{
		{startSandbox(t, t.TempDir()).base, "", "it also lacks 1 of the 1 records created recently"},
		{"sandbox", "sandbox: {data: ''}\n", "the sandbox in this process is empty at each start"},
	} {
		settings := other.sandbox + strings.ReplaceAll(string(text), b.base, other.base)
		if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := command(t, dir, "resolve", "--ask", "--absent"); code == exit.AllIn || listedInDoubt(t, dir) != 3 {
			t.Errorf("another address was asked, with %d:\n%s", code, out)
		}
		if code, out := command(t, dir, "ledger", "accept-service"); code != exit.AllIn {
			t.Fatalf("the address was not accepted: %d\n%s", code, out)
		}
		if _, out := command(t, dir, "resolve", "--ask", "--absent"); !strings.Contains(out, other.words) || listedInDoubt(t, dir) != 3 {
			t.Errorf("%+v was believed:\n%s", other, out)
		}
	}
}

func TestAskIsRefused(t *testing.T) {
	t.Parallel()
	dir, _ := doubtful(t, "drop_before=1", "{settle_after: 0s, cases: /v1/lists/nothing}")
	for _, args := range [][]string{{"--absent"}, {"--dry-run"}, {"--ask", "--decisions", "x.csv"}, {"--ask", "--note", "x"}, {"--ask", "RUN", "M-1", "absent"}} {
		if code, out := command(t, dir, append([]string{"resolve"}, args...)...); code != exit.Usage {
			t.Errorf("%v ended with %d:\n%s", args, code, out)
		}
	}
	if code, out := command(t, dir, "resolve", "--ask", "--absent"); code != exit.CouldNotRun || !strings.Contains(out, "the list cases cannot be read") || listedInDoubt(t, dir) != 3 {
		t.Errorf("a list that cannot be read: %d\n%s", code, out)
	}
}

// TestDoubtsAreToldInFull shows what was sent, when, what was seen, and what was said before.
func TestDoubtsAreToldInFull(t *testing.T) {
	t.Parallel()
	dir, _ := doubtful(t, "500_after=1", atOnce)
	_, out := command(t, dir, "resolve", "--json")
	var said struct {
		InDoubt []doubt `json:"in_doubt"`
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.InDoubt) != 3 || len(said.InDoubt[0].Requests) != 1 || said.InDoubt[0].Requests[0].Status != 500 {
		t.Fatalf("%v:\n%s", err, out)
	}
	command(t, dir, "resolve", said.InDoubt[0].Run, "M-00001", "leave", "--who", "Ada", "--note", "their list is down")
	_, out = command(t, dir, "resolve")
	for _, words := range []string{`sent: {"name":"Case 1","number":"M-00001"`, "request 1, the service answered 500", "Ada says leave: their list is down"} {
		if !strings.Contains(out, words) {
			t.Errorf("the list lacks %q:\n%s", words, out)
		}
	}
}

// TestAskAboutALaterRun asks about a run that sent nothing because an earlier one had left everything in doubt.
func TestAskAboutALaterRun(t *testing.T) {
	t.Parallel()
	dir, b := doubtful(t, "drop_after=1", atOnce)
	if code, _ := command(t, dir, "run"); code != exit.InDoubt || b.state(t).Cases != 3 {
		t.Fatalf("a later run sent what is in doubt: %d", code)
	}
	var said struct{ Runs []struct{ ID string } }
	_, out := command(t, dir, "runs", "--json")
	if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Runs) != 2 {
		t.Fatalf("%v:\n%s", err, out)
	}
	later := said.Runs[0].ID
	if _, out := command(t, dir, "resolve", later); strings.Count(out, "not sent in this run: M-0000") != 3 || strings.Contains(out, "sent: {") {
		t.Errorf("the later run's list is:\n%s", out)
	}
	code, out := command(t, dir, "resolve", later, "--ask")
	if code != exit.AllIn || !strings.Contains(out, "3 settled as existing, 0 as absent; 0 left in doubt") || listedInDoubt(t, dir) != 0 {
		t.Errorf("asking ended with %d:\n%s", code, out)
	}
	if code, out := command(t, dir, "run"); code != exit.AllIn || b.state(t).Cases != 3 {
		t.Errorf("the run after it ended with %d:\n%s", code, out)
	}
}

func listedInDoubt(t *testing.T, dir string) int {
	t.Helper()
	_, out := command(t, dir, "resolve")
	return listed(out)
}

// misbehave sets the faults of a sandbox.
func (b box) misbehave(t *testing.T, faults string) {
	t.Helper()
	b.request(t, http.MethodPut, "/v1/sandbox/faults", faults)
}

// create makes a case behind docketsync's back.
func (b box) create(t *testing.T, number, name string) {
	t.Helper()
	b.request(t, http.MethodPost, "/v1/firms/file", fmt.Sprintf(`{"name":%q,"number":%q,"active":true,"file_template_id":%q,"user_id":%q}`,
		name, number, firstOf(t, "templates"), firstOf(t, "users")))
}

func (b box) request(t *testing.T, method, path, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header["subscription-key"], request.Header[".Service.AuthCookie"] = []string{"key"}, []string{"cookie"}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		said, _ := io.ReadAll(response.Body)
		t.Fatalf("%s %s: the sandbox answered %s: %s", method, path, response.Status, said)
	}
}

// TestWhatIsUnderWayIsTold asks for doubts while requests are under way: they are counted, and not listed as in doubt.
func TestWhatIsUnderWayIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "slow=1h")
	writeCrashFirm(t, dir, b, 1)
	cmd := exec.Command("docketsync", "run")
	cmd.Dir, cmd.Env = dir, environment()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said struct {
		InDoubt  []doubt `json:"in_doubt"`
		UnderWay int     `json:"under_way"`
	}
	for said.UnderWay == 0 {
		_, out := command(t, dir, "resolve", "--json")
		if err := json.Unmarshal([]byte(out), &said); err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, out := command(t, dir, "resolve"); len(said.InDoubt) > 0 || !strings.Contains(out, "1 record is being sent, or was when docketsync was interrupted") {
		t.Errorf("%+v\n%s", said, out)
	}
}

func TestARecordIsDecidedOnce(t *testing.T) {
	t.Parallel()
	dir, _ := doubtful(t, "drop_before=1", atOnce)
	program(t, dir, "resolve", "--worklist", "doubts.csv")
	path := filepath.Join(dir, "doubts.csv")
	fillIn(t, path, map[string]string{"M-00000": "absent", "M-00001": "leave"})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile(path, []byte(string(text)+strings.Replace(lines[1], "absent", "exists", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out := program(t, dir, "resolve", "--decisions", "doubts.csv")
	if code != exit.Usage || !strings.Contains(out, `row 5: "M-00000" is already decided in row 2`) || listedInDoubt(t, dir) != 3 {
		t.Errorf("ended with %d:\n%s", code, out)
	}
}

// TestAskAboutFoldersAndMarks leaves a folder and an update of a mark in doubt. Folders are found by name and client; of
// an update no list tells anything.
func TestAskAboutFoldersAndMarks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "drop_after=1")
	for name, text := range map[string]string{
		"folders.csv": "Ref,No\nOne folder,1\nTwo folder,2\n",
		"folders.yaml": `operation: create_folder
key: Ref
fields:
  name: Ref
  client_id: {value: ` + firstOf(t, "companies") + `}
  files: {item: {name: Ref, number: No}}
`,
		"marks.csv": "Mark,No\n" + firstOf(t, "trademarks") + ",018/1\n",
		"marks.yaml": `operation: update_trademark
key: Mark
fields:
  id: Mark
  registry_id: {value: ` + firstOf(t, "registries") + `}
  mark_text: No
  application_number: No
`,
		"docketsync.yaml": `service:
  base_url: ` + b.base + `
  subscription_key: {env: NO_KEY, default: key}
  auth_cookie: {env: NO_COOKIE, default: cookie}
  paths: {update_trademark: /v1/firms/trademark}
  lists: {folders: /v1/lists/folders, trademarks: /v1/lists/trademarks}
jobs:
  - {name: folders, source: folders.csv, mapping: folders.yaml}
  - {name: marks, source: marks.csv, mapping: marks.yaml}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out := command(t, dir, "run"); code != exit.InDoubt {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	const sent, kept = `"number":1}`, `"number":"1"}`
	if _, out := command(t, dir, "resolve"); !strings.Contains(out, sent) || strings.Contains(out, kept) {
		t.Errorf("the list does not hold what went over the wire:\n%s", out)
	}
	program(t, dir, "resolve", "--worklist", "doubts.csv")
	if list, err := os.ReadFile(filepath.Join(dir, "doubts.csv")); err != nil || !bytes.Contains(list, []byte(strings.ReplaceAll(sent, `"`, `""`))) {
		t.Errorf("the worklist does not hold what went over the wire: %v\n%s", err, list)
	}
	b.behave(t)
	mark := firstOf(t, "trademarks")
	if got, settled := ask(t, dir, "--absent"); settled != 2 || !cmp.Equal(got, map[string]string{"One folder": "exists", "Two folder": "exists", mark: "leave"}) {
		t.Errorf("settled %d: %v", settled, got)
	}
	if code, out := command(t, dir, "run"); code != exit.InDoubt || b.state(t).Folders != 2 {
		t.Errorf("the next run ended with %d:\n%s", code, out)
	}
}
