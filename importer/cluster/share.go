package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/push"
	"docketsync/importer/stop"
)

const (
	// look is how often the leader of a run checks the state of its shards.
	look = 200 * time.Millisecond
	// count is how often it counts what is settled.
	count = 2 * time.Second
	// ringAgain is how long it waits before it rings again for a shard that nobody has taken.
	ringAgain = 10 * time.Second
	// ahead is how many shards are rung for beyond those that are being sent.
	ahead = 4
	// atOnce is River's priority of a shard that a dead node had: the next free node takes it, before all that were
	// rung for earlier.
	atOnce, inTurn = 1, 2
)

// errNotLeading says that another node has cut the run anew.
var errNotLeading = errors.New("another node leads this run now")

// leading is one run that all nodes send, as the node that leads it sees it.
type leading struct {
	*Node
	book   *ledger.Ledger
	firm   string
	queue  string
	room   func() bool // asked before a run is shared, nil for always
	run    ledger.Run
	sends  Settings // of this node, which the others must have too
	alone  int      // a run with no more planned records than this is not shared
	size   int      // how many planned records a shard has
	tell   func(map[ledger.State]int)
	before map[ledger.State]int // how many records were settled when sending began
	rung   map[int64]bell       // by first seq
	next   time.Time            // when to count again
	began  time.Time            // when ringing began
	asked  time.Time            // when it was last checked whether any node can send it
}

// bell says what was last rung for a shard, and when.
type bell struct {
	epoch int64
	at    time.Time
}

// Share lets all nodes with these settings send a run, and returns when nobody sends any more of it; see
// push.Service.Share.
func (n *Node) Share(ctx context.Context, run ledger.Run, sends Settings, tell func(map[ledger.State]int)) (push.End, error) {
	s := &leading{Node: n, book: n.Ledger, queue: queue, run: run, sends: sends, tell: tell, rung: map[int64]bell{}}
	return s.share(ctx)
}

// ShareOf is Share for a run of a firm, in the firm's ledger; the nodes that have the labels send it (see Serve). room
// is asked when there is something to share; if it says no, nothing is sent, and the run ends as one that can be
// resumed. A run of less than a full shard is not shared, because firms wait for the room of a run that is.
func (n *Node) ShareOf(ctx context.Context, firm, labels string, book *ledger.Ledger, run ledger.Run, sends Settings, room func() bool, tell func(map[ledger.State]int)) (push.End, error) {
	s := &leading{Node: n, book: book, firm: firm, queue: queueOf(labels), room: room, run: run, sends: sends, alone: n.largest(), tell: tell, rung: map[int64]bell{}}
	return s.share(ctx)
}

func (s *leading) share(ctx context.Context) (push.End, error) {
	settle := context.WithoutCancel(ctx)
	var err error
	s.before, err = s.tally(settle)
	planned := s.before[ledger.Planned]
	s.size = sizeOf(planned, s.largest())
	if err != nil || planned <= max(s.size, s.alone) {
		return push.End{}, err
	}
	if s.room != nil && !s.room() {
		return push.End{Code: stop.Interrupted, Why: "as many large runs as allowed are being sent; it continues when one of them ends"}, nil
	}
	if _, err := s.book.Cut(settle, s.run, s.size); err != nil {
		return push.End{}, err
	}
	end, err := s.untilSent(ctx)
	if err != nil {
		return end, err
	}
	if err := s.callBack(settle); err != nil {
		return end, err
	}
	return end, s.count(settle)
}

// sizeOf returns how many records each shard of a run has.
func sizeOf(planned, largest int) int { return min(max(planned/shardsOfARun, leastShard), largest) }

// largest is the largest number of planned records in a shard.
func (n *Node) largest() int { return cmp.Or(n.Shard, shardSize) }

// tally counts the records of the run by state.
func (s *leading) tally(ctx context.Context) (map[ledger.State]int, error) {
	counts, err := s.book.Tally(ctx, s.run.ID)
	n := map[ledger.State]int{}
	for _, c := range counts {
		n[c.State] += c.N
	}
	return n, err
}

// untilSent rings until nothing is left, a slice says that the run must stop, no node can send it, or ctx ends.
func (s *leading) untilSent(ctx context.Context) (push.End, error) {
	settle := context.WithoutCancel(ctx)
	every := time.NewTicker(look)
	defer every.Stop()
	s.began = time.Now()
	for heard := s.began; ; {
		shards, err := s.shards(settle)
		if err == nil {
			err = s.count(settle)
		}
		if errors.Is(err, fault.ErrUnreachable) && time.Since(heard) < s.book.Term() { // the nodes outlast that too
			<-every.C
			continue
		}
		if err != nil {
			return push.End{}, err
		}
		heard = time.Now()
		left, calledBack := 0, false
		for _, shard := range shards {
			if shard.StopCode != "" {
				return push.End{Code: shard.StopCode, Why: shard.Stop}, nil
			}
			if !shard.Done {
				left++
				calledBack = calledBack || shard.CalledBack
			}
		}
		if left == 0 || ctx.Err() != nil {
			return push.End{}, nil
		}
		if calledBack {
			if err := s.cutAnew(settle); err != nil {
				return push.End{}, err
			}
			continue
		}
		refused, err := s.refused(settle, shards)
		if refused {
			return push.End{Code: stop.Interrupted, Why: "no node can send it; the log of each says why, and it continues when that is mended"}, nil
		}
		if err == nil {
			err = s.ring(settle, shards)
		}
		if err != nil {
			s.Log.Warn("the other nodes could not be called; trying again", zap.String("run", s.run.ID), zap.Error(err))
		}
		select {
		case <-every.C:
		case <-ctx.Done():
		}
	}
}

