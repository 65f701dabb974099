package importer

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"docketsync/apiclient"
	"docketsync/importer/ledger"
)

// sendBoth sends what is planned, and then what was set aside. Pauses are told until it returns, so that none is noted in a run
// that has ended.
func (p *pusher) sendBoth(ctx context.Context) error {
	settle := context.WithoutCancel(ctx)
	if p.importer.Pauses != nil {
		p.importer.Pauses(func(why string) { p.pause(settle, why) })
		defer p.importer.Pauses(nil)
	}
	err := p.sendAll(ctx)
	if err != nil || p.aside == 0 || p.stop != nil || ctx.Err() != nil {
		return err
	}
	if err := p.takeUp(settle); err != nil {
		return err
	}
	return p.sendAll(ctx)
}

// takeUp plans again what was set aside.
func (p *pusher) takeUp(ctx context.Context) error {
	p.last = true
	p.progress.Sent[ledger.Held] = 0
	_, err := p.importer.Ledger.Release(ctx, p.run.ID, ledger.Held)
	return err
}

// send sends one record.
func (p *pusher) send(ctx context.Context, payload apiclient.Payload, repeatable bool) apiclient.Result {
	send := p.importer.Send
	if p.last {
		send = p.importer.SendLast
	}
	result := send(ctx, payload, repeatable)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch result.Verdict {
	case apiclient.Aside:
		p.aside++
	case apiclient.Failed:
		p.trouble = result.Message
		if fault := (*apiclient.Error)(nil); errors.As(result.Err, &fault) {
			p.trouble = fault.Message
		}
	}
	return result
}

// pause tells why all sending pauses, and keeps it with the run for those who look at it from elsewhere.
func (p *pusher) pause(ctx context.Context, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress.Paused, p.run.Stop = why, why
	p.tell()
	if err := p.importer.Ledger.SaveRun(ctx, p.run); err != nil {
		p.importer.log().Warn("the pause cannot be noted in the ledger", zap.Error(err))
	}
}
