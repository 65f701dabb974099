package pace

// breaker opens after so many failures in a row; then one request at a time probes, until one is served. It is a value without clock or
// lock: how long nothing begins once it is open is for the Pacer.
type breaker struct {
	trip     int // failures in a row that open it
	failures int
	open     bool
	probing  bool // while open, a probe is under way
	// era is counted up whenever it opens or closes. Answers to requests that began before say nothing of what has happened since.
	era int
}

// admits tells whether one more request may begin.
func (b *breaker) admits() bool { return !b.open || !b.probing }

// begin notes that a request begins and returns the era in which it does.
func (b *breaker) begin() (era int) {
	b.probing = b.open
	return b.era
}

// served notes that a request of the era was served; closed tells that this has closed the breaker.
func (b *breaker) served(era int) (closed bool) {
	if era != b.era {
		return false
	}
	b.failures = 0
	if closed = b.open; closed {
		b.open, b.probing = false, false
		b.era++
	}
	return closed
}

// failed notes that a request of the era failed; opened tells that this has opened the breaker, or opened it again after a probe.
func (b *breaker) failed(era int) (opened bool) {
	if era != b.era {
		return false
	}
	if b.failures++; !b.open && b.failures < b.trip {
		return false
	}
	b.open, b.probing = true, false
	b.era++
	return true
}

// neither notes that a request of the era ended in a way that says nothing.
func (b *breaker) neither(era int) {
	if era == b.era {
		b.probing = false
	}
}
