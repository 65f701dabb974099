package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/stop"
)

// sendBoth sends what is planned, and then what was set aside. It watches for pauses until it returns, so that none is
// noted in a run that has ended.
func (p *pusher) sendBoth(ctx context.Context) error {
	settle := context.WithoutCancel(ctx)
	if p.Pauses != nil {
		p.Pauses(func(why string) { p.pause(settle, why) })
		defer p.Pauses(nil)
	}
	for {
		if outdated, err := p.outdated(settle); err != nil {
			return err
		} else if outdated || p.unseen {
			if err := p.look(ctx); err != nil {
				return err
			}
		}
		if p.stop != nil || ctx.Err() != nil {
			return nil
		}
		if err := p.sendAll(ctx); err != nil || p.stop != nil || ctx.Err() != nil {
			return err
		}
		if outdated, err := p.outdated(settle); err != nil {
			return err
		} else if outdated {
			continue
		}
		if p.aside == 0 {
			if more, err := p.unsent(settle); err != nil || !more {
				return err
			}
			continue
		}
		if p.last && !p.heard {
			p.code, p.stop = turnedAway(p.aside, p.forbidden)
			return nil
		}
		p.last, p.aside = true, 0
		again, err := p.planAgain(settle)
		if err != nil {
			return err
		}
		if p.most >= 0 { // they are before all others in the run's order
			p.most = again
		}
	}
}

// unsent plans the held records again if a frozen process, whose run this one took over, has said meanwhile that it
// never made a request whose intent it left. It reports whether there are any. It does so only once, because what is
// held for another reason may be held again.
func (p *pusher) unsent(ctx context.Context) (bool, error) {
	if !p.doubts || p.most >= 0 {
		return false, nil
	}
	p.doubts = false
	again, err := p.planAgain(ctx)
	return again > 0, err
}

// planAgain plans the held records again and returns how many they are.
func (p *pusher) planAgain(ctx context.Context) (int, error) {
	again, err := p.Ledger.Release(ctx, p.run.ID, ledger.Held)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unseen = p.looked // a look is only at what is planned
	p.counts.To += again - p.counts.Sent[ledger.Held]
	p.counts.Sent[ledger.Held] = 0
	return again, err
}

// outdated reports whether there is more to send, but what is known of the service's records is too old to send it by.
func (p *pusher) outdated(ctx context.Context) (bool, error) {
	if p.Stale == nil || !p.Stale() {
		return false, nil
	}
	planned, err := p.Ledger.Pending(ctx, p.run.ID, 0, 1)
	return len(planned) > 0, err
}

// look reads again what was changed in the service, while nothing is under way. An error is the ledger's; trouble with
// the service stops the run.
func (p *pusher) look(ctx context.Context) error {
	held, err := p.Look(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looked, p.unseen = true, false
	p.counts.To -= held
	p.tell()
	if _, ours := errors.AsType[*fault.Error](err); ours {
		return err
	}
	if err != nil && ctx.Err() == nil {
		p.code, p.stop = stopCode(err), err
	}
	return nil
}

// turnedAway says why a run was stopped: the service answered its last records with 403, each of them twice, and
// accepted none since.
func turnedAway(n int, said string) (code string, why error) {
	return string(apiclient.CodeSignIn), fmt.Errorf("the last answers were all 403 (%s), and nothing was accepted since, so the sign-in has probably expired; "+
		"set a new cookie (auth_cookie) or configure sign-in (sign_in), and run the job again. "+
		"If the user has no permission for these records (%d), have it granted, or remove their rows", said, n)
}

// sendOne sends one record. If the record is set aside again at the end, it is refused, provided that the service has
// accepted or refused another since the first was set aside. No request begins unless this process owns its part of the
// run for as long as a request may take.
func (p *pusher) sendOne(ctx context.Context, record *ledger.Record, sent payload.Payload) apiclient.Result {
	send := p.Send
	if p.last {
		send = p.SendLast
	}
	began := time.Now()
	result := send(apiclient.Permitted(ctx, func(ctx context.Context) error { return p.Ledger.MaySend(ctx, record.Run, record.Seq) }), sent, record.Repeatable)
	if sent.ID != "" {
		result.ID = sent.ID // an update is about the id that it names, whatever the answer calls it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case result.Verdict == apiclient.Aside && p.last && p.heard:
		result.Verdict = apiclient.Refused
	case result.Verdict == apiclient.Accepted, result.Verdict == apiclient.Refused && result.Status != 0:
		p.heard = p.heard || !p.turned.IsZero() && began.After(p.turned)
	case result.Verdict == apiclient.Aside:
		if p.aside++; p.turned.IsZero() {
			p.turned = time.Now()
		}
		p.forbidden = result.Message
	case result.Verdict == apiclient.Failed:
		p.trouble, p.troubled = result.Err, result.Status
	}
	return result
}

// pause reports why all sending pauses, and stores it with the run for those who look at it from elsewhere.
func (p *pusher) pause(ctx context.Context, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Paused, p.run.Stop = why, why
	p.tell()
	if err := p.Ledger.SaveRun(ctx, *p.run); err != nil {
		p.Log.Warn("the pause cannot be recorded in the ledger", zap.Error(err))
	}
}

// alone reports whether only one record failed, and was answered with 500: that may be due to the record.
func (p *pusher) alone() bool {
	return p.counts.Sent[ledger.Failed] == 1 && p.troubled == http.StatusInternalServerError
}

// nothingDone says why a run was stopped because the service did nothing that it was asked. A service that answers, but
// not as the interface promises, is not down: perhaps a setting is wrong.
func nothingDone(trouble error) (code string, why error) {
	last := fmt.Sprint(trouble)
	fault, ok := errors.AsType[*apiclient.Error](trouble)
	if ok {
		last = fault.Message
	}
	if ok && fault.Code == apiclient.CodeAnswer {
		return stop.Service, fmt.Errorf("the service gave no conclusive answer; the last one: %s", last)
	}
	return stop.ServiceDown, fmt.Errorf("the service is down: no record was accepted, and the last request ended with: %s", last)
}
