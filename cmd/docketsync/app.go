package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/config/document"
	"docketsync/importer/source"
)

// app is what all commands share: where output goes, the environment, and the global flags.
type app struct {
	stdout, stderr io.Writer
	env            func(string) (string, bool)

	configFile string
	rehearse   bool
	json       bool
	quiet      bool
	noColor    bool
	verbose    bool
}

// defaultConfig is the configuration that is read when none is named.
const defaultConfig = "docketsync.yaml"

// result writes a command's result: v as JSON when that was asked for, otherwise what text writes.
func (a *app) result(v any, text func(io.Writer)) error {
	if !a.json {
		text(a.stdout)
		return nil
	}
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// line writes one of many results: v as a line of JSON when that was asked for, otherwise what text writes.
func (a *app) line(v any, text func(io.Writer)) error {
	if !a.json {
		text(a.stdout)
		return nil
	}
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// usage makes an error of the command line's.
func usage(format string, args ...any) error {
	return exitStatus{exitUsage, fmt.Errorf(format, args...)}
}

// args checks the number of arguments, and answers a mistake with the exit status for usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage("%v\nUsage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// classify is the exit status that stands for an error which carries none.
func classify(err error) int {
	var faults document.Faults
	if errors.As(err, &faults) || strings.HasPrefix(err.Error(), "unknown command") {
		return exitUsage
	}
	return exitCouldNotRun
}

// explain is an error in words for a person: what, where and what to do next.
func explain(err error) string {
	var unreadable *source.Error
	if errors.As(err, &unreadable) && unreadable.Hint != "" && !strings.Contains(err.Error(), unreadable.Hint) {
		return err.Error() + "\n" + unreadable.Hint
	}
	return err.Error()
}
