package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"docketsync/importer/browsertest"
)

// TestConsoleFirstImport takes a file that nobody has mapped through the pages, from the upload to the run, beside a person who
// does the same with init, an editor and run: both end with the same mapping, and with the same records in the service.
func TestConsoleFirstImport(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file string
		sample     bool // of samples, not of the folder of real exports
		marks      string
	}{
		{name: "a workbook of matters", file: "matters/synthetic/actionstep_matters.xlsx"},
		{name: "an export of trademarks", file: "trademarks/synthetic/uspto_case_file_like.csv", marks: "serial_no"},
		{name: "a sample", file: "matters/matters.xlsx", sample: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("..", "..", "samples", filepath.FromSlash(test.file))
			if !test.sample {
				file = filepath.Join(exports(t), filepath.FromSlash(test.file))
			}
			file, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			byHand := writeEmptyFirm(t, file, test.marks)
			code, out := program(t, byHand, "init", file)
			if code != 0 {
				t.Fatalf("init ended with %d:\n%s", code, out)
			}
			fillLookupsOfFirm(t, filepath.Join(byHand, "lookups"))
			want := mappingIn(t, byHand, "*.mapping.yaml")
			appendJob(t, byHand, out)
			expected := docketsync(t, byHand, "run").outcomes()

			dir := writeEmptyFirm(t, file, test.marks)
			c := startConsole(t, dir)
			tab := c.signedIn("Ines", operatorPassword)
			look := func(string) {}
			if test.sample { // the pages are the same ones for each file
				look = tab.Look
			}
			importThrough(t, c, tab, file, look)
			var path string
			var answer url.Values
			for _, run := range []string{"check", "plan", "run"} {
				button := fmt.Sprintf(`form:has(input[value="%s"]) button`, run)
				if run == "run" {
					path, answer = answerTo(tab)
					button = `form[action$="/carry-out"] button`
				}
				tab.Press(button)
				tab.Until(fmt.Sprintf(`document.querySelector(".verdict[data-kind=%s]") || document.querySelector(".wrong")`, run))
				if got := tab.Count(".wrong"); got != "0" {
					t.Fatalf("%s: %s", run, tab.Text("main"))
				}
			}
			look("import-run")
			if got := mappingIn(t, dir, filepath.Join("*", "mapping.yaml")); got != want {
				t.Errorf("the mapping is not the one that init writes (-want +got):\n%s", cmp.Diff(want, got))
			}
			if diff := cmp.Diff(expected, figuresOf(t, tab)); diff != "" {
				t.Errorf("the run came to (-by hand +in the browser):\n%s\n%s", diff, tab.Text("main"))
			}
			if expected["created"]+expected["updated"] < 10 {
				t.Errorf("by hand the run came to %v", expected)
			}
			tab.Quiet(c.base)
			// A form that was made before the run asks for nothing a second time.
			if _, page := c.visitor("Ines", operatorPassword).post(path, answer); !strings.Contains(page, "has run since this page was loaded") {
				t.Errorf("the run was asked for a second time, and the page says %q", page)
			}
		})
	}
}

