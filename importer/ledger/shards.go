package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/store"
)

// Shard is a range of a run's records that one process at a time may send.
type Shard struct {
	Run         string `json:"run"`
	First       int64  `json:"first"` // seq
	Last        int64  `json:"last"`
	Epoch       int64  `json:"epoch"`          // a new one each time it is taken or given back
	Node        string `json:"node,omitempty"` // who has it
	Expired     bool   `json:"expired"`        // its holder has not renewed the lease
	Done        bool   `json:"done"`           // nothing of it is left to send
	CalledBack  bool   `json:"called_back"`    // it is to be given back, and nobody may take it
	StopCode    string `json:"stop_code,omitempty"`
	Stop        string `json:"stop,omitempty"` // why the run is to stop
	Commits     int64  `json:"commits"`
	Again       int    `json:"again,omitempty"` // set by Take: how many records that somebody had begun are sent again, and how many are in doubt
	Doubt       int    `json:"doubt,omitempty"`
	recalled    <-chan struct{}
	commitsWith *holding
}

// Recalled is closed when the shard is to be given back, by the next commit or renewal at the latest.
func (s *Shard) Recalled() <-chan struct{} { return s.recalled }

// ErrShardTaken says that a shard belongs to another process, or no longer exists.
var ErrShardTaken = errors.New("another process has this part of the run")

// nodeName returns the name by which other processes know this one.
func nodeName() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%.40s:%d:%s", host, os.Getpid(), rand.Text()[:6])
}

// Node returns the name by which other processes know this one.
func (l *Ledger) Node() string { return l.node }

// holdWhole gives this process all of a run to send, under the lock of its scope. Nobody else may hold a part of it.
func (l *Ledger) holdWhole(ctx context.Context, number int64, run Run) error {
	h := &holding{last: all, whole: true}
	err := l.patiently(ctx, func() error {
		return l.do(ctx, false, func(tx *transaction) (err error) {
			h.began = time.Now()
			if err := tx.notAnothers(number, l.node); err != nil {
				return err
			}
			if h.epoch, err = tx.foldShards(number, 1); err != nil {
				return err
			}
			_, err = tx.Exec(tx.spelled(`insert into shards (run_no, first_seq, last_seq, epoch, node, under_lock, lease_until) values ($1, 0, $2, $3, $4, true, {clock} + $5)`),
				number, h.last, h.epoch, l.node, l.pushes.lease.term.Microseconds())
			return err
		})
	})
	if err != nil {
		return err
	}
	return l.startPush(ctx, number, run, h)
}

// startPush notes that this process sends a range of a run.
func (l *Ledger) startPush(ctx context.Context, number int64, run Run, h *holding) error {
	p, err := l.newPush(ctx, run, false)
	if err == nil {
		p.number = number
		l.pushes.begin(p, h)
	}
	return err
}

// notAnothers returns ErrTakenOver while another process sends a run under the lock of its scope. This process has then
// lost the lock without knowing it: a process that takes over from a dead one has called Recover.
func (tx *transaction) notAnothers(number int64, node string) error {
	var run string
	there, err := store.Found(tx.One(tx.spelled(`select r.id from shards s join runs r on r.number = s.run_no where s.run_no = $1 and s.under_lock and s.node <> $2 and s.lease_until >= {clock}`),
		[]any{number, node}, &run))
	if there {
		err = &lostError{run: run}
	}
	return err
}

// foldShards removes the shards of a run, adds their counts to the run, reserves the given number of new epochs, and
// returns the first. The former holders of the shards can commit nothing more. It returns a *fault.BusyError while a
// shard has a lease that does not end with a lock.
func (tx *transaction) foldShards(number int64, epochs int) (first int64, err error) {
	// The shards are locked before the run, as in every other transaction that takes both.
	if _, err = tx.Exec(`update shards set recalled = true where run_no = $1`, number); err != nil {
		return 0, err
	}
	var node string
	live, err := store.Found(tx.One(tx.spelled(`select node from shards where run_no = $1 and not under_lock and lease_until >= {clock} limit 1`), []any{number}, &node))
	if err != nil {
		return 0, err
	}
	if live {
		return 0, &fault.BusyError{Name: "a part of run " + fmt.Sprint(number) + " on " + node}
	}
	err = tx.One(`update runs set fence = fence + $2, commits = commits + (select cast(coalesce(sum(s.commits), 0) as bigint) from shards s where s.run_no = $1)
		where number = $1 returning fence - $2 + 1`, []any{number, int64(epochs)}, &first)
	if err == nil {
		_, err = tx.Exec(`delete from shards where run_no = $1`, number)
	}
	return first, err
}

