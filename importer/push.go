package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// pusher is the second pass of one run.
type pusher struct {
	importer *Importer
	run      ledger.Run
	switches payload.Switches

	mu        sync.Mutex
	progress  Progress
	limits    *limiter
	stop      error // why the run must stop, nil while it may go on
	code      string
	trouble   error     // why a record failed, the last one
	aside     int       // records that were set aside and are to be sent again at the end
	last      bool      // it is the end
	turned    time.Time // when the first was set aside
	heard     bool      // since then the service has taken or refused any
	forbidden string    // what it said to the last one that was set aside
}

// push sends what is planned, with as many workers as may be in flight, and settles the run. What was set aside is held
// meanwhile, as it is when the run is cut off, and is sent once more when all others have had their turn.
func (i *Importer) push(ctx context.Context, job Job, run ledger.Run) (ledger.Run, error) {
	settle := context.WithoutCancel(ctx)
	switch quiet, err := i.quiet(settle, run); {
	case err != nil:
		return run, err
	case quiet:
		return run, i.end(settle, &run, ledger.Finished, "", "")
	}
	p := &pusher{importer: i, run: run, switches: job.Policy.Switches}
	if err := p.start(settle); err != nil {
		return run, err
	}
	if p.stop != nil {
		return p.finish(ctx, settle, nil)
	}
	if i.Drain != nil {
		defer context.AfterFunc(ctx, i.Drain)()
	}
	return p.finish(ctx, settle, p.sendBoth(ctx))
}

// sendAll sends what is planned.
func (p *pusher) sendAll(ctx context.Context) error {
	feeding, stopFeeding := context.WithCancel(ctx)
	defer stopFeeding()
	records := newFeed(feeding)
	group := errgroup.Group{}
	group.Go(func() error { return records.read(p.importer.Ledger, p.run.ID) })
	for range max(1, p.importer.Concurrency) {
		group.Go(func() error {
			err := p.work(context.WithoutCancel(ctx), records, stopFeeding)
			if err != nil {
				stopFeeding()
			}
			return err
		})
	}
	return group.Wait()
}

// quiet tells whether a run has nothing to send, as on most nights. Its records need not be counted then, which takes a while
// when they are many.
func (i *Importer) quiet(ctx context.Context, run ledger.Run) (bool, error) {
	if run.Export == nil || run.Export.ToSend > 0 {
		return false, nil
	}
	planned, err := i.Ledger.Pending(ctx, run.ID, 0, 1)
	if err != nil || len(planned) > 0 {
		return false, err
	}
	i.progress(Progress{Job: run.Job, Phase: ledger.Pushing, Rows: run.Counts.Read, Records: run.Export.Records, Sent: map[ledger.State]int{}})
	return true, nil
}

func (p *pusher) start(ctx context.Context) error {
	counts, err := p.importer.Ledger.Tally(ctx, p.run.ID)
	if err != nil {
		return err
	}
	p.progress = Progress{Job: p.run.Job, Phase: ledger.Pushing, Rows: p.run.Counts.Read, Sent: map[ledger.State]int{}}
	for _, count := range counts {
		p.progress.Records += count.N
		if count.State == ledger.Planned {
			p.progress.To += count.N
		}
	}
	if p.limits, err = newLimiter(ctx, p.importer.Ledger.Reader, p.importer.Limits, p.run, counts); err != nil {
		return err
	}
	p.code, p.stop = p.limits.exceeded()
	p.run.Phase = ledger.Pushing
	p.tell()
	return p.importer.Ledger.SaveRun(ctx, p.run)
}

// work sends records one after the other. The outcome of one is committed together with the intent of the next when
// that is already there, so that a record costs one flush to disk; a worker that has to wait commits its outcome first.
func (p *pusher) work(ctx context.Context, records *feed, stopFeeding func()) error {
	var settled []ledger.Outcome
	for {
		record, more, err := p.next(ctx, records, &settled)
		if err != nil || !more {
			return err
		}
		sent, err := payload.Encode(payload.Operation(p.run.Operation), record.Sent(), p.switches)
		if err != nil {
			settled = append(settled, p.unsendable(record, err))
			continue
		}
		sendable, err := p.intend(ctx, record, settled)
		if err != nil {
			return err
		}
		p.count(settled)
		settled = settled[:0]
		if !sendable {
			settled = append(settled, p.undecided(record))
			continue
		}
		result := p.send(ctx, sent, record.Repeatable)
		outcome, why := settleResult(record, result, p.importer.now())
		settled = append(settled, outcome)
		if p.halted(outcome, why) {
			stopFeeding()
		}
	}
}

