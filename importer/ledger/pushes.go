package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// pushes are the runs that this process pushes, by their numbers: for each, how many intents and outcomes the ledger must have.
//
// The database counts them too, in the transaction that writes them. So whoever commits finds out whether the ledger has lost
// what it acknowledged, as a standby that takes over may have; whether another process has taken the run up; and, when the
// answer to a commit was lost, whether it was carried out.
type pushes struct {
	mu    sync.Mutex
	runs  map[int64]*push
	locks map[string]int // how often each scope was locked
}

// push is one run that this process pushes.
type push struct {
	HighWaterMark
	scope string
	lock  int       // which of the scope's locks it is pushed under
	file  *markFile // nil where no mark is kept
}

// gain is how many intents and outcomes of a run a transaction adds, how many the ledger has with them, and what an ordinary answer of
// the run says.
type gain struct {
	added, total int64
	answer       *string
}

// count adds what is about to be written to what the ledger has of each run.
func (tx *transaction) count(outcomes []settled, intents []leaving) (map[int64]gain, error) {
	gains := map[int64]gain{}
	add := func(run, n int64) { gains[run] = gain{added: gains[run].added + n} }
	for n := range outcomes {
		add(outcomes[n].number, outcomes[n].commits())
	}
	for _, i := range intents {
		add(i.number, 1)
	}
	for _, run := range slices.Sorted(maps.Keys(gains)) {
		t := gains[run]
		if err := tx.One(`update runs set commits = commits + $2 where number = $1 returning commits, answer`, []any{run, t.added}, &t.total, &t.answer); err != nil {
			return nil, err
		}
		gains[run] = t
	}
	return gains, nil
}

// check compares what the ledger has of the runs that are pushed with what it must have. again says that the group may have
// been committed before, by a commit whose answer was lost; then the error is errCommitted.
func (p *pushes) check(gains map[int64]gain, again bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, t := range gains {
		run := p.runs[number]
		if run == nil {
			continue
		}
		switch before := t.total - t.added; {
		case before < run.Commits:
			return fmt.Errorf("%w: %d of %d intents and outcomes of run %s", errBehind, run.Commits-before, run.Commits, run.Run)
		case again && before == run.Commits+t.added:
			return errCommitted
		case before > run.Commits:
			return fmt.Errorf("%w %s since this one did", errTakenOver, run.Run)
		}
	}
	return nil
}

// add counts a group that is on disk, and has the marks say so before anybody sends what is in it.
func (p *pushes) add(group []*commit) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	added := map[*push]int64{}
	for _, c := range group {
		for n := range c.outcomes {
			added[p.runs[c.outcomes[n].number]] += c.outcomes[n].commits()
		}
		for _, i := range c.intents {
			added[p.runs[i.number]]++
		}
	}
	delete(added, nil)
	var problems []error
	for run, n := range added {
		run.Commits += n
		problems = append(problems, run.file.write(run.HighWaterMark))
	}
	return errors.Join(problems...)
}

// all tells whether every run of a group is pushed by this process.
func (p *pushes) all(group []*commit) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	pushed := func(at place) bool { return p.runs[at.number] != nil }
	return !slices.ContainsFunc(group, func(c *commit) bool {
		return slices.ContainsFunc(c.intents, func(i place) bool { return !pushed(i) }) ||
			slices.ContainsFunc(c.outcomes, func(o settled) bool { return !pushed(o.place) })
	})
}

func (p *pushes) begin(number int64, run *push) {
	p.mu.Lock()
	defer p.mu.Unlock()
	run.lock = p.locks[run.scope]
	p.runs[number] = run
}

// counts tells whether a run is pushed by this process.
func (p *pushes) counts(number int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs[number] != nil
}

// end forgets a run, if it was pushed.
func (p *pushes) end(number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if run := p.runs[number]; run != nil {
		run.file.close()
		delete(p.runs, number)
	}
}

// lock notes that a scope is locked, once more.
func (p *pushes) lock(scope string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.locks[scope]++
	return p.locks[scope]
}

// release forgets the runs of a scope that are pushed under a lock that is given back: not those of a later one, which this process
// may have taken when it had lost that.
func (p *pushes) release(scope string, lock int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.runs, func(_ int64, run *push) bool {
		gone := run.scope == scope && run.lock <= lock
		if gone {
			run.file.close()
		}
		return gone
	})
}

// any tells whether this process pushes anything.
func (p *pushes) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.runs) > 0
}
