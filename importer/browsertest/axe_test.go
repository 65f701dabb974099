package browsertest_test

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"docketsync/importer/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// complaints takes what a test is told and fails on, in place of the test itself.
type complaints struct {
	testing.TB
	said []string
}

func (c *complaints) Helper() {}

func (c *complaints) Errorf(format string, args ...any) {
	for _, arg := range args {
		if text, ok := arg.(interface{ String() string }); ok {
			c.said = append(c.said, text.String())
		}
	}
}

// TestAxeSeesWhatIsWrong shows that a page which leaves people out is told, and one that does not is not.
func TestAxeSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	if os.Getenv("DOCKETSYNC_AXE") == "" && !strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "axe") {
		t.Skip("skipped: DOCKETSYNC_AXE does not say where axe.min.js is")
	}
	for name, page := range map[string]struct {
		body string
		want []string
	}{
		"a good page":              {`<main><h1>Matters</h1><label>Search <input></label></main>`, nil},
		"an input without a name":  {`<main><h1>Matters</h1><input></main>`, []string{"label"}},
		"grey on grey":             {`<main><h1>Matters</h1><p style="color:#999;background:#eee">Read me</p></main>`, []string{"color-contrast"}},
		"a mistake after the rest": {`<main><h1>Matters</h1></main><p>Outside</p><h4>Deep</h4>`, []string{"region", "heading-order"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heard := &complaints{TB: t}
			tab := browsertest.Open(heard)
			tab.Go("data:text/html," + url.PathEscape(`<!doctype html><html lang="en"><title>A page</title>`+page.body+`</html>`))
			tab.Accessible()
			all := strings.Join(heard.said, "\n")
			if len(heard.said) != len(page.want) {
				t.Errorf("told %q, want %q", heard.said, page.want)
			}
			for _, rule := range page.want {
				if !strings.Contains(all, "("+rule+")") {
					t.Errorf("%s is not told:\n%s", rule, all)
				}
			}
		})
	}
}

// A text that can be read in the light alone is told.
func TestAxeLooksInTheDark(t *testing.T) {
	t.Parallel()
	if os.Getenv("DOCKETSYNC_AXE") == "" && !strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "axe") {
		t.Skip("skipped: DOCKETSYNC_AXE does not say where axe.min.js is")
	}
	heard := &complaints{TB: t}
	tab := browsertest.Open(heard)
	tab.Go("data:text/html," + url.PathEscape(`<!doctype html><html lang="en"><title>A page</title><meta name="color-scheme" content="light dark">
<style>@media (prefers-color-scheme: dark) { p { color: #222; background: #333 } }</style><main><h1>Matters</h1><p>Read me</p></main></html>`))
	tab.AccessibleOnAnyScreen()
	if said := strings.Join(heard.said, "\n"); strings.Count(said, "(color-contrast)") != 1 || len(heard.said) != 1 {
		t.Errorf("told %q", heard.said)
	}
}
