package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"docketsync/apiclient"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/mapping"
)

// asked is what asking the service about one record in doubt came to.
type asked struct {
	Run      string          `json:"run"`
	Seq      int64           `json:"seq"`
	Key      string          `json:"key"`
	Scope    string          `json:"operation"`
	Decision ledger.Decision `json:"decision"`
	ID       string          `json:"id,omitempty"`
	Why      string          `json:"why"`
	Settled  bool            `json:"settled"` // the decision was written into the ledger
}

// twice is a list that was read two times in a row.
type twice struct {
	began         time.Time
	first, second []apiclient.ListItem
}

// ask looks for what is in doubt in the lists of the service, and settles what is certain. It sends no payload.
func (a *app) ask(ctx context.Context, in *installation, doubts []ledger.Record, flags resolveFlags) error {
	results, err := in.inquire(ctx, doubts, flags)
	if err != nil {
		return err
	}
	return a.result(map[string]any{"asked": results, "dry_run": flags.dryRun}, func(w io.Writer) { printAsked(w, results, flags) })
}

// inquire looks for what is in doubt, and settles what is certain as the flags say.
func (in *installation) inquire(ctx context.Context, doubts []ledger.Record, flags resolveFlags) ([]asked, error) {
	inquiries, err := openInquiries(ctx, in, doubts)
	if err != nil {
		return nil, err
	}
	if len(inquiries) > 0 {
		if err := in.canBeAsked(ctx); err != nil {
			return nil, err
		}
	}
	if err := in.readTwice(ctx, inquiries); err != nil {
		return nil, err
	}
	results := make([]asked, 0, len(inquiries))
	for _, q := range inquiries {
		found := q.Find(in.config.Service.Lists.SettleAfter)
		if list, _ := importer.ListOf(q.Operation); list != "" && q.Asked.IsZero() {
			found = importer.Finding{Decision: ledger.Leave, Why: "the configuration has no list " + list + " under service.lists"}
		}
		result := asked{Run: q.Record.Run, Seq: q.Record.Seq, Key: q.Record.Key, Scope: q.Record.Scope, Decision: found.Decision, ID: found.ID, Why: found.Why}
		certain := found.Decision == ledger.Exists || found.Decision == ledger.Absent && flags.absent
		if certain && !flags.dryRun {
			who := fmt.Sprintf("the service (asked by %s)", flags.decider())
			var settled *ledger.TransitionError
			err := in.book.Resolve(ctx, result.Run, result.Seq, found.Decision, found.ID, who, found.Why)
			switch {
			case errors.As(err, &settled):
				result.Decision, result.ID, result.Why = ledger.Leave, "", "somebody settled it while the service was asked"
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

// canBeAsked makes sure that the service is the one that was sent to: what another does not have says nothing about it.
func (in *installation) canBeAsked(ctx context.Context) error {
	if in.config.Service.UsesSandbox() && in.config.Sandbox.Data == "" {
		return exitStatus{exitUsage, errors.New("the sandbox in this process begins empty at each start, so it cannot tell what became of an earlier request; nothing was settled\n" +
			"Set service.base_url to the service that was sent to, or give the sandbox a file that it keeps (sandbox.data)")}
	}
	return in.sameService(ctx)
}

// openInquiries turns what is in doubt into questions, one for each request that was sent: a record that later runs left in
// doubt because of it is settled with it.
func openInquiries(ctx context.Context, in *installation, doubts []ledger.Record) ([]*importer.Inquiry, error) {
	var list []*importer.Inquiry
	seen := map[ledger.Intent]bool{}
	operations := map[string]mapping.Operation{}
	for _, echo := range doubts {
		known, err := in.book.Known(ctx, echo.Scope, []string{echo.Key})
		if err != nil {
			return nil, err
		}
		doubt := known[echo.Key].Doubt
		if doubt == nil || seen[ledger.Intent{Run: doubt.Run, Seq: doubt.Seq}] {
			continue
		}
		seen[ledger.Intent{Run: doubt.Run, Seq: doubt.Seq}] = true
		record, err := in.book.Record(ctx, doubt.Run, doubt.Seq)
		if err != nil {
			return nil, err
		}
		if record.State != ledger.InDoubt {
			continue // a run is sending it at this moment
		}
		if operations[record.Run] == "" {
			run, err := in.book.Run(ctx, record.Run)
			if err != nil {
				return nil, err
			}
			operations[record.Run] = mapping.Operation(run.Operation)
		}
		q := &importer.Inquiry{Record: record, Operation: operations[record.Run], Tried: doubt.At}
		if record.Settled.After(q.Tried) {
			q.Tried = record.Settled
		}
		list = append(list, q)
	}
	return list, nil
}

// readTwice reads the lists that the inquiries need, each two times, and hands them out.
func (in *installation) readTwice(ctx context.Context, inquiries []*importer.Inquiry) error {
	read := map[string]*twice{}
	var ids []string
	made := map[string][]string{}
	for _, q := range inquiries {
		name, _ := importer.ListOf(q.Operation)
		settings, has := in.config.Service.Lists.Named[name]
		if !has {
			continue
		}
		if read[name] == nil {
			list, err := in.readListTwice(ctx, inquirySpec(name, settings))
			if err != nil {
				return err
			}
			read[name] = list
		}
		q.Asked, q.First, q.Second = read[name].began, read[name].first, read[name].second
		q.Keys, q.Same = len(settings.Name), slices.Sorted(maps.Keys(settings.Same))
		ids = append(ids, q.Candidates()...)
		run := q.Record.Run
		if _, known := made[run]; !known {
			var err error
			if made[run], err = in.madeLately(ctx, q.Record); err != nil {
				return err
			}
		}
		q.Made = made[run]
	}
	holders, err := in.book.Holders(ctx, ids)
	for _, q := range inquiries {
		q.Holders = holders
	}
	return err
}

// madeLately are the ids of what the record's run created beside it, or the last run of its scope that created anything.
func (in *installation) madeLately(ctx context.Context, record ledger.Record) ([]string, error) {
	runs, err := in.book.Runs(ctx, ledger.RunFilter{Scope: record.Scope, Kinds: []ledger.Kind{ledger.Push}})
	if err != nil {
		return nil, err
	}
	created := ledger.RecordFilter{States: []ledger.State{ledger.Accepted}, Actions: []ledger.Action{ledger.Create}}
	for _, run := range append([]ledger.Run{{ID: record.Run}}, runs...) {
		var ids []string
		for record, err := range in.book.Records(ctx, run.ID, created) {
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

// inquirySpec adds to the members of a list those by which records are compared.
func inquirySpec(name string, settings config.List) apiclient.ListSpec {
	spec := listSpec(name, settings)
	spec.Members = slices.Clone(spec.Members)
	for _, member := range slices.Sorted(maps.Keys(settings.Same)) {
		spec.Members = append(spec.Members, settings.Same[member])
	}
	return spec
}

func (in *installation) readListTwice(ctx context.Context, spec apiclient.ListSpec) (*twice, error) {
	if err := in.dial(ctx); err != nil {
		return nil, err
	}
	t := &twice{began: time.Now()}
	first, err := in.client.List(ctx, spec)
	if err != nil {
		return nil, err
	}
	second, err := in.client.List(ctx, spec)
	t.first, t.second = first.Items, second.Items
	return t, err
}

func printAsked(w io.Writer, results []asked, flags resolveFlags) {
	counts := map[ledger.Decision]int{}
	offered := false
	for _, r := range results {
		word := map[ledger.Decision]string{ledger.Exists: "is there", ledger.Absent: "is not there", ledger.Leave: "left in doubt"}[r.Decision]
		fmt.Fprintf(w, "%s (%s, run %s)  %s: %s\n", r.Key, r.Scope, r.Run, word, r.Why)
		switch {
		case r.Settled:
			counts[r.Decision]++
		case r.Decision == ledger.Absent && !flags.absent:
			offered = true
			fmt.Fprintf(w, "  to have the next run send it: docketsync resolve %s %q absent\n", r.Run, r.Key)
		}
	}
	left := len(results) - counts[ledger.Exists] - counts[ledger.Absent]
	switch {
	case len(results) == 0:
		fmt.Fprintln(w, "Nothing is in doubt.")
		return
	case flags.dryRun:
		fmt.Fprintf(w, "\nNothing was settled: this only shows what would be.\n")
	default:
		fmt.Fprintf(w, "\n%d settled as there, %d as not there; %d left in doubt.\n", counts[ledger.Exists], counts[ledger.Absent], left)
	}
	if offered {
		fmt.Fprintln(w, "What is not there can be settled all at once with: docketsync resolve --ask --absent")
	}
}

// checkAsk refuses flags that contradict each other.
func (f resolveFlags) checkAsk(args []string) error {
	switch {
	case !f.ask && (f.dryRun || f.absent):
		return errors.New("--dry-run and --absent go with --ask")
	case f.ask && (len(args) > 1 || f.decisions != "" || f.worklist != "" || f.id != "" || f.note != ""):
		return errors.New("--ask decides by itself: leave out the key, the decision and the files, --id and --note")
	}
	return nil
}
