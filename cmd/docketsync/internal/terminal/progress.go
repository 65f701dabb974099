package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// progressEvery is how often a line is written where there is no terminal.
const progressEvery = 5 * time.Second

// Display shows how far a job is: two bars on a terminal, a line every few seconds elsewhere, nothing when quiet.
type Display interface {
	// Update takes up how far the job is by now.
	Update(importer.Progress)
	// Notice shows a line of text and leaves the display as it is; false when it cannot, so that others have to.
	Notice(text string) bool
	// Done takes the display down; what it last showed stays on a terminal.
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
func (silent) Notice(string) bool       { return false }
func (silent) Done()                    {}

// course is how far a job is by what it was last told, and how fast it got there lately in the phase that it is in.
type course struct {
	p     importer.Progress
	began time.Time // of the phase
	marks []mark    // of the last while, the oldest first
}

// mark is how much had been done at an instant.
type mark struct {
	at     time.Time
	amount int
}

const (
	// markEvery is how far two marks lie apart, and lately how far the oldest reaches back: the rate is that since then.
	markEvery, lately = time.Second, 30 * time.Second
	// An estimate of what is left needs that long a look and that many records, and is told up to that much: beyond it, nobody plans by
	// the hour, and the rate says enough.
	leastLook, leastSettled, mostLeft = 3 * time.Second, 10, 48 * time.Hour
)

// take takes up how far the job is by now.
func (c *course) take(now time.Time, p importer.Progress) {
	if p.Phase != c.p.Phase || c.began.IsZero() {
		c.began, c.marks = now, []mark{{now, amount(p)}}
	}
	if c.p = p; now.Sub(c.marks[len(c.marks)-1].at) >= markEvery {
		c.marks = append(c.marks, mark{now, amount(p)})
	}
}

// amount is what a phase counts: rows while reading, settled records while pushing.
func amount(p importer.Progress) int {
	if p.Phase == ledger.Pushing {
		return p.Settled()
	}
	return p.Rows
}

// measure is the rate lately and the time left, in words; both are empty before there is anything to measure and when nothing was
// done lately, and no time is told that would be a guess: in the first moments, and while sending pauses.
func (c *course) measure(now time.Time) (rate, left string) {
	for len(c.marks) > 1 && now.Sub(c.marks[1].at) >= lately {
		c.marks = c.marks[1:]
	}
	if len(c.marks) == 0 {
		return "", ""
	}
	took, n := now.Sub(c.marks[0].at), amount(c.p)-c.marks[0].amount
	if took <= 0 || n <= 0 {
		return "", ""
	}
	perSecond := float64(n) / took.Seconds()
	rate = fmt.Sprintf(", %.0f/s", perSecond)
	if perSecond < 10 {
		rate = fmt.Sprintf(", %.1f/s", perSecond)
	}
	rest := c.p.To - c.p.Settled()
	if c.p.Phase != ledger.Pushing || rest <= 0 || c.p.Paused != "" || took < leastLook || n < leastSettled && took < lately {
		return rate, ""
	}
	if seconds := float64(rest) / perSecond; seconds <= mostLeft.Seconds() {
		left = ", " + about(time.Duration(seconds*float64(time.Second))) + " left"
	}
	return rate, left
}

// about is a time as exact as an estimate can be: 45s, 12m30s, 3h20m.
func about(d time.Duration) string {
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
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
	rate, left := l.course.measure(now)
	if p.Phase == ledger.Pushing {
		fmt.Fprintf(l.out, "%s: %d of %d sent, %s%s%s%s\n", l.job, p.Settled(), p.To, tally(p), rate, left, Prefixed("; sending pauses: ", p.Paused))
	} else {
		fmt.Fprintf(l.out, "%s: %d rows read, %d records, %d to send%s\n", l.job, p.Rows, p.Records, p.To, rate)
	}
}

// Notice leaves it to others: lines do not stand in each other's way.
func (l *lines) Notice(string) bool { return false }

func (l *lines) Done() {}

// tally is how the settled records ended, in the words of the report.
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

// bars shows reading and sending as bars on a terminal. Its decorators are called from the bars' own goroutines, so what
// they read has a lock of its own, never held while a bar is being told something.
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
		mpb.AppendDecorators(b.says(func(p importer.Progress, _, _ string) string {
			return fmt.Sprintf("%d rows, %d records, %d to send", p.Rows, p.Records, p.To)
		})))
	return b
}

// says is the text behind a bar, with the rate and the time left as they are when it is drawn.
func (b *bars) says(text func(p importer.Progress, rate, left string) string) decor.Decorator {
	return decor.Any(func(decor.Statistics) string {
		b.mu.Lock()
		defer b.mu.Unlock()
		rate, left := b.course.measure(time.Now())
		return text(b.course.p, rate, left)
	})
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
			mpb.AppendDecorators(b.says(func(p importer.Progress, rate, left string) string {
				return fmt.Sprintf("%d of %d: %s%s%s%s", p.Settled(), p.To, tally(p), rate, left, Prefixed("; sending pauses: ", visible(p.Paused)))
			})))
	}
	b.push.SetCurrent(int64(p.Settled()))
}

// Notice writes above the bars, which are drawn again below.
func (b *bars) Notice(text string) bool {
	_, err := b.container.Write([]byte(text))
	return err == nil
}

func (b *bars) Done() {
	b.drawing.Lock()
	defer b.drawing.Unlock()
	// An aborted bar stays as it last was; one that is only told its total would wait for the rest of it.
	b.reading.Abort(b.push != nil)
	if b.push != nil {
		b.push.Abort(false)
	}
	b.container.Wait()
}
