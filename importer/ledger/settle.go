package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/mapping/reason"
)

// updateOutcomes takes records out of sending. A repeatable record that never had an intent has sent_at set and comes
// from planned.
var updateOutcomes = &store.Bulk{
	Text: `with v (run_no, seq, state, status, message, reasons, notes, read_back, service_id, attempts, settled_at, sent_at) as (values {rows})
		update records set state = v.state, status = v.status, message = v.message, reasons = coalesce(v.reasons, records.reasons),
			notes = case when v.notes is null then records.notes when records.notes is null then v.notes
				else substr(records.notes, 1, length(records.notes) - 1) || ',' || substr(v.notes, 2) end,
			read_back = v.read_back,
			service_id = case when v.service_id = '' then records.service_id else v.service_id end,
			attempts = records.attempts + v.attempts, settled_at = v.settled_at, sent_at = coalesce(v.sent_at, records.sent_at)
		from v where records.run_no = v.run_no and records.seq = v.seq and (records.state = 'sending'
			or (records.state = 'planned' and (v.sent_at is not null and records.repeatable or v.state in ('held', 'failed', 'rejected'))))`,
	Columns: []string{"bigint", "bigint", "text", "bigint", "text", "text", "text", "text", "text", "bigint", "bigint", "bigint"},
}

// updateOrdinary is updateOutcomes for ordinary outcomes. Besides when its request began and how long that took,
// nothing has to be written of one.
var updateOrdinary = &store.Bulk{
	Text: `with v (run_no, status, message, read_back, alone, seq, service_id, settled_at, sent_at, took_us) as (values {rows})
		update records set state = 'accepted', status = v.status, message = v.message, read_back = v.read_back,
			service_id = case when v.service_id = '' then records.service_id else v.service_id end,
			attempts = records.attempts + 1, settled_at = v.settled_at, sent_at = v.sent_at, took_us = v.took_us
		from v where records.run_no = v.run_no and records.seq = v.seq and (records.state = 'sending'
			or (records.state = 'planned' and v.alone and records.repeatable))`,
	Columns: []string{"bigint", "bigint", "text", "text", "boolean", "bigint", "text", "bigint", "bigint", "bigint"},
	Same:    5,
}

// insertAttempts numbers the attempts of an outcome after those that the record had before. back counts from the last.
var insertAttempts = &store.Bulk{
	Text: `with v (run_no, seq, back, started_at, duration_us, status, verdict, error, answer) as (values {rows})
		insert into attempts (run_no, seq, number, started_at, duration_us, status, verdict, error, answer)
		select v.run_no, v.seq, r.attempts - v.back, v.started_at, v.duration_us, v.status, v.verdict, v.error, v.answer
		from v join records r on r.run_no = v.run_no and r.seq = v.seq`,
	Columns: []string{"bigint", "bigint", "bigint", "bigint", "bigint", "bigint", "text", "text", "text"},
}

var upsertKnown = &store.Bulk{
	Text: `with v (run_no, entries, differs, seq, service_id, accepted_at) as (values {rows})
		insert into known (scope, key, digest, payload, bundle, bundle_seq, service_id, entries, differs, run_no, accepted_at, epoch)
		select r.scope, r.key, r.digest, r.payload, r.bundle, r.seq, v.service_id, v.entries, v.differs, v.run_no, v.accepted_at,
			coalesce((select e.epoch from epochs e where e.scope = r.scope), 0)
		from v join records r on r.run_no = v.run_no and r.seq = v.seq where r.key <> ''
		on conflict (scope, key) do update set digest = excluded.digest, payload = excluded.payload,
			bundle = excluded.bundle, bundle_seq = excluded.bundle_seq,
			service_id = case when excluded.service_id = '' then known.service_id else excluded.service_id end,
			entries = coalesce(excluded.entries, known.entries), differs = excluded.differs, run_no = excluded.run_no, accepted_at = excluded.accepted_at,
			epoch = excluded.epoch`,
	Columns: []string{"bigint", "text", "text", "bigint", "text", "bigint"},
	Same:    3,
}

// updateIntents marks what is about to be sent. The index records_unsure keeps it from marking a record if another of
// the same key is in doubt.
var updateIntents = &store.Bulk{
	Text: `with v (run_no, seq, sent_at) as (values {rows})
		update records set state = 'sending', sent_at = v.sent_at
		from v where records.run_no = v.run_no and records.seq = v.seq and records.state = 'planned' and records.key <> ''`,
	Columns: []string{"bigint", "bigint", "bigint"},
}

// contents is what all calls of a group contain, and what that adds to each range.
type contents struct {
	outcomes []settled
	intents  []leaving
	gains    []*gain
}

func (p *pushes) contents(group []*commit, now time.Time) (t contents) {
	var renewals []model.Place
	for _, c := range group {
		t.outcomes, renewals = append(t.outcomes, c.outcomes...), append(renewals, c.renewals...)
		if c.sent == 0 { // an earlier try may have been carried out
			c.sent = now.UnixMicro()
		}
		for _, p := range c.intents {
			t.intents = append(t.intents, leaving{p, c.sent})
		}
	}
	t.gains = p.gains(t.outcomes, t.intents, renewals)
	return t
}

