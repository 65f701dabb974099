package evidence

import (
	"slices"
	"strings"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// What a transaction does to a run that sends is recorded as an entry of the run's chain, in the same transaction. The
// entry is written when everything else has been (seal), or together with it (carryOut), so that a group of outcomes
// costs one more statement and row.

// statesInEvidence are the states as entries number them.
var statesInEvidence = []model.State{"", model.Planned, model.Sending, model.Accepted, model.Refused, model.Failed, model.InDoubt, model.Rejected, model.Unchanged, model.Held}

func stateNumber(s model.State) byte { return byte(max(0, slices.Index(statesInEvidence, s))) }

// PlainWidth is the number of columns of a record without further content. A record with an order has its rank after
// them.
const PlainWidth = 11

// PlainSame is how many leading columns are mostly the same in neighbouring records.
const PlainSame = 5

// NotePlanned records a record as it was written, with the values of its columns.
func NotePlanned(tx *handle.Tx, run int64, v []any) {
	scope, action, state, repeatable, seq, bundle, key, digest, rows, id := v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]
	op := tx.Noting(run, chain.Op{What: chain.Planned, Seq: seq.(int64), State: stateNumber(model.State(state.(string))), Repeatable: repeatable.(bool)})
	var payload, body, previous, entries, rank any
	switch more := v[PlainWidth:]; {
	case len(more) == 1:
		rank = more[0]
	case len(more) > 1:
		payload, body, previous, entries, rank = more[0], more[1], more[2], more[5], more[10]
		op.Status, op.Tried = more[6].(int64), more[8].(int64)
		op.SettledAt, _ = more[9].(int64)
		op.Some(chain.Reasons, more[3])
		notes, _ := more[4].(string)
		op.Count = int64(len(notes))
		op.Some(chain.Notes, notes)
		if message := more[7]; message != "" {
			answered(&op, message, "", nil)
		}
	}
	op.Put(chain.Content, scope, key, action, digest, bundle, rows, payload, body, previous, entries, rank)
	op.Some(chain.ID, id)
	op.End()
}

// answered states what the service said: its message, the fields that it showed, and the answer, if no attempt has it.
func answered(op *handle.Noted, message, readBack, answer any) {
	op.Put(chain.Answer, message, readBack, answer)
}

// NoteSettled records what became of a record. reasons are its reasons as stored, or what was noted when it was
// accepted.
func NoteSettled(tx *handle.Tx, number, seq, sent int64, ordinary bool, o *model.Outcome, reasons any) {
	op := tx.Noting(number, chain.Op{What: chain.Settled, Seq: seq, State: stateNumber(o.State), SettledAt: o.At.UnixMicro(), Sent: sent, Status: int64(o.Status), Tried: int64(len(o.Attempts))})
	var answer any
	if ordinary {
		a := &o.Attempts[0]
		op.Sent, op.Took, answer = a.Started.UnixMicro(), a.Duration.Microseconds()+1, store.Plain(a.Answer)
	} else if len(o.Attempts) > 0 {
		op.Put(chain.Tries, triesOf(o.Attempts)...)
	}
	if o.State == model.Accepted {
		op.Some(chain.Remarks, reasons)
	} else {
		op.Some(chain.Reasons, reasons)
	}
	answered(&op, store.Plain(o.Message), strings.Join(o.ReadBack, ","), answer)
	op.Some(chain.ID, store.Plain(o.ServiceID))
	op.End()
	if o.State != model.Accepted {
		return
	}
	for _, id := range o.Also {
		if id.Key != "" && id.ServiceID != "" {
			NoteNamed(tx, number, id, o.At.UnixMicro())
		}
	}
}

// NoteResolved records that a person, or a person's decision about another record, has taken a record out of doubt.
func NoteResolved(tx *handle.Tx, run, seq int64, to model.State, at int64, message, id string) {
	op := tx.Noting(run, chain.Op{What: chain.Resolved, Seq: seq, State: stateNumber(to), SettledAt: at})
	answered(&op, message, "", nil)
	op.Some(chain.ID, id)
	op.End()
	tx.Join(run)
}

// NoteNamed records an id that a record was given.
func NoteNamed(tx *handle.Tx, run int64, id model.Identity, at int64) {
	tx.Note(run, chain.Op{What: chain.Named, SettledAt: at}, store.Plain(id.Scope), store.StoredKey(id.Key), store.Plain(id.ServiceID))
}

// triesOf returns the requests of an outcome as a sum takes them.
func triesOf(attempts []model.Attempt) []any {
	values := make([]any, 0, 6*len(attempts))
	for _, a := range attempts {
		values = append(values, a.Started.UnixMicro(), a.Duration.Microseconds(), int64(a.Status), a.Verdict, store.Plain(a.Error), store.Plain(a.Answer))
	}
	return values
}

// NoteRun records a run as it was begun or saved, with those values, and joins its chain to the ledger's unless the run
// is under way.
func NoteRun(tx *handle.Tx, what chain.What, run model.Run, values []any) error {
	var number int64
	if err := tx.One(`select number from runs where id = $1`, []any{run.ID}, &number); err != nil || run.Kind != model.Push {
		return err
	}
	op := chain.Op{What: what, Text: []byte(run.Phase)}
	if what == chain.Begun {
		op.Text = []byte(run.ID)
	}
	tx.Note(number, op, values...)
	if what == chain.Begun {
		tx.Join(number)
	}
	if run.Phase != model.Finished && run.Phase != model.Stopped {
		return nil
	}
	tx.Join(number)
	kept, err := keptDigest(tx.Query, number)
	if err == nil && kept != nil {
		tx.Note(number, chain.Op{What: chain.Kept}, kept)
	}
	return err
}

// The ways in which records are put into other states together.
const (
	MoveHold        = "hold"        // planned: held
	MoveRelease     = "release"     // held or failed by the push: planned
	MoveRecover     = "recover"     // sending: planned if it is repeatable, otherwise in doubt
	MoveInterrupted = "interrupted" // planned, repeatable and never sent: it may have been sent
	MoveRefused     = "refused"     // refused: held
)

// NoteMove records that records of a run, after one seq and up to another, were put into another state, at a time, 0
// for none.
func NoteMove(tx *handle.Tx, run int64, how string, from model.State, after, until, at int64) error {
	return tx.NoteAll(run, func() {
		tx.Note(run, chain.Op{What: chain.Moved, Text: []byte(how), State: stateNumber(from), Seq: after, Until: until, SettledAt: at})
	})
}

// CutOff is the message of a record whose process died between intent and outcome.
const CutOff = "docketsync was interrupted after it recorded the intent to send this; the request may have been sent"

// Interrupted is the message of a repeatable record whose process died while its run was pushed, until it has an
// outcome.
const Interrupted = "docketsync was interrupted while the run was being sent, and this may have gone out; it is safe to repeat"
