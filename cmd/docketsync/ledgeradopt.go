package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer"
	"docketsync/importer/inquiry"
	"docketsync/importer/report/wording"
)

func newLedgerAdopt(a *app) *cobra.Command {
	var partly bool
	cmd := &cobra.Command{
		Use:   "adopt JOB",
		Short: "Take over ids from the service's lists after a ledger was lost",
		Long: `adopt plans a job that creates cases or folders, reads the service's list of them (service.lists: cases, folders) twice, and
stores in the ledger the ids of those records that are certainly there: exactly one item has the number or name and agrees in
everything else that the list shows. From then on they count as created and are never created again. Nothing is sent.

An item that is spelled differently, or that agrees only in part, is not certain. As long as there are such items, nothing is taken
over and 'docketsync run' still refuses: correct the record in the service or in the source, or leave it out (rows: skip in the
mapping). With --partly, the certain ones are taken over and the next run creates the others, unless the list has exactly the
number or name of one of the others.

Apart from the ids, docketsync does not know what the service holds, so an update_case job sends everything once.

If there is a backup of the ledger, restore it instead: it knows more than the lists do.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, names []string) error {
			done, err := a.adopt(ctx, in, names, partly)
			if err != nil {
				return err
			}
			if err := audited(ctx, in, "adopt", names[0], wording.Counted(len(done.Taken), "record")+" from the list "+done.List); err != nil {
				return err
			}
			return a.Result("ledger-adopt/1", done, func(w io.Writer) { printAdoption(w, done) })
		}),
	}
	cmd.Flags().BoolVar(&partly, "partly", false, "take over what is certain even if other records are not; the next run creates those")
	return cmd
}

func (a *app) adopt(ctx context.Context, in *installation.Installation, names []string, partly bool) (done importer.Adoption, err error) {
	jobs, err := in.Jobs(names, "")
	if err != nil {
		return done, err
	}
	list, _ := inquiry.ListOf(jobs[0].Mapping.Operation())
	if _, has := in.Config.Service.Lists.Named[list]; !has {
		return done, exit.Mistakef("the configuration has no list of what %s creates\nWrite service.lists: {%s: {path: …}} with the path that the service's operator names; "+
			"of updates nothing can be taken over", jobs[0].Mapping.Operation(), cmp.Or(list, "cases"))
	}
	if err := in.MakeReady(ctx, jobs); err != nil {
		return done, err
	}
	if err := in.FetchSources(ctx, jobs[0]); err != nil {
		return done, err
	}
	return in.Importer(func(importer.Progress) {}).Adopt(ctx, jobs[0], partly)
}

func printAdoption(w io.Writer, done importer.Adoption) {
	for _, left := range done.Left {
		fmt.Fprintf(w, "%s  left: %s\n", left.Key, left.Why)
	}
	fmt.Fprintf(w, "%s taken over from the list %s; %s uncertain; %s not in the list. Nothing was sent.\n", wording.Counted(len(done.Taken), "record was", "records were"),
		done.List, wording.Counted(len(done.Left), "is", "are"), wording.Counted(done.New, "is", "are"))
}

func newAcceptService(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "accept-service",
		Short: "Confirm that the service has moved, or its account has a new key",
		Long: `accept-service binds the ledger to the service at service.base_url in the configuration, instead of its previous address.

Use it when the same service has a new address: a new host name, another port or another base path; and when the same account has a
new subscription key or another user in service.sign_in. Everything the ledger knows is kept and applies to the new address. Do not use it
for a different service or account: docketsync would never send there what the ledger says was already sent. Give each its own ledger
(ledger: in the configuration). If keys are renewed every few months, give the account a name: service.account.

If one process serves many firms (firms: in the configuration), each ledger belongs to the firm that used it first. After you rename a firm's
folder, accept-service lets the firm use its ledger again.

A ledger of a rehearsal cannot become the ledger of a live service, or the reverse.`,
		Args:   args(cobra.NoArgs),
		PreRun: func(*cobra.Command, []string) { a.AnyFirm = true },
		RunE:   a.opened(a.acceptService),
	}
}

func (a *app) acceptService(ctx context.Context, in *installation.Installation, _ []string) error {
	name, known, err := in.Services(ctx)
	if err != nil {
		return err
	}
	if known != "" && (wording.Rehearsal(name) == "") != (wording.Rehearsal(known) == "") {
		return exit.Mistakef("the ledger %s belongs to %s, and the configuration names %s: one of them is a rehearsal\n"+
			"Nothing was changed. Give each its own ledger (ledger: in the configuration)", in.Config.Ledger, known, name)
	}
	if err := in.Book.BelongToAny(ctx); err != nil {
		return err
	}
	account, err := in.OtherAccount(ctx)
	if err != nil {
		return err
	}
	if known != name || account != "" {
		before := strings.TrimSuffix("before: "+known+"; "+account, "; ")
		if err := errors.Join(in.Book.SetService(ctx, name), in.SetAccount(ctx), audited(ctx, in, "accept_service", name, before)); err != nil {
			return err
		}
	}
	return a.Result("ledger-accept-service/1", map[string]any{"service": name, "before": known}, func(w io.Writer) {
		fmt.Fprintf(w, "%s now belongs to %s (before: %s).\n", in.Config.Ledger, name, cmp.Or(known, "none yet"))
		if account != "" {
			fmt.Fprintf(w, "The account was confirmed: %s.\n", account)
		}
	})
}
