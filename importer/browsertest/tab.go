// Package browsertest shows pages to tests in a real browser: a headless Chromium of this machine, driven through its
// debugging port. It has what the tests of the report and of the console share: a tab that notices what a page asks of the
// network and what goes wrong in it, and axe-core, which judges whether people can use a page who cannot see it or do not
// use a mouse.
//
// A test that needs the browser is skipped on a machine that has none, unless DOCKETSYNC_REQUIRE names browser. axe-core is
// no part of this module: DOCKETSYNC_AXE is the path of its axe.min.js, as .ci/run installs it; without it the judgement is
// left out, unless DOCKETSYNC_REQUIRE names axe.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
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

// Tab is a browser's tab of one test. Its methods fail the test when the browser cannot do what is asked.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
}

// The browser is started once for all tests of a package; stop ends it.
var (
	browser = sync.OnceValues(func() (context.Context, error) {
		path, err := program()
		if err != nil {
			return nil, err
		}
		ctx, stopProgram := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900),
			chromedp.Flag("disable-quic", true), chromedp.Flag("no-pings", true), chromedp.Flag("disable-component-update", true))...)
		ctx, cancel := chromedp.NewContext(ctx)
		stop = func() { cancel(); stopProgram() }
		return ctx, chromedp.Do(ctx)
	})
	stop = func() {}
)

// Main runs the tests of a package and ends the browser behind them; a package's TestMain calls it. It does not return.
func Main(m *testing.M) {
	status := m.Run()
	stop()
	os.Exit(status)
}

func program() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither chromium, chromium-browser nor google-chrome is in PATH")
}

func required(what string) bool {
	return slices.Contains(strings.Split(os.Getenv("DOCKETSYNC_REQUIRE"), ","), what)
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
	ctx, done := context.WithTimeout(ctx, 2*time.Minute)
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

// Navigate opens an address and waits until the page is loaded.
func (b *Tab) Navigate(address string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(address))
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

// Until waits for an expression to become true, at most half a minute.
func (b *Tab) Until(expression string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(30*time.Second))); err != nil {
		b.t.Fatalf("waiting for %s: %v", expression, err)
	}
}

// Count is how many elements a selector finds, in digits.
func (b *Tab) Count(selector string) string {
	b.t.Helper()
	return b.Eval(fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// Text is the text of the first element that a selector finds, "" for none.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return b.Eval(fmt.Sprintf("(document.querySelector(%q) || { textContent: '' }).textContent", selector))
}

// Resize makes the tab so many pixels wide and high.
func (b *Tab) Resize(width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// Media shows the page as for a medium, "screen" or "print", in a colour scheme, "light" or "dark".
func (b *Tab) Media(medium, scheme string) {
	b.t.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// Picture writes the whole page, as it is now, into a PNG file.
func (b *Tab) Picture(path string) {
	b.t.Helper()
	data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
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
