package records

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// doubtsShown is how many records in doubt the page shows at once. The oldest come first; the others follow when these are settled.
const doubtsShown = 100

// doubtsView is what is in doubt, over all runs.
type doubtsView struct {
	Total int
	Lines []doubtLine
	Asks  bool // the service has lists in which they can be looked for
	Asked time.Time
	Wrong []string // what is wrong with the decisions of the post before
}

// doubtLine is one record in doubt with all that is known of it.
type doubtLine struct {
	ledger.Record
	N         int // its number in the form
	Job       string
	Where     []string
	Sent      string // as it went over the wire
	Requests  []requestLine
	Decisions []ledger.Decided
	Answer    *Answered // what the service's lists say, nil when they were not asked
	Last      time.Time // when something was last heard of it
	Said      said
}

// requestLine is a request as people read it.
type requestLine struct {
	ledger.Attempt
	Seen string
}

// seen is what became of a request, in words.
func seen(a ledger.Attempt) string {
	text := a.Error
	if text == "" && a.Status != 0 {
		text = fmt.Sprintf("the service answered %d", a.Status)
	}
	if answer := strings.Join(strings.Fields(a.Answer), " "); answer != "" {
		text += ": " + answer
	}
	return text
}

// answers are what the service's lists last said about what is in doubt.
type answers struct {
	mu   sync.Mutex
	at   time.Time
	list map[ledger.Intent]Answered
}

func (a *answers) keep(at time.Time, list []Answered) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at, a.list = at, map[ledger.Intent]Answered{}
	for _, answer := range list {
		a.list[ledger.Intent{Run: answer.Run, Seq: answer.Seq}] = answer
	}
}

func (a *answers) of(run string, seq int64) (at time.Time, answer *Answered) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if found, ok := a.list[ledger.Intent{Run: run, Seq: seq}]; ok {
		answer = &found
	}
	return a.at, answer
}

func (p *Pages) doubts(r *web.Request) error {
	view, err := p.doubtsView(r.Context(), nil)
	if err != nil {
		return err
	}
	return r.Show("doubts", "In doubt", view)
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
	runs := map[string]ledger.Run{}
	for n, r := range records[:min(len(records), doubtsShown)] {
		run, known := runs[r.Run]
		if !known {
			if run, err = web.Book(ctx).Run(ctx, r.Run); err != nil {
				return view, err
			}
			runs[r.Run] = run
		}
		line, err := p.doubtLine(ctx, run, r)
		if err != nil {
			return view, err
		}
		line.N = n
		var at time.Time
		if at, line.Answer = p.answers.of(r.Run, r.Seq); line.Answer != nil {
			view.Asked = at
		}
		for _, earlier := range before {
			if earlier.Run == r.Run && earlier.Seq == r.Seq {
				line.Said = earlier
			}
		}
		view.Lines = append(view.Lines, line)
	}
	return view, nil
}

func (p *Pages) doubtLine(ctx context.Context, run ledger.Run, r ledger.Record) (line doubtLine, err error) {
	line = doubtLine{Record: r, Job: run.Job, Where: Places(run, r), Last: r.Settled}
	line.Sent = indented(r.Sent())
	attempts, err := web.Book(ctx).Attempts(ctx, r.Run, r.Seq)
	if err != nil {
		return line, err
	}
	for _, a := range attempts {
		line.Requests = append(line.Requests, requestLine{a, seen(a)})
	}
	line.Decisions, err = web.Book(ctx).Decisions(ctx, r.Run, r.Seq)
	return line, err
}

// askService looks for what is in doubt in the lists of the service.
func (p *Pages) askService(r *web.Request) error {
	if !p.asking.TryLock() {
		return web.Refuse(http.StatusConflict, "The service is already being checked.", "Wait a moment, then reload the page.")
	}
	defer p.asking.Unlock()
	list, err := p.Work.Ask(r.Context(), r.Person.Name)
	if err != nil {
		return err
	}
	p.answers.keep(p.Now(), list)
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
