package remedy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/outcome"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// TestEveryCodeHasWords holds the words to the list of codes: each says what is wrong, and either what to do, on which page and with
// which command, or that nobody has to do anything.
func TestEveryCodeHasWords(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../stop/stop.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		code, _ := strconv.Unquote(literal.Value)
		codes++
		if _, known := byCode[code]; !known {
			t.Errorf("%s has no words", code)
		}
		list := After(Facts{Run: ledger.Run{ID: "0199-run", Name: "marks-3", Job: "marks", Phase: ledger.Stopped, StopCode: code, Stop: "x", Export: &ledger.Export{}}})
		if len(list) != 1 || list[0].Wrong == "" || strings.ContainsAny(list[0].Page+strings.Join(list[0].Args, ""), "{}") {
			t.Fatalf("%s: %+v", code, list)
		}
		if r := list[0]; r.Person != (r.Do != "" && r.Page != "" && r.Way != "" && len(r.Args) > 0) {
			t.Errorf("%s does not say what is to be done, where and with what: %+v", code, r)
		}
		if Short(code) == "" {
			t.Errorf("%s is called nothing in lists", code)
		}
		return true
	})
	if codes != len(byCode) {
		t.Errorf("there are %d codes, and words for %d", codes, len(byCode))
	}
}

// The service may reject the key as well as the cookie, with the same status.
func TestALostSignInNamesEverySecret(t *testing.T) {
	t.Parallel()
	do := After(Facts{Run: ledger.Run{Phase: ledger.Stopped, StopCode: stop.SignIn}})[0].Do
	for _, setting := range []string{"service.auth_cookie", "service.sign_in", "service.subscription_key"} {
		if !strings.Contains(do, setting) {
			t.Errorf("%q does not name %s", do, setting)
		}
	}
}

func TestPhasesInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		phase      ledger.Phase
		code, want string
	}{
		{ledger.Finished, "", "finished"},
		{ledger.Stopped, stop.Guard, "stopped (guard)"},
		{ledger.Stopped, stop.ServiceDown, "stopped (service down)"},
		{ledger.Stopped, "of_tomorrow", "stopped (of tomorrow)"},
		{ledger.Stopped, stop.Superseded, "replaced by a later run"},
	} {
		if got := Phase(c.phase, c.code); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.phase, c.code, got, c.want)
		}
	}
}

// TestTheFirstWordsAreOfTheServiceOrTheFile shows what is said first of a run, and in which order.
func TestTheFirstWordsAreOfTheServiceOrTheFile(t *testing.T) {
	t.Parallel()
	down := time.Date(2026, 11, 23, 2, 4, 0, 0, time.UTC)
	stopped := func(code, why string) ledger.Run {
		return ledger.Run{ID: "r1", Name: "cases-7", Job: "cases", Phase: ledger.Stopped, StopCode: code, Stop: why, Export: &ledger.Export{}}
	}
	ended := ledger.Run{ID: "r1", Name: "cases-7", Job: "cases", Phase: ledger.Finished, Sources: []ledger.Source{{File: "/exports/cases.csv"}}}
	guarded := stopped(stop.Guard, "")
	guarded.Guards = []ledger.Guard{{Message: "rows fell from 100 to 69 (−31 %), where the limit is 20 %"}}
	for name, c := range map[string]struct {
		facts Facts
		want  []string
	}{
		"service down": {Facts{Run: stopped(stop.ServiceDown, "…"), Since: down, Records: map[outcome.Outcome]int{outcome.Held: 40}},
			[]string{"service down since " + moment.Of(down) + " | /connection | doctor", "40 held |  | "}},
		"sign-in":               {Facts{Run: stopped(stop.SignIn, "…")}, []string{"sign-in lost | /connection | doctor"}},
		"guard":                 {Facts{Run: guarded}, []string{"stopped by a guard: rows fell from 100 to 69 (−31 %), where the limit is 20 % | /runs/r1/plan | run cases --accept-guard"}},
		"could not run: a list": {Facts{Run: stopped(stop.Input, "the plan no longer matches:\n  cases.csv has changed")}, []string{"it could not run: the plan no longer matches | /jobs/cases | run cases"}},
		"could not run":         {Facts{Run: stopped(stop.Input, "cases.csv is damaged\nExport it again")}, []string{"it could not run: cases.csv is damaged | /jobs/cases | run cases"}},
		"rejects, doubts": {Facts{Run: ended, Rejects: "/r/rejects.xlsx", Waits: 2, Waiting: "for 1 id", Records: map[outcome.Outcome]int{outcome.Rejected: 1202, outcome.InDoubt: 2, outcome.Failed: 1}},
			[]string{"2 in doubt | /doubts | resolve cases-7", "2 records wait for 1 id | /jobs/cases | check cases",
				"1,200 records of cases.csv need correcting | /runs/r1 | run cases --file /r/rejects.xlsx", "1 failed; the next run retries it |  | "}},
		"renamed": {Facts{Run: ended, Rejects: "/r/rejects.xlsx", Renamed: 2, Records: map[outcome.Outcome]int{outcome.Rejected: 2}},
			[]string{"2 records may be known ones under new keys | /runs/r1 | renamed"}},
		"changes of creates": {Facts{Run: ledger.Run{ID: "r1", Name: "cases-7", Operation: "create_case"}, Unsent: 2},
			[]string{"2 records have changes that cannot be sent without creating second ones | /runs/r1/rejects | rejects cases-7"}},
		"changes of updates": {Facts{Run: ledger.Run{ID: "r1", Name: "cases-7", Operation: "update_case"}, Unsent: 1},
			[]string{"1 record has a change that an update cannot make | /runs/r1/rejects | rejects cases-7"}},
		"nothing": {Facts{Run: ended, Records: map[outcome.Outcome]int{outcome.Created: 3}}, nil},
	} {
		var got []string
		for _, r := range After(c.facts) {
			got = append(got, r.Wrong+" | "+r.Page+" | "+strings.Join(r.Args, " "))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCommandsWorkAsTheyArePrinted has a shell take a command apart again.
func TestCommandsWorkAsTheyArePrinted(t *testing.T) {
	t.Parallel()
	site := Site{Console: "https://docketsync.firm.example", Flags: []string{"--config", "/srv/Müller & Söhne's/it $1.yaml"}, Inboxes: []string{"arrivals"}}
	line := site.Command("run", "a job", "--file", "/r/rejects.xlsx")
	out, err := exec.Command("sh", "-c", "docketsync() { printf '%s\\n' \"$@\"; }; "+line).CombinedOutput()
	if want := "--config\n/srv/Müller & Söhne's/it $1.yaml\nrun\na job\n--file\n/r/rejects.xlsx\n"; err != nil || string(out) != want {
		t.Errorf("%s\nis taken as\n%s%v", line, out, err)
	}
	if got := reason.ShellWord(`C:\Program Files\it.yaml`, true) + reason.ShellWord(`C:\it.yaml`, true); got != `"C:\Program Files\it.yaml"C:\it.yaml` {
		t.Error(got)
	}
	if got := (Site{Inboxes: site.Inboxes}).Command("run", "arrivals"); got != "docketsync inbox arrivals" {
		t.Error(got)
	}
	if got := (Site{Rehearse: true}).Command("run", "x"); got != "docketsync --rehearse run x" {
		t.Error(got)
	}
	if site.Link("/doubts") != "https://docketsync.firm.example/doubts" || (Site{}).Link("/doubts") != "" || site.Command() != "" {
		t.Error("links")
	}
}
