package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/config"
	"docketsync/mapping"
)

func newSchema(a *app) *cobra.Command {
	schemas := map[string]func() ([]byte, error){"mapping": mapping.Schema, "config": config.Schema}
	return &cobra.Command{
		Use:   "schema mapping|config",
		Short: "Print the JSON Schema of mapping or configuration files, for editors",
		Long: `schema prints a JSON Schema to standard output. Editors that support YAML schemas (VS Code with the YAML extension, JetBrains,
Neovim with yaml-language-server) then complete keys, explain them, and mark errors as you type:

  docketsync schema mapping > mapping.schema.json

and in the first line of each mapping

  # yaml-language-server: $schema=mapping.schema.json`,
		ValidArgs: []string{"mapping", "config"},
		Args:      args(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		RunE: func(_ *cobra.Command, args []string) error {
			schema, err := schemas[args[0]]()
			if err != nil {
				return err
			}
			return a.Result(json.RawMessage(schema), func(w io.Writer) { fmt.Fprintf(w, "%s\n", schema) })
		},
	}
}
