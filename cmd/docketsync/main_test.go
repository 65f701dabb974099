package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"docketsync/importer/browsertest"
	"docketsync/importer/ledger/ledgertest"
)

// TestMain lets the tests start docketsync as a program of its own, which is this test binary under another name.
func TestMain(m *testing.M) {
	testscript.Main(stoppingBrowser{m}, map[string]func(){"docketsync": main, "leave-outcome": leaveOutcome, "docketsync-at": mainAtHour})
}

// stoppingBrowser ends the browser and the database's files that tests share, when all of them are done.
type stoppingBrowser struct{ *testing.M }

func (s stoppingBrowser) Run() int {
	defer browsertest.Stop()
	defer ledgertest.Stop()
	ledgertest.Hasten()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		// Most tests wait: for a process, a page, a service that is slow on purpose.
		_ = flag.Set("test.parallel", strconv.Itoa(waiting*runtime.GOMAXPROCS(0)))
	}
	return s.M.Run()
}

// waiting is how many tests one processor can have under way.
const waiting = 3

// TestScripts runs the commands as a person would; each file of testdata/script is one story.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup:               quietHome,
	})
}

// quietHome gives a script a home of its own, and no colors.
func quietHome(env *testscript.Env) error {
	env.Setenv("NO_COLOR", "1")
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("GOGC", os.Getenv("GOGC"))
	return nil
}

// exits runs a program that must end with a status: exits 3 docketsync run.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	default:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// shortShard is how many records a part has that nodes share, in short forms.
const shortShard = 100

// environment is the environment for a docketsync that is started as a program, without what would point it elsewhere. Nodes share smaller parts
// than usual, but for the long forms of tests.
func environment(extra ...string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "NO_COLOR=1"}
	if os.Getenv("DOCKETSYNC_LONG") != "1" {
		env = append(env, fmt.Sprint("DOCKETSYNC_SHARD=", shortShard))
	}
	for _, name := range []string{"GOCOVERDIR", "GOGC", "SystemRoot"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return append(env, extra...)
}

// quietApp is what the commands share, in this process and with nobody who reads what they say.
func quietApp(env func(string) (string, bool), configFile string) *app {
	a := newApp(io.Discard, io.Discard)
	a.Env, a.ConfigFile, a.Quiet = env, configFile, true
	return a
}

// The version names what a release was built from: its version, commit and day.
func TestVersionNamesTheCommit(t *testing.T) {
	t.Parallel()
	v := versionInfo{Version: "1.2.3", Revision: "08a4f019c43adee0d1aceec6e822e71d6420bc8b", Date: "2026-11-24T19:09:29Z", Go: "go1.26.8", Platform: "linux/amd64"}
	if got, want := v.String(), "docketsync 1.2.3, commit 08a4f019c43a of 2026-11-24 (go1.26.8, linux/amd64)"; got != want {
		t.Errorf("the version is %q, want %q", got, want)
	}
	v.Revision, v.Date = "", "" // as 'go run' builds it
	if got, want := v.String(), "docketsync 1.2.3 (go1.26.8, linux/amd64)"; got != want {
		t.Errorf("the version is %q, want %q", got, want)
	}
}
