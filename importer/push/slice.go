package push

import (
	"context"
	"errors"
	"sync"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// share has all nodes send the run, and plans again what they have set aside.
func (p *pusher) share(ctx context.Context) error {
	counts, err := p.Ledger.Tally(ctx, p.run.ID)
	if err != nil {
		return err
	}
	p.counts = countsOf(counts, nil)
	end, err := p.Share(ctx, *p.run, func(sent map[ledger.State]int) {
		p.counts.Sent = sent
		p.tell()
	})
	if err != nil {
		return err
	}
	delete(p.counts.Sent, ledger.Held)
	if end.Code != "" {
		p.code, p.stop = end.Code, errors.New(end.Why)
		return nil
	}
	_, err = p.Ledger.Release(context.WithoutCancel(ctx), p.run.ID, ledger.Held)
	return err
}

// begun is what a node knows of a run from the slices that it has sent.
type begun struct {
	run     string
	answers int      // how many answers the service had given when the first slice began
	limits  *limiter // as the last slice left it
}

// Slice sends a part of a run that this node has taken, for at most the given time. It ends early, with everything that
// it sent settled, if the part is called back or ctx ends. End says whether and why the run is to stop. After an error,
// the part must not be given back: the ledger failed, or another node has it.
//
// A slice may be only a few records. So whether the service is down, and whether the first records were all refused
// alike, is judged by what this node has heard since it began to send the run, and by what the others have.
func (p *Pusher) Slice(ctx context.Context, run ledger.Run, shard *ledger.Shard, most time.Duration) (End, error) {
	settle := context.WithoutCancel(ctx)
	counts, err := p.Ledger.Tally(ctx, run.ID)
	if err != nil {
		return End{}, err
	}
	of := &pusher{Pusher: p, run: &run, shard: shard, most: -1, counts: Counts{Sent: map[ledger.State]int{}}}
	if of.limits, err = newLimiter(settle, p.Ledger.Reader, p.Limits, run, counts); err != nil {
		return End{}, err
	}
	if p.begun.run != run.ID {
		p.begun = begun{run: run.ID, answers: answersIn(counts)}
	} else {
		of.limits.goOn(p.begun.limits)
	}
	p.begun.limits = of.limits
	of.code, of.stop = of.limits.exceeded()
	if of.stop == nil {
		if err := of.sendSlice(ctx, most); err != nil {
			return End{}, err
		}
	}
	if of.stop == nil && of.counts.serviceDown() || of.code == stop.SameRefusal {
		if counts, err = p.Ledger.Tally(settle, run.ID); err != nil {
			return End{}, err
		}
	}
	switch {
	case of.stop == nil && of.counts.serviceDown() && !of.alone() && answersIn(counts) == p.begun.answers:
		of.code, of.stop = nothingDone(of.trouble)
	case of.code == stop.SameRefusal && numberOf(counts, ledger.Accepted) > of.limits.accepted: // other nodes had records accepted while this one sent
		of.limits.settled, of.code, of.stop = true, "", nil
	case of.code == stop.SameRefusal:
		err = p.Ledger.HoldRefused(settle, run.ID, shard, of.limits.alike)
	}
	if of.stop == nil || err != nil {
		return End{}, err
	}
	return End{of.code, of.stop.Error()}, nil
}

// answersIn returns how many records the service has accepted or refused.
func answersIn(counts []ledger.Count) int {
	return numberOf(counts, ledger.Accepted) + numberOf(counts, ledger.Refused)
}

func numberOf(counts []ledger.Count, state ledger.State) (n int) {
	for _, c := range counts {
		if c.State == state {
			n += c.N
		}
	}
	return n
}

// sendSlice sends the records of the shard. Waits inside the client end early only if the part is called back or ctx
// ends.
func (p *pusher) sendSlice(ctx context.Context, most time.Duration) error {
	sending, enough := context.WithTimeout(ctx, most)
	defer enough()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-p.shard.Recalled():
		case <-ctx.Done():
		case <-done:
			return
		}
		enough()
		if p.Drain != nil {
			p.Drain()
		}
	}()
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	var kept sync.WaitGroup
	kept.Go(func() { p.keep(keeping, enough) })
	err := p.sendAll(sending)
	stopKeeping()
	kept.Wait()
	return err
}

// keep renews the lease of the shard, even while the service is paused and nothing is committed.
func (p *pusher) keep(ctx context.Context, enough func()) {
	every := time.NewTicker(p.Ledger.RenewEvery())
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		if err := p.Ledger.Renew(ctx, p.run.ID, p.shard.First); errors.Is(err, ledger.ErrTakenOver) {
			enough()
			return
		}
	}
}
