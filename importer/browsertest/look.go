package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

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

// Width sets how wide the window is, and whether it is dark.
func (b *Tab) Width(pixels int, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Resize(int64(pixels), 900)
	b.Media("screen", scheme)
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

// Print is the page as a PDF file, on paper of so many inches. It ends what Media and Width have set.
func (b *Tab) Print(width, height float64) []byte {
	b.t.Helper()
	b.Media("", "")
	var data []byte
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		printed, err := chromedp.Call(ctx, cdppage.PrintToPDF, cdppage.PrintToPDFParams{PaperWidth: width, PaperHeight: height, PrintBackground: new(true)})
		data = printed.Data
		return err
	}))
	return data
}

// Shoot writes pictures of the whole page, wide and narrow, light and dark, into the folder that DOCKETSYNC_SHOTS names, for a
// person to look at; without it, it does nothing.
func (b *Tab) Shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("DOCKETSYNC_SHOTS")
	if dir == "" {
		return
	}
	for _, width := range []int{1440, 390} {
		for scheme, dark := range map[string]bool{"light": false, "dark": true} {
			b.Width(width, dark)
			b.Picture(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
		}
	}
	b.Width(1440, false)
}

// Look is what a test does with a page that a person is to look at: axe-core judges it on any screen, and Shoot keeps pictures of it.
func (b *Tab) Look(name string) {
	b.t.Helper()
	b.AccessibleOnAnyScreen()
	b.Shoot(name)
}

// violation is a rule of axe-core that a page breaks, in axe-core's words.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// judge makes axe-core judge the page by some rules and keeps of the result what a person needs.
const judge = `axe.run(document, {resultTypes: ['violations']}).then(result => JSON.stringify(result.violations.map(({id, impact, help, nodes}) =>
	({id, impact, help, nodes: nodes.map(({html, failureSummary}) => ({html, failureSummary}))}))))`

// Accessible has axe-core judge the page as it is now, by all its rules of WCAG 2 and of good practice, and fails the test
// for each that is broken. What is folded away or hidden is not judged: open it first.
func (b *Tab) Accessible() {
	b.t.Helper()
	script, ok := axe(b.t)
	if !ok {
		return
	}
	if b.Eval("typeof window.axe") == "undefined" {
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[json.RawMessage](script+"; true")); err != nil {
			b.t.Fatalf("load axe-core: %v", err)
		}
	}
	var found []violation
	if err := json.Unmarshal([]byte(b.Eval(judge)), &found); err != nil {
		b.t.Fatalf("what axe-core says: %v", err)
	}
	for _, v := range found {
		b.t.Errorf("%s", v)
	}
}

// AccessibleOnAnyScreen judges the page narrow in the dark and wide in the light, and leaves it so.
func (b *Tab) AccessibleOnAnyScreen() {
	b.t.Helper()
	b.Width(390, true)
	b.Accessible()
	b.Width(1440, false)
	b.Accessible()
}

// axe is the script of axe-core. Without it a test goes on, since most of what a test looks at needs no axe-core.
func axe(t testing.TB) (string, bool) {
	t.Helper()
	path := os.Getenv("DOCKETSYNC_AXE")
	if path == "" {
		if required("axe") {
			t.Fatal("DOCKETSYNC_REQUIRE asks for axe: DOCKETSYNC_AXE is to be the path of axe-core's axe.min.js")
		}
		t.Log("not judged by axe-core: DOCKETSYNC_AXE does not say where axe.min.js is")
		return "", false
	}
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("DOCKETSYNC_AXE: %v", err)
	}
	return string(script), true
}

// shownNodes is how many of the elements that break a rule are shown.
const shownNodes = 5

func (v violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "axe-core, %s: %s (%s), %d times", v.Impact, v.Help, v.ID, len(v.Nodes))
	for _, node := range v.Nodes[:min(len(v.Nodes), shownNodes)] {
		fmt.Fprintf(&b, "\n  %s\n    %s", node.HTML, strings.ReplaceAll(node.Summary, "\n", "\n    "))
	}
	return b.String()
}