// refused reports whether every part of a firm's run that a node took up lately, for longer than a lease, failed before
// anything was sent. Then the firm's configuration is broken or gone, which its leader finds out when it opens the firm
// again. Parts that wait because all nodes are busy do not count.
func (s *leading) refused(ctx context.Context, shards []ledger.Shard) (refused bool, err error) {
	if s.firm == "" || time.Since(s.asked) < ringAgain || slices.ContainsFunc(shards, beingSent) {
		return false, nil
	}
	s.asked = time.Now()
	term := s.book.Term()
	err = s.pool.QueryRow(ctx, `select coalesce(bool_and(state = 'discarded') and min(finalized_at) < now() - $3::interval, false) from river_job
		where queue = $1 and args->>'run' = $2 and state in ('completed', 'discarded') and finalized_at > now() - $4::interval`,
		s.queue, s.run.ID, term, min(term+ringAgain, time.Since(s.began))).Scan(&refused)
	return refused, err
}

// beingSent reports whether a node has a shard.
func beingSent(shard ledger.Shard) bool { return shard.Node != "" && !shard.Expired }

// cutAnew makes the run be sent on after somebody else called its shards back: a process that led before and did not
// know that it no longer does.
func (s *leading) cutAnew(ctx context.Context) error {
	if err := s.callBack(ctx); err != nil {
		return err
	}
	_, err := s.book.Cut(ctx, s.run, s.size)
	s.rung = map[int64]bell{}
	return err
}

// shards reads the state of the shards, and makes sure that nobody else has cut the run anew; whoever did holds the
// lock of its scope.
func (s *leading) shards(ctx context.Context) ([]ledger.Shard, error) {
	list, err := s.book.Shards(ctx, s.run.ID)
	if err == nil && len(list) == 0 {
		err = errNotLeading
	}
	return list, err
}

// ring rings for the first shards that no node has.
func (s *leading) ring(ctx context.Context, shards []ledger.Shard) error {
	busy, now := 0, time.Now()
	var jobs []river.InsertManyParams
	for _, shard := range shards {
		if beingSent(shard) {
			busy++
		}
	}
	waiting := 0
	for _, shard := range shards {
		if shard.Done || beingSent(shard) {
			continue
		}
		if waiting++; waiting > busy+ahead {
			break
		}
		if last, ok := s.rung[shard.First]; ok && last.epoch == shard.Epoch && now.Sub(last.at) < ringAgain && !shard.Expired {
			continue
		}
		if last := s.rung[shard.First]; shard.Expired && now.Sub(last.at) < time.Second {
			continue
		}
		s.rung[shard.First] = bell{shard.Epoch, now}
		priority := inTurn
		if shard.Expired {
			priority = atOnce
		}
		jobs = append(jobs, river.InsertManyParams{Args: slice{Firm: s.firm, Run: s.run.ID, Shard: shard.First, Epoch: shard.Epoch, Settings: s.sends},
			InsertOpts: &river.InsertOpts{Queue: s.queue, MaxAttempts: 1, Priority: priority}})
	}
	if len(jobs) == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := s.client.InsertManyFastTx(ctx, tx, jobs); err != nil {
			return err
		}
		// River lets a job wait until the server's clock reaches the time at which this machine inserted it.
		_, err := tx.Exec(ctx, `update river_job set scheduled_at = now() where queue = $1 and state = 'available' and scheduled_at > now()`, s.queue)
		return err
	})
}

// count counts the settled records from time to time, and tells.
func (s *leading) count(ctx context.Context) error {
	if time.Now().Before(s.next) {
		return nil
	}
	began := time.Now()
	sent, err := s.tally(ctx)
	if err != nil {
		return err
	}
	s.next = time.Now().Add(max(count, 20*time.Since(began))) // a million records take a while to count
	for state, n := range sent {
		if sent[state] = n - s.before[state]; sent[state] <= 0 || state == ledger.Planned || state == ledger.Sending {
			delete(sent, state)
		}
	}
	s.tell(sent)
	return nil
}

// callBack waits until no node sends any more of the run. A node that does not answer keeps its lease to the end; what
// it left is recovered.
func (s *leading) callBack(ctx context.Context) error {
	s.next = time.Time{}
	err := s.book.Recall(ctx, s.run.ID)
	for err == nil {
		var shards []ledger.Shard
		if shards, err = s.shards(ctx); err != nil {
			break
		}
		if slices.ContainsFunc(shards, beingSent) {
			time.Sleep(look)
			continue
		}
		if slices.ContainsFunc(shards, func(shard ledger.Shard) bool { return shard.Expired }) {
			_, _, err = s.book.Recover(ctx, s.run.ID)
		}
		break
	}
	if err != nil {
		err = fmt.Errorf("call the other nodes back: %w", err)
	}
	return err
}
