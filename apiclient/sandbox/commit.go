package sandbox

import (
	"context"
	"errors"
	"fmt"
)

// errClosed is what a request gets that comes when the sandbox is closing.
var errClosed = errors.New("the sandbox is closed")

// work is what a valid request does. It runs inside a transaction, and once more in one of its own when the first did
// not commit.
type work func(*tx) (answer, error)

// job is a request on its way into the database: its line of the log, and what it does, if anything.
type job struct {
	entry  Request
	work   work
	answer answer
	read   func(querier) error
	done   chan error
}

// mostPerCommit bounds the time a request waits for others in its transaction.
const mostPerCommit = 256

// run hands a job to the writer and waits until it is durable. Once handed over it is not taken back, so ctx only
// bounds the wait for a place in the queue.
func (s *store) run(ctx context.Context, j *job) error {
	select {
	case <-s.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	case s.jobs <- j:
	}
	select {
	case err := <-j.done:
		return err
	case <-s.idle:
		select {
		case err := <-j.done:
			return err
		default:
			return errClosed
		}
	}
}

// write is the one goroutine that uses the writer's connection.
func (s *store) write() {
	defer close(s.idle)
	batch := make([]*job, 0, mostPerCommit)
	for {
		select {
		case j := <-s.jobs:
			batch = s.gather(append(batch[:0], j))
			s.commit(batch)
		case <-s.closed:
			if batch = s.gather(batch[:0]); len(batch) == 0 {
				return
			}
			s.commit(batch)
		}
	}
}

// gather takes what waits without waiting itself: while one batch is being flushed, the next one gathers by itself.
func (s *store) gather(batch []*job) []*job {
	for len(batch) < mostPerCommit {
		select {
		case j := <-s.jobs:
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// commit writes a batch in one transaction. When that fails, each job gets a transaction of its own, so that one that
// cannot be written takes no other with it.
func (s *store) commit(batch []*job) {
	writes := batch[:0:0]
	for _, j := range batch {
		if j.read == nil {
			writes = append(writes, j)
		}
	}
	if err := s.transact(writes); err == nil {
		finish(writes, nil)
	} else {
		for _, j := range writes {
			finish([]*job{j}, s.transact([]*job{j}))
		}
	}
	for _, j := range batch {
		if j.read != nil {
			j.done <- j.read(s.tx.conn)
		}
	}
}

func finish(jobs []*job, err error) {
	for _, j := range jobs {
		j.done <- err
	}
}

func (s *store) transact(jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	return s.within(func() error {
		for _, j := range jobs {
			if err := s.tx.perform(j); err != nil {
				return err
			}
		}
		return nil
	})
}

// within runs do in a transaction.
func (s *store) within(do func() error) error {
	if err := s.tx.exec("begin immediate"); err != nil {
		return err
	}
	if err := do(); err != nil {
		return errors.Join(err, s.tx.exec("rollback"))
	}
	if err := s.tx.exec("commit"); err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), s.tx.exec("rollback"))
	}
	return nil
}

// perform does the work of a job and writes its line of the log.
func (t *tx) perform(j *job) error {
	entry := j.entry
	if j.work != nil {
		a, err := j.work(t)
		if err != nil {
			return err
		}
		j.answer = a
		entry.Acted, entry.Status, entry.Target = a.acted, a.status, a.target
		entry.Message = a.message()
	}
	return t.insertRequest(entry)
}
