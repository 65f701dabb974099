package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/samples"
)

func newDemo(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a sample firm from end to end against a local test server",
		Long: `demo writes the sample firm to a folder, runs its jobs over HTTP against a sandbox in this process, and shows where the reports
are. The exports contain the mistakes that real exports contain, so some rows are rejected. Run it again: nothing is sent
twice.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "docketsync-demo", "the `FOLDER` for the sample firm")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string) (err error) {
	if !a.JSON {
		a.Page(a.Out).Say(0, "This demo writes the files of a sample firm to the folder "+dir+", sends them to a test server inside this process, "+
			"and writes a report for each job. Nothing leaves this machine.")
		fmt.Fprintln(a.Out)
	}
	if err := unpackSamples(dir); err != nil {
		return err
	}
	// The demo uses this process's own sandbox, whatever service the environment names.
	demo := *a
	demo.Quiet = true // a line for each job is enough progress
	demo.ConfigFile = filepath.Join(dir, "docketsync.yaml")
	demo.Env = func(string) (string, bool) { return "", false }
	in, err := demo.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = in.End(err) }()
	results, code := demo.demoJobs(ctx, in)
	// The demo is meant to show rejected rows; only a run that did not end is a failure.
	if code == exit.Rejects {
		code = exit.AllIn
	}
	err = demo.Result("demo/1", map[string]any{"folder": dir, "runs": results, "exit": code}, func(w io.Writer) {
		if code == exit.AllIn {
			demo.toTry(w, dir, in.Config.Jobs, results)
		}
	})
	return exit.With(code, err)
}

// demoJobs runs the jobs in order and says in a line how each went; the reports say the rest.
func (a *app) demoJobs(ctx context.Context, in *installation.Installation) (results []runner.Result, code int) {
	for _, name := range in.NamesOf(nil) {
		of, ended, err := runner.Jobs(ctx, in, []string{name}, "", runner.Send)
		results, code = append(results, of...), exit.Graver(code, ended)
		for _, r := range of {
			if !a.JSON && err == nil && r.Summary != nil {
				p := a.Page(a.Out)
				p.Say(0, fmt.Sprintf("%-14s %s", name, report.Headline(r.Summary)))
			}
		}
		if err != nil || ended != exit.AllIn && ended != exit.Rejects {
			return results, code // standard error has the reason already
		}
	}
	return results, code
}

// toTry suggests three things to try after the demo.
func (a *app) toTry(w io.Writer, dir string, jobs []config.Job, results []runner.Result) {
	fmt.Fprint(w, "\nThe exports contain mistakes that real exports contain, so some rows are rejected.\nThree things to try:\n\n")
	fmt.Fprintf(w, "1. Open a report in a browser: %s\n", results[0].Reports.HTML)
	install := "" // needed only by somebody who runs the demo with "go run"
	if _, err := exec.LookPath("docketsync"); err != nil {
		if _, err := os.Stat("cmd/docketsync"); err == nil {
			install = "     go install ./cmd/docketsync     (docketsync is not in your PATH yet)\n"
		}
	}
	fmt.Fprintf(w, "2. Look around in the console:\n%s     cd %s\n     docketsync console\n", install, dir)
	p := a.Page(w)
	said, job := "3. Change a cell of one of the exports, save the file and run its job again:", jobs[0].Name
	if c, ok := correctable(results[0].Causes); ok {
		message, hint := c.Said()
		question, _, _ := strings.Cut(hint, "?")
		file := jobs[0].Source.Files[0]
		if from, err := filepath.Rel(dir, file); err == nil {
			file = from
		}
		said = fmt.Sprintf("3. Correct a cell and run the job again. In %s, cell %s: %s %s?", file, c.Example.Cell, terminal.Sentence(message), question)
	}
	p.Say(0, said)
	fmt.Fprintf(w, "     docketsync run %s\n   Only what changed is sent.\n", job)
}

// correctable returns the first cause whose hint names the value that was probably meant.
func correctable(causes []cause.Cause) (cause.Cause, bool) {
	n := slices.IndexFunc(causes, func(c cause.Cause) bool {
		_, hint := c.Said()
		return c.Example.Cell != "" && strings.HasPrefix(hint, "Did you mean ")
	})
	if n < 0 {
		return cause.Cause{}, false
	}
	return causes[n], true
}

// unpackSamples writes the sample firm's files that do not exist yet, so that what somebody changed in them stays.
func unpackSamples(dir string) error {
	return fs.WalkDir(samples.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if entry.IsDir() {
			return os.MkdirAll(path, 0o755)
		}
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		text, err := fs.ReadFile(samples.Files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	})
}
