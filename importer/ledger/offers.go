package ledger

import (
	"sync"
)

// offersLimit is how many records are remembered as sendable: some pages of those that are read ahead.
const offersLimit = 8192

// offers are the names of records that Pending has read as planned and free of doubt, so that their intents need not be
// looked up while workers wait. What is on offer holds as long as the journal is certain: everything but a commit to the
// journal withdraws it.
//
// Pending reads tables that may be behind the journal, in which a record that was sent is planned still. So what was sent is
// remembered until the tables say so to all who read, and not offered a second time.
type offers struct {
	mu      sync.Mutex
	round   int64
	reading int // how many readings have begun and not ended
	names   map[place]name
	sent    map[place]bool
}

// ask begins a reading whose results are to be offered.
func (o *offers) ask() (round int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reading++
	return o.round
}

// make ends a reading and offers what was read, unless something was withdrawn since it began.
func (o *offers) make(round int64, names map[place]name) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reading--
	if o.round != round {
		return
	}
	if len(o.names)+len(names) > offersLimit || o.names == nil {
		o.names = map[place]name{}
	}
	for p, of := range names {
		if !o.sent[p] {
			o.names[p] = of
		}
	}
}

// take takes an offer for a record that is about to be sent, if there is one.
func (o *offers) take(p place) (of name, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	of, ok = o.names[p]
	delete(o.names, p)
	if o.sent == nil {
		o.sent = map[place]bool{}
	}
	o.sent[p] = true
	return of, ok
}

// folded is told that the tables say what was sent. A reading that has begun before may not have seen it.
func (o *offers) folded() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reading > 0 {
		if len(o.sent) <= offersLimit {
			return
		}
		o.round++
	}
	clear(o.sent)
}

func (o *offers) withdraw() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.round++
	clear(o.names)
	clear(o.sent)
}
