package terminal

import (
	"bytes"
	"strings"
	"testing"

	"docketsync/importer/report"
	"docketsync/importer/report/wording"
)

// TestSummarySaysFirstWhereItWasSent tells a rehearsal and a live service apart in the first line.
func TestSummarySaysFirstWhereItWasSent(t *testing.T) {
	t.Parallel()
	for service, want := range map[string]string{
		"sandbox":                   "Rehearsal: the service is the sandbox, not the live one.\n",
		"https://cases.example.com": "Live: the service is cases.example.com.\n",
		"http://localhost:8787":     "Rehearsal: the service is http://localhost:8787 on this machine, not the live one.\n",
	} {
		var out bytes.Buffer
		s := &report.Summary{Rehearsal: wording.Rehearsal(service)}
		if s.Rehearsal == "" {
			s.Live = wording.Service(service)
		}
		new(Screen).PrintSummary(&out, s)
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: the summary begins %q", service, out.String())
		}
	}
}

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
