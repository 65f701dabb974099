package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"docketsync/importer/report"
	"docketsync/importer/report/wording"
)

// Writing shows how a run went while its report is being written, and how far that is: a line that goes away on a terminal, one every
// few seconds elsewhere, nothing when quiet or when it takes no time.
type Writing struct {
	screen *Screen
	says   string
	now    func() time.Time
	last   time.Time

	container *mpb.Progress
	bar       *mpb.Bar
}

// Writing begins to show that the report of a run is being written.
func (s *Screen) Writing(r *report.Summary) *Writing {
	return &Writing{screen: s, says: fmt.Sprintf("%s: %s Writing reports:", r.Run.Job, visible(wording.Short(r.Verdict, 100))), now: time.Now, last: time.Now()}
}

// Told takes up how much is written. It is not called by two goroutines at once.
func (w *Writing) Told(percent int) {
	if w.screen.Quiet {
		return
	}
	f, ok := leadsTo(w.screen.Err)
	switch {
	case !ok:
		w.line(percent)
		return
	case w.bar == nil:
		w.begin(f)
	}
	w.bar.SetCurrent(int64(percent))
}

func (w *Writing) line(percent int) {
	if now := w.now(); now.Sub(w.last) >= progressEvery {
		w.last = now
		fmt.Fprintf(w.screen.Err, "%s %d %%\n", w.says, percent)
	}
}

func (w *Writing) begin(out io.Writer) {
	w.container = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(150*time.Millisecond))
	w.bar = w.container.New(101, mpb.NopStyle(), mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string {
		return fmt.Sprintf("%s %d %%", w.says, s.Current)
	}))) // never complete by itself
}

// Done takes the display down.
func (w *Writing) Done() {
	if w.bar != nil {
		w.bar.Abort(true)
		w.container.Wait()
	}
}
