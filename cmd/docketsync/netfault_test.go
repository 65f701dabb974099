package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// netKind is what a fault does to a connection.
type netKind string

// The kinds.
const (
	netNone   netKind = ""       // the connection is as good as any
	netRefuse netKind = "refuse" // ended as soon as it is made; the server never hears of it
	netGone   netKind = "gone"   // as Refuse, and nobody listens at the address for a while: what comes next cannot even connect
	netCut    netKind = "cut"    // both sides ended
	netStall  netKind = "stall"  // nothing gets through any more, in either direction, and nobody is told
	netHalf   netKind = "half"   // the direction ends, as if its sender had closed it; the other goes on
	netSlow   netKind = "slow"   // the direction goes on at Rate
)

// netDirection is one half of a connection.
type netDirection string

// The directions.
const (
	netUp   netDirection = "up"   // requests, to the server
	netDown netDirection = "down" // answers, to the client
)

// netFault is what befalls one connection. It strikes once, when After bytes have gone in the direction Way and the next one
// comes: {Cut, Down, 0} ends a connection when a request was written, acted on and is about to be answered; {Cut, Up, 0}
// ends it before the server has seen a byte.
type netFault struct {
	Kind  netKind
	Way   netDirection
	After int64
	// Reset ends connections with a reset instead of an orderly end, with Refuse, Gone and Cut.
	Reset bool
	// Rate is in bytes per second, with Slow.
	Rate int
	// For is how long nobody listens, with Gone.
	For time.Duration
}

// String is the fault in words, for the name of a test.
func (f netFault) String() string {
	if f.Kind == netNone || f.Kind == netRefuse || f.Kind == netGone {
		return string(f.Kind)
	}
	return fmt.Sprintf("%s %s after %d", f.Kind, f.Way, f.After)
}

// netWeather says what befalls a connection, by its number from 0. It is called by many goroutines.
type netWeather func(connection int64) netFault

// netStorm strikes a share of the connections, each with one of the faults. Where a fault has After, the bytes before it
// strikes are drawn from 0 to that; a seed decides together with the connection's number. A fault that the list names
// twice comes twice as often.
func netStorm(seed uint64, share float64, faults ...netFault) netWeather {
	return func(connection int64) netFault {
		random := rand.New(rand.NewPCG(seed, uint64(connection)))
		struck, which, bytes, reset := random.Float64(), random.IntN(len(faults)), random.Float64(), random.Float64()
		if struck >= share {
			return netFault{}
		}
		fault := faults[which]
		fault.After = int64(bytes * float64(fault.After+1))
		fault.Reset = fault.Reset || reset < 0.5
		return fault
	}
}
