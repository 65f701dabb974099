// Package certificate creates the sign-off certificate of a migration: what was read, what of it the service accepted,
// what it did not, and a sample to compare by hand. A certificate covers several runs, since a migration takes several
// nights: cases, folders, updates, and rejects that were corrected and imported again.
//
// A certificate is a fold over the ledger. Making it changes nothing in the ledger and asks neither the service nor the
// clock. So it can be made again a year later: the same ledger, runs, seed and sample size give the same bytes. It does
// change when a doubt has been settled or a run pruned since, and when a record that these runs found unchanged has
// been updated since. What these runs sent never changes.
//
// # What counts
//
// A record is identified by operation, scope and key. It counts once, by its last outcome in the given runs: a record
// that was rejected on Monday and went in on Tuesday is in. Unchanged means that the service already held the record,
// so what an earlier one of the given runs did to it stands. A row that was corrected in a workbook of rejects replaces
// the record it was rejected in, even if the key was what had to be corrected: the workbook names that record.
//
// For every run: records = those that count + those that a later run took up + those that were corrected under another
// key + those that pruning removed. Removed records never count as in and are never passed over: the certificate names
// them and is incomplete. The numbers are counted from both ends (the records as they are read, and the ledger's own
// tally); any difference is reported at the top of the page.
//
// # Source and service
//
// What the source held is read from the cells that the ledger keeps with a record; the origins that a run keeps of its
// mapping say which cells a field was read from. What the service holds is the payload that it accepted. For a record
// that was unchanged all along, that is the payload that the ledger knows, if its digest is the digest of the row. The
// cells of unchanged rows, and the cells and payloads of pruned runs, are gone; so every figure states how many records
// it is about.
//
// # Hash totals
//
// Keys are sorted by their bytes. The total of keys is the SHA-256 of all keys, each followed by a line feed. The total
// of payloads is the SHA-256 of one line for each record that is in: its key, a tab, the digest of its payload, a line
// feed. The digest is the first 32 hexadecimal digits of the SHA-256 of the payload as mapped (payload as 'docketsync
// report RUN --json --all' prints it, without white space).
//
// # The sample
//
// For each operation the sample has the first and the last record of the source, the records with the nearest dates at
// or after the end of the last run, one record for each of the rarest clients, offices, states and classes, and others
// in the order of the SHA-256 of seed, operation and key, with a zero byte between them. So anyone with the list of
// keys can check that nobody picked the sample.
//
// # Memory
//
// A few hundred bytes are held for each record (its key, digest and outcome), beside what is shown; payloads and cells
// are not kept. 100,000 marks take 5 to 7 seconds and at most 95 MB of heap, garbage included (BenchmarkCertificate);
// ten times as many take ten times that.
package certificate

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/certificate/signature"
	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/wording"
)

// Options say how the sample is drawn and whose migration it is. Size is the sample size for each operation; 0 means no
// sample. If Firm is empty, the page leaves room to fill it in.
type Options struct {
	Firm string
	Seed int64
	Size int
	// Key will sign the files; nil if nothing is signed.
	Key ed25519.PrivateKey
}

// Build makes the certificate of some runs, given by their ids or unique prefixes. It reads the ledger twice from
// beginning to end and changes nothing. A run that cannot be certified is a *RunError; the errors of several runs are
// joined.
func Build(ctx context.Context, led *ledger.Reader, ids []string, o Options) (*Certificate, error) {
	runs, err := chooseRuns(ctx, led, ids)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, errors.New("make a certificate: no run was named")
	}
	c, err := takeCensus(ctx, led, runs)
	if err != nil {
		return nil, err
	}
	cert := &Certificate{Form: form, Firm: o.Firm, From: runs[0].Started.UTC(), Seed: o.Seed, SampleSize: o.Size}
	for _, run := range runs {
		if end := run.Ended.UTC(); end.After(cert.Until) {
			cert.Until = end
		}
	}
	if cert.Service, err = led.Service(ctx); err != nil {
		return nil, err
	}
	cert.Rehearsal = wording.Rehearsal(cert.Service)
	cert.Discrepancies = c.account()
	cert.Runs = c.counts
	cert.Operations, cert.Overall = c.accounts()
	if cert.StillInDoubt, err = c.stillInDoubt(ctx, led); err != nil {
		return nil, err
	}
	if err := errors.Join(cert.fill(ctx, led, c, o), cert.vouch(ctx, led, o.Key)); err != nil {
		return nil, err
	}
	cert.judge(c.words())
	return cert, nil
}

