package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"docketsync/importer/browsertest"
	"docketsync/importer/report/files"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// tab is a browser's tab that shows reports.
type tab struct {
	*browsertest.Tab
	t testing.TB
}

func newTab(t testing.TB) *tab {
	t.Helper()
	return &tab{browsertest.Open(t), t}
}

// open writes the report of a book and opens its page.
func (b *tab) open(from *book) files.Paths {
	b.t.Helper()
	files, err := files.Write(b.t.Context(), from.led.Reader, from.run.ID, b.t.TempDir())
	from.must(err)
	b.show(files.HTML)
	return files
}

// show opens a page and waits until its table can be used.
func (b *tab) show(path string) {
	b.t.Helper()
	b.Go("file://" + path)
	b.Until(`document.documentElement.dataset.readyMs !== undefined`)
}

// quiet checks that the page asked for nothing but itself, and that nothing went wrong in it.
func (b *tab) quiet() {
	b.t.Helper()
	if asked := b.Requests(); len(asked) != 1 || !strings.HasPrefix(asked[0], "file://") {
		b.t.Errorf("the page asked for %q", asked)
	}
	b.Untroubled()
}

// status is what the table says about itself.
func (b *tab) status() string {
	b.t.Helper()
	return b.Eval(`document.querySelector('.status').textContent`)
}

// refreshed does something to the table and waits until it shows that.
func (b *tab) refreshed(script string) {
	b.t.Helper()
	b.Eval(`delete document.documentElement.dataset.filterMs`)
	b.Eval("(" + script + ", 1)")
	b.Until(`document.documentElement.dataset.filterMs`)
}

func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	m := morning(t)
	m.end(interrupted)
	b := newTab(t)
	b.open(m)

	for selector, want := range map[string]string{
		"h1":                           "52 of 63 matters were imported, 2 were already in the service; 1 row waits for 1 id; 4 matters (5 rows) need correcting; 1 record, counted above, has a change that cannot be sent; 1 is in doubt; 1 failed and will be processed again in the next run; 2 are held for the next run.",
		".account:first-child .sum td": "64",
		".status":                      "1–50 of 61 records (63 in all)",
	} {
		if got := b.Eval(fmt.Sprintf("document.querySelector(%q).textContent", selector)); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if b.Eval(`document.getElementById('plain').hidden`) != "true" {
		t.Error("the plain list is still there beside the table")
	}

	b.refreshed(`document.querySelector('.tiles a[data-outcome="3"]').click()`)
	if got := b.status(); got != "1–5 of 5 records (63 in all)" {
		t.Errorf("rejected only: %q", got)
	}
	b.refreshed(`document.querySelector('a[data-cause="1"]').click()`)
	if got := b.status(); got != "1–2 of 2 records (63 in all)" {
		t.Errorf("one cause: %q", got)
	}
	b.search("muller LICENSING 201") // folded, in two words, one of them only in the service's answer
	if got := b.status(); !strings.HasPrefix(got, "No matching records") {
		t.Errorf("search under a cause that it does not have: %q", got)
	}
	b.refreshed(`[...document.querySelectorAll('.tools button')].pop().click()`)
	b.search("muller licensing")
	if got := b.status(); got != "1–6 of 6 records (63 in all)" {
		t.Errorf("search without accents: %q", got)
	}
	b.search("")
	b.refreshed(`document.querySelector('.records th:nth-child(4) button').click()`)
	b.refreshed(`document.querySelector('.records th:nth-child(4) button').click()`)
	if got := b.Eval(`document.querySelector('tr.line .key').textContent + document.querySelector('[aria-sort=descending]').textContent`); got != "M-0063Outcome" {
		t.Errorf("sorted by outcome, last first: %q", got)
	}
	b.quiet()
}

// search types into the search box.
func (b *tab) search(text string) {
	b.t.Helper()
	b.refreshed(fmt.Sprintf(`(box => { box.focus(); box.value = %q; box.dispatchEvent(new Event('input')); })(document.querySelector('input[type=search]'))`, text))
}

