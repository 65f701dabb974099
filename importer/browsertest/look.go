package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

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
