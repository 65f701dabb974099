package wording

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// Marks are the characters that cannot be seen and can make a value look like another: those without a width, and those
// that set the order in which letters are shown. Whatever a person reads shows them; what is sent, form fields, JSON and
// tables have them as they are. Characters that ordinary text needs are not among them: the joiners of Persian, of
// languages of India and of emoji, the marks of direction of Arabic and Hebrew, which move no letters, and the soft
// hyphens of word processors.
const Marks = "\u200b\u2060\u2061\u2062\u2063\u2064\ufeff" + "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

var marks = func() *strings.Replacer {
	var pairs []string
	for _, mark := range Marks {
		pairs = append(pairs, string(mark), fmt.Sprintf("⟨U+%04X⟩", mark))
	}
	return strings.NewReplacer(pairs...)
}()

// Visible shows the marks in a text: ⟨U+202E⟩.
func Visible(text string) string { return marks.Replace(text) }

// WritePage writes a page of a template, with the marks in its text visible. Those in attributes, scripts, and fields
// that send their text back stay.
func WritePage(w io.Writer, t *template.Template, name string, data any) error {
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, name, data); err != nil {
		return err
	}
	if !bytes.ContainsAny(page.Bytes(), Marks) {
		_, err := w.Write(page.Bytes())
		return err
	}
	var shown bytes.Buffer
	raw := false
	for tokens := html.NewTokenizer(&page); ; {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken: // the end: a buffer has no other
			_, err := w.Write(shown.Bytes())
			return err
		case html.TextToken:
			if !raw {
				_, _ = marks.WriteString(&shown, string(tokens.Raw()))
				continue
			}
		case html.StartTagToken:
			shown.Write(tokens.Raw()) // before its name, which is spelled in lower case in place
			tag, _ := tokens.TagName()
			raw = strings.Contains(" textarea option script style ", " "+string(tag)+" ")
			continue
		case html.EndTagToken:
			raw = false
		}
		shown.Write(tokens.Raw())
	}
}
