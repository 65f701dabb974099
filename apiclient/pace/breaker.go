package pace

// breaker opens after Trip failures in a row. While it is open, one request at a time probes until one is served. It is
// a value without clock or lock: the Pacer decides how long nothing begins once it is open.
type breaker struct {
	Trip     int // failures in a row that open it
	Failures int
	Open     bool
	Probing  bool // a probe is under way
	// Era increases whenever the breaker opens or closes. Answers to requests that began before say nothing about the
	// time since.
	Era int
}

// admits reports whether one more request may begin.
func (b *breaker) admits() bool { return !b.Open || !b.Probing }

// served records that a request of the era was served. closed reports that this closed the breaker.
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

// failed records that a request of the era failed. opened reports that this opened the breaker, or reopened it after a
// probe.
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

// neither records that a request of the era ended in a way that says nothing.
func (b *breaker) neither(era int) {
	if era == b.Era {
		b.Probing = false
	}
}
