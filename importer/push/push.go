// Package push is the second pass of a run: it sends what is planned and settles every record.
//
// Workers take planned records from a queue that is read one page ahead (pending.go). Before a worker sends a record
// that is not safe to repeat, it commits the intent together with the outcome of its previous record. That costs one
// flush to disk for each record, and after a crash at most as many records are in doubt as there are workers. A record
// that is safe to repeat is sent at once, and its outcome is committed with others in groups that no worker waits for
// (recorder.go). Package apiclient decides what may be repeated; settleResult turns its verdict into the outcome of the
// record. What goes out are the bytes of the plan, and only if their digest is still that of the plan; otherwise the record
// is held and planned anew by the next run. Limits say when answers stop a run: the first records all refused alike, too many in doubt.
//
// Workers take records in the order of the feed, and none takes the next before it has the outcome of its own. So
// wherever a push is interrupted, what was sent is the front part of that order, give or take as many records as there
// are workers. A record that is left behind for a reason has a state that says so: failed, in doubt, or held because it
// was set aside. The ledger keeps the order (Record.Rank), so a resumed run has the same one.
//
// The decision that is not obvious is about 403: either the user may not touch this record, or the sign-in has expired.
// Such a record is set aside and sent again after all others (setaside.go); what the service answered in between tells
// the two apart.
package push

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// Send sends one payload and returns what became of it. The only implementation is Client.Send of apiclient.
type Send func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result

// Service is what a push needs of the service.
type Service struct {
	// Send is nil if nothing may be sent.
	Send Send
	// SendLast is Send for a record that was set aside, once all others have been sent; see Client.SendLast of
	// apiclient.
	SendLast Send
	// Drain, if set, is called once nothing new may be sent. Waiting calls of Send end at once, and requests under way
	// are finished.
	Drain func()
	// Pauses, if set, registers a function that is called with the reason when all sending pauses, and with "" when it
	// goes on. nil unregisters it.
	Pauses func(paused func(why string))
	// Share, if set, lets other nodes send a run together with this one, and returns when nobody is sending any more of
	// it. The End says whether the run is to stop. tell is called with how many records are settled so far, by state.
	// What is left, such as what was set aside, is sent from here.
	Share func(ctx context.Context, run ledger.Run, tell func(sent map[ledger.State]int)) (End, error)
	// Target, if set, returns a digest of the address that the payloads of an operation are sent to; see decide.Policy.
	Target func(operation string) string
	// Concurrency is the most records in flight, and so the most that can be in doubt after a crash.
	Concurrency int
	// Limits stop a run because of what the service answers.
	Limits Limits
}

// Pusher makes the second pass of runs.
type Pusher struct {
	Service
	Ledger *ledger.Ledger
	// Respell, unless nil, are the switches by which payloads are spelled, or rejected if they cannot be. It is for a
	// plan that an earlier release may have made, which did not spell them. What this release has spelled stays as it
	// is.
	Respell *payload.Switches
	// First is the most records that are sent, the first in the run's order; 0 for all. A run that reaches it stops
	// with stop.Part.
	First int
	// Tally is the run's, if nothing has changed it since it was counted; nil to have it counted.
	Tally []ledger.Count
	Log   *zap.Logger
	Now   func() time.Time
	// Stale, unless nil, reports that what is known of the service's records is too old to send by. Requests under way
	// are then finished, and Look reads the list again and returns how many records it has held. If it cannot, the run
	// stops.
	Stale func() bool
	Look  func(context.Context) (held int, err error)
	// Tell is called whenever the counts change. It must return at once.
	Tell func(Counts)

	begun begun // what Slice knows of the run
}

// Counts say how far a push is.
type Counts struct {
	Records, To int // records of the run, and how many of them are to be sent
	// Sent counts the records settled so far, by state.
	Sent map[ledger.State]int
	// Paused says why nothing is sent at the moment, although there is more; "" while all is well.
	Paused string
}

