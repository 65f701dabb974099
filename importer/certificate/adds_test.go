package certificate_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"docketsync/importer/certificate"
	"docketsync/importer/ledger"
)

// TestCountsAlwaysAddUp makes migrations of a few runs that have records in common, in every mixture of outcomes, prunes some of
// them, and adds everything up from the JSON form alone.
func TestCountsAlwaysAddUp(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	rapid.Check(t, func(rt *rapid.T) {
		b.runs = nil
		scope := fmt.Sprintf("migration %d", b.made)
		var accepted []ledger.Record
		for n := range rapid.IntRange(1, 3).Draw(rt, "runs") {
			accepted = randomNight(rt, b, scope, n, accepted)
		}
		for _, n := range b.runs {
			if rapid.IntRange(0, 3).Draw(rt, "prune") == 0 {
				_, _ = b.led.Prune(t.Context(), n.run.ID) // a run with doubts is left as it is
			}
		}
		cert := b.certify(rapid.IntRange(0, 6).Draw(rt, "sample"))
		if !cert.AddsUp {
			rt.Fatalf("it does not add up: %q", cert.Discrepancies)
		}
		addUp(rt, cert)
	})
}

func randomNight(rt *rapid.T, b *book, scope string, night int, accepted []ledger.Record) []ledger.Record {
	n := b.night(func(r *ledger.Run) {
		r.Scope = scope
		if skipped := rapid.IntRange(0, 2).Draw(rt, "skipped"); skipped > 0 {
			r.Counts.Skipped = map[string]int{"blank": skipped, "filtered": 1}
		}
	})
	for i := range rapid.IntRange(0, 8).Draw(rt, "records") {
		office := rapid.SampledFrom([]string{"EM", "US"}).Draw(rt, "office")
		r := mark(i+2, fmt.Sprintf("TM-%d", i), office, "Mark", "Registered", rapid.SampledFrom([]string{"", "2030-01-01"}).Draw(rt, "expires"), "Acme")
		switch what := rapid.IntRange(0, 7).Draw(rt, "what"); {
		case what <= 2:
			n.send(r, ledger.Accepted)
			accepted = append(accepted, r)
		case what == 3:
			n.send(r, ledger.Refused, ledger.Reason{Code: "refused", Message: "no"})
		case what == 4:
			n.send(r, ledger.Failed)
		case what == 5 && len(accepted) > 0 && night > 0:
			same := accepted[rapid.IntRange(0, len(accepted)-1).Draw(rt, "same")]
			if same.Key == r.Key {
				n.plan(unchanged(same))
				continue
			}
			fallthrough
		case what == 6:
			r = reject(r, unknownOffice[0], unknownOffice[1], unknownOffice[2])
			if rapid.Bool().Draw(rt, "keyless") {
				r.Key = ""
			}
			n.plan(r)
		default:
			r.State = ledger.Held
			n.plan(r)
		}
	}
	n.end()
	return accepted
}

// addUp checks every equation that the page states.
func addUp(t *rapid.T, cert *certificate.Certificate) {
	equal := func(what string, got, want int) {
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	var of certificate.Account
	for _, r := range cert.Runs {
		skipped := 0
		for _, s := range r.Skipped {
			skipped += s.Rows
		}
		equal("rows of a run", r.Read, r.InRecords+skipped)
		equal("records of a run", r.Records, r.Counted+r.Superseded+r.Corrected+r.Removed)
		outcomes := 0
		for _, c := range r.ByOutcome {
			outcomes += c.Records
		}
		equal("outcomes of a run", outcomes, r.Records)
		of.Records, of.Planned, of.Read = of.Records+r.Counted, of.Planned+r.Records, of.Read+r.Read
	}
	a := cert.Overall
	equal("records counted by the runs", of.Records, a.Records)
	equal("records of all runs", of.Planned, a.Planned)
	equal("rows of all runs", of.Read, a.Read)
	equal("records", a.In+a.NotIn, a.Records)
	equal("in", a.Created+a.Updated+a.Already, a.In)
	equal("not in", a.Rejected+a.Refused+a.Failed+a.InDoubt+a.Held, a.NotIn)
	equal("listed", len(cert.NotIn.List), a.NotIn)
	causes := 0
	for _, c := range cert.NotIn.Causes {
		causes += c.Records
	}
	equal("causes", causes, a.NotIn)
	for _, op := range cert.Operations {
		for _, d := range op.Breakdown {
			source, in := 0, 0
			for _, g := range d.Groups {
				source, in = source+g.Source, in+g.In
			}
			equal("source by "+d.Name, source, op.Account.Records)
			equal("in by "+d.Name, in, op.Account.In)
		}
		for _, c := range op.Controls {
			if c.SentFilled > op.Compared.Payloads || c.InFilled > c.SourceFilled || c.SourceFilled > op.Compared.Cells {
				t.Errorf("%s has more than there is: %+v of %+v", c.Field, c, op.Compared)
			}
		}
		equal("keys that are in", op.Hashes.KeysIn, op.Account.In)
	}
}
