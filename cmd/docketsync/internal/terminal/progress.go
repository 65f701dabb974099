package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"docketsync/importer"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// progressEvery is how often a line is written if there is no terminal.
const progressEvery = 5 * time.Second

// leastBar is the width that the text after a bar leaves for the bar.
const leastBar = 12

// Display shows the progress of a job: two bars on a terminal, a line every few seconds elsewhere, nothing if quiet. A
// display that other lines would disturb is also an io.Writer, which writes them and leaves the display intact.
type Display interface {
	// Update sets how far the job is.
	Update(importer.Progress)
	// Done removes the display; on a terminal its last state stays.
	Done()
}

// Display begins to show how far a job is.
func (s *Screen) Display(job string) Display {
	var shown Display = silent{}
	if f, ok := leadsTo(s.Err); ok && !s.Quiet {
		shown = newBars(f, job)
	} else if !s.Quiet {
		shown = newLines(s.Err, job)
	}
	return noted{shown, s}
}

type silent struct{}

func (silent) Update(importer.Progress) {}
func (silent) Done()                    {}

// course is the last known progress of a job, and how fast it got there in the current phase.
type course struct {
	p importer.Progress
	forecast.Course
}

// take sets how far the job is.
func (c *course) take(now time.Time, p importer.Progress) {
	if p.Phase != c.p.Phase {
		c.Course = forecast.Course{}
	}
	c.p, c.Course = p, c.At(now, p.Done())
}

// measure returns in words the recent rate and when the phase ends, the latter also in a short form. They are empty
// before there is anything to measure and if nothing was done lately. The end is left out if it would be a guess: in
// the first moments, and while sending pauses.
func (c *course) measure(now time.Time) (rate, ends, briefly string) {
	if perSecond, ok := c.Rate(now); ok {
		rate = ", " + forecast.Briefly(perSecond)
	}
	if e, ok := c.Ends(now, c.p.Rest()); ok {
		ends, briefly = e.Words(now)
		ends, briefly = ", "+ends, ", "+briefly
	}
	return rate, ends, briefly
}

// lines writes a line of progress now and then.
type lines struct {
	out    io.Writer
	job    string
	mu     sync.Mutex
	now    func() time.Time
	last   time.Time
	course course
}

func newLines(out io.Writer, job string) *lines {
	return &lines{out: out, job: job, now: time.Now, last: time.Now()}
}

func (l *lines) Update(p importer.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	pauses := p.Paused != l.course.p.Paused && p.Paused != ""
	l.course.take(now, p)
	if !pauses && now.Sub(l.last) < progressEvery {
		return
	}
	l.last = now
	rate, ends, _ := l.course.measure(now)
	if p.Phase == ledger.Pushing {
		fmt.Fprintf(l.out, "%s: %d of %d sent, %s%s%s%s\n", l.job, p.Settled(), p.To, tally(p), rate, ends, wording.Prefixed("; sending pauses: ", p.Paused))
	} else {
		fmt.Fprintf(l.out, "%s: %s read, %s, %s to send%s\n", l.job, wording.Counted(p.Rows, "row"), wording.Counted(p.Records, "record"), wording.Thousands(p.To), rate)
	}
}

func (l *lines) Done() {}

// tally says how the settled records ended, in the words of the report.
func tally(p importer.Progress) string {
	parts := []string{fmt.Sprintf("%d accepted", p.Sent[ledger.Accepted])}
	for _, s := range []struct {
		n    int
		word string
	}{
		{p.Sent[ledger.Refused] + p.Sent[ledger.Rejected], "rejected"},
		{p.Sent[ledger.Failed], "failed"},
		{p.Sent[ledger.InDoubt], "in doubt"},
		{p.Sent[ledger.Held], "held"},
	} {
		if s.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", s.n, s.word))
		}
	}
	return strings.Join(parts, ", ")
}

// bars shows reading and sending as bars on a terminal. Its decorators are called from the bars' own goroutines, so
// what they read has its own lock, which is never held during a call to a bar.
type bars struct {
	container *mpb.Progress
	reading   *mpb.Bar
	job       string

	drawing sync.Mutex
	push    *mpb.Bar

	mu     sync.Mutex
	course course
}

func newBars(out io.Writer, job string) *bars {
	b := &bars{job: job, container: mpb.New(mpb.WithOutput(out), mpb.WithWidth(40), mpb.WithRefreshRate(150*time.Millisecond))}
	b.reading = b.container.New(0, mpb.SpinnerStyle().PositionLeft(),
		mpb.BarWidth(2),
		mpb.PrependDecorators(decor.Name(job+": reading", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(b.says(func(c *course) []string {
			return []string{fmt.Sprintf("%s, %s, %s to send", wording.Counted(c.p.Rows, "row"), wording.Counted(c.p.Records, "record"), wording.Thousands(c.p.To))}
		})))
	return b
}

// says returns the text after a bar: the first of texts for which there is room beside the shortest bar, with the rate
// and the end as they are when it is drawn.
func (b *bars) says(texts func(c *course) []string) decor.Decorator {
	return decor.Any(func(room decor.Statistics) string {
		b.mu.Lock()
		defer b.mu.Unlock()
		list := texts(&b.course)
		for _, text := range list {
			if utf8.RuneCountInString(text)+leastBar <= room.AvailableWidth {
				return text
			}
		}
		return list[len(list)-1]
	})
}

// sent returns the texts after the bar of a push, for less and less room. All of them say how far it is and how it
// goes.
func sent(c *course) []string {
	rate, ends, briefly := c.measure(time.Now())
	p := c.p
	said, paused := fmt.Sprintf("%d of %d: %s", p.Settled(), p.To, tally(p)), wording.Prefixed("; sending pauses: ", visible(p.Paused))
	return []string{said + rate + ends + paused, said + rate + briefly + paused, said + briefly + paused, said + paused}
}

func (b *bars) Update(p importer.Progress) {
	b.mu.Lock()
	b.course.take(time.Now(), p)
	b.mu.Unlock()
	if p.Phase != ledger.Pushing {
		return
	}
	b.drawing.Lock()
	defer b.drawing.Unlock()
	if b.push == nil {
		b.reading.Abort(true)
		b.push = b.container.New(int64(p.To), mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
			mpb.PrependDecorators(decor.Name(b.job+": sending", decor.WCSyncSpaceR)),
			mpb.AppendDecorators(b.says(sent)))
	}
	b.push.SetCurrent(int64(p.Settled()))
}

// Write writes above the bars, which are redrawn below.
func (b *bars) Write(text []byte) (int, error) { return b.container.Write(text) }

func (b *bars) Done() {
	b.drawing.Lock()
	defer b.drawing.Unlock()
	// An aborted bar stays in its last state; a bar that only has its total set would wait for the rest.
	b.reading.Abort(b.push != nil)
	if b.push != nil {
		b.push.Abort(false)
	}
	b.container.Wait()
}