// whenVacant changes a run in the transaction that removes its shards, as soon as nobody has a lease on one. It asks
// the holders to give them back.
func (l *Ledger) whenVacant(ctx context.Context, number int64, change func(*transaction) error) error {
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		var busy *fault.BusyError
		err := l.do(ctx, false, func(tx *transaction) error {
			_, err := tx.foldShards(number, 1)
			if errors.As(err, &busy) {
				return nil // commit, so that the shards are recalled
			}
			if err == nil {
				err = change(tx)
			}
			return err
		})
		if err != nil || busy == nil {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), busy)
		case <-l.w.Store.Closing():
			return fault.ErrClosed
		}
	}
}

// stillOurs returns ErrTakenOver if this process had all of a run and no longer has it.
func (tx *transaction) stillOurs(number int64) error {
	return tx.stillHad(number, tx.pushes.wholeOf(number))
}

// stillHad returns ErrTakenOver if a range no longer has the epoch that this process took it with.
func (tx *transaction) stillHad(number int64, h *holding) error {
	if h == nil {
		return nil
	}
	n, err := tx.Exec(`update shards set recalled = recalled where run_no = $1 and epoch = $2`, number, h.epoch)
	if err == nil && n == 0 {
		err = &lostError{h, h.of.Run}
	}
	return err
}

// endPush ends the sending of a run, in the transaction that records the run's end.
func (tx *transaction) endPush(run string) error {
	var number int64
	there, err := store.Found(tx.One(`select number from runs where id = $1`, []any{run}, &number))
	if !there {
		return err
	}
	var some int
	shared, err := store.Found(tx.One(`select 1 from shards where run_no = $1 limit 1`, []any{number}, &some))
	if err == nil {
		err = tx.stillOurs(number)
	}
	if err == nil && shared {
		_, err = tx.foldShards(number, 1)
	}
	return err
}

// Cut divides what a run has planned into shards of that many records each, which any process may take. The run is
// pushing from then on. The caller must hold the lock of its scope.
func (l *Ledger) Cut(ctx context.Context, run Run, records int) ([]Shard, error) {
	doing := "divide run " + run.ID
	number, err := l.h.Number(ctx, run.ID)
	if err == nil {
		err = l.h.Engine.Hold(ctx, nil)
	}
	run.Phase = Pushing
	values, unvalued := runValues(run)
	if err := errors.Join(err, unvalued); err != nil {
		return nil, l.h.Wrap(doing, err)
	}
	err = l.patiently(ctx, func() error {
		return l.do(ctx, false, func(tx *transaction) error {
			ends, err := store.All(tx.Query, store.Column[int64], `select seq from (select seq, row_number() over (order by seq) as n from records
				where run_no = $1 and state = 'planned') as p where n % cast($2 as bigint) = 0 order by seq`, number, int64(records))
			if err != nil {
				return err
			}
			epoch, err := tx.foldShards(number, len(ends)+1)
			if err != nil {
				return err
			}
			first := int64(0)
			for n, last := range append(ends, all) {
				if _, err := tx.Exec(`insert into shards (run_no, first_seq, last_seq, epoch, node, under_lock) values ($1, $2, $3, $4, '', false)`,
					number, first, last, epoch+int64(n)); err != nil {
					return err
				}
				first = last + 1
			}
			return tx.saveRun(run, values)
		})
	})
	if err != nil {
		return nil, l.h.Wrap(doing, err)
	}
	return l.Shards(ctx, run.ID)
}

// Shards returns the shards of a run, in order, or none if it is not shared.
func (l *Ledger) Shards(ctx context.Context, run string) ([]Shard, error) {
	return handle.Of(ctx, l.h, "list who sends run "+run, run, func(number int64) ([]Shard, error) {
		return store.List(ctx, l.h.Read, func(rows *sql.Rows) (s Shard, err error) {
			s.Run = run
			err = rows.Scan(&s.First, &s.Last, &s.Epoch, &s.Node, &s.Expired, &s.Done, &s.CalledBack, &s.StopCode, &s.Stop, &s.Commits)
			return s, err
		}, l.h.Engine.Dialect().Words.Replace(`select first_seq, last_seq, epoch, node, coalesce(lease_until < {clock}, false), done, recalled, stop_code, stop, commits
			from shards where run_no = $1 and not under_lock order by first_seq`), number)
	})
}

// Take takes a shard with the epoch that it was seen with, if nobody has it or its holder has not renewed the lease.
// Taking over is one transaction: the former holder commits nothing more, what it was about to send is in doubt, and
// what is safe to repeat is sent again. The error is ErrShardTaken if the shard has another epoch, is done or recalled,
// and fault.ErrNewer as for Lock.
func (l *Ledger) Take(ctx context.Context, s Shard) (*Shard, error) {
	doing := "take a part of run " + s.Run
	number, err := l.h.Number(ctx, s.Run)
	if err != nil {
		return nil, l.h.Wrap(doing, err)
	}
	if err := l.w.Store.StillOurs(ctx, doing); err != nil {
		return nil, err
	}
	h := &holding{}
	err = l.doUnder(ctx, store.NoLocks, false, func(tx *transaction) error { return l.take(tx, number, &s, h) })
	if err != nil {
		return nil, l.h.Wrap(doing, err)
	}
	run, err := l.Run(ctx, s.Run)
	if err != nil {
		return nil, err
	}
	if err := l.startPush(ctx, number, run, h); err != nil {
		return nil, l.h.Wrap(doing, err)
	}
	l.leased.broken.Store(nil)
	s.Epoch, s.First, s.Last, s.Node, s.recalled, s.commitsWith = h.epoch, h.first, h.last, l.node, h.recalled, h
	return &s, nil
}