func TestRecordOpensByKeyboard(t *testing.T) {
	t.Parallel()
	m := morning(t)
	m.end(interrupted)
	b := newTab(t)
	b.open(m)
	b.search("M-0056")
	b.Eval(`document.querySelector('.open-it').focus()`)
	b.Do(chromedp.KeyEvent("\r"))
	b.Until(`document.querySelector('tr.detail')`)
	detail := b.Eval(`document.querySelector('tr.detail').innerText`)
	for _, want := range []string{"C57 \"03/04/2026\" may be a day in two months", "In the file: matters.xlsx, Matters, row 57", "Kestrel Yachts", "1 empty cell not shown"} {
		if !strings.Contains(detail, want) {
			t.Errorf("%q is not in %q", want, detail)
		}
	}
	if n := b.Count("tr.detail .bad"); n != "2" {
		t.Errorf("%s cells marked", n)
	}
	b.Do(chromedp.KeyEvent("\r"))
	b.Until(`!document.querySelector('tr.detail')`)
	b.search("M-0058") // two rows of one key: the three columns in which they differ are marked
	b.Eval(`document.querySelector('.open-it').click()`)
	b.Until(`document.querySelector('tr.detail')`)
	if n := b.Count("tr.detail td.changed"); n != "6" {
		t.Errorf("%s cells are marked as different, want 6", n)
	}
	b.search("M-0060")
	b.Eval(`document.querySelector('tr.line').click()`)
	b.Until(`document.querySelector('tr.detail')`)
	if detail = b.Eval(`document.querySelector('tr.detail').innerText`); !strings.Contains(detail, "connection reset by peer") || !strings.Contains(detail, "1,200 ms") {
		t.Errorf("the attempt is not in %q", detail)
	}
	b.quiet()
}

// TestManyRecordsInABrowser shows that records are found and opened across the blocks that their data comes in.
func TestManyRecordsInABrowser(t *testing.T) {
	t.Parallel()
	m, many := crowd(t)
	b := newTab(t)
	b.open(m)
	for _, i := range []int{0, 199, 200, 2000, 4199, many - 1} {
		b.search(fmt.Sprintf("ärger K-%05d", i))
		if got := b.status(); got != "1–1 of 1 record (4,321 in all)" {
			t.Errorf("record %d: %q", i, got)
		}
		b.Eval(`document.querySelector('.open-it').click()`)
		b.Until(`document.querySelector('tr.detail')`)
		if detail := b.Eval(`document.querySelector('tr.detail').innerText`); !strings.Contains(detail, fmt.Sprintf("Ärger %d\n", i)) {
			t.Errorf("record %d opens as %q", i, detail)
		}
	}
	b.search("")
	b.Eval(`(document.querySelector('button[aria-label="Last page"]').click(), 1)`)
	if got := b.status() + " " + b.Eval(`document.querySelector('tr.line .key').textContent`); got != "4,301–4,321 of 4,321 records K-04300" {
		t.Errorf("the last page: %s", got)
	}
	b.quiet()
}

// TestPageFitsNarrowScreens shows that nothing sticks out at the width of a telephone, in light and dark.
func TestPageFitsNarrowScreens(t *testing.T) {
	t.Parallel()
	m := morning(t)
	m.end(interrupted)
	b := newTab(t)
	b.Resize(390, 844)
	b.open(m)
	b.Eval(`[...document.querySelectorAll('.open-it')].slice(0, 9).map(button => button.click()).length`)
	b.Until(`document.querySelectorAll('tr.detail').length === 9`)
	if got := b.Eval(`document.documentElement.scrollWidth`); got != "390" {
		t.Errorf("the page is %s pixels wide", got)
	}
	b.quiet()
}

// TestEveryControlHasAName shows that a screen reader has something to say about each control and chart.
func TestEveryControlHasAName(t *testing.T) {
	t.Parallel()
	m := morning(t)
	m.end(interrupted)
	b := newTab(t)
	b.open(m)
	nameless := b.Eval(`[...document.querySelectorAll('button, input, select, a[href], svg')].filter(element =>
		!(element.getAttribute('aria-label') || element.textContent.trim() || (element.labels && element.labels[0] && element.labels[0].textContent.trim())))
		.map(element => element.outerHTML.slice(0, 80)).join('\n')`)
	if nameless != "" {
		t.Errorf("without a name:\n%s", nameless)
	}
	if got := b.Eval(`[...document.querySelectorAll('h1, h2, h3')].map(h => h.tagName).join('').includes('H1H3')`); got != "false" {
		t.Error("a level of headings is left out")
	}
	b.quiet()
}