// serviceDown reports whether the service did nothing at all of what it was asked.
func (c Counts) serviceDown() bool {
	return c.Sent[ledger.Failed] > 0 && c.Sent[ledger.Accepted]+c.Sent[ledger.Refused] == 0
}

// End is how a push ended: with everything sent, or with a code (see package stop) and the reason in words.
type End struct{ Code, Why string }

// pusher is the second pass of one run.
type pusher struct {
	*Pusher
	run   *ledger.Run
	shard *ledger.Shard // nil for all of the run

	mu        sync.Mutex
	counts    Counts
	limits    *limiter
	stop      error // why the run must stop; nil while it may go on
	code      string
	trouble   error             // why a record failed, the last one
	troubled  int               // the status that it was answered with, 0 for none
	most      int               // the most records that are handed out; negative for all
	cut       bool              // there were more than most
	aside     int               // records that were set aside, to be sent again at the end
	doubts    bool              // some records were in doubt at the start; a process that was frozen may still say what became of them
	last      bool              // the records that were set aside are being sent
	looked    bool              // Look has been called
	unseen    bool              // but not for the records that were planned again since
	turned    time.Time         // when the first record was set aside
	heard     bool              // the service has accepted or refused a record since then
	forbidden string            // the answer to the last record that was set aside
	given     map[string]string // the keys of the ids that the service gave to creates, which the ledger may not have yet
	recent    []string          // these ids, oldest first
}

// Push sends what a run has planned, with Concurrency workers, and settles every record. Records that were set aside
// are held meanwhile, and are sent again when all others have been; if the run is interrupted they stay held. When ctx
// ends, requests in flight are finished and the rest is held. An error means that the ledger failed.
func (p *Pusher) Push(ctx context.Context, run *ledger.Run) (End, error) {
	settle := context.WithoutCancel(ctx)
	if none, err := p.nothing(settle, *run); err != nil || none {
		return End{}, err
	}
	of := &pusher{Pusher: p, run: run, most: p.First}
	if p.First == 0 {
		of.most = -1
	}
	if p.Share != nil && run.Order == "" && p.First == 0 { // nodes that share a run could not keep to an order by due date
		if err := of.share(ctx); err != nil {
			return End{}, err
		}
	}
	if err := of.start(settle); err != nil {
		return End{}, err
	}
	if of.stop != nil {
		return of.finish(ctx, settle, nil)
	}
	if p.Drain != nil {
		defer context.AfterFunc(ctx, p.Drain)()
	}
	return of.finish(ctx, settle, of.sendBoth(ctx))
}

// sendAll sends what is planned.
func (p *pusher) sendAll(ctx context.Context) error {
	feeding, stopFeeding := context.WithCancel(ctx)
	defer stopFeeding()
	settle := context.WithoutCancel(ctx)
	records, outcomes := newFeed(feeding), newRecorder(p.Now)
	records.left = p.most
	var workers, recording errgroup.Group
	recording.Go(func() error { return p.record(settle, outcomes, stopFeeding) })
	workers.Go(func() error { return records.read(p.Ledger, *p.run, p.shard) })
	for range max(1, p.Concurrency) {
		workers.Go(func() error {
			err := p.work(settle, records, outcomes, stopFeeding)
			if err != nil {
				stopFeeding()
			}
			return err
		})
	}
	err := workers.Wait()
	close(outcomes.outcomes)
	p.cut = records.cut
	if p.most >= 0 {
		p.most -= int(records.given.Load())
	}
	return errors.Join(err, recording.Wait())
}

// nothing reports whether a run has nothing to send, as on most nights. Then its records need not be counted, which
// takes a while if there are many.
func (p *Pusher) nothing(ctx context.Context, run ledger.Run) (bool, error) {
	if run.Export == nil || run.Export.ToSend > 0 {
		return false, nil
	}
	planned, err := p.Ledger.Pending(ctx, run.ID, 0, 1)
	if err != nil || len(planned) > 0 {
		return false, err
	}
	p.Tell(Counts{Records: run.Export.Records, Sent: map[ledger.State]int{}})
	return true, nil
}

