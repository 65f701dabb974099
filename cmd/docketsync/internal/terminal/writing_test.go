package terminal

import (
	"bytes"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// TestWriting shows what is written where there is no terminal while a report takes its time: how the run went, and how far the report is.
func TestWriting(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := (&Screen{Err: &out}).Writing(&report.Summary{Run: ledger.Run{Job: "marks"}, Verdict: "All 200,000 marks were imported."})
	clock := w.last
	w.now = func() time.Time { return clock }
	w.Told(7)
	clock = clock.Add(progressEvery)
	w.Told(40)
	w.Told(41)
	w.Done()
	if got, want := out.String(), "marks: All 200,000 marks were imported. Writing reports: 40 %\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	out.Reset()
	w.screen.Quiet, clock = true, clock.Add(progressEvery)
	if w.Told(90); out.Len() > 0 {
		t.Errorf("quiet, but written: %s", &out)
	}
}
