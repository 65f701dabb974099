package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// TestBarsOfAnInterruptedRunComeDown shows that the display ends although its bars are not full.
func TestBarsOfAnInterruptedRunComeDown(t *testing.T) {
	t.Parallel()
	for name, updates := range map[string][]importer.Progress{
		"before anything":  nil,
		"while reading":    {{Phase: ledger.Reading, Rows: 10}},
		"while sending":    {{Phase: ledger.Reading, Rows: 10}, {Phase: ledger.Pushing, To: 10, Sent: map[ledger.State]int{ledger.Accepted: 3}}},
		"with all settled": {{Phase: ledger.Pushing, To: 3, Sent: map[ledger.State]int{ledger.Accepted: 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBars(&bytes.Buffer{}, "job")
			for _, p := range updates {
				b.Update(p)
			}
			ended := make(chan struct{})
			go func() {
				b.Done()
				close(ended)
			}()
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Fatal("the display does not come down")
			}
		})
	}
}

// TestLines shows what is written where there is no terminal.
func TestLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := newLines(&out, "marks")
	clock := l.last
	l.now = func() time.Time { return clock }
	l.Update(importer.Progress{Phase: ledger.Reading, Rows: 0})
	clock = clock.Add(progressEvery)
	l.Update(importer.Progress{Phase: ledger.Reading, Rows: 5000, Records: 4000, To: 100})
	l.Update(importer.Progress{Phase: ledger.Pushing, To: 100, Sent: map[ledger.State]int{}})
	clock = clock.Add(progressEvery)
	l.Update(importer.Progress{Phase: ledger.Pushing, To: 100, Sent: map[ledger.State]int{ledger.Accepted: 40, ledger.InDoubt: 10}})
	want := "marks: 5000 rows read, 4000 records, 100 to send, 1000/s\n" +
		"marks: 50 of 100 sent, 40 accepted, 10 in doubt, 10/s, 5s left\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, strings.TrimSpace(want))
	}
}
