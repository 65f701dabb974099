package certificate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

// judge adds up everything and sets the verdict. vouched says who said of which records that they are in.
func (cert *Certificate) judge(vouched []string) {
	for _, op := range cert.Operations {
		words := words(op.Operation)
		cert.Discrepancies = append(cert.Discrepancies, op.Account.contradictions(words)...)
		cert.Discrepancies = append(cert.Discrepancies, op.contradictions(words)...)
	}
	cert.Discrepancies = append(cert.Discrepancies, cert.Overall.contradictions("All operations")...)
	if cert.NotIn.Records != cert.Overall.NotIn {
		cert.Discrepancies = append(cert.Discrepancies, fmt.Sprintf("%d records were not imported, but %d were found.", cert.Overall.NotIn, cert.NotIn.Records))
	}
	cert.AddsUp = len(cert.Discrepancies) == 0
	cert.Reservations = cert.reservations(vouched)
	a := cert.Overall
	cert.Complete = cert.AddsUp && a.NotIn == 0 && a.Outdated == 0 && a.Removed == 0 && cert.StillInDoubt == 0 && cert.differing() == 0
	cert.Verdict = cert.verdict()
}

// contradictions says where the figures by field and by value differ from the account.
func (op *operation) contradictions(words string) (list []string) {
	if op.Compared.Records != op.Account.Records || op.Compared.In != op.Account.In {
		list = append(list, fmt.Sprintf("%s: %d records and %d in, but %d and %d went by.", words, op.Account.Records, op.Account.In, op.Compared.Records, op.Compared.In))
	}
	for _, d := range op.Breakdown {
		if !d.List && (d.Source != op.Account.Records || d.In != op.Account.In) {
			list = append(list, fmt.Sprintf("%s by %s: %d records and %d in, but the account has %d and %d.", words, d.Name, d.Source, d.In, op.Account.Records, op.Account.In))
		}
	}
	return list
}

// differing is how many records the service stored with a different value than was sent.
func (cert *Certificate) differing() (records int) {
	for _, op := range cert.Operations {
		records += op.Compared.Differing
	}
	return records
}

// Limits says for each operation what "imported" rests on: what was read back, or only the service's word.
func (cert *Certificate) Limits() (list []string) {
	for n, op := range cert.Operations {
		said := "accepted by the service; in these runs, no response showed what it stored."
		if c := op.Compared; c.ReadBack > 0 {
			said = fmt.Sprintf("accepted by the service; for %s of the %s imported, its responses showed what it stored, in part or whole, and %s. Annex %d says which fields.",
				wording.Thousands(c.ReadBack), wording.Thousands(c.In), wording.Counted(c.Differing, "differs", "differ"), n+3)
		}
		list = append(list, wording.UpperFirst(words(op.Operation))+": "+said)
	}
	return list
}

// ReadBack says what of an operation's records was read back: which fields the service's answers showed, so that they
// were compared with what was sent, and which they did not show.
func (op operation) ReadBack() string {
	c := op.Compared
	if c.ReadBack == 0 {
		return "Nothing was read back: in these runs, none of the service's responses showed what it stored."
	}
	var never []string
	components := slices.ContainsFunc(op.Controls, func(c Control) bool { return c.ReadBack > 0 && strings.HasPrefix(c.Field, componentsPath) })
	for _, control := range op.Controls {
		if control.SentFilled > 0 && control.ReadBack == 0 && !(components && strings.HasPrefix(control.Field, componentsPath)) {
			never = append(never, control.label())
		}
	}
	said := fmt.Sprintf("Read back: for %s of %s imported, the service's response showed fields as stored; they were compared with what was sent: ",
		wording.Thousands(c.ReadBack), wording.Counted(c.In, "record"))
	if c.Differing == 0 {
		said += "none differ."
	} else {
		said += wording.Counted(c.Differing, "record differs.", "records differ.")
	}
	if len(never) > 0 {
		said += " Not read back, because no response shows them: " + strings.Join(never, ", ") + "."
	}
	return said
}

