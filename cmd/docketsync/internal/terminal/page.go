package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"docketsync/importer/report"
	"docketsync/importer/report/wording"
)

// leastWidth is the narrowest terminal for which lines are broken here; a narrower terminal breaks them itself.
const leastWidth = 40

// Page writes lines of text for a person. On a terminal it breaks them at its width and keeps the indent; elsewhere a
// line stays a line, for grep and for tests.
type Page struct {
	Out   io.Writer
	width int // 0 for no limit
}

// Page begins to write for a person.
func (s *Screen) Page(w io.Writer) *Page {
	p := &Page{Out: w}
	if f, ok := leadsTo(w); ok {
		if width, _, err := cwriter.GetSize(int(f.Fd())); err == nil && width >= leastWidth {
			p.width = width
		}
	}
	return p
}

// Say writes a paragraph, indented; its further lines are indented by two more.
func (p *Page) Say(indent int, paragraph string) {
	for n, line := range p.broken(strings.ReplaceAll(paragraph, "\n", "⏎"), indent+2) {
		margin := strings.Repeat(" ", indent)
		if n > 0 {
			margin += "  "
		}
		fmt.Fprintln(p.Out, margin+strings.TrimRight(line, " "))
	}
}

// Gap leaves a line empty.
func (p *Page) Gap() { fmt.Fprintln(p.Out) }

// broken breaks a paragraph at blanks into lines that fit beside a margin. A word that does not fit stays whole: it is
// a path or a value, which somebody may want to copy.
func (p *Page) broken(paragraph string, margin int) []string {
	room := p.width - margin
	if p.width == 0 || text.StringWidthWithoutEscSequences(paragraph) <= room {
		return []string{paragraph}
	}
	var lines []string
	line := ""
	for word := range strings.SplitSeq(paragraph, " ") {
		longer := line + " " + word
		if line == "" {
			longer = word
		}
		if line != "" && text.StringWidthWithoutEscSequences(longer) > room {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// Sentence ends a text with a full stop.
func Sentence(text string) string { return strings.TrimRight(text, ". ") + "." }

// Writing shows how a run went while its report is being written, and how far that is: on a terminal a line that
// disappears, elsewhere a line every few seconds, and nothing if quiet or if writing takes no time. told is called with
// the percentage written, not concurrently; done removes the display.
func (s *Screen) Writing(r *report.Summary) (told func(percent int), done func()) {
	says := fmt.Sprintf("%s: %s Writing reports:", r.Run.Job, visible(wording.Short(r.Verdict, 100)))
	f, shown := leadsTo(s.Err)
	switch {
	case s.Quiet:
		return func(int) {}, func() {}
	case !shown:
		last := time.Now()
		return func(percent int) {
			if now := time.Now(); now.Sub(last) >= progressEvery {
				last = now
				fmt.Fprintf(s.Err, "%s %d %%\n", says, percent)
			}
		}, func() {}
	}
	var container *mpb.Progress
	var bar *mpb.Bar
	return func(percent int) {
			if bar == nil {
				container = mpb.New(mpb.WithOutput(f), mpb.WithRefreshRate(150*time.Millisecond))
				bar = container.New(101, mpb.NopStyle(), mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string {
					return fmt.Sprintf("%s %d %%", says, s.Current)
				}))) // it must not complete by itself
			}
			bar.SetCurrent(int64(percent))
		}, func() {
			if bar != nil {
				bar.Abort(true)
				container.Wait()
			}
		}
}
