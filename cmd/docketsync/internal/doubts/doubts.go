// Package doubts is about records in doubt: those that may or may not have reached the service, and that docketsync
// never sends again by itself. It finds them, shows what was sent for each, asks the service if that can settle one for
// certain, and reads what people decide, one by one or in a worklist.
//
// The importer's inquiry decides whether an answer of the service is certain; a decision is written to the ledger,
// which records who made it. The command resolve and the console use this package.
package doubts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/outcome"
)

// Find lists the records in doubt of a run, or of all runs if none is named.
func Find(ctx context.Context, book *ledger.Reader, name string) ([]ledger.Record, error) {
	if name == "" {
		return book.Doubts(ctx, "")
	}
	run, err := book.Run(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
	}
	return book.Doubts(ctx, run.ID)
}

// UnderWay counts the records that are being sent, as far as the ledger knows.
func UnderWay(ctx context.Context, book *ledger.Reader) (n int, err error) {
	runs, err := book.Runs(ctx, ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Pushing}})
	if err != nil {
		return 0, err
	}
	for _, run := range runs {
		counts, err := book.Tally(ctx, run.ID)
		if err != nil {
			return 0, err
		}
		n += outcome.Tally(counts)[outcome.Sending]
	}
	return n, nil
}

// RowNumbers lists the rows of a record as the spreadsheet numbers them.
func RowNumbers(r ledger.Record) string {
	numbers := make([]string, len(r.Rows))
	for n, row := range r.Rows {
		numbers[n] = fmt.Sprint(row.Number)
	}
	return strings.Join(numbers, ", ")
}

// Decision is what a person says about a record in doubt, before the ledger has it.
type Decision struct {
	Record   ledger.Record
	Decision ledger.Decision
	ID, Note string
}

// NewDecision reads a decision as a person writes it.
func NewDecision(r ledger.Record, word, id, note string) (Decision, error) {
	d := Decision{Record: r, Decision: ledger.Decision(strings.ToLower(strings.TrimSpace(word))), Note: note}
	switch d.Decision {
	case ledger.Exists, ledger.Absent, ledger.Leave:
	default:
		return d, exit.Mistakef("%s: %q is not a decision; use exists, absent or leave", r.Key, word)
	}
	named := payload.ID(r.Payload)
	if id = strings.TrimSpace(id); id == "" {
		if d.Decision == ledger.Exists {
			d.ID = named // an update applies to the id that it names
		}
		return d, nil
	}
	if d.Decision != ledger.Exists {
		return d, exit.Mistakef("%s: an id can be given only with exists", r.Key)
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return d, exit.Mistakef("%s: %q is not a GUID", r.Key, id)
	}
	if d.ID = parsed.String(); named != "" && d.ID != named {
		return d, exit.Mistakef("%s: the update names the id %s; leave the id out", r.Key, named)
	}
	return d, nil
}

// CheckIDs makes sure that no decision gives a record an id that another record of its scope has, or gets by another
// decision. The id that an update names is its own under any key.
func CheckIDs(ctx context.Context, book *ledger.Reader, list []Decision) error {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	holders, err := book.Holders(ctx, ids)
	var problems []error
	for _, d := range list {
		for _, other := range holders[d.ID] {
			if other.Scope != d.Record.Scope || other.Key == d.Record.Key || d.ID == payload.ID(d.Record.Payload) {
				continue
			}
			since := ""
			known, err := book.Known(ctx, other.Scope, []string{other.Key})
			if err != nil {
				return err
			}
			if at := known[other.Key].AcceptedAt; !at.IsZero() {
				since = ", which was accepted on " + moment.Day(at)
			}
			problems = append(problems, fmt.Errorf("%s: %s is the id of %q%s", d.Record.Key, d.ID, other.Key, since))
		}
		if d.ID != "" {
			holders[d.ID] = append(holders[d.ID], ledger.Identity{Scope: d.Record.Scope, Key: d.Record.Key, ServiceID: d.ID})
		}
	}
	if err == nil && len(problems) > 0 {
		err = exit.As(exit.Usage, errors.Join(problems...))
	}
	return err
}
