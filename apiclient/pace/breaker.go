package pace

// breaker opens after so many failures in a row; then one request at a time probes, until one is served. It is a value without clock or
// lock: how long nothing begins once it is open is for the Pacer.
type breaker struct {
	Trip     int // failures in a row that open it
	Failures int
	Open     bool
	Probing  bool // while open, a probe is under way
	// Era is counted up whenever it opens or closes. Answers to requests that began before say nothing of what has happened since.
	Era int
}

// admits tells whether one more request may begin.
func (b *breaker) admits() bool { return !b.Open || !b.Probing }

// served notes that a request of the era was served; closed tells that this has closed the breaker.
func (b *breaker) served(era int) (closed bool) {
	if era != b.Era {
		return false
	}
	b.Failures = 0
	if closed = b.Open; closed {
		b.Open, b.Probing = false, false
		b.Era++
	}
	return closed
}

// failed notes that a request of the era failed; opened tells that this has opened the breaker, or opened it again after a probe.
func (b *breaker) failed(era int) (opened bool) {
	if era != b.Era {
		return false
	}
	if b.Failures++; !b.Open && b.Failures < b.Trip {
		return false
	}
	b.Open, b.Probing = true, false
	b.Era++
	return true
}

// neither notes that a request of the era ended in a way that says nothing.
func (b *breaker) neither(era int) {
	if era == b.Era {
		b.Probing = false
	}
}
