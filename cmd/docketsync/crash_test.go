package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// TestKilledRunLosesNothing kills docketsync at random instants and starts it again, until a firm is imported in all its
// editions, by all four operations, to a sandbox in another process that plays every fault it knows. Whenever a run has come
// to its end, each record must be in the service as it would be in calm weather, or be named as in doubt, and then be there
// once or not at all; the reports must add up; and no kill may leave more records under way than were in flight. What is in
// doubt is then settled by looking into the service, and in the end nothing may be missing or there twice.
//
// It goes on with firm after firm until there were enough kills: a few in the short form, 60 and larger firms in the long one, or as
// many as DOCKETSYNC_CRASH_KILLS says. The short form lets runs live when it has killed some of an export:
//
//	DOCKETSYNC_LONG=1 DOCKETSYNC_CRASH_KILLS=300 go test ./cmd/docketsync -run TestKilledRunLosesNothing -v -timeout 60m
//
// DOCKETSYNC_CRASH_SEED sets the instants and the faults.
func TestKilledRunLosesNothing(t *testing.T) {
	t.Parallel()
	enough, seed := setting(t, "DOCKETSYNC_CRASH_KILLS", 4, 60), uint64(setting(t, "DOCKETSYNC_CRASH_SEED", 1, 1))
	weather := calmWeather(t, setting(t, "", 10, 16), setting(t, "", 2, 3))
	var all crashFigures
	for all.kills < enough && !t.Failed() {
		all.add(killUntilImported(t, weather, seed+uint64(all.firms)))
	}
	t.Logf("%d firms, %d kills: %d records sent, %d requests beyond one each; %d records found under way after a kill (at most %d after one, %d in flight); %d doubts in all, settled by looking",
		all.firms, all.kills, all.records, all.requests-all.records, all.underway, all.worst, stormConcurrency, all.doubts)
}

// setting is a number of the environment; where that does not say, the one of the short form of a test, or that of its long form.
// The short form proves the same in fewer rounds.
func setting(t *testing.T, name string, short, long int) int {
	t.Helper()
	text := os.Getenv(name)
	switch {
	case text == "" && os.Getenv("DOCKETSYNC_LONG") == "1":
		return long
	case text == "":
		return short
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q, which is no number", name, text)
	}
	return n
}

// crashFigures are what a crash test can tell of itself.
type crashFigures struct {
	firms, kills, records, requests, doubts int
	underway                                int // records found in sending after a kill
	worst                                   int // the most after one kill
}

func (c *crashFigures) add(o crashFigures) {
	c.firms, c.kills, c.records, c.requests, c.doubts = c.firms+1, c.kills+o.kills, c.records+o.records, c.requests+o.requests, c.doubts+o.doubts
	c.underway, c.worst = c.underway+o.underway, max(c.worst, o.worst)
}

// killUntilImported imports all editions of one firm through as many kills as it takes.
func killUntilImported(t *testing.T, w *stormForecast, seed uint64) (figures crashFigures) {
	t.Helper()
	f := stormFirm{dir: t.TempDir(), size: w.size}
	f.write(t, "http://127.0.0.1") // the sandbox takes the directory from here; its address comes below
	b := startSandbox(t, f.dir, "--config", filepath.Join(f.dir, "docketsync.yaml"), "--directory", filepath.Join(f.dir, "directory.json"),
		"--faults", everyFault(seed).String())
	f.write(t, b.base)
	random := rand.New(rand.NewPCG(seed, 0))
	for edition := range w.editions {
		f.export(t, edition)
		for settled := false; !settled; {
			figures.killUntilDone(t, f, random)
			doubts := w.check(t, f, b.snapshot(t), edition)
			figures.doubts += doubts
			settled = doubts == 0
		}
	}
	figures.requests = int(b.state(t).Requests)
	figures.records = f.sent(t)
	return figures
}

// killUntilDone starts runs and kills them until one has ended with nothing left to be done.
func (c *crashFigures) killUntilDone(t *testing.T, f stormFirm, random *rand.Rand) {
	t.Helper()
	start, most := startTime(t, f.dir), setting(t, "", 6, 500)
	for lives := 0; ; lives++ {
		if lives == 500 {
			t.Fatal("500 runs did not import the firm")
		}
		// The longest life grows with their number, so that a slow machine gets to the end too.
		longest := (250*time.Millisecond + start) * time.Duration(1+lives/4)
		life := start/3 + time.Duration(random.Int64N(int64(longest)))
		if lives >= most {
			life = time.Hour
		}
		if runAndMaybeKill(t, f.dir, life) {
			if f.done(t) {
				return
			}
			continue
		}
		c.kills++
		underway := f.count(t, ledger.Sending)
		c.underway, c.worst = c.underway+underway, max(c.worst, underway)
		if underway > stormConcurrency {
			t.Errorf("a kill left %d records under way, with %d in flight", underway, stormConcurrency)
		}
	}
}

// startTime is how long docketsync takes on this machine, as busy as it is, until it has read its configuration and its ledger.
func startTime(t *testing.T, dir string) time.Duration {
	t.Helper()
	began := time.Now()
	cmd := exec.Command("docketsync", "runs", "--quiet")
	cmd.Dir, cmd.Env = dir, environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return time.Since(began)
}

// runAndMaybeKill starts a run and kills it after a while, unless it ends before. ended tells that it ended by itself.
func runAndMaybeKill(t *testing.T, dir string, after time.Duration) (ended bool) {
	t.Helper()
	cmd := exec.Command("docketsync", "run", "--quiet", "--json")
	cmd.Dir, cmd.Env = dir, environment()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	killer.Stop()
	var failure *exec.ExitError
	if err != nil && !errors.As(err, &failure) {
		t.Fatal(err)
	}
	switch code := cmd.ProcessState.ExitCode(); code {
	case -1:
		return false
	case exit.AllIn, exit.Rejects, exit.InDoubt, exit.Stopped:
		return true
	default:
		t.Fatalf("docketsync ended with %d:\n%s", code, output.String())
		return false
	}
}