func (p *pusher) start(ctx context.Context) error {
	counts, err := p.Tally, error(nil)
	if counts == nil || p.Share != nil { // others may have sent some
		counts, err = p.Ledger.Tally(ctx, p.run.ID)
	}
	if err != nil {
		return err
	}
	p.counts = countsOf(counts, p.counts.Sent)
	p.doubts = numberOf(counts, ledger.InDoubt) > 0
	if p.most >= 0 {
		p.counts.To = min(p.counts.To, p.most)
	}
	if p.limits, err = newLimiter(ctx, p.Ledger.Reader, p.Limits, *p.run, counts); err != nil {
		return err
	}
	if p.stop == nil {
		p.code, p.stop = p.limits.exceeded()
	}
	p.run.Phase = ledger.Pushing
	p.tell()
	return p.Ledger.SaveRun(ctx, *p.run)
}

// countsOf says how far a run with these records is, of which this push has settled those in sent.
func countsOf(counts []ledger.Count, sent map[ledger.State]int) Counts {
	c := Counts{To: numberOf(counts, ledger.Planned), Sent: map[ledger.State]int{}}
	for _, count := range counts {
		c.Records += count.N
	}
	for state, n := range sent {
		c.Sent[state] = n
		c.To += n
	}
	return c
}

// work sends records one after the other. The outcome of one is committed together with the intent of the next if that
// is already there, so that a record costs one flush to disk. A worker that has to wait commits its outcome first.
func (p *pusher) work(ctx context.Context, records *feed, outcomes *recorder, stopFeeding func()) error {
	var settled []ledger.Outcome
	for {
		if p.Stale != nil && p.Stale() {
			stopFeeding()
		}
		record, more, err := p.next(ctx, records, &settled)
		if err != nil || !more {
			return err
		}
		held := func(why string) ledger.Outcome {
			return ledger.Outcome{Run: record.Run, Seq: record.Seq, State: ledger.Held, Message: why, At: p.Now()}
		}
		if decide.Digest(record.Payload) != record.Digest {
			settled = append(settled, held("nothing was sent, because the ledger no longer holds what was planned; 'docketsync verify' says what else has changed in it"))
			continue
		}
		sent, err := p.payload(record)
		if err != nil { // nothing was sent
			settled = append(settled, ledger.Outcome{Run: record.Run, Seq: record.Seq, State: ledger.Rejected, Message: err.Error(), At: p.Now(),
				Reasons: []ledger.Reason{ledger.Reason{}.Says(reason.New(reason.Unsendable, err))}})
			continue
		}
		free := record.Repeatable && record.Free && outcomes.isProven()
		if free {
			if settled, err = p.settle(ctx, settled); err != nil {
				return err
			}
		} else {
			asked := p.Now()
			sendable, err := p.intend(ctx, record, settled)
			if err != nil {
				return err
			}
			p.count(settled)
			settled = settled[:0]
			if !sendable {
				settled = append(settled, held("another record with this key is in doubt; settle it first with: docketsync resolve"))
				continue
			}
			outcomes.proven(asked)
		}
		began := p.Now()
		result := p.sendOne(ctx, record, sent)
		outcome, why := p.settleResult(record, result)
		if err := p.doubtIDs(ctx, record, &outcome); err != nil {
			return err
		}
		if p.halted(outcome, why) {
			stopFeeding()
		}
		if !free {
			settled = append(settled, outcome)
			continue
		}
		if result.Verdict != apiclient.NotSent {
			outcome.Sent = began
		}
		outcomes.outcomes <- outcome
	}
}

