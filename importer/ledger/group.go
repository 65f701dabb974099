package ledger

import (
	"errors"
	"slices"

	"docketsync/importer/ledger/model"
)

// commit is one call of Commit on its way to the disk.
type commit struct {
	outcomes []settled
	intents  []model.Place
	renewals []model.Place // records of ranges whose lease is to be renewed
	sent     int64         // when the intents were committed, once they are
	answer   chan error
}

// places returns all records of a call.
func (c *commit) places() []model.Place {
	list := slices.Grow(slices.Concat(c.intents, c.renewals), len(c.outcomes))
	for n := range c.outcomes {
		list = append(list, c.outcomes[n].Place)
	}
	return list
}

// placesOf returns all records of a group.
func placesOf(group []*commit) (list []model.Place) {
	for _, c := range group {
		list = append(list, c.places()...)
	}
	return list
}

// settled is an outcome with the place of its record. sent is when the record was sent if no intent of it was
// committed, otherwise 0. intent is when this process committed an intent. ordinary says that its attempt need not be
// stored.
type settled struct {
	model.Place
	Outcome
	sent     int64
	intent   int64
	ordinary bool
}

// likely reports whether an outcome is ordinary if its answer is: accepted by the one request that was made, with
// nothing to note.
func (s *settled) likely() bool {
	if s.State != Accepted || len(s.Attempts) != 1 || len(s.Reasons) > 0 {
		return false
	}
	a := s.Attempts[0]
	return a.Verdict == string(Accepted) && a.Status == s.Status && a.Error == "" && !a.Started.IsZero()
}

// commits returns how many intents and outcomes this is: without an intent it counts as both.
func (s *settled) commits() int64 {
	if s.sent != 0 {
		return 2
	}
	return 1
}

// leaving is a record that is about to be sent, and since when.
type leaving struct {
	model.Place
	at int64
}

// outcomeStates are the states in which an outcome may leave a record.
var outcomeStates = []State{Accepted, Refused, Failed, InDoubt, Rejected, Held}

// errImpossible says that some call asks for what is not possible, but not which.
var errImpossible = errors.New("a record is not in the state it should be in")
