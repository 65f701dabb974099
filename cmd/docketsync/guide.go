package main

import (
	"fmt"
	"html/template"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"docketsync/cmd/docketsync/guide"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config/diagnostic"
	"docketsync/importer/console/manual"
)

// newGuide returns the command that lists the guide or writes it to a folder.
func newGuide(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "guide [FOLDER]",
		Short: "List the topics of the guide, or write it to a folder",
		Long: `guide lists the topics of the guide; 'docketsync help TOPIC' shows one, and the console shows them under Guide. With a FOLDER it
writes the whole guide there, as a static site or, together with all commands, as man pages.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, folder []string) error {
			if len(folder) == 0 {
				for _, topic := range guide.Topics() {
					fmt.Fprintf(a.Out, "%-15s %s\n", topic.Name, topic.Title)
				}
				fmt.Fprintln(a.Out, "\nRead one with: docketsync help TOPIC")
				return nil
			}
			n, err := writeGuide(cmd.Root(), format, folder[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%d files written to %s\n", n, folder[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "html", "`FORMAT` of the files: html or man")
	return cmd
}

// writeGuide writes the guide to a folder, which it creates if needed, and returns how many files it wrote. The man
// pages include those of the commands.
func writeGuide(root *cobra.Command, format, folder string) (int, error) {
	if format != "html" && format != "man" {
		return 0, exit.Mistakef("unknown format %q; use html or man", format)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	if format == "html" {
		return guide.WriteHTML(folder)
	}
	if _, err := guide.WriteMan(folder); err != nil {
		return 0, err
	}
	root.DisableAutoGenTag = true // the same program writes the same pages on any day
	header := &doc.GenManHeader{Title: "DOCKETSYNC", Section: "1", Manual: "docketsync", Source: "docketsync"}
	if err := doc.GenManTree(root, header, folder); err != nil {
		return 0, err
	}
	files, err := os.ReadDir(folder)
	return len(files), err
}

// topics returns the pages of the guide as help topics, which are commands that do nothing.
func topics() []*cobra.Command {
	var list []*cobra.Command
	for _, topic := range guide.Topics() {
		page := &cobra.Command{Use: topic.Name, Short: topic.Title}
		page.SetHelpFunc(func(_ *cobra.Command, args []string) {
			page.Long = topic.Terminal()
			page.Parent().HelpFunc()(page, args)
		})
		list = append(list, page)
	}
	return list
}

// helpTopic refuses to help with something that is neither a command nor a topic.
func helpTopic(help *cobra.Command, words []string) error {
	if _, _, err := help.Root().Find(words); err == nil {
		return nil
	}
	var known []string
	for _, cmd := range help.Root().Commands() {
		known = append(known, cmd.Name())
	}
	advice := "'docketsync help' lists the commands and the topics"
	if near := diagnostic.Nearest(words[0], known); near != "" {
		advice = fmt.Sprintf("did you mean %q?", near)
	}
	return exit.Mistakef("there is no command and no topic %q; %s", words[0], advice)
}

// guidePages returns the pages of the guide for the console.
func guidePages() ([]manual.Topic, error) {
	var pages []manual.Topic
	for _, topic := range guide.Topics() {
		body, err := topic.HTML()
		if err != nil {
			return nil, err
		}
		pages = append(pages, manual.Topic{Name: topic.Name, Title: topic.Title, Body: template.HTML(body)})
	}
	return pages, nil
}
