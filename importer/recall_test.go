package importer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

// nightsMappings are an operation that is done once, and one that is done again for every change.
var nightsMappings = []string{
	`
operation: create_case
scope: s
key: Ref
checks: off
fields:
  name:             Title
  number:           Ref
  active:           {value: true}
  file_template_id: {value: ` + template + `}
  user_id:          {value: ` + user + `}
`, `
operation: update_trademark
scope: s
key: Ref
checks: off
fields:
  id:                 {expr: '"0b5e4c5a-7f11-4b7e-9a55-0000000000" + replace(row["Ref"], "K-", "")'}
  registry_id:        {value: ` + registry + `}
  mark_text:          Title
  application_number: Ref
  do_not_create_file: {value: false}
`}

// exports is a ledger over several nights, and the current rows of the export.
type exports struct {
	t     rapid.TB
	draw  *rapid.T // nil where nothing is drawn
	dir   string
	book  *ledger.Ledger
	text  string
	rows  []string
	mu    sync.Mutex
	ends  []apiclient.Verdict // of the next requests, accepted when there are none left
	runs  int
	quiet int // records that were found unchanged
}

// TestNightsAreDecidedAsIfEverythingWasLookedUp draws sequences of exports and of events between them. Before each
// night it plans the export twice: as the job, which recollects its last run, and as a job that never ran and looks
// everything up.
func TestNightsAreDecidedAsIfEverythingWasLookedUp(t *testing.T) {
	t.Parallel()
	dir, draws, quiet := t.TempDir(), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		if draws++; draws > longer(4, 60) {
			return
		}
		n := &exports{t: t, draw: t, dir: filepath.Join(dir, fmt.Sprint(draws)), text: rapid.SampledFrom(nightsMappings).Draw(t, "mapping")}
		n.must(os.Mkdir(n.dir, 0o700))
		n.open(filepath.Join(n.dir, "ledger.db"))
		defer func() { n.must(n.book.Close()) }()
		for row := range rapid.IntRange(3, 20).Draw(t, "rows") {
			n.rows = append(n.rows, fmt.Sprintf("K-%02d,first", row))
		}
		for range rapid.IntRange(3, 12).Draw(t, "nights") {
			n.change()
			n.night()
			for range rapid.IntRange(0, 2).Draw(t, "between") {
				n.between()
			}
		}
		quiet += n.quiet
	})
	if quiet == 0 {
		t.Error("no record was unchanged in any night")
	}
}

// TestNightsKnowHowWhatWasSentBetweenThemEnded covers what random draws reach only by chance: between two nights of one
// export, another job sends a row of it with another value. It ends in every possible way, for updates and creates.
func TestNightsKnowHowWhatWasSentBetweenThemEnded(t *testing.T) {
	t.Parallel()
	for number, text := range nightsMappings {
		for _, end := range verdicts {
			t.Run(fmt.Sprint(number, " ", end), func(t *testing.T) {
				t.Parallel()
				n := &exports{t: t, dir: t.TempDir(), text: text, rows: []string{"K-01,first", "K-02,first", "K-03,first"}}
				n.open(filepath.Join(n.dir, "ledger.db"))
				defer func() { n.must(n.book.Close()) }()
				n.night()
				n.night()
				n.ends = []apiclient.Verdict{end}
				n.run(n.job("another", []string{"K-02,second"}))
				n.night()
				n.night()
				if n.quiet == 0 {
					t.Error("no record was unchanged in any night")
				}
			})
		}
	}
}

// TestNightsKnowTheKeysOfAnExportThatShrank removes a row and changes nothing else: all other rows are recollected, yet
// the keys are not those of the last run.
func TestNightsKnowTheKeysOfAnExportThatShrank(t *testing.T) {
	t.Parallel()
	n := &exports{t: t, dir: t.TempDir(), text: nightsMappings[1], rows: []string{"K-01,first", "K-02,first", "K-03,first"}}
	n.open(filepath.Join(n.dir, "ledger.db"))
	defer func() { n.must(n.book.Close()) }()
	n.night()
	n.night()
	n.rows = n.rows[:2]
	n.night()
}

func (n *exports) must(err error) {
	if err != nil {
		n.t.Helper()
		n.t.Fatal(err)
	}
}

func (n *exports) open(path string) {
	var err error
	n.book, err = ledger.Open(context.Background(), path)
	n.must(err)
}

