package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/browsertest"
)

// chosenFile is an export whose columns do not say what they are.
const chosenFile = "Akte,Vorgang,Wer,Stand,Notiz\n" +
	"M-1,Smith v Jones,jd,offen,first\n" +
	"M-2,Doe v Roe,jd,zu,second\n" +
	"M-3,Able v Baker,kl,offen,\n"

// uploaded is a tab on the page of the mapping of a file.
func uploaded(t *testing.T, c *openConsole, name, text string) *browsertest.Tab {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, name, text)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/import")
	tab.Do(chromedp.SetUploadFiles(`input[type="file"]`, []string{filepath.Join(dir, name)}))
	tab.Press(`.upload button`)
	tab.Press(`.next a`)
	return tab
}

// settled waits until what was chosen last has come back, and gives the text of the mapping.
func settled(tab *browsertest.Tab) string {
	tab.Until(`!document.querySelector("form[data-live]").dataset.busy`)
	return tab.Eval(`document.querySelector("textarea.yaml").value`)
}

// TestConsoleMapsByChoosing changes a mapping by choosing and by its text in turns: the first rows, their errors and the text follow
// each choice without a page being loaded.
func TestConsoleMapsByChoosing(t *testing.T) {
	t.Parallel()
	dir := writeEmptyFirm(t, "", "")
	c := startConsole(t, dir)
	tab := uploaded(t, c, "akten.csv", chosenFile)
	sample := func(field string) string {
		return strings.Join(strings.Fields(tab.Text(`[id="`+field+`"] .samples`)), " ")
	}
	tab.Fill(`[name="name/from"]`, "column:Vorgang")
	if text := settled(tab); !strings.Contains(text, "\n  name: Vorgang\n") {
		t.Errorf("the text does not say what was chosen:\n%s", text)
	}
	if got := sample("name"); got != "row 2 Smith v Jones row 3 Doe v Roe row 4 Able v Baker" {
		t.Errorf("the rows beside name are %q", got)
	}
	tab.Fill(`[name="active/from"]`, "column:Stand")
	settled(tab)
	if got := sample("active"); !strings.Contains(got, `row 2 "offen" is not mapped to yes or no`) {
		t.Errorf("the rows beside active are %q", got)
	}
	tab.Eval(`document.querySelector('[id="active"] details').open = true`)
	tab.Fill(`[name="active/words"]`, "offen = yes\nzu = no")
	if text := settled(tab); !strings.Contains(text, "active: {column: Stand, values: {offen: 'yes', zu: 'no'}}") {
		t.Errorf("the words are not in the text:\n%s", text)
	}
	if got := sample("active"); got != "row 2 true row 3 false row 4 true" {
		t.Errorf("the rows beside active are %q", got)
	}
	tab.Fill(`[name="user_id/from"]`, "column:Wer")
	tab.Fill(`[name="user_id/lookup"]`, "users")
	if text := settled(tab); !strings.Contains(text, "user_id: {column: Wer, lookup: users}") || !strings.Contains(text, "users: lookups/users.csv") {
		t.Errorf("the lookup is not in the text:\n%s", text)
	}
	if got := sample("name"); got != "row 2 Smith v Jones row 3 Doe v Roe row 4 Able v Baker" {
		t.Errorf("after other choices, the rows beside name are %q", got)
	}
	if got := sample("user_id"); !strings.HasPrefix(got, "row 2 jd no id yet") {
		t.Errorf("the rows beside user_id are %q", got)
	}
	if got := tab.Text(`[data-part="unused"]`); !strings.HasSuffix(got, "\nAkte · Notiz") {
		t.Errorf("the columns that no field takes are %q", got)
	}
	if got := tab.Text(`.questions`); !strings.Contains(got, "2 open questions") || !strings.Contains(got, "Which column tells one record from all others?") || !strings.Contains(got, "Which column has the number?") {
		t.Errorf("the open questions are %q", got)
	}
	if got := tab.Count(`[data-part="verdict"] .wrong, [data-part="verdict"] pre`); got != "0" {
		t.Errorf("open questions are told as mistakes: %q", tab.Text(`[data-part="verdict"]`))
	}
	tab.Look("import-choosing")
	tab.Fill(`[name="key"]`, "Akte")
	tab.Fill(`[name="number/from"]`, "column:Akte")
	settled(tab)

	// Rows are left out by choosing, and numbers said to be German.
	tab.Fill(`[name="filter/column"]`, "Stand")
	settled(tab) // what is only begun stays
	tab.Fill(`[name="filter/values"]`, "zu")
	settled(tab)
	tab.Fill(`[name="numbers"]`, "1.234,56")
	if text := settled(tab); !strings.Contains(text, "rows:\n  skip: {Stand is zu: 'row[\"Stand\"] == \"zu\"'}\n") || !strings.Contains(text, "numbers: \"1.234,56\"\n") {
		t.Errorf("the rule and the numbers are not in the text:\n%s", text)
	}
	if got := tab.Text(`[data-part="verdict"]`); !strings.Contains(got, "1 row would be skipped") {
		t.Errorf("of the rule the verdict says %q", got)
	}
	tab.Go(tab.Eval(`location.href.split("#")[0]`))
	if got := tab.Eval(`[...document.querySelectorAll(".rule")].map((r) => [...r.querySelectorAll("select, textarea")].map((e) => e.value).join(" ")).join("|")`); got != "skip Stand zu|skip  " {
		t.Errorf("the rules are shown as %q", got)
	}
	tab.Look("import-rules")
	tab.Fill(`[name="filter/column"]`, "")
	settled(tab)
	tab.Fill(`[name="numbers"]`, "")
	if text := settled(tab); strings.Contains(text, "rows:") || strings.Contains(text, "numbers:") {
		t.Errorf("the rule and the numbers stay:\n%s", text)
	}

	text := settled(tab)
	tab.Fill("textarea.yaml", strings.Replace(text, "fields:\n", "checks: warn  # by hand\nfields:\n", 1))
	if got := tab.Eval(`document.querySelector('[name="name/from"]').disabled`); got != "true" {
		t.Error("a choice could be made while the text is being written, which would be lost")
	}
	tab.Press("form[data-text] button")
	tab.Fill(`[name="number/from"]`, "column:Akte")
	if text := settled(tab); !strings.Contains(text, "checks: warn  # by hand\n") || !strings.Contains(text, "number: Akte") {
		t.Errorf("what was written by hand is lost:\n%s", text)
	}
	tab.Fill(`[name="number/from"]`, "nothing")
	settled(tab)
	if got := tab.Text(`.questions`); !strings.Contains(got, "Which column has the number?") || tab.Count(`[data-part="verdict"] .wrong`) != "0" {
		t.Errorf("a required field is left out, and the page says %q", tab.Text(`[data-part="verdict"]`))
	}
	tab.Look("import-questions")
	tab.Fill(`[name="number/from"]`, "column:Akte")
	settled(tab)

	// A mistake in the text leaves the form as it was; the text waits with what is wrong until it is mended or discarded.
	text = settled(tab)
	tab.Fill("textarea.yaml", text+"  : [\n")
	tab.Press("form[data-text] button:not([name])")
	if got := tab.Text(`[data-part="text"] .wrong`); !strings.Contains(got, "is not in use yet") {
		t.Errorf("of a text that cannot be read the page says %q", got)
	}
	tab.Look("import-mistake")
	tab.Fill(`[name="number/from"]`, "column:Notiz")
	if got := settled(tab); got != text+"  : [\n" {
		t.Errorf("the text that was written is lost:\n%s", got)
	}
	if got := sample("number"); !strings.Contains(got, "row 2 first") {
		t.Errorf("with a mistake in the text, the rows beside number are %q", got)
	}
	tab.Press("button[name=drop]")
	if got := settled(tab); !strings.Contains(got, "\n  number: Notiz") || strings.Contains(got, "[") {
		t.Errorf("after it was discarded, the text is\n%s", got)
	}
	tab.Fill(`[name="number/from"]`, "column:Akte")
	settled(tab)

	tab.Press(`.next a.button`)
	if got := tab.Text(`table.names`); tab.Text("h1") == "Every name has an id" || !strings.Contains(tab.Text("main"), "jd") {
		t.Errorf("the names do not wait for ids: %q", got)
	}
	tab.Quiet(c.base)
}

