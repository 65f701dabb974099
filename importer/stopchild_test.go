package importer_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptrace"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"modernc.org/sqlite"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/push"
)

// The stop tests start this test binary again as a child process that runs a job and kills itself at one step. The
// importer and the ledger know nothing of it. Commits are seen by SQLite's commit hook, which runs when everything of a
// transaction is done except its commit; requests are seen by the function that sends and by net/http's trace.

const stopEnv = "DOCKETSYNC_STOP_TASK"

// stopTask tells a child what to do, as JSON in its environment.
type stopTask struct {
	Ledger, Base string
	Job          string // one of stopJobs
	File         string
	Concurrency  int
	Interrupt    int  // interrupt the run, as by ctrl-C, after that many answers; 0 is never
	Resolve      bool // run nothing, and settle every doubt as a person who looked
	Pages        int  // limit the ledger's size in pages, as if the disk were full then; 0 is no limit
	StopAt       int  // the step at which the child kills itself, from 1; 0 is never
	// StopBefore is that step by its name.
	StopBefore string
}

func TestMain(m *testing.M) {
	for env, child := range map[string]func(string) error{stopEnv: stopChild, serviceEnv: serviceChild, workerEnv: workerChild} {
		if text := os.Getenv(env); text != "" {
			if err := child(text); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	ledgertest.Hasten()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		// Most tests wait for the disk, or for a child.
		_ = flag.Set("test.parallel", strconv.Itoa(waiting*runtime.GOMAXPROCS(0)))
	}
	os.Exit(m.Run())
}

// waiting is how many tests per processor may be in progress.
const waiting = 4

// steps counts what a child does, announces each step before it is taken, and dies at the chosen one.
type steps struct {
	mu      sync.Mutex
	taken   int
	last    int
	before  string
	pages   int
	changed []string // tables, in the transaction under way
}

func (s *steps) step(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken++
	fmt.Println(name)
	if s.taken == s.last || name == s.before {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			panic(err)
		}
		select {}
	}
}

// watch sees every commit of the process that changes anything.
func (s *steps) watch(conn sqlite.ExecQuerierContext, _ string) error {
	if s.pages > 0 {
		if _, err := conn.ExecContext(context.Background(), fmt.Sprintf("pragma max_page_count = %d", s.pages), nil); err != nil {
			return err
		}
	}
	hooks := conn.(sqlite.HookRegisterer)
	hooks.RegisterPreUpdateHook(func(change sqlite.SQLitePreUpdateData) {
		if !slices.Contains(s.changed, change.TableName) {
			s.changed = append(s.changed, change.TableName)
		}
	})
	hooks.RegisterRollbackHook(func() { s.changed = nil })
	hooks.RegisterCommitHook(func() int32 {
		if len(s.changed) > 0 { // an empty commit may or may not come, depending on when a group's time is over
			s.step("commit of " + strings.Join(s.changed, " "))
			s.changed = nil
		}
		return 0
	})
	return nil
}

func stopChild(text string) error {
	var task stopTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
	s := &steps{last: task.StopAt, before: task.StopBefore, pages: task.Pages}
	sqlite.RegisterConnectionHook(s.watch)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	book, err := ledger.Open(ctx, task.Ledger)
	if err != nil {
		return err
	}
	defer book.Close()
	if task.Resolve {
		return resolveAll(ctx, book)
	}
	job, err := stopJobs[task.Job].job(task.Job, task.File)
	if err != nil {
		return err
	}
	client, err := apiclient.New(clientOptions(task.Base))
	if err != nil {
		return err
	}
	defer client.Close()
	i := &importer.Importer{Ledger: book, Service: push.Service{Send: s.send(client, task.Interrupt, cancel), Concurrency: task.Concurrency}}
	_, err = i.Run(ctx, job)
	return err
}

// send sends, and counts three steps for each request: before it leaves, when its last byte has left, and when it is
// answered.
func (s *steps) send(client *apiclient.Client, interrupt int, cancel func()) push.Send {
	var mu sync.Mutex
	begun, answered := 0, 0
	count := func(n *int) int {
		mu.Lock()
		defer mu.Unlock()
		*n++
		return *n
	}
	return func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		n := count(&begun)
		s.step(fmt.Sprintf("request %d leaves", n))
		traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) {
			s.step(fmt.Sprintf("request %d has left", n))
		}})
		result := client.Send(traced, p, repeatable)
		s.step(fmt.Sprintf("request %d is answered", n))
		if count(&answered) == interrupt {
			cancel()
		}
		return result
	}
}

func resolveAll(ctx context.Context, book *ledger.Ledger) error {
	runs, err := book.Runs(ctx, ledger.RunFilter{})
	if err != nil {
		return err
	}
	for _, run := range runs {
		for record, err := range book.Records(ctx, run.ID, ledger.RecordFilter{States: []ledger.State{ledger.InDoubt}}) {
			if err != nil {
				return err
			}
			if err := book.Resolve(ctx, run.ID, record.Seq, ledger.Exists, "", "ada", "looked"); err != nil {
				return err
			}
		}
	}
	return nil
}
