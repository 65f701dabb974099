package browsertest

import (
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
)

// Pardon takes out of what went wrong so far what holds these words: the status of a page that was to be refused.
func (b *Tab) Pardon(words string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.errors = slices.DeleteFunc(b.errors, func(e string) bool { return strings.Contains(e, words) })
}

// Upload chooses a file.
func (b *Tab) Upload(selector, path string) {
	b.t.Helper()
	b.Do(chromedp.SetUploadFiles(selector, []string{path}))
}
