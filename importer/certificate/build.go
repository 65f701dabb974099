package certificate

import (
	"context"
	"fmt"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// Options say how the sample is drawn. Size is for each operation; 0 for none.
type Options struct {
	Seed int64
	Size int
}

// Build makes the certificate of some runs, given by their ids or unique beginnings of them. It reads the ledger twice from
// beginning to end and changes nothing. A run that cannot be certified is a *RunError; several are told of at once.
func Build(ctx context.Context, led *ledger.Reader, ids []string, o Options) (*Certificate, error) {
	runs, err := chooseRuns(ctx, led, ids)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("make a certificate: no run was named")
	}
	c, err := takeCensus(ctx, led, runs)
	if err != nil {
		return nil, err
	}
	cert := &Certificate{Form: form, From: runs[0].Started.UTC(), Until: lastEnd(runs), Seed: o.Seed, SampleSize: o.Size}
	if cert.Service, err = led.Service(ctx); err != nil {
		return nil, err
	}
	cert.Rehearsal = wording.Rehearsal(cert.Service)
	cert.Discrepancies = c.account()
	cert.Runs = c.counts
	cert.Operations, cert.Overall = c.accounts()
	if err := cert.fill(ctx, led, c, o); err != nil {
		return nil, err
	}
	cert.judge(c.words())
	return cert, nil
}

// lastEnd is when the last of the runs ended.
func lastEnd(runs []ledger.Run) (end time.Time) {
	for _, run := range runs {
		if run.Ended.After(end) {
			end = run.Ended
		}
	}
	return end.UTC()
}

// section gathers what is said of one operation.
type section struct {
	controls   *controls
	dimensions []*dimension
	chooser    *chooser
}

func (cert *Certificate) newSection(operation string, runs []ledger.Run, o Options) *section {
	s := &section{controls: newControls(), dimensions: newDimensions(operation, runs)}
	for _, run := range runs {
		if run.Operation == operation {
			s.controls.learn(run)
		}
	}
	s.chooser = &chooser{operation: operation, seed: o.Seed, size: o.Size, after: cert.Until.Format("2006-01-02T00:00:00Z"), dates: map[string]bool{}}
	for _, t := range payload.Fields(payload.Operation(operation), payload.Switches{}) {
		if t.Type == payload.TypeDate {
			s.chooser.dates[t.Name] = true
		}
	}
	for path, f := range s.controls.fields {
		if f.Type == typeDate {
			s.chooser.dates[path] = true
		}
	}
	return s
}

// fill goes through the records that count and makes everything that is told about them.
func (cert *Certificate) fill(ctx context.Context, led *ledger.Reader, c *census, o Options) error {
	sections := map[string]*section{}
	for _, op := range cert.Operations {
		sections[op.Operation] = cert.newSection(op.Operation, c.runs, o)
	}
	missing := newAbsence(c.runs)
	err := c.feed(ctx, led, func(f *fed) error {
		s, run := sections[f.entity.operation], &c.runs[f.run]
		s.controls.add(run, f)
		for _, d := range s.dimensions {
			d.add(run, f)
		}
		s.chooser.add(f)
		missing.add(f)
		return nil
	})
	if err != nil {
		return err
	}
	cert.NotIn = missing.close()
	picks := map[string][]chosen{}
	for n := range cert.Operations {
		op := &cert.Operations[n]
		s := sections[op.Operation]
		op.Hashes, op.Compared = c.hashes(op.Operation), s.controls.compared
		op.Controls, op.Unmapped = s.controls.list()
		op.Breakdown = []Dimension{}
		for _, d := range s.dimensions {
			if d.used {
				op.Breakdown = append(op.Breakdown, d.close())
			}
		}
		picks[op.Operation] = s.chooser.choose(op.Breakdown)
	}
	cert.Sample, err = c.samples(ctx, led, cert.Operations, picks)
	return err
}
