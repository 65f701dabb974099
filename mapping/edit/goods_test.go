package edit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/mapping"
	"docketsync/mapping/edit"
)

// Each layout of goods and services can be chosen from nothing and from every other, makes a mapping, and is read back; the language of
// the entries stays.
func TestGoods(t *testing.T) {
	t.Parallel()
	const head = "operation: update_trademark\nkey: Ref\nfields:\n  id: Ref\n  registry_id: Office\n  mark_text: Mark\n  application_number: App\n"
	const spanish = "  good_and_services:\n    item:\n      search_class_id: {column: Class, lookup: classes}\n      language_id: {value: Spanish, lookup: languages}\n      text: Goods\n" +
		"  do_not_create_file: {value: true}\nlookups:\n  classes: lookups/classes.csv\n  languages: lookups/languages.csv\n"
	layouts := []edit.Goods{
		{Layout: edit.Split, Class: "Classes", Entries: ";", Separator: ":"}, {Layout: edit.Split, Class: "Classes", Entries: "\n", Text: "Goods"}, {Layout: edit.Pairs, Class: "Class #", Text: "Goods #"},
		{Layout: edit.Flags, Class: "Class#"}, {Layout: edit.Rows, Class: "Class", Text: "Goods: all"},
	}
	for name, text := range map[string]string{"from nothing": head, "from rows": head + spanish} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := edit.Read("m.yaml", text, "", mapping.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range layouts {
				if d, err = d.ChooseGoods(g); err != nil {
					t.Fatalf("%+v: %v", g, err)
				}
				if _, err := mapping.Parse("m.yaml", []byte(d.Text()), mapping.Options{}); err != nil {
					t.Fatalf("%+v: %v\n%s", g, err, d.Text())
				}
				if got, ok := d.Goods(); got != g || !ok {
					t.Errorf("%+v is read back as %+v\n%s", g, got, d.Text())
				}
				if name == "from rows" && !strings.Contains(d.Text(), "language_id: {value: Spanish, lookup: languages}") {
					t.Errorf("%+v: the language is lost:\n%s", g, d.Text())
				}
			}
			if d, err = d.ChooseGoods(edit.Goods{}); err != nil || strings.Contains(d.Text(), payload.Goods) {
				t.Errorf("%v: not mapped, they leave\n%s", err, d.Text())
			}
		})
	}
}

// Of the samples, and of what else is written by hand, nothing is shown that would be another thing when it is chosen again.
func TestGoodsOfSamples(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join("..", "..", "samples", "*", "*mapping.yaml"))
	shown := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := edit.Read(file, string(text), "", mapping.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, ok := d.Goods()
		if same, err := d.ChooseGoods(g); ok && (err != nil || same.Text() != string(text)) {
			t.Errorf("%s: %v", file, err)
		}
		if ok && g.Layout != "" {
			shown++
		}
	}
	if shown < 2 {
		t.Errorf("of %d samples the goods of %d are shown", len(files), shown)
	}
}
