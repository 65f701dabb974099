// Package browsertest shows pages to tests in a real browser: a headless Chromium of this machine, driven through its
// debugging port. It has what the tests of reports, certificates and the console share: a tab in which a test does what a
// person does, that notices what a page asks of the network and what goes wrong in it, and axe-core, which judges whether
// people can use a page who cannot see it or do not use a mouse. Only tests import it.
//
// A test that needs the browser is skipped on a machine that has none, unless DOCKETSYNC_REQUIRE names browser. axe-core is
// no part of this module: DOCKETSYNC_AXE is the path of its axe.min.js, as .ci/run installs it; without it the judgement is
// left out, unless DOCKETSYNC_REQUIRE names axe.
package browsertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// The browser is started once for all tests of a package. It takes any certificate, since the console's tests make their own.
var (
	browser = sync.OnceValues(func() (context.Context, error) {
		path, err := program()
		if err != nil {
			return nil, err
		}
		ctx, stopProgram := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900),
			chromedp.Flag("disable-quic", true), chromedp.Flag("no-pings", true), chromedp.Flag("disable-component-update", true),
			chromedp.Flag("ignore-certificate-errors", true))...)
		ctx, cancel := chromedp.NewContext(ctx)
		stop = func() { cancel(); stopProgram() }
		return ctx, chromedp.Do(ctx)
	})
	stop = func() {}
)

// Main runs the tests of a package and ends the browser behind them; a package's TestMain calls it. It does not return.
func Main(m *testing.M) {
	status := m.Run()
	Stop()
	os.Exit(status)
}

// Stop ends the browser, if there is one. It is called when all tests are done, by a TestMain that cannot call Main.
func Stop() { stop() }

// program is the path of the browser: the one without windows where it is there, since it needs half the processor time for the same pages.
func program() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither chromium-headless-shell, chromium, chromium-browser nor google-chrome is in PATH")
}

func required(what string) bool {
	return slices.Contains(strings.Split(os.Getenv("DOCKETSYNC_REQUIRE"), ","), what)
}
