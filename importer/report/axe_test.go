package report_test

import (
	"testing"
)

// TestPageForEverybody has axe-core judge the page with records open, in light and dark, wide and narrow, and printed.
func TestPageForEverybody(t *testing.T) {
	t.Parallel()
	for _, shown := range []struct {
		name, medium, scheme string
		width                int64
	}{
		{"light", "screen", "light", 1440}, {"dark", "screen", "dark", 1440},
		{"light on a telephone", "screen", "light", 390}, {"dark on a telephone", "screen", "dark", 390},
		{"printed", "print", "light", 1000},
	} {
		t.Run(shown.name, func(t *testing.T) {
			t.Parallel()
			m := morning(t)
			m.end(interrupted)
			b := newTab(t)
			b.Resize(shown.width, 900)
			b.Media(shown.medium, shown.scheme)
			b.open(m)
			b.refreshed(`[...document.querySelectorAll('.tools button')].pop().click()`)
			b.search("M-005")
			b.Eval(`document.querySelectorAll('.open-it').forEach(button => button.click())`)
			b.Until(`document.querySelectorAll('tr.detail').length === document.querySelectorAll('tr.line').length`)
			b.Accessible()
			b.quiet()
			_, _, next := correctedNights(t)
			b = newTab(t)
			b.Resize(shown.width, 900)
			b.Media(shown.medium, shown.scheme)
			b.open(next)
			b.Eval(`document.querySelectorAll('details').forEach(folded => { folded.open = true; })`)
			b.Accessible()
			b.quiet()
		})
	}
}
