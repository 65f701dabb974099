package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/doctor"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/report/wording"
)

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Try the connection and everything else that a run needs; send nothing",
		Long: `doctor checks, one after the other: the configuration, the secrets (by name; values are never shown), the mappings and
sources of the jobs, the way to the service (name, connection, certificate, answer), the clock, sign-in, the lists, the ledger,
the folders with their free space, the servers of the notification channels, remotes, and the certificate of the console.

It changes nothing in the service. It sends one HEAD request without key or cookie, signs in if sign_in is configured, and reads
the first page of each list. What cannot be tried without sending a record or a message is listed as not tried.

Exit status: 0 if nothing failed; 2 if the configuration, a mapping or a secret has to be corrected; 1 if something else failed.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := doctor.Look(cmd.Context(), &a.Setup, nil)
			if err != nil {
				return err
			}
			return exit.With(found.Exit, a.Result("doctor/1", found, func(w io.Writer) { a.printFindings(w, found) }))
		},
	}
}

// stateWords are what stands before a finding.
var stateWords = map[doctor.State]string{doctor.OK: "ok", doctor.Warning: "Warning", doctor.Failed: "FAILED", doctor.NotTried: "not tried"}

func (a *app) printFindings(w io.Writer, r doctor.Result) {
	p := a.Page(w)
	if r.Service != "" {
		p.Say(0, r.Service)
		p.Gap()
	}
	last := ""
	for _, f := range r.Findings {
		if f.Check != last {
			p.Say(0, a.Strong(w, f.Check))
			last = f.Check
		}
		p.Say(2, fmt.Sprintf("%-10s %s", stateWords[f.State], f.Said))
		if f.Advice != "" {
			p.Say(13, strings.ReplaceAll(f.Advice, "\n", " "))
		}
	}
	p.Gap()
	switch failed, warned := r.Count(doctor.Failed), r.Count(doctor.Warning); {
	case failed > 0:
		p.Say(0, wording.Counted(failed, "check")+" failed.")
	case warned > 0:
		p.Say(0, "Nothing failed; "+wording.Counted(warned, "warning")+".")
	default:
		p.Say(0, "Nothing failed.")
	}
}
