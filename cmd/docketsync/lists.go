package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/moment"
	"docketsync/importer/referencelist"
)

// shownList is what the command says about a list.
type shownList struct {
	Name    string     `json:"list"`
	Path    string     `json:"path"`
	Items   int        `json:"items"`
	Fetched *time.Time `json:"fetched,omitempty"`
	Age     string     `json:"age,omitempty"`
	MaxAge  string     `json:"max_age"`
	Missing string     `json:"missing,omitempty"` // why there is none at hand
}

func newLists(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lists",
		Short: "Show the lists fetched from the service, and refresh them",
		Long: `lists shows the lists configured under service.lists, with the number of items and the age of each. Lookups can take names and
ids from them (lookups: {clients: {service: companies}}). run and plan fetch the lists they need; check uses the lists as last
fetched and needs no network.

  docketsync lists refresh            fetch all lists now
  docketsync lists refresh companies  fetch one`,
		Args: args(cobra.NoArgs),
		RunE: a.opened(a.showLists),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "refresh [LIST…]",
		Short: "Fetch lists from the service now",
		RunE:  a.opened(a.refreshLists),
	})
	return cmd
}

// refreshLists fetches lists one after the other. What was fetched before a failure stays fetched.
func (a *app) refreshLists(ctx context.Context, in *installation.Installation, names []string) error {
	names, err := installation.ChooseLists(in.Config.Service, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := in.Lists().Fetch(ctx, installation.ListSpec(name, in.Config.Service.Lists.Named[name])); err != nil {
			return err
		}
	}
	return a.showLists(ctx, in, names)
}

func (a *app) showLists(_ context.Context, in *installation.Installation, names []string) error {
	names, err := installation.ChooseLists(in.Config.Service, names)
	if err != nil {
		return err
	}
	shown := make([]shownList, 0, len(names))
	for _, name := range names {
		settings := in.Config.Service.Lists.Named[name]
		s := shownList{Name: name, Path: settings.Path, MaxAge: settings.MaxAge.String()}
		list, err := in.Lists().Cached(installation.ListSpec(name, settings))
		var missing *referencelist.MissingError
		switch {
		case errors.As(err, &missing):
			s.Missing = missing.Why
		case err != nil:
			return err
		default:
			s.Items, s.Fetched, s.Age = len(list.Items), &list.Fetched, list.Age(time.Now())
		}
		shown = append(shown, s)
	}
	return a.Result("lists/1", map[string]any{"lists": shown}, func(w io.Writer) { a.printLists(w, shown) })
}

func (a *app) printLists(w io.Writer, shown []shownList) {
	t := a.Table(w)
	t.AppendHeader(table.Row{"list", "path", "items", "fetched", "age"})
	missing := false
	for _, s := range shown {
		if s.Missing != "" {
			missing = true
			t.AppendRow(table.Row{s.Name, s.Path, "", s.Missing, ""})
			continue
		}
		t.AppendRow(table.Row{s.Name, s.Path, s.Items, moment.Of(*s.Fetched), s.Age})
	}
	t.Render()
	if missing {
		fmt.Fprintln(w, "\nFetch what is missing with: docketsync lists refresh")
	}
}
