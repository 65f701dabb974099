package terminal

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8/decor"

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
	want := "marks: 5,000 rows read, 4,000 records, 100 to send, 1000/s\n" +
		"marks: 50 of 100 sent, 40 accepted, 10 in doubt, 10/s, 5s left\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, strings.TrimSpace(want))
	}
}

// TestNoEstimateIsAGuess shows what is told of the rate and of the time left as a run goes on: nothing in its first moments, while
// sending pauses, or when nothing was settled for a while; the rate is that of late, not since a slow start; and an estimate that
// nobody would plan by is not told at all.
func TestNoEstimateIsAGuess(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 22, 0, 0, 0, time.Local)
	for _, test := range []struct {
		name       string
		to         int
		settled    map[int]int // by the second
		paused     string
		at         float64 // seconds
		rate, left string
	}{
		{"the first of many", 80_000, map[int]int{0: 0, 1: 1}, "", 1.5, ", 0.7/s", ""},
		{"a few after a look", 80_000, map[int]int{0: 0, 4: 9}, "", 4, ", 2.2/s", ""},
		{"enough", 80_000, map[int]int{0: 0, 4: 400}, "", 4, ", 100/s", ", ends between 22:10 and 22:18"},
		{"hours", 80_000, map[int]int{0: 0, 5: 20}, "", 5, ", 4.0/s", ", ends between Mon 02:16 and Mon 05:14"},
		{"a slow service", 100, map[int]int{0: 0, 10: 1, 20: 2, 30: 3}, "", 30, ", 0.1/s", ", ends between 22:12 and 22:22"},
		{"nearly done", 500, map[int]int{0: 0, 4: 400}, "", 4, ", 100/s", ", 1s left"},
		{"a month", 260_000, map[int]int{0: 0, 10: 1, 20: 2, 30: 3}, "", 30, ", 0.1/s", ""},
		{"paused", 1000, map[int]int{0: 0, 10: 100}, "the service answers 429", 10, ", 10/s", ""},
		{"stalled", 1000, map[int]int{0: 0, 10: 100}, "", 60, "", ""},
		{"a slow start is forgotten", 10_000, map[int]int{0: 0, 20: 10, 30: 1000, 40: 2000, 50: 3010}, "", 50, ", 100/s", ", 1m10s left"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var c course
			for second := range 100 {
				if n, told := test.settled[second]; told {
					c.take(began.Add(time.Duration(second)*time.Second), importer.Progress{Phase: ledger.Pushing, To: test.to, Paused: test.paused, Sent: map[ledger.State]int{ledger.Accepted: n}})
				}
			}
			if rate, left, _ := c.measure(began.Add(time.Duration(test.at * float64(time.Second)))); rate != test.rate || left != test.left {
				t.Errorf("got %q %q, want %q %q", rate, left, test.rate, test.left)
			}
		})
	}
}

// TestTheTextBehindABarKeepsToItsRoom shows that for a narrow terminal the estimate is told in fewer words, and left out last, and that how the
// run goes is always told.
func TestTheTextBehindABarKeepsToItsRoom(t *testing.T) {
	t.Parallel()
	b := &bars{}
	began := time.Now().Add(-time.Minute)
	for second := range 61 {
		b.course.take(began.Add(time.Duration(second)*time.Second), importer.Progress{Phase: ledger.Pushing, To: 800_000, Sent: map[ledger.State]int{ledger.Accepted: 100 * second}})
	}
	text := b.says(sent)
	var seen []string
	for room := 120; room > 41; room-- { // 41 is what the last takes beside a bar
		got, _ := text.Decor(decor.Statistics{AvailableWidth: room})
		if utf8.RuneCountInString(got) > room-leastBar || !strings.HasPrefix(got, "6000 of 800000: 6000 accepted") {
			t.Errorf("%d columns: %q", room, got)
		}
		if !slices.Contains(seen, got) {
			seen = append(seen, got)
		}
	}
	if len(seen) != 4 || !strings.Contains(seen[0], "100/s, ends between ") || !strings.Contains(seen[1], "100/s, ends ") ||
		!strings.Contains(seen[2], "accepted, ends ") || strings.Contains(seen[3], "ends") {
		t.Errorf("%q", seen)
	}
}
