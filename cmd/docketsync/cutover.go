package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer"
	"docketsync/importer/cutover"
	"docketsync/importer/report/wording"
)

func newCutover(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "cutover [JOB…]",
		Short: "Say how far a migration is, and what the last delta would be; send nothing",
		Long: `cutover says for each of the named jobs (all jobs by default) in which phase of a migration it is:

  bulk     nothing has been sent yet, or the run of the whole export has not come to its end
  deltas   the bulk is in; what changes in the old system is sent by one run after the other
  ready    the last delta was empty, and so would be another one: the service holds what the export holds

It plans the current export, sends nothing, and says what a run would send, reject and leave to a person, and what has to be done
before you can cut over. It does not look up whether somebody changed a record in the service: only a run does that.

A job is not ready while a record is in doubt, held, or rejected and not acknowledged ('docketsync rejects'); while a record that an earlier
run held has been in no export since; or while the service differs from the export in something that docketsync may not send.

Exit status: 0 if all jobs are ready; 3 if some are not; 1 or 2 if a job cannot be planned.`,
		RunE: a.planned(a.cutoverJobs),
	}
}

// standing is the state of a job, with what has to be done.
type standing struct {
	cutover.Standing
	Ready bool     `json:"ready"`
	Next  []toDo   `json:"next"`
	Says  []string `json:"says"`
}

// toDo is something to do, with the command for it, "" for none.
type toDo struct {
	Do      string `json:"do"`
	Command string `json:"command,omitempty"`
}

func (a *app) cutoverJobs(ctx context.Context, in *installation.Installation, names []string) error {
	if err := in.NotRestored(ctx); err != nil {
		return err
	}
	jobs, err := jobsWithLists(ctx, in, names)
	if err != nil {
		return err
	}
	list, code := []standing{}, exit.AllIn
	for _, job := range jobs {
		s, err := a.standingOf(ctx, in, job)
		if err != nil {
			return err
		}
		if !s.Ready {
			code = exit.Rejects
		}
		list = append(list, s)
	}
	verdict := verdictOn(list)
	return exit.With(code, a.Result("cutover/1", map[string]any{"jobs": list, "verdict": verdict, "exit": code}, func(w io.Writer) {
		a.printStandings(w, list)
		fmt.Fprintln(w, verdict)
	}))
}

// verdictOn says whether one can cut over.
func verdictOn(list []standing) string {
	var open []string
	for _, s := range list {
		if !s.Ready {
			open = append(open, s.Job)
		}
	}
	if len(open) == 0 {
		return "The last delta of each job was empty: you can cut over, as long as the old system stays frozen."
	}
	return "You cannot cut over yet: " + strings.Join(open, ", ") + wording.Plural(len(open), " is", " are") + " not ready."
}

func (a *app) standingOf(ctx context.Context, in *installation.Installation, job importer.Job) (s standing, err error) {
	run, err := a.planJob(ctx, in, job)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return s, err
	}
	if s.Standing, err = cutover.Look(ctx, in.Book.Reader, run); err != nil {
		return s, err
	}
	s.Ready, s.Next, s.Says = s.Phase == cutover.Ready, []toDo{}, append([]string{s.Words()}, s.History()...)
	for _, step := range s.Steps() {
		s.Next = append(s.Next, toDo{step.Do, in.Site.Command(step.Args...)})
	}
	return s, nil
}

func (a *app) printStandings(w io.Writer, list []standing) {
	for _, s := range list {
		fmt.Fprintf(w, "%s  %s\n", a.Strong(w, s.Job), s.Says[0])
		for _, line := range s.Says[1:] {
			fmt.Fprintf(w, "  %s\n", line)
		}
		fmt.Fprintf(w, "  now: %s\n", s.Now.Words())
		for _, step := range s.Next {
			fmt.Fprintf(w, "  next: %s\n", step.Do)
			if step.Command != "" {
				fmt.Fprintf(w, "    %s\n", step.Command)
			}
		}
	}
}
