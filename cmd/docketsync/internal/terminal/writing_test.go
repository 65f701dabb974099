package terminal

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// TestWriting shows what is written where there is no terminal while a report takes its time: how the run went, and how far the report is.
func TestWriting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := &Screen{Err: &out}
		marks := &report.Summary{Run: ledger.Run{Job: "marks"}, Verdict: "All 200,000 marks were imported."}
		told, done := s.Writing(marks)
		told(7)
		time.Sleep(progressEvery)
		told(40)
		told(41)
		done()
		if got, want := out.String(), "marks: All 200,000 marks were imported. Writing reports: 40 %\n"; got != want {
			t.Errorf("got  %swant %s", got, want)
		}
		out.Reset()
		s.Quiet = true
		told, _ = s.Writing(marks)
		time.Sleep(progressEvery)
		if told(90); out.Len() > 0 {
			t.Errorf("quiet, but written: %s", &out)
		}
	})
}