// change draws how the export differs from that of the night before.
func (n *exports) change() {
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(n.draw, "changes") {
		at := rapid.IntRange(0, len(n.rows)-1).Draw(n.draw, "at")
		key, _, _ := strings.Cut(n.rows[at], ",")
		switch rapid.SampledFrom([]string{"title", "title", "remove", "insert", "again", "contradict", "keyless", "move", "turn"}).Draw(n.draw, "change") {
		case "title":
			n.rows[at] = key + "," + n.title()
		case "remove":
			if len(n.rows) > 1 {
				n.rows = slices.Delete(n.rows, at, at+1)
			}
		case "insert":
			n.rows = slices.Insert(n.rows, at, fmt.Sprintf("K-%02d,%s", rapid.IntRange(0, 60).Draw(n.draw, "key"), n.title()))
		case "again":
			n.rows = append(n.rows, n.rows[at])
		case "contradict":
			n.rows = slices.Insert(n.rows, rapid.IntRange(0, len(n.rows)).Draw(n.draw, "to"), key+","+n.title())
		case "keyless":
			n.rows[at] = "," + n.title()
		case "move":
			row := n.rows[at]
			n.rows = slices.Delete(n.rows, at, at+1)
			n.rows = slices.Insert(n.rows, rapid.IntRange(0, len(n.rows)).Draw(n.draw, "to"), row)
		case "turn":
			slices.Reverse(n.rows)
		}
	}
}

func (n *exports) title() string {
	return rapid.SampledFrom([]string{"first", "first", "second", ""}).Draw(n.draw, "title")
}

func (n *exports) job(name string, count []string) importer.Job {
	compiled, err := mapping.Parse("m.yaml", []byte(n.text), mapping.Options{Today: drawnDay})
	n.must(err)
	path := filepath.Join(n.dir, "export.csv")
	n.must(os.WriteFile(path, []byte("Ref,Title\n"+strings.Join(count, "\n")+"\n"), 0o600))
	return importer.Job{Name: name, Mapping: compiled, MappingText: []byte(n.text), Sources: lookups.Sources{MappingDir: n.dir}, Inputs: []rows.Input{{Path: path}}}
}

// send ends requests as drawn.
func (n *exports) send(_ context.Context, _ payload.Payload, _ bool) apiclient.Result {
	n.mu.Lock()
	defer n.mu.Unlock()
	verdict := apiclient.Accepted
	if len(n.ends) > 0 {
		verdict, n.ends = n.ends[0], n.ends[1:]
	}
	n.runs++
	return apiclient.Result{Verdict: verdict, Status: 200, ID: fmt.Sprint("id ", n.runs), Message: string(verdict), Err: map[apiclient.Verdict]error{apiclient.Stopped: fmt.Errorf("stopped")}[verdict]}
}

// verdicts are how requests may end.
var verdicts = []apiclient.Verdict{apiclient.Accepted, apiclient.Refused, apiclient.Failed, apiclient.InDoubt, apiclient.Stopped}

func (n *exports) run(job importer.Job) {
	if n.draw != nil {
		n.ends = rapid.SliceOfN(rapid.SampledFrom(append(verdicts, apiclient.Accepted, apiclient.InDoubt)), 0, 6).Draw(n.draw, "ends")
	}
	_, err := (&importer.Importer{Ledger: n.book, Service: push.Service{Send: n.send}}).Run(context.Background(), job)
	n.must(err)
}

// night plans the export twice, compares the plans, and runs it.
func (n *exports) night() {
	recalled, looked := n.plan("job"), n.plan(fmt.Sprint("never ran ", n.runs))
	if some, others := recalled.renamed(), looked.renamed(); some || others {
		recalled.Tally, looked.Tally = nil, nil
	}
	if diff := cmp.Diff(looked, recalled); diff != "" {
		n.t.Fatalf("the export\n%s\nis decided otherwise with the last run than without (-looked up +recalled):\n%s", strings.Join(n.rows, "\n"), diff)
	}
	n.run(n.job("job", n.rows))
}

// decided is everything in a plan that does not name the run.
type decided struct {
	Records []ledger.Record
	Export  ledger.Export
	Tally   []ledger.Count
}

