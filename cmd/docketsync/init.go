package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/proposing"
)

func newInit(a *app) *cobra.Command {
	var options fileOptions
	var operation, out string
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Propose a mapping for a new file",
		Long: `init reads a file and proposes a mapping: which column goes to which field, how dates are written, and which names need an id. It
writes NAME.mapping.yaml, with comments that give the reasons; lookups/*.csv, with an empty id column for you to fill in; and
a configuration with a job if there is none yet. It never overwrites a file: existing lookups are used as they are, and check
lists the names they lack. It says how many records the rows become by the proposed mapping, as check does.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if operation != "" && !slices.Contains(payload.Operations, payload.Operation(operation)) {
				return exit.Mistakef("unknown operation %q\nThe operations are %s", operation, operationList())
			}
			proposed, err := proposing.Propose(cmd.Context(), &a.Setup, args[0], options.Options, options.passwordEnv, payload.Operation(operation), out)
			if err != nil {
				return err
			}
			return a.Result("init/1", proposed, proposed.Print)
		},
	}
	options.flags(a, cmd)
	cmd.Flags().StringVar(&operation, "operation", "", "`"+"OPERATION"+"`: "+operationList()+"; detected if not given")
	cmd.Flags().StringVar(&out, "out", "", "write the mapping to `FILE`, and lookups to the folder lookups beside it")
	return cmd
}

func operationList() string {
	var list []string
	for _, o := range payload.Operations {
		list = append(list, string(o))
	}
	return strings.Join(list, ", ")
}
