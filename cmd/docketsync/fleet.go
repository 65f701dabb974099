package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/basechange"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/compare"
	"docketsync/importer/report/wording"
)

func newFleet(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Work on many firms at once",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFleetCheck(a))
	return cmd
}

func newFleetCheck(a *app) *cobra.Command {
	var changed, base string
	var signed map[string]string
	cmd := &cobra.Command{
		Use:   "check --changed FILE [FIRM…]",
		Short: "Show which records a changed base mapping would touch, by firm",
		Long: `check shows what a changed base mapping would change for each firm whose mappings extend it: which records would be new, gone or different, and
why. It makes two plans for each such job, from the firm's export and ledger, and compares them. Nothing is sent.

FILE is the changed base. It has the same name as the base in use, or --base names that one. Edit a copy: to edit the base in its place changes all firms at once.

The changes of each firm have a seal. With --sign-off FIRM=SEAL they are applied to that firm, if they are still exactly the same: the changed
base is put beside the one in use under a name of its own, the firm's mappings extend it from then on, and the audit trail of the firm says
who signed it off. All other firms stay as they are.

For a job with an inbox, the file of its last run is compared.

Exit status: 0 if all firms were compared, and what was signed off was applied; 1 if not; 2 if the command line is wrong.`,
		Example: `  docketsync fleet check --changed new/marks.yaml
  docketsync fleet check --changed new/marks.yaml acme --sign-off acme=8b0c6a1f2d3e4f50`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if changed == "" {
				return exit.Mistakef("--changed FILE is required: the changed base mapping")
			}
			return a.fleetCheck(cmd.Context(), names, changed, base, signed)
		},
	}
	cmd.Flags().StringVar(&changed, "changed", "", "the changed base mapping, a `FILE`")
	cmd.Flags().StringVar(&base, "base", "", "the base mapping in use that it replaces, a `FILE`")
	cmd.Flags().StringToStringVar(&signed, "sign-off", nil, "apply it to a firm, as `FIRM=SEAL`; can be repeated")
	return cmd
}

func (a *app) fleetCheck(ctx context.Context, names []string, changed, base string, signed map[string]string) error {
	setups, err := firms.All(&a.Setup)
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(names, slices.Sorted(maps.Keys(signed))) {
		if !slices.ContainsFunc(setups, func(s *installation.Setup) bool { return s.Firm == name }) {
			return exit.Mistakef("there is no firm %q", name)
		}
	}
	if len(names) > 0 {
		setups = slices.DeleteFunc(setups, func(s *installation.Setup) bool { return !slices.Contains(names, s.Firm) })
	}
	change, err := basechange.New(changed, base, setups)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(signed)) {
		at := slices.IndexFunc(setups, func(s *installation.Setup) bool { return s.Firm == name })
		if at < 0 {
			return exit.Mistakef("firm %s is to be signed off, and is not among the firms named", name)
		}
		if !change.Concerns(setups[at]) {
			return exit.Mistakef("firm %s is to be signed off, and does not extend %s", name, change.Base)
		}
	}
	list, code := []basechange.Firm{}, exit.AllIn
	for _, setup := range setups {
		firm, extends := change.Find(ctx, setup)
		if !extends {
			continue
		}
		if seal, ok := signed[firm.Name]; ok && firm.Trouble == "" {
			if err := change.Apply(ctx, &firm, seal); err != nil {
				firm.Trouble = exit.Explain(err)
			}
		}
		if err := firm.Close(); err != nil && firm.Trouble == "" {
			firm.Trouble = exit.Explain(err)
		}
		if firm.Trouble != "" {
			code = exit.CouldNotRun
		}
		list = append(list, firm)
	}
	err = a.Result("fleet-check/1", map[string]any{"base": change.Base, "changed": changed, "firms": list}, func(w io.Writer) { a.printChange(w, change, list, len(names)) })
	return exit.With(code, errors.Join(err, ctx.Err()))
}

func (a *app) printChange(w io.Writer, change *basechange.Change, list []basechange.Firm, named int) {
	touched := 0
	for _, firm := range list {
		if n := firm.Touched(); n > 0 {
			touched++
			fmt.Fprintf(w, "%s: %s would change\n", a.Strong(w, firm.Name), wording.Counted(n, "record"))
		} else if firm.Trouble == "" {
			fmt.Fprintf(w, "%s: nothing would change\n", a.Strong(w, firm.Name))
		}
		for _, job := range firm.Jobs {
			fmt.Fprintf(w, "  %s: %s\n", job.Name, job.Result.Words())
			for _, note := range job.Result.Remarks() {
				fmt.Fprintf(w, "  %s\n", note)
			}
			a.printGroups(w, job.Result, "")
		}
		switch {
		case firm.Trouble != "":
			fmt.Fprintf(w, "%s: not compared or not applied\n  %s\n", a.Strong(w, firm.Name), firm.Trouble)
		case firm.Applied:
			fmt.Fprintln(w, "  signed off and applied")
		default:
			fmt.Fprintf(w, "  to sign this off: --sign-off %s=%s\n", firm.Name, firm.Seal)
		}
	}
	extending := wording.Counted(len(list), "firm")
	if named > 0 {
		extending = fmt.Sprintf("%d of %s named", len(list), wording.Counted(named, "firm"))
	}
	fmt.Fprintf(w, "%s %s %s; %s would be touched.\n", extending, wording.Plural(len(list), "extends", "extend"), change.Base, wording.Counted(touched, "firm"))
}

// printGroups lists the causes of a difference, with some records of each, and says where the others are.
func (a *app) printGroups(w io.Writer, r *compare.Result, others string) {
	for _, group := range r.Groups {
		fmt.Fprintf(w, "\n  %s\n    %s\n", a.Strong(w, wording.UpperFirst(group.Words())), compare.Counts(group.New, group.Gone, group.Different))
		for _, sample := range group.Samples {
			fmt.Fprintf(w, "      %s\n", sample.Words())
		}
		if more := group.Records() - len(group.Samples); more > 0 {
			fmt.Fprintf(w, "      … and %s more%s\n", wording.Thousands(more), others)
		}
	}
}
