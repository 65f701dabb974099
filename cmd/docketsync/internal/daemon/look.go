package daemon

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docketsync/config"
)

const (
	// answerWithin is how long a scan waits for file systems. A share whose server is away may never answer.
	answerWithin = 3 * time.Second
	// overdueAfter is how long a question may be open if those before were answered at once. It is less than a scan waits,
	// so a question that began with the scan and is not answered by its end is overdue.
	overdueAfter = 2 * time.Second
	// silentAfter is how long the files of a firm may take before people are told.
	silentAfter = 30 * time.Second
	// asksAtOnce is how many questions begin at once. Each may hold a thread.
	asksAtOnce = 32
	// moreAfter is how long questions without an answer keep others from beginning: a share that is away must not.
	moreAfter = 200 * time.Millisecond
)

// patient puts questions to file systems that may not answer. It repeats a question only after the last one was
// answered, because each may hold a thread.
type patient[T any] struct {
	answers chan answer[T]
	open    map[string]time.Time     // when each unanswered question was asked
	took    map[string]time.Duration // how long each of the last answers took
}

// answer is a file system's answer about a name.
type answer[T any] struct {
	name  string
	value T
	took  time.Duration
}

// ask asks about all names, a few at once. It returns the answers that arrive in time, including those to earlier
// questions. Names for which there was no time are asked about the next time. It ends early when ctx does.
func (p *patient[T]) ask(ctx context.Context, names []string, question func(name string) T) map[string]T {
	ctx, end := context.WithTimeout(ctx, answerWithin)
	defer end()
	if p.open == nil {
		p.answers, p.open, p.took = make(chan answer[T]), map[string]time.Time{}, map[string]time.Duration{}
	}
	more := time.NewTicker(moreAfter)
	defer more.Stop()
	left := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !p.open[name].IsZero() })
	given := map[string]T{}
	for begun := 0; len(left)+len(p.open) > 0; {
		for ; begun < asksAtOnce && len(left) > 0; begun++ {
			name, asked := left[0], time.Now()
			left, p.open[name] = left[1:], asked
			go func() {
				value := question(name)
				p.answers <- answer[T]{name, value, time.Since(asked)}
			}()
		}
		select {
		case a := <-p.answers:
			begun = max(begun-1, 0)
			delete(p.open, a.name)
			given[a.name], p.took[a.name] = a.value, a.took
		case <-more.C:
			begun = 0
		case <-ctx.Done():
			return given
		}
	}
	return given
}

// overdue reports whether a question has been open for long, and for more than twice as long as the last one was: a slow
// share answers all the same.
func (p *patient[T]) overdue(name string) bool {
	since, open := p.open[name]
	return open && time.Since(since) >= max(overdueAfter, min(2*p.took[name], silentAfter))
}

// late reports whether a question has been open for so long that people are notified.
func (p *patient[T]) late(name string) bool {
	since, open := p.open[name]
	return open && time.Since(since) >= silentAfter
}

// listed is the content of a folder, or why it cannot be read.
type listed struct {
	names []string
	err   error
}

// look reads which firms there are and the state of their files. A firm whose files do not answer in time is in names
// but not in seen. If all firms are gone at once, their folder is more likely not mounted: look then makes each firm
// due for a visit, so that people are notified.
func (f *fleet) look(ctx context.Context) (names []string, seen map[string]looked, err error) {
	dir := f.folder.Dir
	list, ok := f.lists.ask(ctx, []string{dir}, func(string) listed {
		names, err := f.folder.Entries()
		return listed{names, err}
	})[dir]
	switch {
	case ok:
		f.listed = list
	case !f.lists.overdue(dir):
		list = f.listed // it is slow, and not away
	case ctx.Err() == nil:
		list.err = fmt.Errorf("%s does not answer\nCheck the share that it is on", dir)
	}
	if list.err != nil || ctx.Err() != nil {
		return nil, nil, list.err
	}
	known := map[string]*firm{}
	f.mu.Lock()
	for _, name := range list.names {
		known[name] = f.firm(name)
		if of := f.firms[name]; of != nil {
			known[name].mappings, known[name].stamp, known[name].unread = of.mappings, of.stamp, of.unread
		}
	}
	f.mu.Unlock()
	seen = f.looks.ask(ctx, list.names, func(name string) looked {
		if !f.folder.Has(name) {
			return looked{none: true}
		}
		return known[name].look(f.setup.Env)
	})
	for _, name := range list.names {
		if l, answered := seen[name]; answered && !l.none || !answered && config.IsFirmName(name) {
			names = append(names, name)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.empty = nil; len(names) > 0 || len(f.firms) == 0 {
		return names, seen, nil
	}
	f.empty = fmt.Errorf("there is no firm left in %s, so nothing is synced\nMount the folder, or put the firms back. If they were removed for good, restart docketsync", dir)
	for _, of := range f.firms {
		if !of.going && of.trouble == "" {
			of.next, of.waits = time.Now(), false
		}
	}
	return nil, nil, f.empty
}

// answered updates a firm with the state of its files, if they answered. f.mu is held.
func (f *fleet) answered(of *firm, seen map[string]looked) {
	l, answered := seen[of.name]
	if answered && of.silent && of.trouble != "" {
		of.next, of.waits = time.Now(), false
	}
	of.silent = !answered && (of.silent || f.looks.overdue(of.name))
	of.changed(l, time.Now())
}