func (cert *Certificate) verdict() string {
	a := cert.Overall
	switch {
	case !cert.AddsUp:
		return "The counts do not add up. Do not sign until this is explained."
	case a.Records == 0 && a.Removed == 0:
		return "There is nothing to sign off: the runs have no records."
	}
	said := []string{fmt.Sprintf("%s of %s %s imported", wording.Thousands(a.In), wording.Counted(a.Records, "record"), wording.Plural(a.In, "was", "were"))}
	switch {
	case a.In == a.Records && a.Records == 1:
		said[0] = "The only record was imported"
	case a.In == a.Records:
		said[0] = fmt.Sprintf("All %s were imported", wording.Counted(a.Records, "record"))
	}
	var short []string
	say := func(to *[]string, n int, one, many string) {
		if n > 0 {
			*to = append(*to, wording.Counted(n, one, many))
		}
	}
	say(&short, a.Rejected+a.Refused, "was rejected", "were rejected")
	say(&short, a.InDoubt, "is in doubt", "are in doubt")
	say(&short, a.Failed, "failed", "failed")
	say(&short, a.Held, "was never sent", "were never sent")
	if len(short) > 0 {
		said = append(said, strings.Join(short, ", "))
	}
	say(&said, a.Outdated, "has changed in the source since", "have changed in the source since")
	if n := cert.differing(); n > 0 {
		said = append(said, fmt.Sprintf("for %s the service stored a field with a different value than was sent", wording.Thousands(n)))
	}
	if n := cert.StillInDoubt; n > 0 {
		said = append(said, remedy.StillInDoubt(n))
	}
	say(&said, a.Removed, "more was pruned from the ledger and can no longer be certified", "more were pruned from the ledger and can no longer be certified")
	return strings.Join(said, "; ") + "."
}

// reservations are what the counts do not say by themselves.
func (cert *Certificate) reservations(vouched []string) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	a := cert.Overall
	for _, r := range cert.Runs {
		if !r.Pruned.IsZero() {
			say("Run %s was pruned on %s. %s that it did not send (unchanged, rejected or held) %s no longer in the ledger, so it cannot be determined whether a later run sent them. For what it sent, only keys, outcomes and digests remain.",
				r.ID, r.Pruned.UTC().Format("2006-01-02"), wording.Counted(r.Removed, "record"), wording.Plural(r.Removed, "is", "are"))
		}
		if r.Stopped != "" {
			say("Run %s of %s ended early: %s.", r.ID, r.Job, strings.TrimRight(r.Stopped, ". "))
		}
	}
	if n := cert.StillInDoubt; n > 0 {
		say("%s and not among those of these runs. Settle them with 'docketsync resolve', or include the runs that sent them.", remedy.StillInDoubt(n))
	}
	if a.Outdated > 0 {
		say("%s imported, but the source has changed since creation, has changed back after its change was acknowledged, or an entry of goods and services was withheld. Such changes are not sent again; make them with an update or by hand.",
			wording.Counted(a.Outdated, "record was", "records were"))
	}
	if a.Vouched > 0 {
		say("%s counted as imported because a person confirmed it: the service gave no response, and the doubt was resolved afterwards (%s).", wording.Counted(a.Vouched, "record is", "records are"), strings.Join(vouched, "; "))
	}
	for _, op := range cert.Operations {
		c, words := op.Compared, wording.UpperFirst(words(op.Operation))
		if c.Cells < c.Records {
			say("%s: the ledger has no cells for %s (nothing was sent for them in these runs, or they were pruned). Source figures cover the other %s. "+
				"If an earlier run of the migration sent them, include that run.",
				words, wording.Counted(c.Records-c.Cells, "record"), wording.Thousands(c.Cells))
		}
		if c.Payloads < c.In {
			say("%s: what the service accepted for %s is no longer known (the run was pruned, or is not among these and was followed by another). Service figures cover the other %s.", words, wording.Counted(c.In-c.Payloads, "record"), wording.Thousands(c.Payloads))
		}
		for _, control := range op.Controls {
			if control.Differing > 0 {
				say("%s: the service stored %s with a different value than was sent in %s; the run's report lists both values.", words, control.label(), wording.Counted(control.Differing, "record"))
			}
			if control.Lost > 0 {
				say("%s: %s has a value in the source but none in the service in %s%s.", words, control.label(), wording.Counted(control.Lost, "record"), quoted(control.Words))
			}
			if control.Sum != nil && control.Sum.Differs && control.Sum.Unread == 0 {
				say("%s: the sum of %s is %s in the source and %s in the service.", words, control.label(), control.Sum.Source, control.Sum.Beside)
			}
		}
	}
	return list
}

// label is what a field is called.
func (c Control) label() string { return cmp.Or(c.Name, c.Field) }

// quoted names the commonest values.
func quoted(words []tallied) string {
	var parts []string
	for _, w := range words {
		parts = append(parts, fmt.Sprintf("“%s” %s×", wording.Short(w.Text, 40), wording.Thousands(w.Records)))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
