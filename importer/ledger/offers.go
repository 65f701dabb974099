package ledger

import "sync"

// offersLimit is how many records are remembered as sendable: some pages of those that are read ahead.
const offersLimit = 8192

// offers are the names of records that Pending has read as planned and free of doubt, so that their intents need not be
// looked up while workers wait. What is on offer holds as long as the journal is certain: everything but a commit to the
// journal withdraws it.
type offers struct {
	mu    sync.Mutex
	round int64
	names map[place]name
}

// ask begins a reading whose results are to be offered.
func (o *offers) ask() (round int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.round
}

// make offers what was read, unless something was withdrawn since that reading began.
func (o *offers) make(round int64, names map[place]name) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.round != round {
		return
	}
	if len(o.names)+len(names) > offersLimit || o.names == nil {
		o.names = map[place]name{}
	}
	for p, of := range names {
		o.names[p] = of
	}
}

// take takes an offer, which is there once.
func (o *offers) take(p place) (of name, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	of, ok = o.names[p]
	delete(o.names, p)
	return of, ok
}

func (o *offers) withdraw() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.round++
	clear(o.names)
}
