package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
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

// String is the version in a line, as 'docketsync --version' has it too.
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