// settle writes all outcomes and then all intents of a group.
func (tx *transaction) settle(group []*commit, now time.Time) error {
	t := tx.pushes.contents(group, now)
	if err := tx.fenceEach(t.gains); err != nil {
		return err
	}
	err := tx.pushes.check(t.gains, tx.again)
	if errors.Is(err, handle.ErrCommitted) {
		return tx.committed(t.outcomes, t.intents)
	}
	if err == nil {
		err = tx.findOrdinary(t.outcomes, t.gains)
	}
	if err != nil {
		return err
	}
	return tx.carryOut(t.outcomes, t.intents)
}

// inAdvance returns the steps of settle for a server, if everything that it needs is known before the transaction
// begins. Each step refuses what settle would have checked.
func (tx *transaction) inAdvance(t contents) ([]store.Step, error) {
	if err := tx.findOrdinary(t.outcomes, t.gains); err != nil {
		return nil, err
	}
	steps, err := tx.settleOutcomes(t.outcomes)
	if err != nil {
		return nil, err
	}
	sending := tx.sending(t.intents)
	steps[0].Exact, steps[1].Exact, sending.Exact = true, true, true
	entries, err := tx.RunEntries()
	return slices.Concat([]store.Step{tx.pushes.fences(t.gains)}, steps, []store.Step{sending}, entries), err
}

// known reports whether a group can be carried out without asking the ledger anything.
func (t *contents) known() bool {
	answers := map[int64]bool{}
	for _, g := range t.gains {
		if g.at == nil {
			return false
		}
		answers[g.number] = g.answer != nil
	}
	return !slices.ContainsFunc(t.outcomes, func(o settled) bool { return len(o.Entries) > 0 || o.likely() && !answers[o.Number] })
}

// findOrdinary marks the ordinary outcomes of a group. The first answer of a run is stored as the one that ordinary
// answers repeat.
func (tx *transaction) findOrdinary(outcomes []settled, gains []*gain) error {
	answers := map[int64]*string{}
	for _, g := range gains {
		answers[g.number] = g.answer
	}
	for n := range outcomes {
		o := &outcomes[n]
		if o.ordinary = false; !o.likely() {
			continue
		}
		if answers[o.Number] == nil {
			form := answerForm(o)
			// Another node may have stored one at the same moment.
			if err := tx.One(`update runs set answer = coalesce(answer, $2) where number = $1 returning answer`, []any{o.Number, form}, &form); err != nil {
				return err
			}
			answers[o.Number] = &form
		}
		answer := *answers[o.Number]
		o.ordinary = answerForm(o) == answer && handle.AnswerOf(answer, store.Plain(o.ServiceID)) == store.Plain(o.Attempts[0].Answer)
	}
	return nil
}

// answerForm returns an outcome's answer without what is particular to its record.
func answerForm(o *settled) string {
	answer := store.Plain(o.Attempts[0].Answer)
	if o.ServiceID == "" {
		return answer
	}
	return strings.ReplaceAll(answer, store.Plain(o.ServiceID), handle.IDInAnswer)
}

// committed returns handle.ErrCommitted if the tables have a group whose count matches. The count alone is not enough:
// another process that took over the run may have counted as many.
func (tx *transaction) committed(outcomes []settled, intents []leaving) error {
	stands := func(p model.Place, want State) error {
		state, _, err := tx.Standing(p)
		if err == nil && state != want {
			err = fmt.Errorf("%w %s since this one did", handle.ErrTakenOver, p.Run)
		}
		return err
	}
	for n := range outcomes {
		if err := stands(outcomes[n].Place, outcomes[n].State); err != nil {
			return err
		}
	}
	for _, i := range intents {
		if err := stands(i.Place, Sending); err != nil {
			return err
		}
	}
	return handle.ErrCommitted
}

// carryOut writes outcomes and then intents into the tables.
func (tx *transaction) carryOut(outcomes []settled, intents []leaving) error {
	steps, err := tx.settleOutcomes(outcomes)
	if err != nil {
		return err
	}
	sending := tx.sending(intents)
	entries, err := tx.RunEntries()
	if err != nil {
		return err
	}
	changed, err := tx.Together(slices.Concat(steps, []store.Step{sending}, entries)...)
	if err == nil && (int(changed[0]+changed[1]) < len(outcomes) || int(changed[len(steps)]) < len(intents)) || err != nil && tx.Engine().Repeated(err) {
		return errImpossible
	}
	return err
}

// sending returns the step that writes intents into the tables.
func (tx *transaction) sending(intents []leaving) store.Step {
	step := store.Step{Bulk: updateIntents}
	for _, i := range intents {
		step.Values = append(step.Values, i.Number, i.Seq, i.at)
		tx.Note(i.Number, chain.Op{What: chain.Intended, Seq: i.Seq, Sent: i.at})
	}
	return step
}

