package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

// A plan file is what somebody reads and approves before anything is sent. It is a text of JSON lines: a planHead, then one
// plannedLine for each record that would be sent, in order, and a planSeal over every byte before it. A file that was
// changed, or cut off, has no seal that fits it.

// planForm is the version of the form of plan files.
const planForm = 1

// planHead is the first line of a plan file: what the plan is of, and what it was made from.
type planHead struct {
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

// plannedLine is a record of a plan file.
type plannedLine struct {
	Seq int64 `json:"seq"`
	plannedRecord
	// Digest is that of the payload the mapping made, Known that of all the ledger knew of the record when it was planned.
	Digest string `json:"digest"`
	Known  string `json:"known,omitempty"`
}

// planSeal is the last line.
type planSeal struct {
	Seal string `json:"seal"` // SHA-256 of the lines above, hex
}

// line is a record as a plan file has it.
func (p *planWriter) line(run ledger.Run, record ledger.Record) ([]byte, plannedLine, error) {
	planned, err := p.planned(run, record)
	if err != nil {
		return nil, plannedLine{}, err
	}
	l := plannedLine{Seq: record.Seq, plannedRecord: planned, Digest: record.Digest}
	if len(record.Previous) > 0 || record.ServiceID != "" {
		sum := sha256.New()
		entries, err := encode(record.Entries)
		if err != nil {
			return nil, l, err
		}
		fmt.Fprintf(sum, "%s\n%s\n%s", record.Previous, record.ServiceID, entries)
		l.Known = hex.EncodeToString(sum.Sum(nil)[:16])
	}
	text, err := encode(l)
	return text, l, err
}

// writePlanFile writes the plan of a run to a new file and returns its seal.
func (p *planWriter) writePlanFile(ctx context.Context, path string, job importer.Job, s *report.Summary) (seal string, err error) {
	head, err := p.head(job, s)
	if err != nil {
		return "", err
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
	for record, err := range p.in.Book.Records(ctx, s.Run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
		if err != nil {
			return "", err
		}
		text, _, err := p.line(s.Run, record)
		if err != nil {
			return "", err
		}
		if err := sealed.write(text); err != nil {
			return "", err
		}
	}
	seal = hex.EncodeToString(sealed.sum.Sum(nil))
	return seal, errors.Join(sealed.line(planSeal{seal}), buffered.Flush(), f.Sync())
}

func (p *planWriter) head(job importer.Job, s *report.Summary) (planHead, error) {
	from, err := job.Ingredients()
	if err != nil {
		return planHead{}, err
	}
	service, err := p.in.Config.Service.Address()
	return planHead{
		Form: planForm, Job: job.Name, Operation: s.Run.Operation, Scope: s.Run.Scope, Service: service, Made: time.Now().UTC(),
		Version: readVersion().Version, From: from, Rows: s.Rows, Records: s.Records, ToBeSent: s.Count(outcome.Planned).Records, LedgerNote: ledgerNote,
	}, err
}

// sealer writes lines and sums them up.
type sealer struct {
	out io.Writer
	sum hash.Hash
}

func (s *sealer) line(v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	return s.write(text)
}

func (s *sealer) write(text []byte) error {
	_, err := io.MultiWriter(s.out, s.sum).Write(append(text, '\n'))
	return err
}

// planFile is an approved plan that is being read.
type planFile struct {
	path string
	file *os.File
	head planHead
	seal string
	in   *bufio.Reader
}

// openPlanFile reads a plan to its end to see that its seal fits, and begins again at its first record.
func openPlanFile(path string) (*planFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the plan cannot be opened: %w", err)
	}
	p := &planFile{path: path, file: f}
	if err := p.check(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

func (p *planFile) close() error { return p.file.Close() }

func (p *planFile) begin() error {
	_, err := p.file.Seek(0, io.SeekStart)
	p.in = bufio.NewReaderSize(p.file, 1<<16)
	return err
}

// check holds the file to its seal.
func (p *planFile) check() error {
	if err := p.begin(); err != nil {
		return err
	}
	broken := exit.As(exit.Usage, fmt.Errorf("%s is not a plan as docketsync wrote it: it was changed, or is cut off, so nothing was sent\n"+
		"Make a new one with: docketsync plan JOB --out FILE", p.path))
	sum := sha256.New()
	var last []byte
	for n := 0; ; n++ {
		line, err := p.in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil {
			return broken // a line without its end, too
		}
		if n == 0 && (json.Unmarshal(line, &p.head) != nil || p.head.Form == 0) {
			return broken
		}
		sum.Write(last)
		last = line
	}
	var seal planSeal
	if json.Unmarshal(last, &seal) != nil || seal.Seal == "" || seal.Seal != hex.EncodeToString(sum.Sum(nil)) {
		return broken
	}
	if p.head.Form != planForm {
		return exit.As(exit.Usage, fmt.Errorf("%s was written by another version of docketsync (form %d, this one knows %d)\nMake a new plan with this version", p.path, p.head.Form, planForm))
	}
	p.seal = seal.Seal
	return nil
}

// approvedLine is a record of a plan file, with the line as it stands there.
type approvedLine struct {
	plannedLine
	text []byte
}

// lines yields the records; the seal is left out.
func (p *planFile) lines(yield func(approvedLine, error) bool) {
	err := p.begin()
	for n := 0; err == nil; n++ {
		var text []byte
		if text, err = p.in.ReadBytes('\n'); err != nil {
			break
		}
		if n == 0 {
			continue // the head
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
		var l plannedLine
		if err = json.Unmarshal(text, &l); err != nil {
			break
		}
		if l.Seq == 0 || !yield(approvedLine{l, text}, nil) {
			return // the seal
		}
	}
	yield(approvedLine{}, fmt.Errorf("read the plan %s: %w", p.path, err))
}
