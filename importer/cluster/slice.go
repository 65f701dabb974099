package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/push"
)

// slice is the job that rings for a shard. It holds only ids, and digests of settings that are no secrets.
type slice struct {
	Firm  string `json:"firm,omitempty"` // "" where the nodes serve one installation
	Run   string `json:"run"`
	Shard int64  `json:"shard"` // its first seq
	Epoch int64  `json:"epoch"`
	// Settings are those of the node that leads; a leader of an earlier release sends none.
	Settings Settings `json:"settings,omitempty"`
}

// Settings are digests of the settings that decide what a request looks like and whether it is repeated, by name. All
// nodes must send a run alike, so those of the node that leads it decide.
type Settings map[string]string

// unlike returns an error that names the settings in which a node differs from the one that leads. Settings that only
// one of them knows do not count: the other is of another release.
func (s Settings) unlike(leads Settings) error {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(leads)) {
		if is, known := s[name]; known && is != leads[name] {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s: not as on the node that leads the run. Give both nodes the same configuration, and restart the one that is wrong", strings.Join(names, ", "))
}

// Kind is River's name for such jobs.
func (slice) Kind() string { return "slice" }

// What happens to a shard on a node.
const (
	taken     = "taken"      // to be sent from here
	takenOver = "taken_over" // besides, where a node that was sending it has died
	givenBack = "given_back" // all that was sent of it is settled
	lost      = "lost"       // another node has it, because the lease had ended
	failed    = "failed"     // this node cannot send it, or cannot give it back; another one takes it, when the lease ends at the latest
)

// Events lists all of them.
var Events = []string{taken, takenOver, givenBack, lost, failed}

// tell reports what happened to a shard.
func (n *Node) tell(event string) {
	if n.Slice != nil {
		n.Slice(event)
	}
}

func (n *Node) tellEnd(err error) {
	switch {
	case err == nil:
		n.tell(givenBack)
	case errors.Is(err, ledger.ErrTakenOver):
		n.tell(lost)
	default:
		n.tell(failed)
	}
}

// telling returns a function that reports how many records of a job one slice settles.
func (n *Node) telling(firm, job string) func(push.Counts) {
	told := map[ledger.State]int{}
	return func(c push.Counts) {
		for state, settled := range c.Sent {
			if more := settled - told[state]; more > 0 && n.Settled != nil {
				n.Settled(firm, job, state, more)
			}
			told[state] = settled
		}
	}
}

type sliceWorker struct {
	river.WorkerDefaults[slice]
	node *Node
}

// Firm is what sends runs of one firm from this node; its ledger is open for as long.
type Firm struct {
	Ledger *ledger.Ledger
	// Open opens what sends a run, as Node.Open does.
	Open  func(ctx context.Context, run ledger.Run) (Opened, error)
	Close func() error
}

// mostSaid is how many errors of runs are remembered.
const mostSaid = 1000

// log returns the log of the node for an error of a run, and a log that writes nothing for an error that the run had
// before: a part that is given back is rung for again at once.
func (n *Node) log(run string, err error) *zap.Logger {
	n.mu.Lock()
	defer n.mu.Unlock()
	said := run + " " + err.Error()
	if n.said[said] {
		return zap.NewNop()
	}
	if n.said == nil || len(n.said) == mostSaid {
		n.said = map[string]bool{}
	}
	n.said[said] = true
	return n.Log
}

// errOfFirm is written to River's table, which all firms share, in place of an error that is in the log.
var errOfFirm = errors.New("the log of the node has it")

// Work sends a shard, if it is still as it was when it was rung for.
func (w *sliceWorker) Work(_ context.Context, job *river.Job[slice]) error {
	n, ctx := w.node, w.node.ending
	if ctx.Err() != nil {
		return nil // the leader rings for it again
	}
	of := shardOf{Node: n, leads: job.Args.Settings, book: n.Ledger, open: n.opening, forget: n.forget}
	if job.Args.Firm == "" {
		err := of.work(ctx, job.Args)
		if errors.Is(err, fault.ErrMoved) { // nobody else reports it while the run waits for this part
			n.log(job.Args.Run, err).Error("a part of a run was not sent from here", zap.String("run", job.Args.Run), zap.Error(err))
		}
		return err
	}
	err := n.workFirm(ctx, job.Args)
	if err != nil {
		n.log(job.Args.Run, err).Error("a part of a firm's run was not sent from here", zap.String("firm", job.Args.Firm), zap.String("run", job.Args.Run), zap.Error(err))
		err = errOfFirm
	}
	return err
}

// workFirm sends a shard of a firm, and opens the firm's ledger only for that: no node keeps connections for firms that
// it does not send for.
func (n *Node) workFirm(ctx context.Context, args slice) error {
	settle := context.WithoutCancel(ctx)
	firm, err := n.Firm(settle, args.Firm)
	if err != nil {
		return err
	}
	var opened Opened
	of := shardOf{Node: n, leads: args.Settings, firm: args.Firm, book: firm.Ledger, forget: func() {}}
	of.open = func(ctx context.Context, run ledger.Run) (Opened, error) {
		opened, err = firm.Open(ctx, run)
		return opened, err
	}
	working := of.work(ctx, args)
	if opened.Close != nil {
		working = errors.Join(working, opened.Close())
	}
	return errors.Join(working, firm.Close())
}

// shardOf sends a shard of any ledger.
type shardOf struct {
	*Node
	leads  Settings
	firm   string // "" if the nodes serve one installation
	book   *ledger.Ledger
	open   func(context.Context, ledger.Run) (Opened, error)
	forget func() // closes what open made
}

func (n shardOf) work(ctx context.Context, args slice) error {
	shard, err := n.book.Take(ctx, ledger.Shard{Run: args.Run, First: args.Shard, Epoch: args.Epoch})
	if errors.Is(err, ledger.ErrShardTaken) || errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	n.tell(taken)
	if shard.Again+shard.Doubt > 0 {
		n.tell(takenOver)
		n.Log.Warn("a node ended while it was sending; this one takes over", zap.String("run", shard.Run), zap.Int64("from", shard.First),
			zap.Int("sent_again", shard.Again), zap.Int("in_doubt", shard.Doubt))
	}
	return n.send(ctx, shard)
}

// send sends a shard that was taken, and gives it back.
func (n shardOf) send(ctx context.Context, shard *ledger.Shard) error {
	settle := context.WithoutCancel(ctx)
	run, err := n.book.Run(settle, shard.Run)
	if err != nil {
		return n.abandon(shard, err)
	}
	pusher, err := n.open(settle, run)
	if err == nil {
		err = pusher.Settings.unlike(n.leads)
	}
	if err != nil { // nothing was sent; another node may be able to
		n.log(shard.Run, err).Error("this node cannot send", zap.String("run", shard.Run), zap.Error(err))
		n.tell(failed)
		n.forget()
		err = errors.Join(err, n.book.GiveBack(settle, shard, "", ""))
		if n.firm == "" { // a part of another firm may be next
			select {
			case <-time.After(ringAgain):
			case <-ctx.Done():
			}
		}
		return err
	}
	pusher.Tell = n.telling(n.firm, run.Job)
	end, err := pusher.Slice(ctx, run, shard, sliceTime)
	if err != nil {
		n.forget()
		return n.abandon(shard, err)
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
	if end.Code != "" {
		n.Log.Warn("a part that this node sent stops the run", zap.String("run", shard.Run), zap.String("code", end.Code))
		end.Why += " (node " + n.Ledger.Node() + ")" // its cookie or its network may be worse than those of others
	}
	err = n.book.GiveBack(settle, shard, end.Code, end.Why)
	n.tellEnd(err)
	return err
}

// abandon leaves a shard to whoever takes it when its lease has ended.
func (n shardOf) abandon(shard *ledger.Shard, err error) error {
	n.book.Abandon(shard)
	n.tellEnd(err)
	return err
}
