package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/vbauerster/mpb/v8/cwriter"
)

// leastWidth is the narrowest terminal that lines are broken for; on a narrower one the terminal breaks them.
const leastWidth = 40

// Page writes lines of text for a person. On a terminal it breaks them at its width, so that what hangs together stays
// together; elsewhere a line stays a line, for grep and for tests.
type Page struct {
	Out   io.Writer
	width int // 0 for no end
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

// Say writes a paragraph, indented; its further lines hang by two more.
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

// broken breaks a paragraph at blanks into lines that fit beside a margin. A word that does not fit stays whole: it is a
// path or a value, which somebody may want to copy.
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
