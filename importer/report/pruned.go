package report

import (
	"fmt"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/outcome"
)

// PrunedError tells that there can be no report of a run, because most of its records are no longer in the ledger.
type PrunedError struct {
	Run   ledger.Run
	Tally []ledger.Count
}

// Error says what the run came to, and what of it is still there.
func (e *PrunedError) Error() string {
	counts := outcome.Tally(e.Tally)
	var parts []string
	for _, o := range outcome.All {
		if counts[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[o], o.Words()))
		}
	}
	said := "It had no records"
	if len(parts) > 0 {
		said = "Of its records, " + strings.Join(parts, ", ")
	}
	return fmt.Sprintf("run %s of job %s, of %s, was pruned on %s: its report cannot be made again. %s. The ledger still has what it sent and what became "+
		"of that, but neither its rows nor its payloads",
		e.Run.ID, e.Run.Job, moment.Day(e.Run.Started), moment.Day(e.Run.Pruned), said)
}
