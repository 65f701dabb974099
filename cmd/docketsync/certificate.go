package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"docketsync/apiclient"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/certificate"
	"docketsync/importer/certificate/signature"
	"docketsync/importer/report/wording"
)

// sampleSize is how many records of each operation are drawn unless the command line says otherwise.
const sampleSize = 12

func newCertificate(a *app) *cobra.Command {
	var out string
	options := certificate.Options{}
	cmd := &cobra.Command{
		Use:   "certificate RUN...",
		Short: "Create a sign-off certificate for a migration",
		Long: `certificate writes certificate.html, certificate.xlsx and certificate.json for past runs: the account of rows and records, what was
not imported and why, counts by client, office, status and class, control totals of source and service, and a sample to compare by
hand, with space for ticks and signatures. RUN is the name of a run, such as matters-12, its number, or the beginning of its
id, as 'docketsync runs' lists them. Name all runs of a migration, including those of corrected rejects: each record counts
once, by its last outcome.

The certificate names the entry of the ledger's evidence that stands for these runs. If certificate.private_key is set, the files are
signed, in certificate.sig; 'docketsync certificate new-key' makes a key, 'docketsync verify' verifies.

It reads only the ledger and sends nothing. The same ledger, runs, seed and sample size give the same files. With --json the
certificate is printed to standard output, and files are written only if --out is given.

Exit status: 0 if everything is in as the source has it; 3 if records were rejected, failed or never sent, if the source has
changed since, or if records were pruned from the ledger; 4 if some are in doubt; 1 if the counts do not add up or a file
cannot be written; 2 if a run cannot be certified: it is unknown, has not ended, was a plan or a check, or went to a service
other than the configured one.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Size < 0 {
				return exit.Mistakef("--sample is a number of records, 0 for none")
			}
			return a.viewed(func(ctx context.Context, in *installation.Installation, runs []string) error {
				return a.certify(ctx, in, runs, options, out)
			})(cmd, args)
		},
	}
	cmd.AddCommand(newSigningKey(a))
	cmd.Flags().StringVarP(&out, "out", "o", "", "output `FOLDER` (default: certificate-… beside the reports)")
	cmd.Flags().Int64Var(&options.Seed, "seed", 1, "the seed `NUMBER` of the sample")
	cmd.Flags().IntVar(&options.Size, "sample", sampleSize, "sample size per operation, 0 for none")
	return cmd
}

func (a *app) certify(ctx context.Context, in *installation.Installation, runs []string, options certificate.Options, out string) (err error) {
	if err := in.AboutService(ctx); err != nil {
		return err
	}
	options.Firm = in.Config.Notify.Firm
	if err := in.Config.Missing(config.OfCertificate); err != nil {
		return err
	}
	key, command := in.Config.Certificate.PrivateKey.Reveal(), in.Config.Certificate.Command
	if len(command) > 0 {
		if key, err = apiclient.Printed(ctx, in.Config.Dir(), command); err != nil {
			return fmt.Errorf("the signing key cannot be had: %w", err)
		}
	}
	if key != "" || len(command) > 0 {
		if options.Key, err = signature.PrivateKey(key); err != nil {
			return exit.As(exit.Usage, err)
		}
	}
	cert, err := certificate.Build(ctx, in.Book.Reader, runs, options)
	if _, ok := errors.AsType[*certificate.RunError](err); ok {
		return exit.As(exit.Usage, err)
	}
	if err != nil {
		return err
	}
	var files certificate.Files
	if out != "" || !a.JSON {
		if files, err = cert.Write(cmp.Or(out, filepath.Join(in.Config.Reports, cert.Folder())), options.Key); err != nil {
			return err
		}
	}
	if a.JSON {
		err = cert.WriteJSON(a.Out)
	} else {
		a.printCertificate(a.Out, cert, files)
	}
	if err != nil {
		return err
	}
	return exit.With(certified(cert), nil)
}

// certified returns the exit status for a certificate.
func certified(cert *certificate.Certificate) int {
	switch {
	case !cert.AddsUp:
		return exit.CouldNotRun
	case cert.Overall.InDoubt+cert.StillInDoubt > 0:
		return exit.InDoubt
	case !cert.Complete:
		return exit.Rejects
	}
	return exit.AllIn
}

func (a *app) printCertificate(w io.Writer, cert *certificate.Certificate, files certificate.Files) {
	o := cert.Overall
	fmt.Fprintln(w, a.Strong(w, cert.Verdict))
	fmt.Fprintf(w, "  rows: %d read = %d in records + %d skipped\n", o.Read, o.InRecords, o.Read-o.InRecords)
	fmt.Fprintf(w, "  records of %s: %d = %d + %d counted in a later run + %d corrected under another key + %d pruned\n", wording.Counted(len(cert.Runs), "run"), o.Planned, o.Records, o.Superseded, o.Corrected, o.Removed)
	fmt.Fprintf(w, "  records: %d = %d imported (%d created, %d updated, %d already up to date) + %d not imported (%d rejected, %d failed, %d in doubt, %d never sent)\n",
		o.Records, o.In, o.Created, o.Updated, o.Already, o.NotIn, o.Rejected+o.Refused, o.Failed, o.InDoubt, o.Held)
	for _, list := range [][]string{cert.Discrepancies, cert.Reservations} {
		for _, text := range list {
			fmt.Fprintf(w, "  %s\n", text)
		}
	}
	fmt.Fprintf(w, "  to sign: %s\n  as a workbook: %s\n", files.HTML, files.XLSX)
	if files.Signature != "" {
		fmt.Fprintf(w, "  signed: %s, with the key %s\n", files.Signature, cert.SignedWith)
	}
}