// vouch adds the evidence of the runs and the fingerprint of the key that the certificate is signed with.
func (cert *Certificate) vouch(ctx context.Context, led *ledger.Reader, key ed25519.PrivateKey) error {
	if key != nil {
		cert.SignedWith = signature.Fingerprint(key.Public().(ed25519.PublicKey))
	}
	var ids []string
	for _, r := range cert.Runs {
		ids = append(ids, r.ID)
	}
	head, err := led.EvidenceHead(ctx, ids)
	if err == nil && head.Number > 0 {
		cert.Evidence = &signature.Evidence{Entry: head.Number, Hash: hex.EncodeToString(head.Hash)}
	}
	return err
}

// RunError says why a run cannot be certified, and what to do.
type RunError struct {
	Run  string
	What string
	Hint string
}

func (e *RunError) Error() string { return "run " + e.Run + " " + e.What }

// Advice says what to do.
func (e *RunError) Advice() string { return e.Hint }

// chooseRuns finds the runs by their ids or prefixes, each once, in the order in which they started. It reports the
// faults of all of them at once.
func chooseRuns(ctx context.Context, led *ledger.Reader, ids []string) ([]ledger.Run, error) {
	var runs []ledger.Run
	var faults []error
	for _, id := range ids {
		run, err := led.Run(ctx, id)
		switch {
		case errors.Is(err, ledger.ErrNotFound):
			err = &RunError{id, "is not in this ledger", "List the runs with 'docketsync runs'. Each firm and service has its own ledger."}
		case err != nil:
		case run.Kind != ledger.Push:
			err = &RunError{run.ID, fmt.Sprintf("is a %s: it sent nothing, so there is nothing to sign off", run.Kind), "Name runs that 'docketsync runs' lists without --all."}
		case run.Phase == ledger.Stopped && run.Fingerprint == "":
			err = &RunError{run.ID, "ended before its plan was complete and sent nothing: " + strings.TrimRight(run.Stop, ". "), "Leave it out."}
		case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
			err = &RunError{run.ID, fmt.Sprintf("has not ended (it is %s)", run.Phase), fmt.Sprintf("Wait until it ends, or resume an interrupted run with 'docketsync run %s'.", run.Job)}
		}
		if err != nil {
			faults = append(faults, err)
		} else if !slices.ContainsFunc(runs, func(r ledger.Run) bool { return r.ID == run.ID }) {
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b ledger.Run) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	return runs, errors.Join(faults...)
}

// section gathers the figures of one operation.
type section struct {
	controls   *controls
	dimensions []*dimension
	chooser    *chooser
	causes     cause.Grouping // of the records that are not in
}

func (cert *Certificate) newSection(operation string, runs []ledger.Run, o Options) *section {
	s := &section{dimensions: newDimensions(operation, runs), controls: &controls{fields: map[string]*control{}, places: map[string]int{}},
		chooser: &chooser{operation: operation, seed: o.Seed, size: o.Size, after: cert.Until.Format("2006-01-02T00:00:00Z"), dates: map[string]bool{}}}
	for _, run := range runs {
		if run.Operation == operation {
			s.controls.learn(run)
		}
	}
	for _, t := range payload.Fields(payload.Operation(operation), payload.Switches{}) {
		s.chooser.dates[t.Name] = t.Type == payload.TypeDate
	}
	for field, control := range s.controls.fields {
		s.chooser.dates[field] = s.chooser.dates[field] || control.Type == typeDate
	}
	return s
}

// fill goes through the records that count and fills in everything the certificate says about them.
func (cert *Certificate) fill(ctx context.Context, led *ledger.Reader, c *census, o Options) error {
	sections := map[string]*section{}
	for _, op := range cert.Operations {
		sections[op.Operation] = cert.newSection(op.Operation, c.runs, o)
	}
	cert.NotIn = notIn{Causes: []Cause{}, List: []Item{}}
	err := c.feed(ctx, led, func(f *fed) {
		s := sections[f.entity.operation]
		s.controls.add(f)
		for _, d := range s.dimensions {
			d.add(f)
		}
		s.chooser.add(f)
		if !f.in() {
			cert.NotIn.add(&s.causes, c.runs, f)
		}
	})
	if err != nil {
		return err
	}
	cert.Sample = []Sample{}
	for n := range cert.Operations {
		op, s := &cert.Operations[n], sections[cert.Operations[n].Operation]
		op.Hashes, op.Compared = c.hashes(op.Operation), s.controls.compared
		op.Controls, op.Unmapped = []Control{}, append([]Unmapped{}, s.controls.unmapped...)
		for _, field := range s.controls.order {
			op.Controls = append(op.Controls, s.controls.fields[field].close())
		}
		cert.NotIn.close(op.Operation, &s.causes)
		op.Breakdown = []Dimension{}
		for _, d := range s.dimensions {
			if d.used {
				op.Breakdown = append(op.Breakdown, d.close())
			}
		}
		for _, pick := range s.chooser.choose(op.Breakdown) {
			sample, err := c.sample(ctx, led, pick, op.Controls)
			if err != nil {
				return err
			}
			cert.Sample = append(cert.Sample, sample)
		}
	}
	return nil
}
