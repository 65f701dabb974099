package edit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docketsync/mapping"
	"docketsync/mapping/edit"
)

// byHand is a mapping as somebody wrote it who thought about each line.
const byHand = `# agreed on with Ms Ruiz
operation: update_trademark
key: Our Ref
rows:
  skip: 'row["Status"] == "Dead"'  # they are gone
dates:
- DD/MM/YYYY   # ours
- YYYY-MM-DD
fields:
  # the id comes first
  id:                 {column: Our Ref, lookup: trademark_ids}  # by hand
  registry_id:
    column: Office   # as they call it
    lookup: registries

    # two more to come
  mark_text:          "Mark #1"
  application_number: App No
  application_date: {column: Filed, dates: [D.M.YY], pivot: 50}
  status:
    column: Status
    values:
      R: Registered   # since 1990
      P: Pending
    default: Unknown
  notes: {expr: 'join([row["Notes"], row["It''s"]], "\n")'}
  good_and_services:
    split: {column: Classes, entries: "|"}
    item:
      search_class_id: {lookup: classes}   # Nice
      language_id: {value: English, lookup: languages}
  do_not_create_file: {value: true}

lookups:
  trademark_ids: lookups/trademark_ids.csv
  registries:    {file: offices.xlsx, sheet: "2"}  # from the office
  classes: lookups/classes.csv
  languages: {inline: {English: 6f0c2d7e-1111-4222-8333-444455556666}}
checks: {nice_class: off}
`

// proposed is a mapping as init writes one.
const proposed = `# Proposed from matters.csv, 40 rows. Read it through, fill in the lookups, then run docketsync check.
operation: create_case  # description and number may be those of cases
key: custom_number  # filled in all 40 rows, all different
fields:
  name: description  # all 40 rows, such as Estate planning
  number: custom_number  # all 40 rows, such as 2014-00001
  active: {column: status, yes: [Open, Pending], no: [Closed]}  # all 40 rows, such as Open
  file_template_id: {value: template of the cases, lookup: constants}  # not in the file: fill in lookups/constants.csv
  user_id: {value: responsible user, lookup: constants}  # not in the file: fill in lookups/constants.csv
  # all 40 rows, such as Dagny Nilsson
  client_id: {columns: [client_company_name, client_first_name], lookup: clients}
lookups:
  constants: lookups/constants.csv  # 2 names to give an id
  clients: lookups/clients.csv  # 25 names to give an id

# Not used:
#   location: 24 of 40 rows, such as Off-site
#   note: 30 of 40 rows, such as Conflict check done
`