// renamed turns questions about renamed keys back into planned records, and reports whether there were any. A job that
// never ran has no last export, and so no such questions.
func (d *decided) renamed() (some bool) {
	for at := range d.Records {
		if r := &d.Records[at]; len(r.Reasons) == 1 && r.Reasons[0].Code == "renamed" {
			r.State, r.Reasons, some = ledger.Planned, nil, true
			d.Export.ToSend, d.Export.Waiting = d.Export.ToSend+1, d.Export.Waiting-1
		}
	}
	return some
}

func (n *exports) plan(name string) (d decided) {
	ctx := context.Background()
	run, err := (&importer.Importer{Ledger: n.book}).Plan(ctx, n.job(name, n.rows))
	n.must(err)
	rows, keys := 0, map[string]bool{}
	for r, err := range n.book.Records(ctx, run.ID, ledger.RecordFilter{}) {
		n.must(err)
		if r.State == ledger.Unchanged {
			n.quiet++
		}
		if r.Key != "" && keys[r.Key] {
			n.t.Fatalf("%s has two records in the export\n%s", r.Key, strings.Join(n.rows, "\n"))
		}
		keys[r.Key] = true
		rows += len(r.Rows)
		r.Run = ""
		d.Records = append(d.Records, r)
	}
	if rows != run.Counts.InRecords {
		n.t.Fatalf("%d rows stand in records, %d were counted", rows, run.Counts.InRecords)
	}
	d.Export = *run.Export
	d.Export.Base, d.Export.Vanished, d.Export.StaleStill, d.Export.Written = "", 0, 0, time.Time{}
	d.Tally, err = n.book.Tally(ctx, run.ID)
	n.must(err)
	return d
}

// between does something between two nights.
func (n *exports) between() {
	ctx := context.Background()
	some := n.rows[:rapid.IntRange(1, len(n.rows)).Draw(n.draw, "some")]
	switch what := rapid.SampledFrom([]string{"other job", "other job", "file", "resolve", "resolve", "prune", "copy", "night"}).Draw(n.draw, "what"); what {
	case "other job", "file":
		rows := slices.Clone(some)
		for at := range rows {
			if key, _, _ := strings.Cut(rows[at], ","); rapid.Bool().Draw(n.draw, "other title") {
				rows[at] = key + "," + n.title()
			}
		}
		job := n.job("job", rows)
		if job.Partial = what == "file"; what == "other job" {
			job.Name = what
		}
		n.run(job)
	case "resolve":
		doubts, err := n.book.Doubts(ctx, "")
		n.must(err)
		for _, d := range doubts {
			word := rapid.SampledFrom([]ledger.Decision{ledger.Exists, ledger.Absent, ledger.Leave}).Draw(n.draw, "decision")
			n.must(n.book.Resolve(ctx, d.Run, d.Seq, word, "", "Ada", ""))
		}
	case "prune":
		_, err := importer.Prune(ctx, n.book, time.Now().Add(time.Hour))
		n.must(err)
	case "copy":
		n.runs++
		path := filepath.Join(n.dir, fmt.Sprint("copy ", n.runs, ".db"))
		_, err := n.book.Backup(ctx, path)
		n.must(err)
		n.must(n.book.Close())
		n.open(path)
	case "night":
		n.run(n.job("job", n.rows))
	}
}

// TestAnEntryIsSentOnceWhateverTheScope has two jobs with different scopes send the goods of one mark: one creates the
// entry, then the other sends it along with a change.
func TestAnEntryIsSentOnceWhateverTheScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	mapping := `
operation: update_trademark
key: Ref
fields:
  id:                 Id
  registry_id:        {value: ` + registry + `}
  mark_text:          Mark
  application_number: {value: "018"}
  do_not_create_file: {value: true}
  good_and_services:
    item: {id: {value: null}, search_class_id: Class, language_id: {value: ` + language + `}, text: Goods}
`
	send := func(job, classes string) {
		t.Helper()
		text := "Ref,Id,Mark,Class,Goods\n"
		for class := range strings.FieldsSeq(classes) {
			text += job + "," + mark1 + ",LUMEN," + class + ",soft\n"
		}
		w.expect(w.run(w.job(job, "scope: "+job+"\n"+mapping, text)), "accepted 1")
	}
	send("london", class9)
	send("munich", class9)
	send("london", class9+" "+class35)
	send("munich", class9+" "+class35)
	if state := w.state(); state.Goods != 2 || len(state.Repeated) > 0 {
		t.Errorf("the service has %d entries, and twice: %+v", state.Goods, state.Repeated)
	}
}
