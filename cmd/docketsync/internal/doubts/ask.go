package doubts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
)

// Asking says how to ask the service.
type Asking struct {
	Who    string // asks, for the ledger
	Absent bool   // also settle what is certainly not there
	DryRun bool   // settle nothing
}

// Ask looks for records in doubt in the lists of the service, and settles what is certain. It sends no payload.
func Ask(ctx context.Context, in *installation.Installation, records []ledger.Record, how Asking) ([]inquiry.Answer, error) {
	inquiries, err := openInquiries(ctx, in, records)
	if err != nil {
		return nil, err
	}
	if len(inquiries) > 0 {
		if err := canBeAsked(ctx, in); err != nil {
			return nil, err
		}
	}
	if err := readTwice(ctx, in, inquiries); err != nil {
		return nil, err
	}
	results := make([]inquiry.Answer, 0, len(inquiries))
	for _, q := range inquiries {
		found := q.Find(in.Config.Service.Lists.SettleAfter)
		if list, _ := inquiry.ListOf(q.Operation); list != "" && q.Asked.IsZero() {
			found = inquiry.Finding{Decision: ledger.Leave, Why: "the configuration has no list " + list + " under service.lists"}
		}
		result := inquiry.Answer{Run: q.Record.Run, Seq: q.Record.Seq, Key: q.Record.Key, Scope: q.Record.Scope, Decision: found.Decision, ID: found.ID, Why: found.Why}
		certain := found.Decision == ledger.Exists || found.Decision == ledger.Absent && how.Absent
		if certain && !how.DryRun {
			who := fmt.Sprintf("the service (asked by %s)", how.Who)
			var settled *ledger.TransitionError
			err := in.Book.Resolve(ctx, result.Run, result.Seq, found.Decision, found.ID, who, found.Why)
			switch {
			case errors.As(err, &settled):
				result.Decision, result.ID, result.Why = ledger.Leave, "", "it was settled by someone else in the meantime"
			case err != nil:
				return nil, fmt.Errorf("%s of run %s: %w", result.Key, result.Run, err)
			default:
				result.Settled = true
			}
		}
		results = append(results, result)
	}
	return results, nil
}

// canBeAsked makes sure that the service is the one that was sent to: what another service does not have proves
// nothing.
func canBeAsked(ctx context.Context, in *installation.Installation) error {
	if in.Config.Service.UsesSandbox() && in.Config.Sandbox.Data == "" {
		return exit.As(exit.Usage, errors.New("the sandbox in this process is empty at each start, so it does not know earlier requests; nothing was settled\n"+
			"Set service.base_url to the service that was sent to, or give the sandbox a file that it keeps (sandbox.data)"))
	}
	return in.SameService(ctx)
}

// openInquiries turns records in doubt into questions, one for each request that was sent: a record that later runs
// left in doubt because of it is settled with it.
func openInquiries(ctx context.Context, in *installation.Installation, records []ledger.Record) ([]*inquiry.Inquiry, error) {
	var list []*inquiry.Inquiry
	seen := map[ledger.Intent]bool{}
	operations := map[string]payload.Operation{}
	for _, echo := range records {
		known, err := in.Book.Known(ctx, echo.Scope, []string{echo.Key})
		if err != nil {
			return nil, err
		}
		doubt := known[echo.Key].Doubt
		if doubt == nil || seen[ledger.Intent{Run: doubt.Run, Seq: doubt.Seq}] {
			continue
		}
		seen[ledger.Intent{Run: doubt.Run, Seq: doubt.Seq}] = true
		record, err := in.Book.Record(ctx, doubt.Run, doubt.Seq)
		if err != nil {
			return nil, err
		}
		if record.State != ledger.InDoubt {
			continue // a run is sending it right now
		}
		if operations[record.Run] == "" {
			run, err := in.Book.Run(ctx, record.Run)
			if err != nil {
				return nil, err
			}
			operations[record.Run] = payload.Operation(run.Operation)
		}
		q := &inquiry.Inquiry{Record: record, Operation: operations[record.Run]}
		if q.Over, err = in.Book.Looked(ctx, record.Run, record.Seq); err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

// readTwice reads the lists that the inquiries need, each twice, and hands them out.
func readTwice(ctx context.Context, in *installation.Installation, inquiries []*inquiry.Inquiry) error {
	type reading struct {
		*inquiry.Listing
		began time.Time
	}
	read := map[string]reading{}
	var ids []string
	made := map[string][]string{}
	for _, q := range inquiries {
		name, _ := inquiry.ListOf(q.Operation)
		list, known := read[name]
		if !known {
			var err error
			if list.Listing, list.began, err = in.ReadListTwice(ctx, name); err != nil {
				return err
			}
			read[name] = list
		}
		if list.Listing == nil {
			continue
		}
		q.Asked, q.Listing = list.began, *list.Listing
		ids = append(ids, q.Candidates()...)
		run := q.Record.Run
		if _, known := made[run]; !known {
			var err error
			if made[run], err = madeLately(ctx, in, q.Record); err != nil {
				return err
			}
		}
		q.Made = made[run]
	}
	holders, err := in.Book.Holders(ctx, ids)
	for _, q := range inquiries {
		q.Holders = holders
	}
	return err
}

// madeLately returns the ids of what the record's run created besides it, or else the last run of its scope that
// created anything.
func madeLately(ctx context.Context, in *installation.Installation, record ledger.Record) ([]string, error) {
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Scope: record.Scope, Kinds: []ledger.Kind{ledger.Push}})
	if err != nil {
		return nil, err
	}
	created := ledger.RecordFilter{States: []ledger.State{ledger.Accepted}, Actions: []ledger.Action{ledger.Create}}
	for _, run := range append([]ledger.Run{{ID: record.Run}}, runs...) {
		var ids []string
		for record, err := range in.Book.Records(ctx, run.ID, created) {
			if err != nil {
				return nil, err
			}
			if record.ServiceID != "" {
				ids = append(ids, record.ServiceID)
			}
		}
		if len(ids) > 0 {
			return ids, nil
		}
	}
	return nil, nil
}