// TestConsoleChoosesGoods takes each layout of goods and services by choosing, with what the first rows make of it.
func TestConsoleChoosesGoods(t *testing.T) {
	t.Parallel()
	c := startConsole(t, writeEmptyFirm(t, "", ""))
	const id = "6f0c2d7e-1111-4222-8333-444455556666"
	tab := uploaded(t, c, "marks.csv", "Ref,Mark,Office,App No,List,Class 1,Goods 1,Class 2,Goods 2,C1,C2,One,Text\n"+
		id+",SOL,EU,1,9: hats; 35: sales,9,hats,35,sales,x,x,9,hats\n"+id[:35]+"7,LUNA,EU,2,9: caps,9,caps,,,x,,9,caps\n")
	parts := func() string {
		tab.Until(`document.querySelector("form[data-live]") && !document.querySelector("form[data-live]").dataset.busy`)
		return strings.Join(strings.Fields(tab.Text(`[id="good_and_services.search_class_id"] .samples`)+" | "+tab.Text(`[id="good_and_services.text"] .samples`)), " ")
	}
	for _, layout := range []struct{ name, class, text, yaml, want string }{
		{"rows", "One", "Text", "item: {search_class_id: {column: One", "row 2 9 no id yet row 3 9 no id yet | row 2 hats row 3 caps"},
		{"pairs", "Class #", "Goods #", "pairs: {class: 'Class #', text: 'Goods #'}", "row 2 9 no id yet row 3 9 no id yet | row 2 hats · sales row 3 caps"},
		{"flags", "C#", "", "flags: 'C#'", "row 2 1 no id yet row 3 1 no id yet | row 2 all goods of the class · all goods of the class row 3 all goods of the class"},
		{"split", "List", "", "split: {column: List", "row 2 9 no id yet row 3 9 no id yet | row 2 hats · sales row 3 caps"},
	} {
		tab.Fill(`[name="goods/layout"]`, layout.name)
		settled(tab)
		tab.Until(`document.querySelector('[name="goods/class"]')`)
		tab.Fill(`[name="goods/class"]`, layout.class)
		settled(tab)
		tab.Fill(`[name="goods/text"]`, layout.text)
		if got := parts(); got != layout.want {
			t.Errorf("%s: the first rows have %q, want %q", layout.name, got, layout.want)
		}
		if text := settled(tab); !strings.Contains(text, layout.yaml) {
			t.Errorf("%s: the text has no %s:\n%s", layout.name, layout.yaml, text)
		}
	}
	tab.Look("import-goods")
}

