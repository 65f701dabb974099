package browsertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// How long a tab waits for something on its page and how often it looks, and how long a tab may be used at all. It does not look at each
// frame, as it would unasked: the browser would draw frames for nothing else.
const (
	pollEvery = 20 * time.Millisecond
	patience  = 2 * time.Minute
	lifetime  = 10 * time.Minute
)

// Tab is a browser's tab of one test. Its methods fail the test when the browser cannot do what is asked.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
}

// Open opens an empty tab of 1440 by 900 pixels, with cookies of its own, that is closed when the test ends.
func Open(t testing.TB) *Tab {
	t.Helper()
	started, err := browser()
	if err != nil && (required("browser") || started != nil) {
		t.Fatal(err)
	} else if err != nil {
		t.Skipf("skipped: %v", err)
	}
	ctx, cancel := chromedp.NewContext(started, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, done := context.WithTimeout(ctx, lifetime)
	t.Cleanup(done)
	tab := &Tab{t: t, ctx: ctx}
	tab.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
		return err
	}))
	if err := chromedp.Listen(ctx, tab.watch); err != nil {
		t.Fatal(err)
	}
	return tab
}

func (b *Tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprintf("console %s: %v", e.Type, e.Args))
	case *log.EventEntryAdded:
		if strings.HasPrefix(e.Entry.Text, "Autofocus processing was blocked") {
			return // who is in a field before the page puts him into one stays there
		}
		b.errors = append(b.errors, fmt.Sprintf("log %s: %s", e.Entry.Level, e.Entry.Text))
	}
}

// Do takes steps in the tab.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Go opens an address and waits until the page is loaded.
func (b *Tab) Go(address string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(address))
	b.Until(`document.readyState === "complete"`)
}

// Eval is the value of a script's expression, which may be a promise, as text. The page's policy does not bind it.
func (b *Tab) Eval(expression string) string {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("(async () => String(await ("+expression+")))()", chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Until waits for an expression to become true, at most a while, also on a page that takes the place of this one.
func (b *Tab) Until(expression string) {
	b.t.Helper()
	late := time.Now().Add(patience)
	for {
		_, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(pollEvery)))
		if err == nil {
			return
		}
		if time.Now().After(late) || b.ctx.Err() != nil || !strings.Contains(err.Error(), "navigated") && !strings.Contains(err.Error(), "context") {
			b.t.Fatalf("waiting for %s: %v", expression, err)
		}
	}
}

// Count is how many elements a selector finds, in digits.
func (b *Tab) Count(selector string) string {
	b.t.Helper()
	return b.Eval(fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// Text is the text that the first element shows which a selector finds; that there is none, for none.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return strings.TrimSpace(b.Eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'there is no '+%q", selector, selector)))
}

// Fill writes into a field as a person does who has put the cursor there.
func (b *Tab) Fill(selector, text string) {
	b.t.Helper()
	b.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); e.value = %q;
		e.dispatchEvent(new Event("input", {bubbles: true})); e.dispatchEvent(new Event("change", {bubbles: true})); return 1; })()`, selector, text))
}

// Press clicks on what a selector finds, and waits until the page that follows is there.
func (b *Tab) Press(selector string) {
	b.t.Helper()
	if b.Count(selector) == "0" {
		b.t.Fatalf("there is no %s to press on\n%s", selector, b.Text("body"))
	}
	b.Eval(fmt.Sprintf(`(() => { window.pressed = true; document.querySelector(%q).click(); return 1; })()`, selector))
	b.Until(`!window.pressed && document.readyState === "complete"`)
}

// Requests are the addresses that the tab has asked for.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// Untroubled fails the test if something went wrong in a page: an exception, a refusal by the policy, a line in the
// console.
func (b *Tab) Untroubled() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.errors) > 0 {
		b.t.Errorf("in the browser: %s", strings.Join(b.errors, "\n"))
	}
}

// Quiet fails the test if something went wrong in the pages, or if they asked for anything but what begins with one of these.
func (b *Tab) Quiet(addresses ...string) {
	b.t.Helper()
	b.Untroubled()
	for _, asked := range b.Requests() {
		if !strings.HasPrefix(asked, "data:") && !slices.ContainsFunc(addresses, func(a string) bool { return strings.HasPrefix(asked, a) }) {
			b.t.Errorf("a page asked for %s", asked)
		}
	}
}

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
