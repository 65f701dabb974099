// Package browsertest drives the browser of this machine for tests of pages: it opens pages as a person does, and keeps an eye on
// what they ask of the network and what goes wrong in them. Only tests import it.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a tab waits for something on its page.
const patience = 30 * time.Second

// browser is the browser of this machine, started once for all tests; Stop ends it.
var (
	browser = sync.OnceValues(func() (context.Context, error) {
		path, err := browserPath()
		if err != nil {
			return nil, err
		}
		ctx, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900),
			chromedp.Flag("disable-quic", true), chromedp.Flag("no-pings", true), chromedp.Flag("disable-component-update", true),
			chromedp.Flag("ignore-certificate-errors", true))...)
		ctx, cancel := chromedp.NewContext(ctx)
		stopBrowser = func() { cancel(); stop() }
		return ctx, chromedp.Do(ctx)
	})
	stopBrowser = func() {}
)

// Stop ends the browser. It is called when all tests are done.
func Stop() { stopBrowser() }

func browserPath() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither chromium, chromium-browser nor google-chrome is in PATH")
}

// Tab is a tab of the browser. Any step that fails ends the test.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
}

// Open opens a tab with cookies of its own. A test that needs one is skipped on a machine without a browser, unless
// DOCKETSYNC_REQUIRE asks for it.
func Open(t testing.TB) *Tab {
	t.Helper()
	started, err := browser()
	if err != nil && (strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "browser") || started != nil) {
		t.Fatal(err)
	} else if err != nil {
		t.Skipf("skipped: %v", err)
	}
	ctx, cancel := chromedp.NewContext(started, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, done := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(done)
	b := &Tab{t: t, ctx: ctx}
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
		return err
	}))
	if err := chromedp.Listen(ctx, b.watch); err != nil {
		t.Fatal(err)
	}
	return b
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
		b.errors = append(b.errors, fmt.Sprintf("log %s: %s", e.Entry.Level, e.Entry.Text))
	}
}

// Do takes steps of chromedp.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Go opens an address and waits until the page is there.
func (b *Tab) Go(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(url))
	b.Until(`document.readyState === "complete"`)
}

// Eval is the value of a script's expression, as text.
func (b *Tab) Eval(expression string) string {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("(async () => String(await ("+expression+")))()", chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Until waits for an expression to become true, also on a page that takes the place of this one.
func (b *Tab) Until(expression string) {
	b.t.Helper()
	late := time.Now().Add(patience)
	for {
		_, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(patience)))
		if err == nil {
			return
		}
		if time.Now().After(late) || b.ctx.Err() != nil || !strings.Contains(err.Error(), "navigated") && !strings.Contains(err.Error(), "context") {
			b.t.Fatalf("waiting for %s: %v", expression, err)
		}
	}
}

// Text is the text that a selector's first element shows.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return strings.TrimSpace(b.Eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'there is no '+%q", selector, selector)))
}

// Count is how many elements a selector finds.
func (b *Tab) Count(selector string) string {
	b.t.Helper()
	return b.Eval(fmt.Sprintf("document.querySelectorAll(%q).length", selector))
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
	b.Eval(fmt.Sprintf(`(() => { window.pressed = true; document.querySelector(%q).click(); return 1; })()`, selector))
	b.Until(`!window.pressed && document.readyState === "complete"`)
}

// Width sets how wide the window is, and whether it is dark.
func (b *Tab) Width(pixels int, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Do(chromedp.EmulateViewport(int64(pixels), 900), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// Requests are the addresses that the pages have asked for so far.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.requests...)
}

// Quiet checks that nothing went wrong in the pages, and that they asked for nothing but what begins with one of these.
func (b *Tab) Quiet(addresses ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.errors) > 0 {
		b.t.Errorf("in the browser: %s", strings.Join(b.errors, "\n"))
	}
	for _, asked := range b.requests {
		known := strings.HasPrefix(asked, "data:")
		for _, address := range addresses {
			known = known || strings.HasPrefix(asked, address)
		}
		if !known {
			b.t.Errorf("a page asked for %s", asked)
		}
	}
}

// Shoot writes a picture of the whole page into the folder that DOCKETSYNC_SHOTS names, for a person to look at; without it, it
// does nothing.
func (b *Tab) Shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("DOCKETSYNC_SHOTS")
	if dir == "" {
		return
	}
	for _, width := range []int{1440, 390} {
		for scheme, dark := range map[string]bool{"light": false, "dark": true} {
			b.Width(width, dark)
			picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o600)
			}
			if err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.Width(1440, false)
}