// TestConsoleReadsByChoosing takes several sheets of a workbook, and leaves out a title, totals, a hidden row and a note at the end, by choosing.
func TestConsoleReadsByChoosing(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	defer book.Close()
	for _, sheet := range []struct {
		name string
		rows [][]any
	}{ // in the order of the workbook
		{"2023", [][]any{{"Informe"}, {"Ref", "Asunto", "Cliente"}, {"M-1", "Uno", "Acme"}, {"Subtotal War SL", "Dos", "Beta"}, {"Subtotal: 1", "1"}, {"Fin"}}},
		{"2024", [][]any{{"Informe"}, {"Ref", "Asunto", "Cliente"}, {"M-2", "Dos", "Beta"}, {"M-3", "Tres", "Beta"}, {"Subtotal", "2"}, {"Fin"}}},
		{"Nota", [][]any{{"nada"}}},
	} {
		if _, err := book.NewSheet(sheet.name); err != nil {
			t.Fatal(err)
		}
		for n, row := range sheet.rows {
			if err := book.SetSheetRow(sheet.name, fmt.Sprintf("A%d", n+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "asuntos.xlsx")
	if err := errors.Join(book.SetRowVisible("2024", 3, false), book.DeleteSheet("Sheet1"), book.SaveAs(path)); err != nil {
		t.Fatal(err)
	}
	dir := writeEmptyFirm(t, "", "")
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/import")
	tab.Do(chromedp.SetUploadFiles(`input[type="file"]`, []string{path}))
	tab.Press(`.upload button`)
	tab.Eval(`(() => { document.querySelector("details").open = true; [...document.querySelectorAll("[name=sheet] option")].forEach((o) => { o.selected = o.value.startsWith("20"); }); return 1; })()`)
	tab.Fill(`[name="header"]`, "2")
	tab.Fill(`[name="footer_rows"]`, "1")
	tab.Fill(`[name="footers"]`, "Subtotal, Suma")
	tab.Eval(`(() => { document.querySelector("[name=totals]").value = "keep"; document.querySelector("[name=hidden]").value = "skip"; return 1; })()`)
	tab.Look("import-reading")
	tab.Press(`details button`)
	if got := tab.Text("h1"); !strings.HasPrefix(got, "3 rows with 3 columns") {
		t.Errorf("the file was read as %q\n%s", got, tab.Text("main"))
	}
	if got := tab.Text(`[aria-labelledby=left] tbody`); got != "5\t2023\tfooter\tSubtotal: 1\t1\t\n6\t2023\tfooter\tFin\t\t\n3\t2024\thidden\tM-2\tDos\tBeta\n5\t2024\tfooter\tSubtotal\t2\t\n6\t2024\tfooter\tFin" {
		t.Errorf("the rows that are left out are shown as %q", got)
	}
	tab.Eval(`(() => { document.querySelector("details").open = true; return 1; })()`)
	tab.Look("import-left-out")
	if got := tab.Eval(`[...document.querySelector("[name=sheet]").selectedOptions].map((o) => o.value).join("|") + " " + document.querySelector("[name=footers]").value`); got != "2023|2024 Subtotal, Suma" {
		t.Errorf("what was chosen is shown as %q", got)
	}
	tab.Go(c.base + tab.Eval("location.pathname") + "/job")
	for _, setting := range []string{"sheet: 2023 | 2024", "header: 2", "footer_rows: 1", "footer: (?i)^(Subtotal|Suma)\\P{L}*$", "totals: keep", "hidden: skip"} {
		if got := strings.NewReplacer(`"`, "", "'", "").Replace(tab.Text("main")); !strings.Contains(got, setting) {
			t.Errorf("the job does not have %s:\n%s", setting, got)
		}
	}
}

// TestConsoleWithoutScript sends the form by its button.
func TestConsoleWithoutScript(t *testing.T) {
	t.Parallel()
	c := startConsole(t, writeEmptyFirm(t, "", ""))
	tab := uploaded(t, c, "akten.csv", chosenFile)
	tab.Eval(`(() => { document.querySelector('[name="name/from"]').value = "column:Notiz"; return 1; })()`)
	tab.Press(`form[data-live] .next button`)
	if got := tab.Eval(`document.querySelector("textarea.yaml").value`); !strings.Contains(got, "\n  name: Notiz\n") {
		t.Errorf("the text is\n%s", got)
	}
	if got := tab.Text(`[id="name"] .samples`); !strings.Contains(got, "is empty") {
		t.Errorf("the rows beside name are %q", got)
	}
	for _, form := range []string{"form[data-live] .next", "form[data-text]"} {
		at := tab.Eval("location.href")
		tab.Eval(`(() => { document.querySelector('[name="name/from"]').value = "nothing"; document.querySelectorAll("[name=seen]").forEach((e) => { e.value = "earlier"; }); return 1; })()`)
		tab.Press(form + " button")
		if got := tab.Text("h1"); !strings.HasPrefix(got, "The mapping has changed since") {
			t.Errorf("what another window has changed was written over: %q", got)
		}
		tab.Go(at)
		if got := tab.Eval(`document.querySelector("textarea.yaml").value`); !strings.Contains(got, "\n  name: Notiz\n") {
			t.Errorf("the text is\n%s", got)
		}
	}
}

// TestConsoleSavesJobs saves a job, changes it, and saves it again: nothing is replaced unless somebody says so, what was there is
// kept, and names that lead elsewhere are refused.
func TestConsoleSavesJobs(t *testing.T) {
	t.Parallel()
	dir := writeEmptyFirm(t, "", "")
	before, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := startConsole(t, dir)
	tab := uploaded(t, c, "akten.csv", chosenFile)
	for field, column := range map[string]string{"name": "Vorgang", "number": "Akte", "active": "Notiz"} {
		tab.Fill(`[name="`+field+`/from"]`, "column:"+column)
		settled(tab)
	}
	tab.Press(`.next a.button`)
	tab.Press(`button[name=then]`)
	at := tab.Eval(`location.pathname`)
	for _, name := range []string{"../evil", "/etc/evil", `..\\evil`, ".", "", "a/b", "A", "x\\ny: z"} {
		status := tab.Eval(`fetch("` + at + `", {method: "POST", body: new URLSearchParams({token: document.querySelector("[name=token]").value, seen: document.querySelector("[name=seen]").value, name: "` + name + `"})}).then((r) => r.text().then((text) => r.status + " " + /A job cannot be called/.test(text)))`)
		if want := fmt.Sprintf("409 %t", name != ""); status != want {
			t.Errorf("a job called %q: %s", name, status)
		}
	}
	if status := tab.Eval(`fetch("` + at + `", {method: "POST", body: new URLSearchParams({token: document.querySelector("[name=token]").value, seen: "of another window", name: "cases"})}).then((r) => r.status)`); status != "409" {
		t.Errorf("a mapping that another window has changed since was saved: %s", status)
	}
	if now, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml")); err != nil || string(now) != string(before) {
		t.Errorf("the configuration changed: %v\n%s", err, now)
	}
	tab.Fill(`[name="name"]`, "former")
	tab.Eval(`document.querySelector("[name=next][value=inbox]").click()`)
	tab.Press(".setup button")
	if got := tab.Text("pre.yaml"); !strings.Contains(got, "source: {inbox: inbox/former") || strings.Contains(got, "uploads/") {
		t.Errorf("a job of what arrives in a folder is\n%s", got)
	}
	tab.Eval(`document.querySelector("[name=next][value=here]").click()`)
	tab.Eval(`document.querySelector("[name=runs][value=weekdays]").click()`)
	tab.Press(".setup button")
	if got := tab.Text("pre.yaml"); !strings.Contains(got, "source: uploads/akten-") || !strings.Contains(got, `when: "0 2 * * 1-5"`) {
		t.Errorf("a job of every working day is\n%s", got)
	}
	tab.Look("import-job-next")
	tab.Fill(`[name="name"]`, "cases")
	tab.Eval(`document.querySelector("[name=runs][value=manually]").click()`)
	tab.Press(`.next button`) // with what the page shows by now, in another preview or none
	if got := tab.Text("h1"); !strings.HasPrefix(got, "Check, plan") {
		t.Fatalf("after saving, the page says %q\n%s", got, tab.Text("main"))
	}
	if config := mappingIn(t, dir, "docketsync.yaml"); config != string(before) {
		t.Errorf("the configuration was edited:\n%s", config)
	}
	job := mappingIn(t, dir, "jobs.d/cases.yml")
	if !strings.HasPrefix(job, "name: cases\nsource: uploads/akten-") || !strings.HasSuffix(job, "\nmapping: cases/mapping.yaml\n") {
		t.Errorf("the job is\n%s", job)
	}
	saved := mappingIn(t, dir, "cases/mapping.yaml")

	write(t, dir, "cases/mapping.yaml", "# by an editor\n"+saved)
	tab.Go(c.base + at)
	tab.Press(`form[action$="/open"] button`)
	if got := settled(tab); got != "# by an editor\n"+saved {
		t.Errorf("what is opened is not what is there:\n%s", got)
	}
	tab.Fill(`[name="name/from"]`, "column:Notiz")
	if got := settled(tab); got != "# by an editor\n"+strings.Replace(saved, "name: Vorgang", "name: Notiz", 1) {
		t.Errorf("a choice changed more than its place:\n%s", got)
	}
	tab.Go(c.base + strings.Replace(at, "/job", "/run", 1))
	if got := tab.Text("main .notice"); !strings.Contains(got, "has unsaved changes") {
		t.Errorf("a run would go by another mapping than the one shown, and the page says %q", got)
	}
	tab.Go(c.base + strings.Replace(at, "/job", "/mapping", 1))
	tab.Fill(`[name="name/from"]`, "column:Vorgang")
	settled(tab)
	tab.Go(c.base + strings.Replace(at, "/job", "/run", 1))
	if got := tab.Count("main .notice"); got != "0" {
		t.Errorf("the page warns of a mapping that the job has: %s", tab.Text("main .notice"))
	}

	// A job that an earlier console saved into the configuration stays there.
	if err := os.Remove(filepath.Join(dir, "jobs.d", "cases.yml")); err != nil {
		t.Fatal(err)
	}
	appendConfig(t, dir, "jobs:\n  - "+strings.ReplaceAll(strings.TrimSpace(job), "\n", "\n    ")+"\n")
	config := mappingIn(t, dir, "docketsync.yaml")
	write(t, dir, "cases/mapping.yaml", saved+"# an editor was here\n")
	tab.Go(c.base + at)
	if got := tab.Text(".wrong"); !strings.Contains(got, "cases/mapping.yaml") {
		t.Fatalf("the page does not ask about the file that changed: %q", got)
	}
	tab.Look("import-job-again")
	tab.Eval(`(() => { document.querySelector("[name=replace]").required = false; return 1; })()`)
	tab.Press(`.next button`)
	if got := tab.Text(".wrong"); !strings.HasPrefix(got, "This file exists already") || !strings.HasSuffix(mappingIn(t, dir, "cases/mapping.yaml"), "# an editor was here\n") {
		t.Errorf("it was replaced without asking: %q", got)
	}
	tab.Go(c.base + at)
	tab.Eval(`(() => { document.querySelector("[name=replace]").checked = true; return 1; })()`)
	tab.Press(`.next button`)
	if got := mappingIn(t, dir, "cases/mapping.yaml"); got != "# by an editor\n"+saved {
		t.Errorf("it was not replaced:\n%s", got)
	}
	if kept := mappingIn(t, dir, "cases/mapping.yaml.2*"); !strings.HasSuffix(kept, "# an editor was here\n") {
		t.Errorf("what was there is kept as\n%s", kept)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "jobs.d", "*")); config != mappingIn(t, dir, "docketsync.yaml") || len(left) > 0 {
		t.Errorf("the job moved when it was saved again: %q", left)
	}
	tab.Go(c.base + "/audit")
	if got := tab.Text("main"); !strings.Contains(got, "add job") || !strings.Contains(got, "../evil") || strings.Contains(got, "change draft") {
		t.Errorf("the audit says\n%s", got)
	}

	other := uploaded(t, c, "akten.csv", chosenFile)
	other.Go(c.base + strings.Replace(other.Eval("location.pathname"), "/mapping", "/job?name=cases", 1))
	if got := other.Text(".wrong"); !strings.Contains(got, "already has a job cases") {
		t.Errorf("a second job of one name: %q", got)
	}
}

// TestConsoleNamesFromLists chooses ids from a list of the service, takes a whole lookup from it, and says what is no id.
func TestConsoleNamesFromLists(t *testing.T) {
	t.Parallel()
	c := startConsole(t, writeEmptyFirm(t, "", ""))
	user, template := firstNameIn(t, "users"), firstNameIn(t, "templates")
	tab := uploaded(t, c, "akten.csv", "Ref,Matter,Responsible,Template,Active\nM-1,Smith v Jones,"+user+","+template+",yes\nM-2,Doe v Roe,Nobody,"+template+",yes\n")
	if text := settled(tab); !strings.Contains(text, "lookup: users") || !strings.Contains(text, "lookup: templates") {
		t.Fatalf("the proposal is another one than this test is for:\n%s", text)
	}
	tab.Press(`.next a.button`)
	names := tab.Eval(`location.href`)
	section := func(lookup string) string { return `section[aria-labelledby="l-` + lookup + `"]` }
	if got := tab.Eval(`[...document.querySelectorAll("#items-templates option")].find((o) => o.textContent === "` + template + `").value`); got != firstOf(t, "templates") {
		t.Errorf("the list of templates is not offered: %q", got)
	}
	if got := tab.Text(section("users")); !strings.Contains(got, "People with an account in the service") || !strings.Contains(got, "Fill in the 1 name that the list users has") {
		t.Errorf("of the users it says %q", got)
	}
	// One save takes all tables: what is no id is told, what is one is kept, and nothing that was written is lost.
	tab.Fill(section("templates")+` input[name="id/templates"]`, "not-an-id")
	tab.Fill(section("users")+` tr:nth-child(2) input[name="id/users"]`, firstOf(t, "users"))
	tab.Press(`.saveall button`)
	if got := tab.Text(section("templates") + " .why"); !strings.Contains(got, "GUID") {
		t.Errorf("what is no id is told as %q", got)
	}
	if got := tab.Eval(`document.querySelector('input[name="id/templates"]').value + " " + [...document.querySelectorAll('input[name="id/users"]')].map((i) => i.value).filter((v) => v)`); got != "not-an-id "+firstOf(t, "users") {
		t.Errorf("after one save of two tables the boxes hold %q", got)
	}
	tab.Look("import-ids")
	// The name of an entry stands for its id, as does the entry beside the box.
	tab.Fill(section("templates")+` input[name="id/templates"]`, template)
	tab.Press(`.saveall button`)
	if got := tab.Eval(`document.querySelector('input[name="id/templates"]').value`); got != firstOf(t, "templates") {
		t.Errorf("the name of an entry was saved as %q", got)
	}
	tab.Eval(`(() => { document.querySelectorAll('input[name="id/users"]').forEach((i) => { i.value = ""; }); return 1; })()`)
	tab.Press(`.saveall button`)
	tab.Press(`button[name=matches]`)
	if got := tab.Text(".flash, [role=status]"); !strings.Contains(got, "users: 1 id read, 1 filled in.") {
		t.Errorf("what the list has was taken with the words %q", got)
	}
	for list, says := range map[string]string{"nameless": "none with a name", "users": ""} {
		tab.Fill(section("users")+` select`, list)
		tab.Press(section("users") + ` select + button, ` + section("users") + ` label + button`)
		if got := tab.Text(section("users")); !strings.Contains(got, says) {
			t.Errorf("a list that cannot be used is told as %q", got)
		}
	}
	tab.Fill(section("users")+` select`, "users")
	tab.Press(section("users") + ` label + button`)
	tab.Go(names)
	if got := tab.Text("h1"); got != "1 name without an id" {
		t.Errorf("the page says %q", got)
	}
	if got := tab.Text(section("users")); !strings.Contains(got, "From the service’s list users") || !strings.Contains(got, "Nobody") || strings.Contains(got, user) {
		t.Errorf("of the users it says %q", got)
	}
	tab.Look("import-lists")
	tab.Go(strings.Replace(names, "/names", "/mapping", 1))
	if text := settled(tab); !strings.Contains(text, "\n  users: {service: users}\n") {
		t.Errorf("the mapping is\n%s", text)
	}
	if got := tab.Text(`[id="user_id"] .samples`); !strings.Contains(got, user+" → "+firstOf(t, "users")) {
		t.Errorf("the rows beside user_id are %q", got)
	}
}

// TestConsoleTakesTablesOfIDs downloads what is missing, pastes and uploads tables of ids, and sees each bad line named and kept.
func TestConsoleTakesTablesOfIDs(t *testing.T) {
	t.Parallel()
	c := startConsole(t, writeEmptyFirm(t, "", ""))
	tab := uploaded(t, c, "akten.csv", "Ref,Matter,Client,Active\nM-1,Smith v Jones,\"Acme, Inc.\",yes\nM-2,Doe v Roe,Beta,yes\nM-3,A v B,Gamma,yes\nM-4,C v D,0017,yes\n")
	tab.Press(`.next a.button`)
	const id, other = "6f0c2d7e-1111-4222-8333-444455556666", "6f0c2d7e-1111-4222-8333-444455556667"
	boxes := func() string {
		return tab.Eval(`[...document.querySelectorAll('table[data-lookup=clients] tr:has(td)')].map((r) => r.querySelector("th").innerText + "=" + r.querySelector("input:not([type=hidden])").value.slice(-4)).sort().join("|")`)
	}
	open := func() { tab.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`) }
	open()
	tab.Fill(`textarea[name="paste/clients"]`, "Kunde;Kennung\nacme,  inc.;"+id+"\nBeta;12\nDelta AG;"+other+"\n")
	tab.Press(`details:has([name="paste/clients"]) button`)
	if got := boxes(); got != "0017=|Acme, Inc.=6666|Beta=|Delta AG=6667|Gamma=" {
		t.Errorf("after a table was pasted the boxes are %q", got)
	}
	if got := tab.Text(`[role=alert] .faults`); !strings.Contains(got, "Line 3: 12 is not an id") {
		t.Errorf("the bad line is told as %q", got)
	}
	if got := tab.Eval(`document.querySelector('[name="paste/clients"]').value`); got != "Beta\t12\n" {
		t.Errorf("the bad line is not kept to be corrected: %q", got)
	}
	tab.Look("import-paste")
	missing := tab.Eval(`fetch([...document.querySelectorAll("a")].find((a) => a.href.includes("lookup=clients&only=missing") && !a.href.includes("xlsx")).href).then((r) => r.text())`)
	if want := "name,count,id\r\nBeta,1,\r\nGamma,1,\r\n0017,1,\r\n"; strings.TrimPrefix(missing, "\ufeff") != want {
		t.Errorf("what is missing downloads as %q", missing)
	}
	// The workbook that was downloaded is filled in and uploaded again.
	data := tab.Eval(`fetch([...document.querySelectorAll("a")].find((a) => a.href.includes("lookup=clients&only=missing&as=xlsx")).href).then((r) => r.bytes()).then((b) => b.toBase64())`)
	tab.Eval(`document.querySelector('[name="paste/clients"]').value = ""`)
	tab.Do(chromedp.SetUploadFiles(`[name="file/clients"]`, []string{filledWorkbook(t, data, id)}))
	tab.Press(`.saveall button`)
	if got := boxes(); got != "0017=6666|Acme, Inc.=6666|Beta=6666|Delta AG=6667|Gamma=6666" {
		t.Errorf("after the workbook was uploaded the boxes are %q", got)
	}
	tab.Quiet(c.base)
}

// filledWorkbook writes an id beside every name of a workbook that was downloaded.
func filledWorkbook(t *testing.T, base64Data, id string) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(base64Data)
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("ids")
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v %q", err, rows)
	}
	for n := range rows[1:] {
		if err := book.SetCellValue("ids", fmt.Sprintf("C%d", n+2), id); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "ids.xlsx")
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// firstNameIn is the name of the first entry of a list of the sample firm.
func firstNameIn(t *testing.T, list string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "samples", "sandbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lists map[string][]map[string]any
	if err := json.Unmarshal(text, &lists); err != nil {
		t.Fatal(err)
	}
	first := lists[list][0]
	if name, ok := first["name"].(string); ok {
		return name
	}
	return fmt.Sprint(first["user_name"])
}

// TestConsoleTakesFilesOfFolders maps a file that lies where a job reads its own: the new job reads it there. No other file of the
// machine can be taken.
func TestConsoleTakesFilesOfFolders(t *testing.T) {
	t.Parallel()
	dir := writeEmptyFirm(t, "", "")
	if err := os.Mkdir(filepath.Join(dir, "exports"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "exports/old.csv", chosenFile)
	write(t, dir, "exports/new.csv", "Ref,Matter,Active\nM-1,Smith v Jones,yes\n")
	write(t, dir, "secret.csv", "Ref,Matter,Active\nM-1,the password,yes\n")
	if err := os.Symlink(filepath.Join(dir, "secret.csv"), filepath.Join(dir, "exports", "link.csv")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "exports/ping.txt", "https://ping.example/{job}\n")
	appendConfig(t, dir, "notify: {ping: {url: {file: exports/ping.txt}}}\njobs:\n  - {name: old, source: exports/old.csv, mapping: old.yaml}\n")
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/import")
	if got := tab.Eval(`[...document.querySelectorAll("[name=path] option")].map((o) => o.value).join("|")`); got != "exports/new.csv|exports/old.csv" {
		t.Errorf("the files are %q", got)
	}
	for _, path := range []string{"secret.csv", "exports/../secret.csv", "exports/link.csv", "exports/ping.txt", "/etc/passwd", ""} {
		status := tab.Eval(`fetch("/import/from", {method: "POST", body: new URLSearchParams({token: document.querySelector("[name=token]").value, path: "` + path + `"})}).then((r) => r.status)`)
		if status != "404" {
			t.Errorf("%q can be taken: %s", path, status)
		}
	}
	tab.Fill("[name=path]", "exports/new.csv")
	tab.Press(`form[action="/import/from"] button`)
	tab.Go(tab.Eval("location.href") + "/job")
	if got := tab.Text("pre.yaml"); !strings.Contains(got, "source: exports/new.csv") {
		t.Errorf("the job would read\n%s", got)
	}
}
