package network

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Kind is what a fault does to a connection.
type Kind string

// The kinds.
const (
	None   Kind = ""       // the connection is as good as any
	Refuse Kind = "refuse" // ended as soon as it is made; the server never hears of it
	Gone   Kind = "gone"   // as Refuse, and nobody listens at the address for a while: what comes next cannot even connect
	Cut    Kind = "cut"    // both sides ended
	Stall  Kind = "stall"  // nothing gets through any more, in either direction, and nobody is told
	Half   Kind = "half"   // the direction ends, as if its sender had closed it; the other goes on
	Slow   Kind = "slow"   // the direction goes on at Rate
)

// Direction is one half of a connection.
type Direction string

// The directions.
const (
	Up   Direction = "up"   // requests, to the server
	Down Direction = "down" // answers, to the client
)

// Fault is what befalls one connection. It strikes once, when After bytes have gone in the direction Way and the next one
// comes: {Cut, Down, 0} ends a connection when a request was written, acted on and is about to be answered; {Cut, Up, 0}
// ends it before the server has seen a byte.
type Fault struct {
	Kind  Kind
	Way   Direction
	After int64
	// Reset ends connections with a reset instead of an orderly end, with Refuse, Gone and Cut.
	Reset bool
	// Rate is in bytes per second, with Slow.
	Rate int
	// For is how long nobody listens, with Gone.
	For time.Duration
}

// String is the fault in words, for the name of a test.
func (f Fault) String() string {
	if f.Kind == None || f.Kind == Refuse || f.Kind == Gone {
		return string(f.Kind)
	}
	return fmt.Sprintf("%s %s after %d", f.Kind, f.Way, f.After)
}

// Weather says what befalls a connection, by its number from 0. It is called by many goroutines.
type Weather func(connection int64) Fault

// Calm is the weather in which nothing happens.
func Calm(int64) Fault { return Fault{} }

// Storm strikes a share of the connections, each with one of the faults. Where a fault has After, the bytes before it
// strikes are drawn from 0 to that; a seed decides together with the connection's number. A fault that the list names
// twice comes twice as often.
func Storm(seed uint64, share float64, faults ...Fault) Weather {
	return func(connection int64) Fault {
		random := rand.New(rand.NewPCG(seed, uint64(connection)))
		struck, which, bytes, reset := random.Float64(), random.IntN(len(faults)), random.Float64(), random.Float64()
		if struck >= share {
			return Fault{}
		}
		fault := faults[which]
		fault.After = int64(bytes * float64(fault.After+1))
		fault.Reset = fault.Reset || reset < 0.5
		return fault
	}
}
