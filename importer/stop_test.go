package importer_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

// stopJob is a job that is small enough to be stopped at every one of its steps.
type stopJob struct {
	mapping, rows string
	// other is an export in which one row differs from rows, for a restart with another input.
	other string
	// key returns the name of a record in the sandbox's log of requests.
	key func(ledger.Record) string
	// repeatable says that sending a record twice does no harm, so a kill may cause that.
	repeatable bool
}

// manyCases is the number of records of the job called many.
const manyCases = 400

func sameKey(r ledger.Record) string { return r.Key }

// manyRejects returns rows whose first pass takes more than one batch, and of which few are sent.
func manyRejects(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "R-%05d,,Open\n", i)
	}
	return b.String()
}

var stopJobs = map[string]stopJob{
	"cases":   {mapping: casesMapping, rows: cases(1, 3) + manyRejects(10), other: cases(1, 2) + "M-00004,Case 4,Open\n", key: sameKey},
	"batches": {mapping: casesMapping, rows: cases(1, 3) + manyRejects(1100), key: sameKey},
	"many":    {mapping: casesMapping, rows: cases(1, manyCases), key: sameKey},
	"some":    {mapping: casesMapping, rows: cases(1, 40), key: sameKey},
	"folders": {mapping: stopFolders, key: sameKey,
		rows:  "Folder,Matter,Matter No\nAcme Holdings,One,1001\nAcme Holdings,Two,1002\nBirch Ltd,Three,1003\n",
		other: "Folder,Matter,Matter No\nAcme Holdings,One,1001\nAcme Holdings,Two,1002\nCedar AG,Three,1004\n"},
	"ordered": {mapping: orderedCases, rows: dueRows(90), key: sameKey},
	"marks": {mapping: marksMapping, key: markID, repeatable: true,
		rows:  "Ref,Id,Mark,App\nT1," + mark1 + ",A,01\nT2," + mark2 + ",B,02\nT3," + mark3 + ",C,03\n",
		other: "Ref,Id,Mark,App\nT1," + mark1 + ",A,01\nT2," + mark2 + ",B,02\nT3," + mark3 + ",D,04\n"},
	"goods": {mapping: stopGoods, key: markID,
		rows:  "Ref,Id,Mark,App,Goods\nT1," + mark1 + ",A,01,software\nT2," + mark2 + ",B,02,hats\nT3," + mark3 + ",C,03,boots\n",
		other: "Ref,Id,Mark,App,Goods\nT1," + mark1 + ",A,01,software\nT2," + mark2 + ",B,02,hats\nT3," + mark3 + ",D,03,boots\n"},
}

const stopFolders = `
operation: create_folder
key: Folder
fields:
  name:      Folder
  client_id: {value: ` + company + `}
  files:
    item: {name: Matter, number: Matter No}
`

const stopGoods = marksMapping + `  good_and_services:
    item:
      id:              {value: null}
      language_id:     {value: ` + language + `}
      search_class_id: {value: ` + class9 + `}
      text:            Goods
`

func markID(r ledger.Record) string {
	return map[string]string{"T1": mark1, "T2": mark2, "T3": mark3}[r.Key]
}

func (j stopJob) job(name, file string) (importer.Job, error) {
	compiled, err := mapping.Parse(name+".yaml", []byte(j.mapping), mapping.Options{Today: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)})
	return importer.Job{Name: name, Mapping: compiled, MappingText: []byte(j.mapping), Sources: lookups.Sources{MappingDir: filepath.Dir(file)},
		Inputs: []rows.Input{{Path: file}}}, err
}

// stopCase is a state from which a child is started and stopped at each of its steps.
type stopCase struct {
	job string
	// before are the earlier lives, each ended at a step or by itself.
	before []stopTask
	task   stopTask // the life whose steps are tried
	other  bool     // that life has another input than those before it
	alter  bool     // the service stores names otherwise than they are sent
}

var stopCases = map[string]stopCase{
	"cases":                             {job: "cases"},
	"more than one batch":               {job: "batches"},
	"folders":                           {job: "folders"},
	"marks":                             {job: "marks"},
	"goods":                             {job: "goods"},
	"a service that stores other names": {job: "cases", alter: true},
	// Four at once: the order of the steps differs from life to life, but not how many there are.
	"marks, four at once":                             {job: "marks", task: stopTask{Concurrency: 4}},
	"cases, four at once":                             {job: "cases", task: stopTask{Concurrency: 4}},
	"an interrupted run holds what is left":           {job: "cases", task: stopTask{Interrupt: 1}},
	"a restart of an interrupted run":                 {job: "cases", before: []stopTask{{Interrupt: 1}}},
	"a restart of an interrupted run, other input":    {job: "cases", before: []stopTask{{Interrupt: 1}}, other: true},
	"a restart after a kill":                          {job: "cases", before: []stopTask{killedInFlight}},
	"a restart after a kill, other input":             {job: "cases", before: []stopTask{killedInFlight}, other: true},
	"a restart after a kill, repeatable":              {job: "marks", before: []stopTask{killedInFlight}},
	"a restart after a kill, repeatable, other input": {job: "marks", before: []stopTask{killedInFlight}, other: true},
	"a decision about a doubt":                        {job: "cases", before: []stopTask{killedInFlight, {}}, task: stopTask{Resolve: true}},
}

// killedInFlight is a life that ends when its second request has been answered and the ledger does not have the outcome
// yet.
var killedInFlight = stopTask{StopBefore: "request 2 is answered"}

