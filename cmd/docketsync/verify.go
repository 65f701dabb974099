package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/atomicfile"
	"docketsync/importer/certificate/signature"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
)

// verified is what the command found.
type verified struct {
	Fits        bool                 `json:"fits"`
	Certificate *verifiedCertificate `json:"certificate,omitempty"`
	Evidence    *verifiedEvidence    `json:"evidence,omitempty"`
}

// verifiedCertificate is the result for a certificate, its signature and its files.
type verifiedCertificate struct {
	Key      string              `json:"key,omitempty"` // the fingerprint of the key that signed
	Trusted  bool                `json:"trusted"`       // it is the key that was asked for
	Files    []string            `json:"files"`
	Problems []signature.Problem `json:"problems"`
}

// verifiedEvidence is the result for a ledger, or for an export of its evidence.
type verifiedEvidence struct {
	Of string `json:"of"`
	ledger.Verified
}

// verifyOptions says what to verify.
type verifyOptions struct {
	key, export        string
	anyKey, withLedger bool
}

func newVerify(a *app) *cobra.Command {
	o := verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Verify a signed certificate, and the ledger's evidence",
		Long: `verify FILE checks that a certificate is unchanged since it was signed: FILE is certificate.html, .xlsx, .json or .sig, and the
others are checked too. It needs no ledger, no configuration and no network. --key says whose signature is required: it names a file with
the public key, which the signer must have given you separately from the certificate. --any-key accepts any key.

With --ledger, the ledger of the configuration is also checked against its evidence: the chain of entries that records what was
planned, sent and decided. Each entry must follow the one before, the tables must hold what the entries say, and the entry that
the certificate names must be there unchanged. With --evidence, a file of 'docketsync ledger evidence' is verified instead of the
ledger; it has the entries alone. Without FILE, the ledger is verified by itself. Mismatches are listed, the earliest first.

Runs that began before the ledger kept evidence are counted, not verified. The ledger is verified as it is at one moment, so
runs may be in progress.

Exit status: 0 if everything matches; 1 if something does not, or cannot be read; 2 if the command line is wrong.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && o.key == "" && !o.anyKey:
				return exit.Mistakef("name the key that must have signed with --key FILE; --any-key accepts any, and then proves only that the files belong together")
			case o.key != "" && o.anyKey:
				return exit.Mistakef("use --key or --any-key, not both")
			case o.export != "" && o.withLedger:
				return exit.Mistakef("use --ledger or --evidence, not both")
			}
			return a.verify(cmd.Context(), args, o)
		},
	}
	cmd.Flags().StringVar(&o.key, "key", "", "`FILE` with the public key that must have signed")
	cmd.Flags().BoolVar(&o.anyKey, "any-key", false, "accept a signature by any key")
	cmd.Flags().BoolVar(&o.withLedger, "ledger", false, "verify the ledger too")
	cmd.Flags().StringVar(&o.export, "evidence", "", "verify exported evidence too, a `FILE` of 'docketsync ledger evidence'")
	return cmd
}

func (a *app) verify(ctx context.Context, args []string, o verifyOptions) (err error) {
	v := verified{Fits: true}
	var head chain.Head
	if len(args) == 1 {
		if head, err = v.certificate(args[0], o.key); err != nil {
			return err
		}
	}
	switch {
	case o.export != "":
		err = v.export(o.export, head)
	case o.withLedger || len(args) == 0:
		err = a.verifyLedger(ctx, &v, head)
	}
	if err != nil {
		return err
	}
	if v.Evidence != nil && len(v.Evidence.Misfits) > 0 {
		v.Fits = false
	}
	if err := a.Result("verify/1", v, v.print); err != nil || v.Fits {
		return err
	}
	return exit.With(exit.CouldNotRun, nil)
}

// verifyLedger compares the configured ledger with its evidence.
func (a *app) verifyLedger(ctx context.Context, v *verified, head chain.Head) (err error) {
	in, err := a.View(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = in.End(err) }()
	found, err := in.Book.Verify(ctx, head)
	if err == nil {
		v.Evidence = &verifiedEvidence{in.Config.Ledger.String(), *found}
	}
	return err
}

// certificate verifies the files of a certificate, and returns the head of the evidence that it names.
func (v *verified) certificate(path, keyFile string) (head chain.Head, err error) {
	var key ed25519.PublicKey
	if keyFile != "" {
		text, err := os.ReadFile(keyFile)
		if err == nil {
			key, err = signature.PublicKey(text)
		}
		if err != nil {
			return head, exit.As(exit.Usage, fmt.Errorf("read the key %s: %w", keyFile, err))
		}
	}
	s, problems, err := signature.Verify(path, key)
	if err != nil {
		return head, err
	}
	v.Certificate = &verifiedCertificate{Trusted: key != nil && len(problems) == 0, Files: []string{}, Problems: append([]signature.Problem{}, problems...)}
	if s != nil {
		v.Certificate.Key = s.Key
		for _, f := range s.Files {
			v.Certificate.Files = append(v.Certificate.Files, f.Name)
		}
	}
	if v.Fits = len(problems) == 0; v.Fits {
		head, err = s.Evidence.Head()
	}
	return head, err
}

// export verifies an export of the evidence.
func (v *verified) export(path string, head chain.Head) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	checked, err := chain.Check(chain.Import(file), head)
	if err != nil {
		return fmt.Errorf("read the evidence in %s: %w", path, err)
	}
	v.Evidence = &verifiedEvidence{path, ledger.Verified{Entries: checked.Entries, Misfits: []ledger.Misfit{}}}
	for _, b := range checked.Breaks {
		m := ledger.Misfit{Entry: b.Number, Of: "evidence", What: b.What}
		if b.Run != chain.Ledger {
			m.Run = fmt.Sprint("run ", b.Run)
		}
		v.Evidence.Misfits = append(v.Evidence.Misfits, m)
	}
	return nil
}

// shownMisfits is how many misfits are printed; with --json all are.
const shownMisfits = 20

func (v verified) print(w io.Writer) {
	if c := v.Certificate; c != nil {
		switch {
		case len(c.Problems) > 0:
			fmt.Fprintln(w, "Verification failed: the certificate was changed, or signed with another key.")
		case c.Trusted:
			fmt.Fprintf(w, "Verified: the certificate is unchanged since it was signed with the key %s.\n", c.Key)
		default:
			fmt.Fprintf(w, "The files are unchanged since they were signed with the key %s. Whose key that is was not verified.\n", c.Key)
		}
		for _, p := range c.Problems {
			fmt.Fprintf(w, "  %s: %s\n", p.File, p.What)
		}
	}
	e := v.Evidence
	if e == nil {
		return
	}
	if len(e.Misfits) == 0 {
		fmt.Fprintf(w, "Verified: %s matches its evidence, %s.\n", e.Of, wording.Counted(e.Entries, "entry", "entries"))
	} else {
		fmt.Fprintf(w, "Verification failed: %s does not match its evidence. The earliest mismatch comes first:\n", e.Of)
	}
	for n, m := range e.Misfits {
		if n == shownMisfits {
			fmt.Fprintf(w, "  and %d more; --json lists all\n", len(e.Misfits)-n)
			break
		}
		fmt.Fprintf(w, "  %s\n", misfitLine(m))
	}
	if e.Before > 0 {
		fmt.Fprintf(w, "  The evidence begins on %s; %s began before that and %s not verified.\n", moment.Day(e.Since),
			wording.Counted(e.Before, "run"), wording.Plural(e.Before, "is", "are"))
	}
}

// misfitLine says where something does not match, and what.
func misfitLine(m ledger.Misfit) string {
	where := cmp.Or(m.Run, "the ledger")
	if m.Entry > 0 {
		where += fmt.Sprintf(", entry %d", m.Entry)
	}
	if m.Kind != "" {
		where += fmt.Sprintf(" (%s, %s)", m.Kind, m.At.Format(time.RFC3339))
	}
	return fmt.Sprintf("%s: %s: %s", where, m.Of, m.What)
}

func newLedgerEvidence(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "evidence",
		Short: "Export the entries of the ledger's evidence",
		Long: `evidence prints the chain of entries that records what was planned, sent and decided, as JSON lines. Keep a copy where nobody who can
write to the ledger can change it. 'docketsync verify --evidence FILE' follows the chain in it, without the ledger. There are no
names and no texts in it, only numbers, states, times and hashes.`,
		Args: args(cobra.NoArgs),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, _ []string) error {
			for e, err := range in.Book.Evidence(ctx) {
				if err == nil {
					err = chain.Export(a.Out, &e)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func newSigningKey(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "new-key FILE",
		Short: "Make a key pair to sign certificates with",
		Long: `new-key writes an Ed25519 key to FILE, which only its owner can read, and the public key to FILE.pub. Set it as
certificate.private_key in the configuration. Give FILE.pub, or its fingerprint, to those who will verify your certificates,
separately from any certificate. An existing file is never overwritten.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			private, public, err := signature.NewKey()
			if err != nil {
				return err
			}
			for path, content := range map[string][]byte{args[0]: private, args[0] + ".pub": public} {
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					return fmt.Errorf("%s already exists; name another file", path)
				}
				mode := os.FileMode(0o600)
				if path != args[0] {
					mode = 0o644
				}
				if err := atomicfile.Put(path, mode, content); err != nil {
					return err
				}
			}
			key, err := signature.PublicKey(public)
			if err != nil {
				return err
			}
			made := newKey{args[0], args[0] + ".pub", signature.Fingerprint(key)}
			return a.Result("certificate-new-key/1", made, func(w io.Writer) {
				fmt.Fprintf(w, "%s is the private key. Keep it secret, and back it up.\n%s is the public key, with the fingerprint %s.\n", made.Private, made.Public, made.Fingerprint)
				fmt.Fprintf(w, "In the configuration:\n\n  certificate:\n    private_key: {file: %s}\n", made.Private)
			})
		},
	}
}

// newKey is what the command prints of a key that it has made.
type newKey struct {
	Private     string `json:"private"`
	Public      string `json:"public"`
	Fingerprint string `json:"fingerprint"`
}
