package runner

import (
	"fmt"
	"io"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
	"docketsync/importer/stop"
)

// Result is what run says about one job. If the job was not begun, there is no run, and Summary is nil. If it could not
// be run, Summary is set if the ledger recorded the attempt.
type Result struct {
	*report.Summary
	Reports files.Paths `json:"reports,omitzero"`
	// ReportError is why the reports of a run could not be written. What the run sent stays sent.
	ReportError string `json:"report_error,omitempty"`

	Job    string `json:"job,omitempty"` // this and what follows only for a job that was not run
	State  State  `json:"state,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// State says what happened to a job that was asked for and was not run.
type State string

const (
	NotBegun    State = "not_begun"     // another job kept it from beginning
	CouldNotRun State = "could_not_run" // its source, its mapping or the machine did
)

// StatusOf returns the exit status of one run.
func StatusOf(s *report.Summary) int {
	switch {
	case s.Run.StopCode == stop.Interrupted:
		return exit.Interrupted
	case s.Run.Phase == ledger.Stopped && s.Run.StopCode != stop.Part:
		return exit.Stopped
	case s.Count(outcome.InDoubt).Records+s.StillInDoubt > 0:
		return exit.InDoubt
	case s.Count(outcome.Rejected).Records+s.Count(outcome.Failed).Records > 0, s.Differs != nil, s.Changed != nil, s.Unsent != nil,
		s.Run.Phase == ledger.Finished && s.Count(outcome.Held).Records > 0:
		return exit.Rejects
	}
	return exit.AllIn
}

// Print says what happened to each job: the summary of its run, and where its reports are; or why it was not run.
func Print(screen *terminal.Screen, w io.Writer, results []Result) {
	for _, r := range results {
		if r.State != "" {
			reason, _, _ := strings.Cut(r.Reason, "\n") // advice has its own line on standard error
			word := map[State]string{NotBegun: "not started", CouldNotRun: "could not run"}[r.State]
			fmt.Fprintf(w, "%s  %s: %s\n", screen.Strong(w, r.Job), word, reason)
		} else {
			screen.PrintSummary(w, r.Summary)
		}
		if r.Summary != nil {
			fmt.Fprintf(w, "  run: %s (%s)\n", r.Summary.Run.Name, r.Summary.Run.ID)
		}
		for _, file := range []struct{ what, path string }{
			{"report", r.Reports.HTML},
			{"to correct and import again", r.Reports.Rejects},
			{"no longer in the export", r.Reports.Vanished},
			{"still in the service; remove it there by hand", r.Reports.Stays},
			{"stored in the service with a different value than was sent", r.Reports.Differs},
		} {
			if file.path != "" {
				fmt.Fprintf(w, "  %s: %s\n", file.what, file.path)
			}
		}
		if r.Summary != nil && r.State == "" {
			terminal.PrintRemedies(w, r.Summary, r.Reports.Rejects)
		}
		fmt.Fprintln(w)
	}
}
