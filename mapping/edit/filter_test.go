package edit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/mapping"
	"docketsync/mapping/edit"
)

// Rules for rows are written so that a mapping takes them, are read back as they were chosen, and go without a trace.
func TestFilters(t *testing.T) {
	t.Parallel()
	const head, tail = "operation: create_case\nkey: Ref\n", "fields:\n  name: Title\n  number: Ref\n  active: {value: true}\n  file_template_id: {value: 2b1f6c9e-0d5a-4f27-9a51-6f0d3a7f1c20}\n  user_id: {value: 2b1f6c9e-0d5a-4f27-9a51-6f0d3a7f1c20}\n"
	dead := edit.Filter{Column: "Status", Values: []string{"Dead", `"la;psed", 'x\`}}
	spain := edit.Filter{Column: "Country", Values: []string{"ES"}, Only: true}
	totals := edit.Filter{Column: "Ref", Values: []string{"Sum "}, Begins: true}
	empty := edit.Filter{Column: "Ref", Values: []string{""}}
	for name, before := range map[string]string{
		"no rules": "", "other settings": "rows:\n  group: true\n", "a proposal's rule": "rows:\n  skip: {totals: 'row[\"Ref\"] startsWith \"Total\"'}  # 3 rows\n",
		"rules in a block": "rows:\n  skip:\n    totals: 'row[\"Ref\"] startsWith \"Total\"'\n    # a comment\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := edit.Read("m.yaml", head+before+tail, "", mapping.Options{})
			if err != nil {
				t.Fatal(err)
			}
			was, ok := d.Filters()
			if !ok {
				t.Fatal("the rules cannot be shown")
			}
			for _, chosen := range [][]edit.Filter{{dead}, {dead, spain}, {dead, spain, empty}, {dead, spain, empty, totals}} {
				if d, err = d.ChooseFilters(append(was, chosen...)); err != nil {
					t.Fatal(err)
				}
				if _, err := mapping.Parse("m.yaml", []byte(d.Text()), mapping.Options{}); err != nil {
					t.Fatalf("%v\n%s", err, d.Text())
				}
			}
			now, ok := d.Filters()
			var read []edit.Filter
			for _, f := range now {
				if !slices.ContainsFunc(was, func(w edit.Filter) bool { return w.Name == f.Name }) {
					read = append(read, edit.Filter{Column: f.Column, Values: f.Values, Only: f.Only, Begins: f.Begins})
				}
			}
			if diff := cmp.Diff([]edit.Filter{dead, empty, totals, spain}, read); diff != "" || !ok || len(now) != len(was)+4 {
				t.Errorf("read back (-want +got):\n%s\n%s", diff, d.Text())
			}
			if d, err = d.ChooseFilters(was); err != nil || d.Text() != head+before+tail {
				t.Errorf("%v: taken away, they leave\n%s", err, d.Text())
			}
		})
	}
	for _, unnamed := range []string{"rows:\n  skip: 'row[\"Status\"] == \"Dead\"'\n", "rows:\n  only: ['row[\"Status\"] == \"Dead\"']\n"} {
		d, err := edit.Read("m.yaml", head+unnamed+tail, "", mapping.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := d.Filters(); ok {
			t.Errorf("a form shows %s", unnamed)
		}
		if _, err := d.ChooseFilters([]edit.Filter{dead}); err == nil || !strings.Contains(err.Error(), "rows") {
			t.Errorf("a form changes %s: %v", unnamed, err)
		}
	}
}

// Numbers are written as a mapping has them.
func TestNumbers(t *testing.T) {
	t.Parallel()
	const text = "operation: create_folder\nkey: Ref\nfields: {}\n"
	d, err := edit.Read("m.yaml", text, "", mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"1.234,56", "1'234.56", ""} {
		if d, err = d.ChooseNumbers(form); err != nil {
			t.Fatal(err)
		}
		if got, ok := d.Numbers(); got != form || !ok {
			t.Errorf("%q is read back as %q", form, got)
		}
	}
	if d.Text() != text {
		t.Errorf("it leaves\n%s", d.Text())
	}
}
