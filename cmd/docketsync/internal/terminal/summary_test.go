package terminal

import (
	"bytes"
	"strings"
	"testing"

	"docketsync/importer/report"
)

// TestSummaryNamesExtraRequests shows that what was sent more than once is said, and that nothing is said when nothing was.
func TestSummaryNamesExtraRequests(t *testing.T) {
	t.Parallel()
	for repeated, want := range map[int]string{0: "", 12: "  requests: 412 (12 retries)\n"} {
		var out bytes.Buffer
		new(Screen).PrintSummary(&out, &report.Summary{Requests: report.Requests{Total: 412, Repeated: repeated}})
		if got := out.String(); strings.Contains(got, "requests:") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%d repeated: the summary is %q", repeated, got)
		}
	}
}