func read(t fataler, text, proposal string) *edit.File {
	t.Helper()
	d, err := edit.Read("m.yaml", text, proposal, mapping.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func choiceAt(t fataler, d *edit.File, path string) edit.Choice {
	t.Helper()
	for _, f := range d.Fields() {
		if f.Path == path {
			return f.Choice
		}
	}
	t.Fatalf("the draft shows no field %s\n%s", path, d.Text())
	return edit.Choice{}
}

// TestChoose changes one place, and shows the lines that are not what they were.
func TestChoose(t *testing.T) {
	t.Parallel()
	column := func(lookup string, columns ...string) edit.Choice {
		return edit.Choice{From: edit.Column, Columns: columns, Lookup: lookup}
	}
	tests := []struct {
		name, text, path string
		choice           edit.Choice
		want             string // lines gone and come
	}{
		{"another column drops what the proposal said of the first", proposed, "name", column("", "note"), `
-  name: description  # all 40 rows, such as Estate planning
+  name: note
-#   note: 30 of 40 rows, such as Conflict check done`},
		{"a lookup leaves the words about the column", proposed, "number", column("numbers", "custom_number"), `
-  number: custom_number  # all 40 rows, such as 2014-00001
+  number: {column: custom_number, lookup: numbers}  # all 40 rows, such as 2014-00001
+  numbers: lookups/numbers.csv`},
		{"other options stay", proposed, "active", edit.Choice{From: edit.Column, Columns: []string{"status"}, Default: "true"}, `
-  active: {column: status, yes: [Open, Pending], no: [Closed]}  # all 40 rows, such as Open
+  active: {column: status, default: true, yes: [Open, Pending], no: [Closed]}  # all 40 rows, such as Open`},
		{"a field that goes takes its lookup and the words above with it", proposed, "client_id", edit.Choice{From: edit.Nothing}, `
-  # all 40 rows, such as Dagny Nilsson
-  client_id: {columns: [client_company_name, client_first_name], lookup: clients}
-  clients: lookups/clients.csv  # 25 names to give an id`},
		{"a lookup that another field names stays", proposed, "user_id", edit.Choice{From: edit.Nothing}, `
-  user_id: {value: responsible user, lookup: constants}  # not in the file: fill in lookups/constants.csv`},
		{"a new field stands where the operation has it", byHand, "registration_number", column("", "Reg: No"), `
+  registration_number: 'Reg: No'`},
		{"an aligned line stays aligned and keeps its comment", byHand, "id", column("marks", "Ref"), `
-  id:                 {column: Our Ref, lookup: trademark_ids}  # by hand
+  id:                 {column: Ref, lookup: marks}  # by hand
-  trademark_ids: lookups/trademark_ids.csv
+  marks: lookups/marks.csv`},
		{"a block changes where it has to", byHand, "registry_id", column("offices", "Registry"), `
-    column: Office   # as they call it
-    lookup: registries
+    column: Registry  # as they call it
+    lookup: offices
+  offices: lookups/offices.csv`},
		{"a constant for a block", byHand, "registry_id", edit.Choice{From: edit.Constant, Value: "EUIPO", Lookup: "registries"}, `
-    column: Office   # as they call it
+    value: EUIPO`},
		{"a field of an entry", byHand, "good_and_services.text", column("", "Goods"), `
+      text: Goods`},
		{"an expression with quotes", byHand, "mark_text", edit.Choice{From: edit.Expression, Expression: `upper(row["Mark's"])`}, `
-  mark_text:          "Mark #1"
+  mark_text:          {expr: 'upper(row["Mark''s"])'}`},
		{"a comment behind a doubled apostrophe stays", strings.Replace(byHand, "{column: Our Ref, lookup: trademark_ids}", `{expr: 'row["Ruiz'' "]'}`, 1), "id", column("", "Ref"), `
-  id:                 {expr: 'row["Ruiz'' "]'}  # by hand
+  id:                 Ref  # by hand`},
		{"words with signs", byHand, "mark_feature", edit.Choice{From: edit.Column, Columns: []string{"Kind"}, Words: []edit.Word{{"yes", "Word: a"}, {"-", ""}}}, `
+  mark_feature: {column: Kind, values: {'yes': 'Word: a', '-': ''}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := read(t, test.text, proposed)
			after, err := before.Choose(test.path, test.choice)
			if test.name == "a constant for a block" && errors.Is(err, edit.ErrByHand) {
				return // somebody's comment about the column stands in the way
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), changedLines(test.text, after.Text())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if test.choice.From != edit.Nothing {
				if diff := cmp.Diff(test.choice, choiceAt(t, after, test.path)); diff != "" {
					t.Errorf("what is read again (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// changedLines lists the lines that went and came, in their order.
func changedLines(before, after string) string {
	var list []string
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
		case len(a) > 0 && !slices.Contains(b, a[0]):
			list, a = append(list, "-"+a[0]), a[1:]
		default:
			list, b = append(list, "+"+b[0]), b[1:]
		}
	}
	return strings.Join(list, "\n")
}

func TestChooseHeader(t *testing.T) {
	t.Parallel()
	d := read(t, proposed, proposed)
	d, err1 := d.ChooseKey([]string{"client", "number"})
	d, err2 := d.ChooseDates([]string{"DD/MM/YYYY"})
	d, err3 := d.DeclareLookup("clients", "companies")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	want := `-key: custom_number  # filled in all 40 rows, all different
+key: [client, number]
+dates: [DD/MM/YYYY]
-  clients: lookups/clients.csv  # 25 names to give an id
+  clients: {service: companies}`
	if diff := cmp.Diff(want, changedLines(proposed, d.Text())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := read(t, byHand, "").ChooseDates([]string{"YYYY"}); !errors.Is(err, edit.ErrByHand) {
		t.Errorf("a list with somebody's comments was changed: %v", err)
	}
}

// TestUntouched chooses everywhere what is there already, in every mapping of the samples and some more.
func TestUntouched(t *testing.T) {
	t.Parallel()
	all := texts(t)
	if len(all) < 8 {
		t.Fatalf("found only %d mappings", len(all))
	}
	for _, text := range all {
		d := read(t, text, "")
		key, _ := d.Key()
		dates, _ := d.Dates()
		d, err := d.ChooseKey(key)
		if err == nil && dates != nil {
			d, err = d.ChooseDates(dates)
		}
		for _, f := range d.Fields() {
			if err == nil {
				d, err = d.Choose(f.Path, f.Choice)
			}
		}
		if err != nil || d.Text() != text {
			t.Errorf("choosing what was there changed it: %v\n%s", err, changedLines(text, d.Text()))
		}
	}
}

func texts(t fataler) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "samples", "*", "mapping.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no mappings among the samples: %v", err)
	}
	list := []string{byHand, proposed, strings.ReplaceAll(byHand, "\n", "\r\n"), strings.TrimSuffix(proposed, "\n")}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v", err)
		}
		list = append(list, string(data))
	}
	return list
}

// TestRoundTrip makes choices at random: what was chosen is what is read again, every other field is what it was, no comment that
// a person wrote is lost, and choosing the former again leads back to the same fields.
func TestRoundTrip(t *testing.T) {
	all := texts(t)
	rapid.Check(t, func(t *rapid.T) {
		d := read(t, rapid.SampledFrom(all).Draw(t, "text"), proposed)
		for range rapid.IntRange(1, 5).Draw(t, "choices") {
			d = chooseOnce(t, d)
		}
	})
}

func chooseOnce(t *rapid.T, d *edit.File) *edit.File {
	field := rapid.SampledFrom(d.Fields()).Draw(t, "field")
	choice := drawChoice(t)
	next, err := d.Choose(field.Path, choice)
	if errors.Is(err, edit.ErrByHand) {
		return d
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", field.Path, err, d.Text())
	}
	for _, line := range strings.Split(d.Text(), "\n") {
		if _, comment, ok := strings.Cut(line, "  # "); ok && !strings.Contains(proposed, comment) && !strings.Contains(next.Text(), comment) {
			if choice.From == edit.Nothing {
				continue
			}
			t.Fatalf("%s: the comment %q is lost:\n%s", field.Path, comment, changedLines(d.Text(), next.Text()))
		}
	}
	for _, f := range next.Fields() {
		was, here := choice, f.Path == field.Path
		if !here {
			if strings.HasPrefix(f.Path, field.Path+".") {
				continue
			}
			was = choiceAt(t, d, f.Path)
		}
		if here && choice.From == edit.Nothing && f.Choice.From == edit.Part {
			continue
		}
		if diff := cmp.Diff(was, f.Choice); diff != "" {
			t.Fatalf("%s after choosing %s (-want +got):\n%s\n%s", f.Path, field.Path, diff, next.Text())
		}
	}
	return next
}

func drawChoice(t *rapid.T) edit.Choice {
	text := rapid.OneOf(rapid.SampledFrom([]string{"Mark", "App No", "yes", "null", "1.50", "0x1F", "2024-03-01", "#", "a: b", "- x", "it's", `"q"`, "{x}", "é ü", "~", "a, b", "&a", "*a", "!t", "%", "@C", "Name#2", "line\nbreak", "tab\there"}),
		rapid.StringMatching(`[ -~éÜ中\t]{1,12}`).Filter(func(s string) bool {
			return strings.TrimSpace(s) != "" && s != "null" && !strings.Contains(s, "  # ") // which chooseOnce takes for a comment
		}))
	c := edit.Choice{From: rapid.SampledFrom([]edit.From{edit.Nothing, edit.Column, edit.Column, edit.Constant, edit.Expression}).Draw(t, "from")}
	switch c.From {
	case edit.Nothing:
		return c
	case edit.Column:
		c.Columns = rapid.SliceOfN(text, 1, 3).Draw(t, "columns")
	case edit.Constant:
		c.Value = text.Draw(t, "value")
	case edit.Expression:
		c.Expression = rapid.StringMatching(`[a-z]{1,8}\(row\["[A-Z' ]{1,5}"\]\)`).Draw(t, "expression")
	}
	if rapid.Bool().Draw(t, "with lookup") {
		c.Lookup = rapid.StringMatching(`[a-z_]{1,8}`).Draw(t, "lookup")
	}
	if rapid.Bool().Draw(t, "with default") {
		c.Default = text.Draw(t, "default")
	}
	if rapid.Bool().Draw(t, "with words") {
		for _, is := range rapid.SliceOfNDistinct(text, 1, 3, rapid.ID).Draw(t, "words") {
			c.Words = append(c.Words, edit.Word{Is: is, Becomes: text.Draw(t, "becomes")})
		}
	}
	return c
}

// TestRefused shows ways of writing in which a place cannot be told from another: no choice is made there, rather than a wrong one.
func TestRefused(t *testing.T) {
	t.Parallel()
	const head = "operation: create_case\nkey: Ref\nlookups: {l: l.csv}\nfields:\n"
	other := edit.Choice{From: edit.Column, Columns: []string{"Other"}}
	for name, test := range map[string]struct{ text, path string }{
		"a text whose second line looks like a field": {"  name: \"a\n  active: b\"\n  number: Ref\n", "name"},
		"a block that two fields share":               {"  file_template_id: &x\n    column: A\n    lookup: l\n  user_id: *x\n", "user_id"},
		"what a merge key brings":                     {"  file_template_id: &x {column: A, lookup: l}\n  user_id:\n    <<: *x\n", "user_id"},
		"a value that others name":                    {"  name: &n Title\n  number: *n\n", "name"},
	} {
		d := read(t, head+test.text, "")
		if after, err := d.Choose(test.path, other); !errors.Is(err, edit.ErrByHand) {
			t.Errorf("%s: %v\n%s", name, err, changedLines(d.Text(), after.Text()))
		}
	}
}
