package planfile

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

// form is the version of the form of plan files.
const form = 1

// Head is the first line of a plan file: what the plan is of, and what it was made from.
type Head struct {
	Form       int                  `json:"docketsync_plan"`
	Job        string               `json:"job"`
	Operation  string               `json:"operation"`
	Scope      string               `json:"scope"`
	Service    string               `json:"service"`
	Made       time.Time            `json:"made"`
	Version    string               `json:"version"`
	From       importer.Ingredients `json:"from"`
	Rows       report.Rows          `json:"rows"`
	Records    report.Records       `json:"records"`
	ToBeSent   int                  `json:"to_be_sent"`
	LedgerNote string               `json:"ledger"`
}

// ledgerNote says in the file how it holds the ledger's state.
const ledgerNote = "what the ledger knows of each record is in its line: known is the digest of what the service last accepted"

// sealLine is the last line.
type sealLine struct {
	Seal string `json:"seal"` // SHA-256 of the lines above, hex
}

// Write writes the plan of a run to a new file and returns its seal. service is the address that the plan is for, version that of
// docketsync.
func Write(ctx context.Context, book *ledger.Reader, path string, job importer.Job, s *report.Summary, service, version string) (seal string, err error) {
	from, err := job.Ingredients()
	if err != nil {
		return "", err
	}
	head := Head{
		Form: form, Job: job.Name, Operation: s.Run.Operation, Scope: s.Run.Scope, Service: service, Made: time.Now().UTC(),
		Version: version, From: from, Rows: s.Rows, Records: s.Records, ToBeSent: s.Count(outcome.Planned).Records, LedgerNote: ledgerNote,
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("a plan is written to a new file only: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<16)
	sealed := &sealer{out: buffered, sum: sha256.New()}
	if err := sealed.line(head); err != nil {
		return "", err
	}
	for record, err := range book.Records(ctx, s.Run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
		if err != nil {
			return "", err
		}
		_, text, err := lineOf(s.Run, record)
		if err != nil {
			return "", err
		}
		if err := sealed.write(text); err != nil {
			return "", err
		}
	}
	seal = hex.EncodeToString(sealed.sum.Sum(nil))
	return seal, errors.Join(sealed.line(sealLine{seal}), buffered.Flush(), f.Sync())
}

// sealer writes lines and sums them up.
type sealer struct {
	out io.Writer
	sum hash.Hash
}

func (s *sealer) line(v any) error {
	text, err := Line(v)
	if err != nil {
		return err
	}
	return s.write(text)
}

func (s *sealer) write(text []byte) error {
	_, err := io.MultiWriter(s.out, s.sum).Write(append(text, '\n'))
	return err
}
