package wizard

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docketsync/mapping/edit"
)

// TestWordsAreReadAsTheyAreShown shows words in a form and reads them back: each is what it was.
func TestWordsAreReadAsTheyAreShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[ab="\\' \r\n\x{a0}\x{85}]{0,6}`), rapid.String())
		var words []edit.Word
		for range rapid.IntRange(0, 4).Draw(t, "words") {
			words = append(words, edit.Word{Is: text.Draw(t, "is"), Becomes: text.Draw(t, "becomes")})
		}
		shown := wordsText(words)
		if got, err := parseWords(shown); err != nil || !cmp.Equal(got, words) {
			t.Errorf("%q is shown as\n%s\nand read as %q, %v", words, shown, got, err)
		}
	})
}

func TestWhatSomebodyWritesForWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]edit.Word{
		"Open = yes":             {Is: "Open", Becomes: "yes"},
		"Open=yes=no":            {Is: "Open", Becomes: "yes=no"},
		`"A=B" = "say \"yes\""`:  {Is: "A=B", Becomes: `say "yes"`},
		`5" pipe = 'inch'`:       {Is: `5" pipe`, Becomes: "'inch'"},
		"Open =":                 {Is: "Open"},
		"Open":                   {},
		`"Open = yes`:            {},
		`"Open" is = yes`:        {},
		`Open = "yes`:            {},
		`Open = "yes" of course`: {},
		`Open = "c:\files\yes"`:  {},
	} {
		got, err := parseWords(line)
		if want == (edit.Word{}) {
			if err == nil {
				t.Errorf("%s is taken as %q", line, got)
			}
		} else if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s is read as %q, %v", line, got, err)
		}
	}
}
