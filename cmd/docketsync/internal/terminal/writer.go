package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"

	"docketsync/importer/report/wording"
)

// writer is standard output or standard error. Texts from files and from the service end up there. A terminal obeys
// control characters, and does not show the marks that make a value look like another. So they are written as \u001b,
// which is also how JSON spells them. Line ends and tabs stay, and so do the mark that begins a CSV file, and the bold
// type of Strong on a terminal. Characters without a width stay where the output
// is a file or another program, such as a CSV that is compared with last month's.
type writer struct {
	out   io.Writer
	bold  bool
	marks bool // characters without a width are shown
	mu    sync.Mutex
	begun bool
	rest  []byte // an incomplete character or a carriage return, which the next write completes
}

// NewWriter returns a writer that guards out. It lets bold type through if out is a terminal.
func NewWriter(out io.Writer) *writer {
	_, ok := leadsTo(out)
	return &writer{out: out, bold: ok, marks: ok}
}

// Write writes all of p except an incomplete character at its end.
func (t *writer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := append(t.rest, p...)
	end := len(whole) - unfinished(whole)
	t.rest = bytes.Clone(whole[end:])
	if _, err := io.WriteString(t.out, t.show(string(whole[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unfinished is how many bytes at the end of a text depend on what follows.
func unfinished(p []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(p)); n++ {
		if last := p[len(p)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) || string(last) == "\r" {
				return n
			}
			return 0
		}
	}
	return 0
}

// visible writes control characters as escapes, and replaces invalid bytes with the replacement character.
func visible(words string) string { return (&writer{begun: true, marks: true}).show(words) }

func (t *writer) show(words string) string {
	first := !t.begun
	t.begun = t.begun || words != ""
	bold, plain := text.Bold.EscapeSeq(), text.EscapeReset
	if strings.IndexFunc(words, t.hostile) < 0 {
		return words
	}
	var b strings.Builder
	for n := 0; n < len(words); {
		r, size := utf8.DecodeRuneInString(words[n:])
		switch rest := words[n:]; {
		case t.bold && strings.HasPrefix(rest, bold):
			size = len(bold)
			b.WriteString(bold)
		case t.bold && strings.HasPrefix(rest, plain):
			size = len(plain)
			b.WriteString(plain)
		case first && n == 0 && r == '\ufeff':
			b.WriteRune(r)
		case strings.HasPrefix(rest, "\r\n"):
			b.WriteByte('\r')
		case t.hostile(r) && r != utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		n += size
	}
	return b.String()
}

func (t *writer) hostile(r rune) bool {
	const noWidth = "\u200b\u2060\ufeff"
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError ||
		r > '\u2000' && strings.ContainsRune(wording.Marks, r) && (t.marks || !strings.ContainsRune(noWidth, r))
}

// leadsTo returns the terminal that a writer writes to, if it is one.
func leadsTo(w io.Writer) (*os.File, bool) {
	if t, ok := w.(*writer); ok {
		w = t.out
	}
	f, ok := w.(*os.File)
	return f, ok && isatty.IsTerminal(f.Fd())
}
