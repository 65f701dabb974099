package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/samples"
)

// buildVersion is set by -ldflags "-X main.buildVersion=…" for a release.
var buildVersion = ""

// versionInfo is what version says about the binary.
type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit, in UTC, as RFC 3339 has it
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// String returns the version on one line, as 'docketsync --version' prints it.
func (v versionInfo) String() string {
	commit := ""
	if v.Revision != "" {
		commit = fmt.Sprintf(", commit %.12s of %.10s", v.Revision, v.Date)
	}
	return fmt.Sprintf("docketsync %s%s (%s, %s)", v.Version, commit, v.Go, v.Platform)
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			return a.Result("version/1", v, func(w io.Writer) {
				fmt.Fprintln(w, v)
			})
		},
	}
}

func readVersion() versionInfo {
	v := versionInfo{Version: buildVersion, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Revision = setting.Value
		case "vcs.time":
			v.Date = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	return v
}

// licenses lists the modules that docketsync is linked with, a line each: path, version, licence. 'go run ./.ci/parts
// -list' writes it.
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
		Long: `licenses lists every module that docketsync is built from on any system, with its version and the SPDX name of its license. The texts
of the licenses are in the folder licenses of a release archive, and in /usr/share/doc/docketsync of a package.`,
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

func newSchema(a *app) *cobra.Command {
	names := samples.SchemaNames()
	return &cobra.Command{
		Use:   "schema mapping|config|NAME",
		Short: "Print the JSON Schema of a file, or of what a command prints with --json",
		Long: `schema prints a JSON Schema to standard output. Editors that support YAML schemas (VS Code with the YAML extension, JetBrains,
Neovim with yaml-language-server) then complete keys, explain them, and mark errors as you type:

  docketsync schema mapping > mapping.schema.json

with this as the first line of each mapping:

  # yaml-language-server: $schema=mapping.schema.json

NAME is the form of what a command prints with --json, without docketsync- and the version: for "form": "docketsync-run/1" it is run.
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