func (l *Ledger) take(tx *transaction, number int64, s *Shard, h *holding) error {
	h.began = time.Now()
	var until *int64
	there, err := store.Found(tx.One(tx.spelled(`select lease_until from shards where run_no = $1 and first_seq = $2 and epoch = $3 and not done and not recalled
		and not under_lock and (lease_until is null or lease_until < {clock})`), []any{number, s.First, s.Epoch}, &until))
	if !there {
		return cmp.Or(err, ErrShardTaken)
	}
	seen := int64(-1)
	if until != nil {
		seen = *until
	}
	there, err = store.Found(tx.One(tx.spelled(`update shards set node = $4, lease_until = {clock} + $5 where run_no = $1 and first_seq = $2 and epoch = $3
		and not done and not recalled and coalesce(lease_until, -1) = $6 returning first_seq, last_seq, commits`),
		[]any{number, s.First, s.Epoch, l.node, l.pushes.lease.term.Microseconds(), seen}, &h.first, &h.last, &h.commits))
	if !there {
		return cmp.Or(err, ErrShardTaken)
	}
	if err := tx.One(`update runs set fence = fence + 1 where number = $1 returning fence`, []any{number}, &h.epoch); err != nil {
		return err
	}
	if _, err := tx.Exec(`update shards set epoch = $3 where run_no = $1 and first_seq = $2`, number, h.first, h.epoch); err != nil {
		return err
	}
	if until == nil {
		return nil
	}
	if s.Again, s.Doubt, err = tx.recover(number, h.first, h.last, l.w.Now().UnixMicro()); err != nil {
		return err
	}
	at := l.w.Now().UnixMicro()
	if err := evidence.NoteMove(tx.Tx, number, evidence.MoveInterrupted, Planned, max(h.first-1, 0), upTo(h.last), at); err != nil {
		return err
	}
	_, err = tx.Exec(`update records set sent_at = $4, message = $5 where run_no = $1 and seq >= $2 and seq <= $3 and state = 'planned' and repeatable and sent_at is null`,
		number, h.first, h.last, at, evidence.Interrupted)
	return err
}

// GiveBack gives a shard back once everything sent of it is settled. code and why say why the run is to stop, or are ""
// if it need not.
func (l *Ledger) GiveBack(ctx context.Context, s *Shard, code, why string) error {
	h := s.commitsWith
	err := l.patiently(ctx, func() error {
		return l.doUnder(ctx, store.NoLocks, false, func(tx *transaction) error {
			n, err := tx.Exec(`update shards set node = '', lease_until = null, stop_code = $3, stop = $4,
				done = not exists (select 1 from records where run_no = $1 and seq >= $5 and seq <= $6 and state = 'planned') where run_no = $1 and epoch = $2`,
				h.of.number, h.epoch, code, store.Plain(why), h.first, h.last)
			if err == nil && n == 0 {
				return &lostError{h, s.Run}
			}
			if err != nil {
				return err
			}
			var epoch int64
			if err := tx.One(`update runs set fence = fence + 1 where number = $1 returning fence`, []any{h.of.number}, &epoch); err != nil {
				return err
			}
			_, err = tx.Exec(`update shards set epoch = $3 where run_no = $1 and epoch = $2`, h.of.number, h.epoch, epoch)
			return err
		})
	})
	l.pushes.leave(h)
	return l.h.Wrap("give back a part of run "+s.Run, err)
}

// Abandon forgets a shard that cannot be given back. Whoever takes it after the end of its lease finds what it left.
func (l *Ledger) Abandon(s *Shard) { l.pushes.leave(s.commitsWith) }

// Recall asks all holders of shards of a run to give them back, and nobody can take one any more. The caller must hold
// the lock of its scope. Recall checks that, because a process that was frozen would call back what another process has
// cut since.
func (l *Ledger) Recall(ctx context.Context, run string) error {
	number, err := l.h.Number(ctx, run)
	if err == nil {
		err = l.h.Engine.Hold(ctx, nil)
	}
	if err != nil {
		return l.h.Wrap("call back run "+run, err)
	}
	return l.w.Exec(ctx, "call back run "+run, `update shards set recalled = true where run_no = $1`, number)
}
