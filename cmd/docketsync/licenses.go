package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

// licenses are the modules that docketsync is linked with, a line each: path, version, licence. It is written by 'go run ./.ci/parts -list'.
//
//go:embed licenses.txt
var licenses string

// licensed is a module and its licence.
type licensed struct {
	Module  string `json:"module"`
	Version string `json:"version"`
	License string `json:"license"` // by its SPDX name
}

func licensedModules() []licensed {
	list := []licensed{{"Go standard library", strings.TrimPrefix(runtime.Version(), "go"), "BSD-3-Clause"}}
	for line := range strings.Lines(licenses) {
		if part := strings.Fields(line); len(part) == 3 {
			list = append(list, licensed{part[0], part[1], part[2]})
		}
	}
	return list
}

func newLicenses(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "List the open-source modules in docketsync and their licenses",
		Long: `licenses lists every module that docketsync is built from on any system, with its version and its license by its SPDX name. The texts of
the licenses are in the folder licenses of a release archive, and in /usr/share/doc/docketsync of a package.`,
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			list := licensedModules()
			return a.Result("licenses/1", map[string]any{"modules": list}, func(w io.Writer) {
				t := a.Table(w)
				t.AppendHeader(table.Row{"module", "version", "license"})
				for _, m := range list {
					t.AppendRow(table.Row{m.Module, m.Version, m.License})
				}
				t.Render()
				fmt.Fprintf(w, "%d modules\n", len(list))
			})
		},
	}
}