// settleOutcomes returns the steps that write outcomes into the tables, the records first.
func (tx *transaction) settleOutcomes(outcomes []settled) ([]store.Step, error) {
	var records, attempts []any
	ordinary := make([]any, 0, len(outcomes)*len(updateOrdinary.Columns))
	for n := range outcomes {
		o := &outcomes[n]
		if o.ordinary {
			evidence.NoteSettled(tx.Tx, o.Number, o.Place.Seq, o.sent, true, &o.Outcome, nil)
			ordinary = append(ordinary, o.Number, int64(o.Status), store.Plain(o.Message), strings.Join(o.ReadBack, ","), o.sent != 0,
				o.Place.Seq, store.Plain(o.ServiceID), o.At.UnixMicro(), o.Attempts[0].Started.UnixMicro(), o.Attempts[0].Duration.Microseconds())
			continue
		}
		reasons, err := store.Listed(reason.Stored(o.Reasons))
		if err != nil {
			return nil, err
		}
		evidence.NoteSettled(tx.Tx, o.Number, o.Place.Seq, o.sent, false, &o.Outcome, reasons)
		var notes any
		if o.State == Accepted {
			reasons, notes = nil, reasons
		}
		records = append(records, o.Number, o.Place.Seq, string(o.State), int64(o.Status), store.Plain(o.Message), reasons, notes, strings.Join(o.ReadBack, ","),
			store.Plain(o.ServiceID), int64(len(o.Attempts)), o.At.UnixMicro(), store.Optional(o.sent))
		for n, a := range o.Attempts {
			attempts = append(attempts, o.Number, o.Place.Seq, int64(len(o.Attempts)-1-n), a.Started.UnixMicro(), a.Duration.Microseconds(),
				int64(a.Status), a.Verdict, store.Plain(a.Error), store.Plain(a.Answer))
		}
	}
	known, err := tx.remember(outcomes)
	return append([]store.Step{{Bulk: updateOutcomes, Values: records}, {Bulk: updateOrdinary, Values: ordinary}, {Bulk: insertAttempts, Values: attempts}}, known...), err
}

// remember returns the steps that store what the service holds now. A statement may not touch a key twice, so each run
// has its own, because two runs may have the same key.
func (tx *transaction) remember(outcomes []settled) (steps []store.Step, err error) {
	values := map[int64][]any{}
	var runs []int64
	for _, o := range outcomes {
		if o.State != Accepted {
			continue
		}
		entries, err := tx.entries(o)
		differs, unlisted := store.Listed(reason.Stored(o.Reasons))
		if err := errors.Join(err, unlisted); err != nil {
			return nil, err
		}
		if values[o.Number] == nil {
			runs, values[o.Number] = append(runs, o.Number), make([]any, 0, len(outcomes)*len(upsertKnown.Columns))
		}
		values[o.Number] = append(values[o.Number], o.Number, entries, differs, o.Place.Seq, store.Plain(o.ServiceID), o.At.UnixMicro())
	}
	for _, run := range runs {
		steps = append(steps, store.Step{Bulk: upsertKnown, Values: values[run]})
	}
	return append(steps, rememberIdentities(outcomes)), nil
}

// entries returns the entries known so far and those of the outcome, as stored, or nil if the outcome has none.
func (tx *transaction) entries(o settled) (any, error) {
	if len(o.Entries) == 0 {
		return nil, nil
	}
	var known []Entry
	if _, err := store.Found(tx.One(`select k.entries from records r join known k on k.scope = r.scope and k.key = r.key where r.run_no = $1 and r.seq = $2`,
		[]any{o.Number, o.Place.Seq}, store.JSON(&known))); err != nil {
		return nil, err
	}
	return store.Listed(union(known, o.Entries))
}

// union returns what is known and what is new, each once. Withheld entries are those of the newest record alone,
// because the service holds none of them. The same goes for entries that the new record has as those of the id that its
// key named before.
func union(known, added []Entry) []Entry {
	var list []Entry
	for _, e := range known {
		former := func(a Entry) bool {
			return a.Of != "" && a == Entry{Of: a.Of, Language: e.Language, Class: e.Class, Text: e.Text}
		}
		if !e.Withheld && !slices.ContainsFunc(added, former) {
			list = append(list, e)
		}
	}
	for _, e := range added {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

func rememberIdentities(outcomes []settled) store.Step {
	at := map[model.ScopedKey]int{}
	width := len(upsertIdentities.Columns)
	var values []any
	for _, o := range outcomes {
		if o.State != Accepted {
			continue
		}
		for _, id := range o.Also {
			if id.Key == "" || id.ServiceID == "" {
				continue
			}
			row := []any{store.Plain(id.Scope), store.StoredKey(id.Key), "", store.Plain(id.ServiceID), o.Number, o.At.UnixMicro()}
			n, twice := at[model.ScopedKey{Scope: id.Scope, Key: id.Key}]
			if twice {
				copy(values[n*width:], row)
				continue
			}
			at[model.ScopedKey{Scope: id.Scope, Key: id.Key}] = len(values) / width
			values = append(values, row...)
		}
	}
	return store.Step{Bulk: upsertIdentities, Values: values}
}
