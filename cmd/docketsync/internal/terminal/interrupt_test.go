package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// TestInterruptedSaysWhatItWaitsFor interrupts work at each of its stages.
func TestInterruptedSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	sending := importer.Progress{Phase: ledger.Pushing, To: 10}
	for name, c := range map[string]struct {
		progress *importer.Progress
		requests int
		want     string
	}{
		"no job":           {nil, 0, "interrupted; stopping."},
		"reading":          {&importer.Progress{Phase: ledger.Reading, Rows: 7}, 0, "nothing has been sent for this job"},
		"requests are out": {&sending, 3, "Waiting for the answer to 3 requests already sent, for up to 30s"},
		"no request is":    {&sending, 0, "no answer is missing. Writing the report"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			s := &Screen{Err: &said, Quiet: true}
			s.Sends(func() (int, time.Duration) { return c.requests, 30 * time.Second })
			if c.progress != nil {
				s.Display("matters").Update(*c.progress)
			}
			s.Interrupted()
			if !strings.Contains(said.String(), c.want) || !strings.Contains(said.String(), "Press Ctrl-C again to stop at once") {
				t.Errorf("it says %q, want %q and what a second interrupt does", &said, c.want)
			}
		})
	}
}
