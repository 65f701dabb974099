package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// foldMany folds the journal when much has come together in it. A ledger that cannot do that would soon not take a commit
// either: what stands in the journal is kept there, and no more is taken.
func (l *Ledger) foldMany() {
	if l.journal.size.Load() < foldAfter {
		return
	}
	if err := l.store.Fold(context.Background()); err != nil {
		_ = l.stop(l.wrap("write down what was committed", err))
	}
}

// Fold writes what stands in the journal into the tables, and empties it.
func (j *journal) Fold(raw *store.Tx) error {
	tx := &transaction{Tx: raw, journal: j}
	rows, err := tx.Query(`select body from journal order by number`)
	if err != nil {
		return err
	}
	var groups []groupText
	if _, err := store.Collect(rows, func(rows *sql.Rows) (struct{}, error) {
		var text string
		err := rows.Scan(&text)
		if err == nil {
			var g groupText
			g, err = readGroup(text)
			groups = append(groups, g)
		}
		return struct{}{}, err
	}); err != nil {
		return err
	}
	if len(groups) == 0 {
		return nil
	}
	for _, g := range together(groups) {
		g.marry()
		if _, err := tx.count(g.outcomes, g.intents); err != nil {
			return err
		}
		if err := tx.carryOut(g.outcomes, g.intents); err != nil {
			if errors.Is(err, errImpossible) {
				err = fmt.Errorf("the journal does not fit the records: %w", fault.ErrCorrupt)
			}
			return err
		}
	}
	_, err = tx.Exec(`delete from journal`)
	return err
}

// groupText is what a row of the journal says.
type groupText struct {
	outcomes []settled
	intents  []leaving
}

// together puts groups together as far as their order does not matter. Within a run a key stands for one record, which is
// sent once; but what one run leaves of a key, another may have taken up.
func together(groups []groupText) []groupText {
	var all groupText
	for _, g := range groups {
		all.outcomes = append(all.outcomes, g.outcomes...)
		all.intents = append(all.intents, g.intents...)
	}
	runs := map[int64]bool{}
	for n := range all.outcomes {
		runs[all.outcomes[n].number] = true
	}
	for _, i := range all.intents {
		runs[i.number] = true
	}
	if len(runs) > 1 {
		return groups
	}
	return []groupText{all}
}

// marry makes one of the intent and the outcome of a record, where both are there.
func (g *groupText) marry() {
	at := make(map[place]int64, len(g.intents))
	for _, i := range g.intents {
		at[i.place] = i.at
	}
	for n := range g.outcomes {
		o := &g.outcomes[n]
		o.sent = at[o.place]
		delete(at, o.place)
	}
	g.intents = slices.DeleteFunc(g.intents, func(i leaving) bool { _, alone := at[i.place]; return !alone })
}
