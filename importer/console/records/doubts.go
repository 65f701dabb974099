package records

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// doubtsShown is how many records in doubt the page shows at once. The oldest come first; the others follow when these are settled.
const doubtsShown = 100

// doubtsView is what is in doubt, over all runs.
type doubtsView struct {
	Total  int
	Groups []doubtGroup
	Shown  int
	Asks   bool // the service has lists in which they can be looked for
	Asked  time.Time
	Wrong  []string // what is wrong with the decisions of the post before
}

// doubtLine is one record in doubt.
type doubtLine struct {
	entry
	N      int             // its number in the form
	Name   string          // what it is called
	Answer *inquiry.Answer // what the service's lists say, nil when they were not asked
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

// doubtsView lists what is in doubt, with what somebody has said in a form that could not be taken.
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

// askService looks for what is in doubt in the lists of the service.
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