// payload returns what goes out for a record: exactly the bytes that the plan has kept. Only plans of earlier releases are
// spelled anew.
func (p *pusher) payload(record *ledger.Record) (payload.Payload, error) {
	op := payload.Operation(p.run.Operation)
	switch {
	case p.Respell != nil:
		return payload.Encode(op, record.Sent(), *p.Respell)
	case len(record.Body) > 0: // which has no digest
		return payload.Encoded(op, record.Body)
	}
	return payload.Unchanged(op, record.Payload), nil
}

// intend commits settled together with the intent to send a record. It returns false if another record of its key has
// been left in doubt since the plan was made: then the record is held and the next run decides again. settled is
// committed in any case.
func (p *pusher) intend(ctx context.Context, record *ledger.Record, settled []ledger.Outcome) (sendable bool, err error) {
	err = p.Ledger.Commit(ctx, settled, []ledger.Intent{{Run: record.Run, Seq: record.Seq}})
	if _, doubt := errors.AsType[*ledger.DoubtError](err); doubt {
		return false, p.Ledger.Commit(ctx, settled, nil)
	}
	return err == nil, err
}

// next takes the next record. It commits settled before waiting for one, and at the end.
func (p *pusher) next(ctx context.Context, records *feed, settled *[]ledger.Outcome) (*ledger.Record, bool, error) {
	if record, ok := records.ready(); ok {
		return record, true, nil
	}
	var err error
	if *settled, err = p.settle(ctx, *settled); err != nil {
		return nil, false, err
	}
	record, more := records.next()
	return record, more, nil
}

// settle commits outcomes and returns room for the next.
func (p *pusher) settle(ctx context.Context, settled []ledger.Outcome) ([]ledger.Outcome, error) {
	if len(settled) == 0 {
		return settled, nil
	}
	if err := p.Ledger.Commit(ctx, settled, nil); err != nil {
		return settled, err
	}
	p.count(settled)
	return settled[:0], nil
}

func (p *pusher) count(settled []ledger.Outcome) {
	if len(settled) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, outcome := range settled {
		p.counts.Sent[outcome.State]++
	}
	p.tell()
}

// tell calls Tell with a copy of the counts, because the receiver may read it at any time while counting goes on.
func (p *pusher) tell() {
	snapshot := p.counts
	snapshot.Sent = maps.Clone(snapshot.Sent)
	p.Tell(snapshot)
}

// halted counts an outcome and reports whether the run must stop, because the client says so or because of a limit. The
// first reason is kept.
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

// finish holds what was not sent. If the ledger itself failed, nothing more can be written, and the next start finds
// the records as they were last committed.
func (p *pusher) finish(ctx, settle context.Context, failure error) (End, error) {
	if failure != nil {
		return End{}, fmt.Errorf("the run stopped because its progress could not be recorded: %w", failure)
	}
	if p.stop == nil && ctx.Err() != nil {
		p.code, p.stop = stop.Interrupted, errors.New("the run was interrupted")
	}
	if p.stop == nil && p.counts.serviceDown() && !p.alone() {
		p.code, p.stop = nothingDone(p.trouble)
	}
	if p.stop == nil && p.cut {
		p.code, p.stop = stop.Part, fmt.Errorf("sending stopped after the first %d, as asked", p.First)
	}
	if p.code == stop.SameRefusal {
		if err := p.Ledger.HoldRefused(settle, p.run.ID, nil, p.limits.alike); err != nil {
			return End{}, err
		}
	}
	if _, err := p.Ledger.Hold(settle, p.run.ID); err != nil || p.stop == nil {
		return End{}, err
	}
	counts, err := p.Ledger.Tally(settle, p.run.ID)
	if err != nil {
		return End{}, err
	}
	why := p.stop.Error()
	if held := numberOf(counts, ledger.Held); held > 0 {
		why = fmt.Sprintf("%s; the held records (%d) are sent with the next run", why, held)
	}
	return End{p.code, why}, nil
}
