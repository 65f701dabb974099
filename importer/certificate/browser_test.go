package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

func browserPath() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither chromium, chromium-browser nor google-chrome is in PATH")
}

// open shows a certificate's page in a browser of its own, and counts what the page asks of the network. A test that needs one is
// skipped on a machine without a browser, unless DOCKETSYNC_REQUIRE asks for it.
func open(t *testing.T, page []byte, asked *[]string) context.Context {
	t.Helper()
	path, err := browserPath()
	if err != nil && strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "browser") {
		t.Fatal(err)
	} else if err != nil {
		t.Skipf("skipped: %v", err)
	}
	file := t.TempDir() + "/certificate.html"
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1440, 900))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	do(t, ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	}))
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			*asked = append(*asked, e.Request.URL)
		}
	}); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate("file://"+file))
	return ctx
}

func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func eval(t *testing.T, ctx context.Context, expression string) string {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// TestNumbersOnThePageAreThoseOfTheJSON compares every number, by the path that the page says it has.
func TestNumbersOnThePageAreThoseOfTheJSON(t *testing.T) {
	t.Parallel()
	forms := written(t, migration(t).certify(6))
	var asked []string
	ctx := open(t, forms[0], &asked)
	var all any
	decoder := json.NewDecoder(bytes.NewReader(forms[2]))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	shown := eval(t, ctx, `JSON.stringify([...document.querySelectorAll("[data-path]")].map(e => [e.dataset.path, e.innerText.trim()]))`)
	var numbers [][2]string
	if err := json.Unmarshal([]byte(shown), &numbers); err != nil {
		t.Fatal(err)
	}
	if len(numbers) < 100 {
		t.Fatalf("the page has only %d numbers", len(numbers))
	}
	for _, n := range numbers {
		if want := at(all, n[0]); want != strings.ReplaceAll(n[1], ",", "") {
			t.Errorf("%s is %q on the page and %q in the JSON", n[0], n[1], want)
		}
	}
	if got := eval(t, ctx, `document.querySelector("h1").innerText`); got != at(all, "verdict") {
		t.Errorf("the verdict on the page is %q", got)
	}
	if len(asked) != 1 || !strings.HasPrefix(asked[0], "file://") {
		t.Errorf("the page asked for %q", asked)
	}
}

// at is the value at a path of the JSON. Rows that were skipped are found by their reason.
func at(value any, path string) string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		if first, _ := list[0].(map[string]any); first["reason"] != nil {
			for _, skip := range list {
				if skip.(map[string]any)["reason"] == path {
					return fmt.Sprint(skip.(map[string]any)["rows"])
				}
			}
			return "0"
		}
	}
	step, rest, more := strings.Cut(path, ".")
	switch inner := value.(type) {
	case map[string]any:
		value = inner[step]
	case []any:
		n, err := strconv.Atoi(step)
		if err != nil || n >= len(inner) {
			return "nothing"
		}
		value = inner[n]
	}
	if !more {
		return fmt.Sprint(value)
	}
	return at(value, rest)
}

func TestHostileCellsStayTextOnThePage(t *testing.T) {
	t.Parallel()
	var asked []string
	ctx := open(t, written(t, besieged(t).certify(30))[0], &asked)
	if got := eval(t, ctx, `typeof pwned + " " + document.scripts.length + " " + document.images.length`); got != "undefined 0 0" {
		t.Errorf("the page has %s", got)
	}
	text := eval(t, ctx, `document.body.textContent`)
	for _, h := range hostile[:8] {
		if !strings.Contains(text, h) {
			t.Errorf("%q is not shown", h)
		}
	}
	if len(asked) != 1 {
		t.Errorf("the page asked for %q", asked)
	}
}

// TestThePageFitsAndPrints looks at a phone's width for anything that sticks out, and prints on both sizes of paper.
func TestThePageFitsAndPrints(t *testing.T) {
	t.Parallel()
	var asked []string
	ctx := open(t, written(t, migration(t).certify(6))[0], &asked)
	for _, width := range []int64{1440, 390} {
		do(t, ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
			return err
		}))
		if got := eval(t, ctx, `document.documentElement.scrollWidth`); got != fmt.Sprint(width) {
			t.Errorf("at %d pixels the page is %s wide", width, got)
		}
	}
	for name, inches := range map[string][2]float64{"A4": {8.27, 11.69}, "Letter": {8.5, 11}} {
		var data []byte
		do(t, ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			printed, err := chromedp.Call(ctx, cdppage.PrintToPDF, cdppage.PrintToPDFParams{PaperWidth: inches[0], PaperHeight: inches[1], PrintBackground: new(true)})
			data = printed.Data
			return err
		}))
		pages := bytes.Count(data, []byte("/Type /Page\n")) + bytes.Count(data, []byte("/Type /Page\r"))
		if !bytes.HasPrefix(data, []byte("%PDF")) || pages < 3 || pages > 9 {
			t.Errorf("on %s it is %d pages, of %d bytes", name, pages, len(data))
		}
	}
}
