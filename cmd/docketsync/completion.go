package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

// runsCompleted is how many runs a shell offers, the newest first.
const runsCompleted = 30

// complete sets up shell completion for a command's arguments and flags, by the words in its usage: JOB, RUN, LIST,
// FILE, FOLDER, or words to choose from.
func (a *app) complete(cmd *cobra.Command) {
	words := strings.Fields(cmd.Use)[1:]
	if cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(words) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			word := words[min(len(args), len(words)-1)]
			if len(args) >= len(words) && !strings.ContainsAny(word, "….") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completions(cmd.Context(), strings.Trim(word, "[]….()"), args)
		}
	}
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Value.Type() == "bool" {
			return
		}
		word, _ := pflag.UnquoteUsage(flag)
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return a.completions(cmd.Context(), word, nil)
		}) // fails only for a flag that has a completion already
	})
	for _, sub := range cmd.Commands() {
		a.complete(sub)
	}
}

// completions returns what can stand for a word of a usage line, without what has been given already. If the
// configuration or the ledger cannot be read, there are none: the command will say why.
func (a *app) completions(ctx context.Context, word string, given []string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	quiet := a.Setup
	quiet.Screen = &terminal.Screen{Out: io.Discard, Err: io.Discard, Quiet: true}
	offer := func(value, description string) {
		if !slices.Contains(given, value) {
			list = append(list, cobra.CompletionWithDesc(value, description))
		}
	}
	switch {
	case word == "FILE":
		return nil, cobra.ShellCompDirectiveDefault
	case word == "FOLDER":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case word == "JOB":
		if settings, err := quiet.Settings(); err == nil {
			for _, job := range settings.Jobs {
				offer(job.Name, strings.Join(job.Source.Files, ", "))
			}
		}
	case word == "LIST":
		if settings, err := quiet.Settings(); err == nil {
			for _, name := range settings.Service.ListNames() {
				offer(name, settings.Service.Lists.Named[name].Path)
			}
		}
	case word == "RUN":
		in, err := quiet.View(ctx, false)
		if err != nil {
			break
		}
		defer in.Close()
		runs, _ := in.Book.Runs(ctx, ledger.RunFilter{Limit: runsCompleted})
		for _, run := range runs {
			offer(run.Name, string(run.Kind)+" of "+moment.Of(run.Started))
		}
	case strings.Contains(word, "|") && word != "|":
		for value := range strings.SplitSeq(word, "|") {
			offer(value, "")
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
