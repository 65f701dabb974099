package records

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// doubtsShown is how many records in doubt the page shows at once. The oldest come first; the others follow when these
// are settled.
const doubtsShown = 100

// doubtsView is what is in doubt, over all runs.
type doubtsView struct {
	Total  int
	Groups []doubtGroup
	Shown  int
	Asks   bool // the service has lists in which they can be looked up
	Asked  time.Time
	Wrong  []string // what is wrong with the decisions of the post before
}

// doubtLine is one record in doubt.
type doubtLine struct {
	entry
	N      int             // its number in the form
	Name   string          // what it is called
	Answer *inquiry.Answer // what the service's lists say, nil if they were not asked
	Likely likelihood
	Why    string // what the evidence is
	Said   said
}

// answers are what the service's lists last said about what is in doubt.
type answers struct {
	at   time.Time
	list []inquiry.Answer
}

func (a *answers) of(r ledger.Record) *inquiry.Answer {
	if a != nil {
		for n := range a.list {
			if a.list[n].Run == r.Run && a.list[n].Seq == r.Seq {
				return &a.list[n]
			}
		}
	}
	return nil
}

func (p *Pages) doubts(r *web.Request) error {
	return r.Made("doubts", "In doubt")(p.doubtsView(r.Context(), nil))
}

// doubtsView lists what is in doubt, with what somebody entered in a form that could not be accepted.
func (p *Pages) doubtsView(ctx context.Context, before []said) (view doubtsView, err error) {
	if view.Asks, err = p.Work.Asks(); err != nil {
		return view, err
	}
	records, err := web.Book(ctx).Doubts(ctx, "")
	if err != nil {
		return view, err
	}
	view.Total = len(records)
	runs, answered := runs{}, p.answered.Load()
	var lines []doubtLine
	for n, r := range records[:min(len(records), doubtsShown)] {
		run, err := runs.of(ctx, r.Run)
		if err != nil {
			return view, err
		}
		line := doubtLine{N: n, Answer: answered.of(r)}
		if line.entry, err = entryOf(ctx, run, r); err != nil {
			return view, err
		}
		around, err := aroundOf(ctx, r)
		if err != nil {
			return view, err
		}
		line.Name = payload.Title(r.Sent())
		line.Likely, line.Why = weigh(line.entry, line.Answer, around)
		if line.Answer != nil {
			view.Asked = answered.at
		}
		for _, earlier := range before {
			if earlier.Run == r.Run && earlier.Seq == r.Seq {
				line.Said = earlier
			}
		}
		lines = append(lines, line)
	}
	view.Groups, view.Shown = groups(lines), len(lines)
	return view, nil
}

// SentText is what was sent, as people read it.
func (l doubtLine) SentText() string {
	var b bytes.Buffer
	if json.Indent(&b, l.Sent(), "", "  ") != nil {
		return string(l.Sent())
	}
	return b.String()
}

// askService looks up records in doubt in the lists of the service.
func (p *Pages) askService(r *web.Request) error {
	if !p.asking.TryLock() {
		return web.Refuse(http.StatusConflict, "The service is already being checked.", "Wait a moment, then reload the page.")
	}
	defer p.asking.Unlock()
	doubts, err := r.Book().Doubts(r.Context(), "")
	if err != nil {
		return err
	}
	list, err := p.Work.Ask(r.Context(), r.Person.Name, doubts)
	if err != nil {
		return err
	}
	p.answered.Store(&answers{p.Now(), list})
	settled := 0
	for _, a := range list {
		if a.Settled {
			settled++
		}
	}
	note := fmt.Sprintf("%s checked, %s found in the service and settled", wording.Counted(len(list), "record"), wording.Thousands(settled))
	r.Remark(note)
	return r.SeeOther("/doubts", "Checked with the service: "+note+". The results for the others are shown below.")
}

// likelihood is what the evidence says about a record in doubt. It only sorts and explains: whoever decides must have
// looked the record up.
type likelihood string

// The likelihoods, in the order of the page. They are also the names of form fields.
const (
	there   likelihood = "there"
	missing likelihood = "missing"
	open    likelihood = "open"
)

// doubtGroup are the records in doubt with the same likelihood, so that they can be settled together.
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

// weigh returns what the evidence says about a record: what the service's list showed, how the last request for it
// ended, and what became of the records beside it.
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
	case accepted > 0 && lost == 0:
		return open, ended + ", while the service answered the requests around it: it may have processed this one or not."
	}
	return open, ended + "; the requests around it give no indication."
}

// beside is how many records before and after one in doubt are looked at.
const beside = 3

// aroundOf returns the records beside one in its run.
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
