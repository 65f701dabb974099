package records

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient"
	"docketsync/importer/console/web"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
)

// likelihood is what the evidence says about a record in doubt. It only sorts and explains: whoever decides has looked it up.
type likelihood string

// The likelihoods, in the order of the page. They are the names of form fields.
const (
	there   likelihood = "there"
	missing likelihood = "missing"
	open    likelihood = "open"
)

// doubtGroup are the records in doubt of which the evidence says the same, so that they can be settled together.
type doubtGroup struct {
	Likely likelihood
	Title  string
	Lines  []doubtLine
}

// Choices are the decisions that make sense for a whole group, the likely one first.
func (g doubtGroup) Choices() []ledger.Decision {
	switch g.Likely {
	case there:
		return []ledger.Decision{ledger.Exists, ledger.Leave}
	case missing:
		return []ledger.Decision{ledger.Absent, ledger.Leave}
	}
	return []ledger.Decision{ledger.Exists, ledger.Absent, ledger.Leave}
}

var likelyTitles = map[likelihood]string{there: "Probably in the service", missing: "Probably not in the service", open: "No evidence either way"}

// groups sorts records in doubt by what is likely; within a group, the oldest come first.
func groups(lines []doubtLine) (list []doubtGroup) {
	for _, likely := range []likelihood{there, missing, open} {
		g := doubtGroup{Likely: likely, Title: likelyTitles[likely]}
		for _, line := range lines {
			if line.Likely == likely {
				g.Lines = append(g.Lines, line)
			}
		}
		if len(g.Lines) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// weigh is what the evidence says about a record: what the service's list showed, how the last request for it ended, and what became of
// the records beside it.
func weigh(e entry, answer *inquiry.Answer, around []ledger.Record) (likelihood, string) {
	if answer != nil && answer.Decision == ledger.Absent {
		return missing, "The service’s list, read twice, does not have it."
	}
	if len(e.Requests) == 0 {
		return open, "The process ended while the request was under way."
	}
	last := e.Requests[len(e.Requests)-1]
	if last.Verdict == string(apiclient.Accepted) {
		return open, "The service accepted it and named the id of another record: it may have created this one or not."
	}
	if last.Status >= 200 && last.Status < 300 {
		if strings.HasPrefix(strings.TrimSpace(last.Answer), "<") {
			return open, fmt.Sprintf("A web page came with status %d instead of the service’s answer: a proxy may have sent it, and the service may not have processed the request.", last.Status)
		}
		return there, fmt.Sprintf("The service answered %d, which usually means that it processed the request, but the answer could not be read.", last.Status)
	}
	accepted, lost := 0, 0
	for _, r := range around {
		switch r.State {
		case ledger.Accepted, ledger.Refused:
			accepted++
		case ledger.Failed: // one that is held was never sent, and tells nothing
			lost++
		}
	}
	ended := "The connection broke"
	if last.Status != 0 {
		ended = fmt.Sprintf("The service answered %d", last.Status)
	}
	switch {
	case lost > 0 && accepted == 0:
		return missing, ended + ", and the requests around it did not get through either."
	}
	if accepted > 0 && lost == 0 {
		return open, ended + ", while the service answered the requests around it: it may have processed this one or not."
	}
	return open, ended + "; the requests around it give no indication."
}

// beside is how many records before and behind one in doubt are looked at.
const beside = 3

// aroundOf are the records beside one in its run.
func aroundOf(ctx context.Context, r ledger.Record) ([]ledger.Record, error) {
	var seqs []int64
	for seq := max(1, r.Seq-beside); seq <= r.Seq+beside; seq++ {
		if seq != r.Seq {
			seqs = append(seqs, seq)
		}
	}
	list, err := web.Book(ctx).RecordsAt(ctx, r.Run, seqs)
	return slices.DeleteFunc(list, func(n ledger.Record) bool { return n.Scope != r.Scope }), err
}
