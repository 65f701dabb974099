package importer_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
)

// orderedCases is a mapping whose cases are sent in the order of a column that no payload has, with dozens of records
// per day.
var orderedCases = strings.Replace(casesMapping, "fields:", "order: {by: {column: Due}, nearest: first}\nfields:", 1)

// dueRows returns cases with the days on which they are due, "" for none; some days are long ago.
func dueRows(n int) string {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	var b strings.Builder
	b.WriteString("Ref,Title,Status,Due\n")
	for i := range n {
		due := fmt.Sprintf("20%02d-%02d-%02d", 19+random.IntN(12), 1+random.IntN(2), 1+random.IntN(3))
		if random.IntN(10) == 0 {
			due = ""
		}
		fmt.Fprintf(&b, "M-%05d,Case %d,Open,%s\n", i, i, due)
	}
	return b.String()
}

// nearestFirst returns the keys of rows by the day at the end of each row: the earliest first, rows without one last,
// and rows of one day in their own order.
func nearestFirst(rows string) (keys []string) {
	lines := strings.Split(strings.TrimSpace(rows), "\n")[1:]
	due := func(line string) string { return cmp.Or(line[strings.LastIndexByte(line, ',')+1:], "9999") }
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(due(a), due(b)) })
	for _, line := range lines {
		key, _, _ := strings.Cut(line, ",")
		keys = append(keys, key)
	}
	return keys
}

// cutInOrder checks the promise: before the last record that the service has acted on, fewer records are missing than
// were in flight.
func cutInOrder(t *testing.T, keys []string, acted map[string]int, inFlight int) (sent int) {
	t.Helper()
	last, missing := -1, 0
	for n, key := range keys {
		if acted[key] > 0 {
			last, sent = n, sent+1
		}
	}
	for _, key := range keys[:last+1] {
		if acted[key] == 0 {
			missing++
		}
	}
	if missing >= max(inFlight, 1) {
		t.Errorf("%d records are due before one that was sent and were not sent; %d were in flight", missing, inFlight)
	}
	return sent
}

// TestWhereverARunIsKilledWhatIsNearestHasBeenSent kills a child in the middle of an ordered plan three times in a row,
// and lets the last one finish.
func TestWhereverARunIsKilledWhatIsNearestHasBeenSent(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 4} {
		t.Run(fmt.Sprintf("%d workers", workers), func(t *testing.T) {
			t.Parallel()
			rows := dueRows(longer(90, 900))
			w := &stopWorld{world: newWorld(t, sandbox.Faults{}), job: stopJob{mapping: orderedCases, rows: rows, key: sameKey}}
			w.must(w.book.Close())
			w.write("input.csv", rows)
			keys, before := nearestFirst(rows), 0
			for life := range 3 {
				if _, killed := w.live(stopTask{Job: "ordered", Concurrency: workers, StopBefore: "request 17 is answered"}); !killed {
					t.Fatalf("life %d was not killed", life)
				}
				if sent := cutInOrder(t, keys, w.acted(), workers*(life+1)); sent <= before {
					t.Errorf("life %d has sent nothing: %d after %d", life, sent, before)
				} else {
					before = sent
				}
			}
			w.account()
		})
	}
}

// TestAStoppedRunGoesOnInOrder interrupts a run of updates, which need no intents, and resumes it. Then it plans a
// changed export.
func TestAStoppedRunGoesOnInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	rows := dueRows(600) // more than a page of what is read ahead
	created := w.run(w.job("cases", casesMapping, rows))
	ids := map[string]string{}
	for _, r := range w.records(created) {
		ids[r.Key] = r.ServiceID
	}
	update := func(change string) (job string) {
		var b strings.Builder
		for n, line := range strings.Split(strings.TrimSpace(rows), "\n") {
			if n == 0 {
				b.WriteString("Ref,Title,Id,Due\n")
				continue
			}
			cells := strings.Split(line, ",")
			fmt.Fprintf(&b, "%s,%s %s,%s,%s\n", cells[0], cells[1], change, ids[cells[0]], cells[3])
		}
		return b.String()
	}
	const mapping = `
operation: update_case
key: Ref
order: {by: {column: Due}}
fields:
  id: Id
  name: Title
  number: Ref
  file_status_id: {value: ` + status + `}
  file_client_id: null
  user_id: {value: ` + user + `}
  components: []
  active: {value: true}
`
	keys := nearestFirst(rows)
	for _, change := range []string{"A", "B"} {
		sent := map[string]int{}
		first := w.interruptedAfter(300, w.job("updates", mapping, update(change)), sent)
		cutInOrder(t, keys, sent, 4)
		run := w.run(w.job("updates", mapping, update(change)))
		if run.ID != first.ID || run.Order != "Due" {
			t.Errorf("run %s was not resumed, but planned anew as %s (by %q)", first.ID, run.ID, run.Order)
		}
		w.expect(run, "accepted 600")
	}
}

// interruptedAfter runs a job and interrupts it after that many answers; sent counts what was sent, by case number.
func (w *world) interruptedAfter(n int, job importer.Job, sent map[string]int) ledger.Run {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	i := w.with(func(*apiclient.Options) {}) // its client is drained
	send := i.Send
	var mu sync.Mutex
	answered := 0
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		result := send(ctx, p, repeatable)
		mu.Lock()
		defer mu.Unlock()
		sent[payload.Text(p.Body, "number")]++
		if answered++; answered == n {
			cancel()
		}
		return result
	}
	run, err := i.Run(ctx, job)
	w.must(err)
	if run.Phase != ledger.Stopped {
		w.t.Fatalf("the run was not interrupted, it is %s", run.Phase)
	}
	return run
}

// TestOneKeyTwiceCountsByItsNearestDate has two rows of a record that differ only in the date.
func TestOneKeyTwiceCountsByItsNearestDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	sent := []string{}
	i := w.importer()
	i.Concurrency = 1
	send := i.Send
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		sent = append(sent, payload.Text(p.Body, "number"))
		return send(ctx, p, repeatable)
	}
	rows := "Ref,Title,Status,Due\nM-1,One,Open,2026-05-01\nM-2,Two,Open,2026-03-01\nM-3,Three,Open,\nM-4,Four,Open,1999-12-31\nM-1,One,Open,2026-01-01\n"
	run, err := i.Run(t.Context(), w.job("ordered", orderedCases, rows))
	w.must(err)
	w.expect(run, "accepted 4")
	if want := []string{"M-4", "M-1", "M-2", "M-3"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
}
