package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/samples"
)

func newSchema(a *app) *cobra.Command {
	names := samples.SchemaNames()
	return &cobra.Command{
		Use:   "schema mapping|config|NAME",
		Short: "Print the JSON Schema of a file, or of what a command prints with --json",
		Long: `schema prints a JSON Schema to standard output. Editors that support YAML schemas (VS Code with the YAML extension, JetBrains,
Neovim with yaml-language-server) then complete keys, explain them, and mark errors as you type:

  docketsync schema mapping > mapping.schema.json

and in the first line of each mapping

  # yaml-language-server: $schema=mapping.schema.json

NAME is the form of what a command prints with --json, without its version: of "form": "docketsync-run/1" it is run.
'docketsync help scripts' lists them all.`,
		ValidArgs: names,
		Args:      args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(names, args[0]) {
				return exit.Mistakef("there is no schema %q\nThe schemas are %s", args[0], strings.Join(names, ", "))
			}
			schema, err := samples.Schema(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%s", schema)
			return err
		},
	}
}
