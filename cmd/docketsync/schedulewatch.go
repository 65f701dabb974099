package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docketsync/importer/schedule"
)

// serveWatch answers whoever watches a process that stays up, until the installation is closed.
func (a *app) serveWatch(ctx context.Context, in *installation) error {
	address, err := in.watch.serve(ctx, func(context.Context) error {
		if ctx.Err() != nil {
			return errors.New("docketsync is being stopped")
		}
		return nil
	})
	if err == nil && address != "" {
		fmt.Fprintf(a.stderr, "docketsync: /metrics, /healthz and /readyz are served on http://%s\n", address)
	}
	return err
}

// endWithin waits until something has ended; the error is schedule.ErrCut when that takes longer.
func endWithin(ended <-chan struct{}, limit time.Duration) error {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-ended:
		return nil
	case <-late.C:
		return schedule.ErrCut
	}
}
