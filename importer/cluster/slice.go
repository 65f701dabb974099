package cluster

import (
	"context"
	"errors"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// slice rings for a shard. It holds ids alone.
type slice struct {
	Firm  string `json:"firm,omitempty"` // of the installation that the ledger is, "" while it has one
	Run   string `json:"run"`
	Shard int64  `json:"shard"` // its first seq
	Epoch int64  `json:"epoch"`
}

// Kind is what River knows such jobs by.
func (slice) Kind() string { return "slice" }

type sliceWorker struct {
	river.WorkerDefaults[slice]
	node *Node
}

// Work sends a shard, if it is still as it was when it was rung for.
func (w *sliceWorker) Work(_ context.Context, job *river.Job[slice]) error {
	n, ctx := w.node, w.node.ending
	if ctx.Err() != nil {
		return nil // it is rung for again
	}
	shard, err := n.Ledger.Take(ctx, ledger.Shard{Run: job.Args.Run, First: job.Args.Shard, Epoch: job.Args.Epoch})
	if errors.Is(err, ledger.ErrShardTaken) || errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if shard.Again+shard.Doubt > 0 {
		n.Log.Warn("a node ended while it was sending; this one takes over", zap.String("run", shard.Run), zap.Int64("from", shard.First),
			zap.Int("sent_again", shard.Again), zap.Int("in_doubt", shard.Doubt))
	}
	return n.send(ctx, shard)
}

// send sends a shard that was taken, and gives it back.
func (n *Node) send(ctx context.Context, shard *ledger.Shard) error {
	settle := context.WithoutCancel(ctx)
	run, err := n.Ledger.Run(settle, shard.Run)
	if err != nil {
		n.Ledger.Abandon(shard)
		return err
	}
	pusher, err := n.opening(settle, run)
	if err != nil { // nothing was sent; another node may be able to
		n.Log.Error("this node cannot send", zap.String("run", shard.Run), zap.Error(err))
		return errors.Join(err, n.Ledger.GiveBack(settle, shard, "", ""))
	}
	end, err := pusher.Slice(ctx, run, shard, SliceTime)
	if err != nil {
		n.forget()
		n.Ledger.Abandon(shard)
		return err
	}
	recalled := false
	select {
	case <-shard.Recalled():
		recalled = true
	case <-ctx.Done():
		recalled = true
	default:
	}
	if recalled || end.Code != "" {
		n.forget()
	}
	return n.Ledger.GiveBack(settle, shard, end.Code, end.Why)
}