// intend commits what is settled together with the intent to send a record. It is not sendable when another record of its
// key has been left in doubt since the plan was made; what is settled is committed all the same.
func (p *pusher) intend(ctx context.Context, record ledger.Record, settled []ledger.Outcome) (sendable bool, err error) {
	err = p.importer.Ledger.Commit(ctx, settled, []ledger.Intent{{Run: record.Run, Seq: record.Seq}})
	var doubt *ledger.DoubtError
	if errors.As(err, &doubt) {
		return false, p.importer.Ledger.Commit(ctx, settled, nil)
	}
	return err == nil, err
}

// undecided is the outcome of a record that may not be sent because its key is in doubt: it is held, and the next run
// decides anew.
func (p *pusher) undecided(record ledger.Record) ledger.Outcome {
	return ledger.Outcome{Run: record.Run, Seq: record.Seq, State: ledger.Held, At: p.importer.now(),
		Message: "another record of this key is in doubt; settle that first with: docketsync resolve"}
}

// next takes the next record. What is settled so far is committed before waiting for one, and at the end.
func (p *pusher) next(ctx context.Context, records *feed, settled *[]ledger.Outcome) (ledger.Record, bool, error) {
	if record, ok := records.ready(); ok {
		return record, true, nil
	}
	if len(*settled) > 0 {
		if err := p.importer.Ledger.Commit(ctx, *settled, nil); err != nil {
			return ledger.Record{}, false, err
		}
		p.count(*settled)
		*settled = (*settled)[:0]
	}
	record, more := records.next()
	return record, more, nil
}

// unsendable is the outcome of a record that cannot be spelled as the switches ask: nothing of it was sent.
func (p *pusher) unsendable(record ledger.Record, err error) ledger.Outcome {
	return ledger.Outcome{
		Run: record.Run, Seq: record.Seq, State: ledger.Rejected, Message: err.Error(), At: p.importer.now(),
		Reasons: []ledger.Reason{{Code: "unsendable", Message: err.Error(), Hint: "Check the mapping and the service's switches in the configuration."}},
	}
}

func (p *pusher) count(settled []ledger.Outcome) {
	if len(settled) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, outcome := range settled {
		p.progress.Sent[outcome.State]++
	}
	p.tell()
}

// tell tells how far the run is: a copy, because whoever is told may read it at any time, and counting goes on.
func (p *pusher) tell() {
	snapshot := p.progress
	snapshot.Sent = maps.Clone(snapshot.Sent)
	p.importer.progress(snapshot)
}

// halted counts an outcome and tells whether the run must stop: because the client says so, or because of a limit. The first
// reason is remembered.
func (p *pusher) halted(outcome ledger.Outcome, why error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits.take(outcome)
	if p.stop != nil {
		return true
	}
	if why != nil {
		p.code, p.stop = stopCode(why), why
	} else {
		p.code, p.stop = p.limits.exceeded()
	}
	return p.stop != nil
}

// finish holds what was not sent and settles the run. When the ledger itself failed, nothing more can be written: the
// next start finds the records as they were committed.
func (p *pusher) finish(ctx, settle context.Context, failure error) (ledger.Run, error) {
	if failure != nil {
		return p.run, fmt.Errorf("the run stopped because its progress could not be recorded: %w", failure)
	}
	if p.stop == nil && ctx.Err() != nil {
		p.code, p.stop = stop.Interrupted, errors.New("the run was interrupted")
	}
	if p.stop == nil && p.progress.serviceDown() {
		p.code, p.stop = nothingDone(p.trouble)
	}
	if p.code == stop.SameRefusal {
		if err := p.importer.Ledger.HoldRefused(settle, p.run.ID, p.limits.alike); err != nil {
			return p.run, err
		}
	}
	if _, err := p.importer.Ledger.Hold(settle, p.run.ID); err != nil {
		return p.run, err
	}
	counts, err := p.importer.Ledger.Tally(settle, p.run.ID)
	if err != nil {
		return p.run, err
	}
	held := 0
	for _, count := range counts {
		if count.State == ledger.Held {
			held += count.N
		}
	}
	switch {
	case p.stop == nil:
		err = p.importer.end(settle, &p.run, ledger.Finished, "", "")
	default:
		why := p.stop.Error()
		if held > 0 {
			why = fmt.Sprintf("%s; what is held (%d) goes out with the next run", why, held)
		}
		err = p.importer.end(settle, &p.run, ledger.Stopped, p.code, why)
	}
	return p.run, err
}
