package certificate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"docketsync/importer/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// open shows a certificate's page in a tab.
func open(t *testing.T, page []byte) *browsertest.Tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "certificate.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	tab := browsertest.Open(t)
	tab.Go("file://" + file)
	return tab
}

// alone checks that the page asked for nothing but itself, and that nothing went wrong in it.
func alone(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	if asked := tab.Requests(); len(asked) != 1 || !strings.HasPrefix(asked[0], "file://") {
		t.Errorf("the page asked for %q", asked)
	}
	tab.Untroubled()
}

// TestNumbersOnThePageAreThoseOfTheJSON compares every number, by the path that the page says it has.
func TestNumbersOnThePageAreThoseOfTheJSON(t *testing.T) {
	t.Parallel()
	forms := written(t, migration(t).certify(6))
	tab := open(t, forms[0])
	var all any
	decoder := json.NewDecoder(bytes.NewReader(forms[2]))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	shown := tab.Eval(`JSON.stringify([...document.querySelectorAll("[data-path]")].map(e => [e.dataset.path, e.innerText.trim()]))`)
	var numbers [][2]string
	if err := json.Unmarshal([]byte(shown), &numbers); err != nil {
		t.Fatal(err)
	}
	if len(numbers) < 50 {
		t.Fatalf("the page has only %d numbers", len(numbers))
	}
	for _, n := range numbers {
		if want := at(all, n[0]); want != strings.ReplaceAll(n[1], ",", "") {
			t.Errorf("%s is %q on the page and %q in the JSON", n[0], n[1], want)
		}
	}
	if got := tab.Eval(`document.querySelector("h1").innerText`); got != at(all, "verdict") {
		t.Errorf("the verdict on the page is %q", got)
	}
	alone(t, tab)
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
	tab := open(t, written(t, besieged(t).certify(30))[0])
	if got := tab.Eval(`typeof pwned + " " + document.scripts.length + " " + document.images.length`); got != "undefined 0 0" {
		t.Errorf("the page has %s", got)
	}
	text := tab.Eval(`document.body.textContent`)
	for _, h := range hostile[:8] {
		if !strings.Contains(text, h) {
			t.Errorf("%q is not shown", h)
		}
	}
	alone(t, tab)
}

// TestThePageFitsAndPrints looks at a phone's width for anything that sticks out, and prints on both sizes of paper.
func TestThePageFitsAndPrints(t *testing.T) {
	t.Parallel()
	tab := open(t, written(t, migration(t).certify(6))[0])
	for _, width := range []int{1440, 390} {
		tab.Width(width, false)
		if got := tab.Eval(`document.documentElement.scrollWidth`); got != fmt.Sprint(width) {
			t.Errorf("at %d pixels the page is %s wide", width, got)
		}
	}
	for name, inches := range map[string][2]float64{"A4": {8.27, 11.69}, "Letter": {8.5, 11}} {
		data := tab.Print(inches[0], inches[1])
		pages := bytes.Count(data, []byte("/Type /Page\n")) + bytes.Count(data, []byte("/Type /Page\r"))
		if !bytes.HasPrefix(data, []byte("%PDF")) || pages < 2 || pages > 5 {
			t.Errorf("on %s it is %d pages, of %d bytes", name, pages, len(data))
		}
	}
}

// TestPageForEverybody has axe-core judge the page, in light and dark, wide and narrow, and printed.
func TestPageForEverybody(t *testing.T) {
	t.Parallel()
	for name, page := range map[string][]byte{"a migration": written(t, migration(t).certify(6))[0], "hostile cells": written(t, besieged(t).certify(30))[0]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := open(t, page)
			tab.AccessibleOnAnyScreen()
			tab.Resize(1000, 900)
			tab.Media("print", "light")
			tab.Accessible()
			alone(t, tab)
		})
	}
}
