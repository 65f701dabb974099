package importer

import (
	"context"

	"go.uber.org/zap"

	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
)

// leastForeseen is how many records must be to be sent for a forecast: fewer are sent before anybody would plan by it.
const leastForeseen = 100

// foresee keeps with a run that is about to send when it will probably end, so that its report can say how good that was. Where no earlier run
// tells, nothing is kept. A run does not fail for want of a forecast.
func (i *Importer) foresee(ctx context.Context, run *ledger.Run) {
	made, err := i.foreseen(ctx, *run)
	if err == nil {
		run.Notes, err = forecast.Keep(run.Notes, made)
	}
	if err != nil {
		i.log().Warn("no forecast was made", zap.String("run", run.ID), zap.Error(err))
	}
}

func (i *Importer) foreseen(ctx context.Context, run ledger.Run) (*forecast.Made, error) {
	if run.Export != nil && run.Export.ToSend < leastForeseen {
		return nil, nil
	}
	planned, err := i.count(ctx, run.ID, func(c ledger.Count) bool { return c.State == ledger.Planned })
	if i.First > 0 {
		planned = min(planned, i.First)
	}
	if err != nil || planned < leastForeseen {
		return nil, err
	}
	pace, by, ok, err := forecast.Last(ctx, i.Ledger.Reader, run.Operation, planned)
	if err != nil || !ok {
		return nil, err
	}
	return &forecast.Made{Expected: forecast.Expect(i.now(), forecast.Span{}, pace.For(planned, 0)), ToBeSent: planned, By: by}, nil
}
