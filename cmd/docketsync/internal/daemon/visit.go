package daemon

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/push"
	"docketsync/importer/schedule"
	"docketsync/importer/stop"
)

// visit serves a firm until it has nothing due.
func (f *fleet) visit(ctx context.Context, of *firm) {
	f.mu.Lock()
	p := &place{fleet: f, leads: of.large, noticed: of.noticed}
	of.large = false
	for _, box := range of.inboxes {
		box.arrived = false
	}
	f.mu.Unlock()
	began := time.Now().Round(0)
	table, err := f.serveFirm(ctx, of, p)
	if errors.Is(err, schedule.ErrCut) { // its ledger and its place are still in use
		select {
		case f.cut <- err:
		default: // another one ends the process already
		}
		return
	}
	p.leave()
	if p.gaveWay && !p.leads {
		fmt.Fprintf(f.setup.Err, "docketsync: firm %s waits: as many large runs as allowed are being sent; it continues when one of them ends\n", of.name)
	}
	f.mu.Lock()
	gone := errors.As(err, new(*firms.GoneError)) // the scan reports it, unless all firms are gone
	if gone && f.empty != nil {
		err, gone = f.empty, false
	}
	of.ended(began, table, p.gaveWay, err)
	f.mu.Unlock()
	// If the server of all firms is away, that is not this firm's trouble.
	away := errors.Is(err, fault.ErrUnreachable) && f.in.Book.Writable(ctx) != nil
	if ctx.Err() == nil && !errors.Is(err, fault.ErrBusy) && !errors.As(err, new(*firms.ElsewhereError)) && !away && !gone {
		f.tellTrouble(ctx, of, err)
	}
	f.rouse()
}

// serveFirm opens a firm and runs what is due and what has arrived. It returns the firm's timetable.
func (f *fleet) serveFirm(ctx context.Context, of *firm, p *place) (table schedule.Timetable, err error) {
	in, err := f.installation(ctx, of)
	if err != nil {
		return table, err
	}
	defer endUncut(in, &err)
	in.Numbers = f.in.Observers.Metrics.Firm(of.name)
	if err := runner.Observe(ctx, in, nil, nil); err != nil {
		return table, err
	}
	setup := f.folder.SetupOf(of.name)
	use, err := prepareWith(setup, in.Config, in.Book, in.Observers.Metrics)
	if err != nil {
		return table, err
	}
	use.table.StopWithin = f.in.Config.Schedule.StopWithin
	use.inboxes = of.seen(use.inboxes)
	d := newDaemon(setup, in, use)
	d.pruned, d.place = of.pruned, p
	if f.in.Config.Metrics != (config.Metrics{}) {
		d.numbers.Dues(d.dues)
		if err := d.numbers.Restore(ctx, in.Book.Reader, in.NamesOf(nil)); err != nil {
			return table, err
		}
		defer d.numbers.Read() // while the ledger is open
	}
	if f.node != nil {
		labels := firms.LabelText(in.Config.Labels)
		d.share = func(ctx context.Context, run ledger.Run, tell func(map[ledger.State]int)) (push.End, error) {
			defer p.plan()
			end, err := f.node.ShareOf(ctx, of.name, labels, in.Book, run, in.Requests(), p.lead, tell)
			p.gaveWay = p.gaveWay || end.Code == stop.Interrupted
			return end, err
		}
	}
	err = d.once(ctx, use.Log, p, of.behind)
	of.pruned = d.pruned
	return use.table, err
}

// once runs what is due and what has arrived, until there is nothing more or the run has given way. behind is what
// earlier visits found about the clock.
func (d *daemon) once(ctx context.Context, log *zap.Logger, p *place, behind map[string]time.Time) error {
	s := &schedule.Scheduler{Ledger: d.book, Run: d.run, Tell: d.tell, Log: log, Once: true, Since: p.noticed, Behind: behind}
	err := s.Serve(ctx, d.use.table)
	d.sendNotices(ctx)
	for _, box := range d.use.inboxes {
		for err == nil && ctx.Err() == nil && !p.gaveWay && !time.Now().Before(box.next) {
			d.visit(ctx, d.use, box)
		}
	}
	if err == nil && p.busy != nil {
		return p.busy // the firm is visited again, and another one has its place until then
	}
	if err == nil {
		err = s.Clock()
	}
	return err
}

// seen returns the inboxes of the configuration, each with what earlier visits saw if they looked into the same folder
// for the same job. The folders use the ledger that is open now.
func (of *firm) seen(boxes []*polledInbox) []*polledInbox {
	for n, box := range boxes {
		for _, known := range of.inboxes {
			if known.job.Name == box.job.Name && reflect.DeepEqual(known.job.Source.Inbox, box.job.Source.Inbox) {
				known.job, known.folder.Runs = box.job, box.folder.Runs
				boxes[n] = known
			}
		}
	}
	of.inboxes = boxes
	return boxes
}

// place is what a visit holds: one of the places for open firms or, while all nodes send a large run of it, one of the
// places to lead. So a large run keeps nobody from planning and sending a small one, and small ones wait only for each
// other.
type place struct {
	fleet   *fleet
	leads   bool             // it has a place to lead
	leading bool             // and has given the other one back
	gaveWay bool             // there was no place to lead, or no node could send what it led
	busy    *fault.BusyError // another process is sending records of a job that is due
	noticed time.Time        // when it was found that something is due
}

// lead exchanges the place for one to lead. It is false if there is none.
func (p *place) lead() bool {
	if !p.leads {
		select {
		case p.fleet.leads <- struct{}{}:
			p.leads = true
		default:
			p.gaveWay = true
			return false
		}
	}
	p.leading = true
	<-p.fleet.places
	p.fleet.rouse()
	return true
}

// plan exchanges the place to lead for an ordinary one, which the rest of the visit needs.
func (p *place) plan() {
	if p.leading {
		p.fleet.places <- struct{}{}
		p.leading = false
	}
}

func (p *place) leave() {
	<-p.fleet.places
	if p.leads {
		<-p.fleet.leads
	}
}

// enter takes a place among the open firms, and one to lead if asked for; both or none.
func (f *fleet) enter(leads bool) bool {
	select {
	case f.places <- struct{}{}:
	default:
		return false
	}
	if !leads {
		return true
	}
	select {
	case f.leads <- struct{}{}:
		return true
	default:
		<-f.places
		return false
	}
}
