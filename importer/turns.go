package importer

import (
	"context"
	"errors"
	"fmt"

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
		p.trouble = result.Err
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

// nothingDone is why a run was stopped of which the service did nothing. One that answers, and not as the interface promises, is not
// down: perhaps a setting is wrong.
func nothingDone(trouble error) (code string, why error) {
	last := fmt.Sprint(trouble)
	fault := (*apiclient.Error)(nil)
	if errors.As(trouble, &fault) {
		last = fault.Message
	}
	if fault != nil && fault.Code == apiclient.CodeAnswer {
		return StopService, fmt.Errorf("no answer of the service could be taken for a yes or a no, the last one: %s", last)
	}
	return StopServiceDown, fmt.Errorf("the service is down: nothing went in, and the last request ended with: %s", last)
}