// TestStopAtEveryStep kills a child at every step it takes, before each commit and around each request, one case for
// each. The state before a step is the state after the step before it, so both sides of each commit are tested.
// Afterwards the job is run to its end: every record is in the service once, or is in doubt and reported; the account
// adds up; and no life leaves more in doubt than it had in flight.
func TestStopAtEveryStep(t *testing.T) {
	t.Parallel()
	for name, c := range stopCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := newStopWorld(t, c)
			steps, killed := first.live(c.last())
			if killed {
				t.Fatal("a child was killed that was not to be")
			}
			first.account()
			for n, step := range steps {
				t.Run(fmt.Sprintf("%02d before %s", n+1, step), func(t *testing.T) {
					t.Parallel()
					w := newStopWorld(t, c)
					task := c.last()
					task.StopAt = n + 1
					taken, killed := w.live(task)
					// A life may be a step shorter: whether two changes share a commit can depend on when a group's
					// time is over.
					if killed != (len(taken) == n+1) || len(taken) > n+1 {
						t.Fatalf("the child took the steps %q, want to stop before %q", taken, step)
					}
					w.account()
				})
			}
		})
	}
}

// last returns the life whose steps are tested.
func (c stopCase) last() stopTask {
	task := c.task
	task.Job, task.Concurrency = c.job, max(task.Concurrency, 1)
	return task
}

// stopWorld is a world whose ledger children use.
type stopWorld struct {
	*world
	c      stopCase
	job    stopJob
	atRisk int // how many records the killed children had in flight
}

// newStopWorld takes a world through the lives that come before.
func newStopWorld(t testing.TB, c stopCase) *stopWorld {
	w := &stopWorld{world: newWorld(t, sandbox.Faults{}), c: c, job: stopJobs[c.job]}
	if c.alter {
		w.box.SetFaults(sandbox.Faults{Alter: 1})
	}
	w.must(w.book.Close())
	w.write("input.csv", w.job.rows)
	for _, task := range c.before {
		task.Job, task.Concurrency = c.job, 1
		if _, killed := w.live(task); killed != (task.StopBefore != "") {
			t.Fatalf("a life that was to be stopped before %q was killed: %v", task.StopBefore, killed)
		}
	}
	if c.other {
		w.write("input.csv", w.job.other)
	}
	return w
}

// live lets a child live and returns the steps it took, including the one it died at.
func (w *stopWorld) live(task stopTask) (steps []string, killed bool) {
	w.t.Helper()
	steps, trouble, err := w.start(task)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != 1 && trouble == "" {
		w.atRisk += task.Concurrency
		return steps, true
	}
	if err != nil {
		w.t.Fatalf("the child ended with %v: %s", err, trouble)
	}
	return steps, false
}

// start runs a child to its end and returns its steps, its complaints and how it ended.
func (w *stopWorld) start(task stopTask) (steps []string, trouble string, ended error) {
	w.t.Helper()
	task.Ledger, task.Base, task.File = filepath.Join(w.dir, "ledger.db"), w.base, filepath.Join(w.dir, "input.csv")
	text, err := json.Marshal(task)
	w.must(err)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), stopEnv+"="+string(text))
	var said, complaint bytes.Buffer
	child.Stdout, child.Stderr = &said, &complaint
	ended = child.Run()
	for lines := bufio.NewScanner(&said); lines.Scan(); {
		steps = append(steps, lines.Text())
	}
	return steps, complaint.String(), ended
}

// account runs the job to its end and compares the ledger with the service.
func (w *stopWorld) account() {
	t := w.t
	t.Helper()
	var err error
	w.book, err = ledger.Open(t.Context(), filepath.Join(w.dir, "ledger.db"))
	w.must(err)
	job, err := w.job.job(w.c.job, filepath.Join(w.dir, "input.csv"))
	w.must(err)
	run := w.run(job)
	if run.Phase != ledger.Finished {
		t.Errorf("the run ended as %s: %s", run.Phase, run.Stop)
	}
	doubts, byKey := 0, w.acted()
	for _, record := range w.records(run) {
		acted := byKey[w.job.key(record)]
		if w.c.alter && record.State == ledger.Accepted && (len(record.Notes) != 1 || record.Notes[0].Code != "stored_differently" || len(record.ReadBack) == 0) {
			t.Errorf("%s: the service stored another name, and the notes are %+v, of the fields %v", record.Key, record.Notes, record.ReadBack)
		}
		switch record.State {
		case ledger.Accepted, ledger.Unchanged:
			if acted == 0 || acted > 1 && !w.job.repeatable {
				t.Errorf("%s is %s, and the service acted on it %d times", record.Key, record.State, acted)
			}
		case ledger.InDoubt:
			doubts++
			if acted > 1 || record.Message == "" {
				t.Errorf("%s is in doubt (%q), and the service acted on it %d times", record.Key, record.Message, acted)
			}
		case ledger.Rejected:
			if acted > 0 {
				t.Errorf("%s was rejected, and the service acted on it %d times", record.Key, acted)
			}
		default:
			t.Errorf("%s is %s at the end", record.Key, record.State)
		}
	}
	if doubts > w.atRisk {
		t.Errorf("%d records are in doubt, and only %d were in flight", doubts, w.atRisk)
	}
	w.onceEach()
}

// acted returns how often the service has carried out each request, by the key in its log.
func (w *stopWorld) acted() map[string]int {
	w.t.Helper()
	held, err := w.box.Snapshot()
	w.must(err)
	n := map[string]int{}
	for _, r := range held.Requests {
		if r.Acted {
			n[r.Key]++
		}
	}
	return n
}
