package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/varint"
)

// An earlier release committed outcomes and intents with SQLite as rows of a journal, and wrote them into the tables
// later. If it was interrupted, such rows are left; they are written into the tables when the ledger is opened. The
// schema has since renamed the journal, so a process of that release that is still up commits nothing more. While such
// a process is pushing, the ledger is not upgraded: what it has sent could no longer be recorded and would be in doubt.

const (
	// formerJournalVersion is the version byte of the newest rows of the former journal.
	formerJournalVersion = 2
	// formerJournalFrom and formerJournalTo are the first and last schema versions with the journal.
	formerJournalFrom, formerJournalTo = 9, 17
)

// noneUnderWay returns a *fault.BusyError while a process of a release with a journal pushes.
func noneUnderWay(engine store.Engine) store.Upgradable {
	return func(ctx context.Context, r *store.Reader, version int64) error {
		if version < formerJournalFrom || version > formerJournalTo || engine.Dialect().Remote {
			return nil
		}
		scopes, err := store.List(ctx, r, store.Column[string], `select distinct scope from runs where phase = 'pushing'`)
		for _, scope := range scopes {
			release, _, busy := engine.Lock(ctx, scope, store.TryLock)
			if busy != nil {
				return busy
			}
			err = errors.Join(err, release())
		}
		return err
	}
}

// foldFormer writes what a former journal holds into the tables, and empties the journal.
func (l *Ledger) foldFormer(ctx context.Context) error {
	var one int
	some, err := store.Found(l.h.Read.QueryRowContext(ctx, `select 1 from former_journal limit 1`).Scan(&one))
	if err == nil && some {
		err = l.do(ctx, false, (*transaction).foldFormer)
	}
	return l.h.Wrap("open", err)
}

func (tx *transaction) foldFormer() error {
	groups, err := store.All(tx.Query, func(rows *sql.Rows) (g groupText, err error) {
		var text string
		if err = rows.Scan(&text); err != nil {
			return g, err
		}
		return readGroup(text)
	}, `select body from former_journal order by number`)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := tx.fenceEach(tx.pushes.gains(g.outcomes, g.intents, nil)); err != nil {
			return err
		}
		if err := tx.carryOut(g.outcomes, g.intents); err != nil {
			if errors.Is(err, errImpossible) {
				err = fmt.Errorf("the journal does not fit the records: %w", fault.ErrCorrupt)
			}
			return err
		}
	}
	_, err = tx.Exec(`delete from former_journal`)
	return err
}

// groupText is the content of a row of the journal.
type groupText struct {
	outcomes []settled
	intents  []leaving
}

// readGroup reads a row of the journal: outcomes, then intents and when they were committed. Numbers are varints, text
// is preceded by its length, and rare structured values are JSON.
func readGroup(text string) (g groupText, err error) {
	if text == "" || text[0] < 1 || text[0] > formerJournalVersion {
		return g, fmt.Errorf("a row of the journal has an unknown format: %w", fault.ErrCorrupt)
	}
	r := journalReader{varint.Reader{Rest: []byte(text[1:])}, text[0]}
	g.outcomes = make([]settled, r.count())
	for n := range g.outcomes {
		r.outcome(&g.outcomes[n])
	}
	g.intents = make([]leaving, r.count())
	at := r.Int()
	for n := range g.intents {
		g.intents[n] = leaving{model.Place{Number: r.Int(), Seq: r.Int()}, at}
	}
	if r.Bad || len(r.Rest) > 0 {
		return g, fmt.Errorf("a row of the journal is damaged: %w", fault.ErrCorrupt)
	}
	return g, nil
}

// journalReader reads a row of the journal from its beginning.
type journalReader struct {
	varint.Reader
	version byte
}

// count reads the number of things that take at least a byte each.
func (r *journalReader) count() int64 {
	n := r.Int()
	if n < 0 || n > int64(len(r.Rest)) {
		r.Fail()
		return 0
	}
	return n
}

func (r *journalReader) text() string { return string(r.Bytes(uint64(r.count()))) }

func readList[T any](r *journalReader) (list []T) {
	if err := store.Unlisted([]byte(r.text()), &list); err != nil {
		r.Fail()
	}
	return list
}

func (r *journalReader) outcome(o *settled) {
	o.Number, o.Place.Seq = r.Int(), r.Int()
	o.State, o.Status = State(r.text()), int(r.Int())
	o.Message, o.ServiceID = r.text(), r.text()
	o.At = time.UnixMicro(r.Int())
	o.Reasons, o.Entries = readList[Reason](r), readList[Entry](r)
	if r.version > 1 { // before, no answer was compared
		if fields := r.text(); fields != "" {
			o.ReadBack = strings.Split(fields, ",")
		}
	}
	if n := r.count(); n > 0 {
		o.Also = make([]Identity, n)
	}
	for n := range o.Also {
		o.Also[n] = Identity{Scope: r.text(), Key: r.text(), ServiceID: r.text()}
	}
	if n := r.count(); n > 0 {
		o.Attempts = make([]Attempt, n)
	}
	for n := range o.Attempts {
		a := &o.Attempts[n]
		a.Started, a.Duration = time.UnixMicro(r.Int()), time.Duration(r.Int())*time.Microsecond
		a.Status = int(r.Int())
		a.Verdict, a.Error, a.Answer = r.text(), r.text(), r.text()
	}
}