// figuresOf are the counts by outcome that the page shows.
func figuresOf(t *testing.T, tab *browsertest.Tab) map[string]int {
	t.Helper()
	counts := map[string]int{"rejected": 0}
	var lines []string
	if err := json.Unmarshal([]byte(tab.Eval(`JSON.stringify([...document.querySelectorAll(".figures .count")].map((e) => e.innerText.trim()))`)), &lines); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		number, outcome, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(strings.ReplaceAll(number, ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		counts[outcome] = n
	}
	return counts
}

// importThrough uploads a file and goes through the pages without changing anything but the ids that they ask for; look is
// called on each page with its name.
func importThrough(t *testing.T, c *openConsole, tab *browsertest.Tab, file string, look func(page string)) {
	t.Helper()
	tab.Go(c.base + "/import")
	look("import-upload")
	tab.Do(chromedp.SetUploadFiles(`input[type="file"]`, []string{file}))
	tab.Press(`.upload button`)
	look("import-file")
	tab.Press(`.next a`)
	look("import-mapping")
	tab.Press(`.next a.button`)
	look("import-names")
	var boxes []struct{ Lookup, Name string }
	if err := json.Unmarshal([]byte(tab.Eval(`JSON.stringify([...document.querySelectorAll("table.names")].flatMap((t) =>
		[...t.querySelectorAll("input[name^='name/']")].map((i) => ({Lookup: t.dataset.lookup, Name: i.value}))))`)), &boxes); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, box := range boxes {
		ids = append(ids, idOf(t, box.Lookup, box.Name))
	}
	list, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	tab.Eval(`(() => { const ids = ` + string(list) + `; document.querySelectorAll("table.names input:not([type=hidden])").forEach((i, n) => { i.value = ids[n]; }); return 1; })()`)
	tab.Press(`.saveall button`) // those of all tables at once
	if got := tab.Text("h1"); got != "Every name has an id" {
		t.Errorf("after all ids were saved, the page says %q", got)
	}
	tab.Press(`button[name=then]`)
	look("import-job")
	tab.Press(`.next button`)
}

// idOf is an id that the service of the sample firm takes for a name: that of a mark by its number, else one of the list.
func idOf(t *testing.T, lookup, name string) string {
	t.Helper()
	lists := map[string]string{"templates": "templates", "users": "users", "clients": "companies", "registries": "registries", "languages": "languages",
		"statuses": "statuses", "responsible user": "users", "template of the cases": "templates", "registry of the marks": "registries"}
	switch list := lists[lookup]; {
	case list != "":
		return firstOf(t, list)
	case lookup == "constants" && lists[name] != "":
		return firstOf(t, lists[name])
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String()
}

// writeEmptyFirm writes the folder of a firm that has no job yet, a real sandbox that knows the marks of a file, and a console.
func writeEmptyFirm(t *testing.T, file, marks string) string {
	t.Helper()
	dir := t.TempDir()
	directory := filepath.Join("..", "..", "samples", "sandbox.json")
	if marks != "" {
		directory = filepath.Join(dir, directoryFor(t, dir, file, "", marks))
	}
	directory, err := filepath.Abs(directory)
	if err != nil {
		t.Fatal(err)
	}
	b := startSandbox(t, dir, "--directory", directory)
	write(t, dir, "docketsync.yaml", fmt.Sprintf(`# the firm's own words
service:
  base_url: %s
  subscription_key: {env: NO_KEY, default: sandbox-key}
  auth_cookie: {env: NO_COOKIE, default: sandbox-cookie}
  paths: {update_case: /v1/firms/file, update_trademark: /v1/firms/trademark}
  lists: {users: {path: /v1/lists/users, name: user_name}, templates: /v1/lists/templates, nameless: {path: /v1/lists/users, name: nothing}}
`, b.base)+consoleUsers(""))
	return dir
}

// appendJob adds the lines that init says.
func appendJob(t *testing.T, dir, said string) {
	t.Helper()
	_, lines, ok := strings.Cut(said, "under jobs:\n")
	lines, _, _ = strings.Cut(lines, "\nNext:")
	if !ok {
		t.Fatalf("init says no lines for the configuration:\n%s", said)
	}
	appendConfig(t, dir, "jobs:\n"+lines+"\n")
}

// fillLookupsOfFirm writes an id beside every name, as idOf has it.
func fillLookupsOfFirm(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no lookups in %s: %v", dir, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for n := range lines[1:] {
			lines[n+1][2] = idOf(t, strings.TrimSuffix(filepath.Base(path), ".csv"), lines[n+1][0])
		}
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
			t.Fatal(err)
		}
		write(t, dir, filepath.Base(path), b.String())
	}
}

// mappingIn is the one mapping of a folder, without its first line, which names the day's file.
func mappingIn(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	files = slices.DeleteFunc(files, func(f string) bool { return strings.Contains(f, "uploads") })
	if err != nil || len(files) != 1 {
		t.Fatalf("%d mappings: %v %v", len(files), files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
