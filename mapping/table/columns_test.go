package table

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

func TestColumnsAreFoundInAnySpelling(t *testing.T) {
	t.Parallel()
	c := NewColumns(Header{Names: strings.Split("App. No., Fecha de Presentación, Status, STATUS, , Class, Class, Note#2, Note, Note, #", ", ")})
	for name, want := range map[string]string{
		"App No": "[0]", "app_no": "[0]", "fecha de presentacion": "[1]", "FechaDePresentación": "[1]", "Status": "[2]", "STATUS": "[3]", "status": "[2 3]",
		"@E": "[4]", "@e": "[4]", "@ZZ": "[]", "Class": "[5 6]", "Class#1": "[5]", "Class#2": "[6]", "class #2": "[6]", "Class#3": "[]", "Note#2": "[7]",
		"#": "[10]", "": "[]", "Klass": "[]",
	} {
		if got := fmt.Sprint(c.Find(name)); got != want {
			t.Errorf("%q is at %s, expected %s", name, got, want)
		}
	}
}

// A sheet of rejected rows has docketsync's columns in front, and the mapping's letters go on meaning the columns of the export.
func TestLettersAreThoseOfTheExport(t *testing.T) {
	t.Parallel()
	h := Header{Names: []string{OwnColumn("reasons"), OwnColumn("row"), "Ref", "", OwnColumn("record"), "Status"}}
	for name, want := range map[string]string{"@A": "[2]", "@b": "[3]", "@C": "[5]", "@D": "[]"} {
		at := NewColumns(h).Find(name)
		if got := fmt.Sprint(at); got != want {
			t.Errorf("%q is at %s, expected %s", name, got, want)
		}
		if len(at) == 1 && h.Letters(at[0]) != strings.ToUpper(name) {
			t.Errorf("column %d is %s, expected %s", at[0], h.Letters(at[0]), name)
		}
	}
}

func TestSeriesOfColumnsHaveGaps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, template, want, repeated string }{
		{"Ref, Class1, Class2, Class9, Class35", "Class#", "[{1 1} {2 2} {9 3} {35 4}]", ""},
		{"CLASS 035, Class 9, Classes 4, Class, Sub Class 3", "class #", "[{9 1} {35 0}]", "[{1 3} {9 1} {35 0}]"},
		{"22nd Class, 3rd Class, 11th Class, Class 5", "# Class", "[{3 1} {11 2} {22 0}]", ""},
		{"Class 12 (2020), Class (2020)", "Class # (2020)", "[{12 0}]", "[{1 1} {12 0}]"},
		{"Class (1), Class (0), Class 01", "Class (#)", "[{0 1} {1 0} {1 2}]", ""},
		{"Class, Class, Class 2", "Class #", "[{2 2}]", "[{1 0} {2 2}]"},
		{"9, 35, Ref", "#", "[{9 0} {35 1}]", ""},
		{"Ref", "Class #", "[]", ""},
	} {
		columns := NewColumns(Header{Names: strings.Split(c.header, ", ")})
		found := columns.Series(c.template)
		if got := fmt.Sprint(found); got != c.want {
			t.Errorf("%q counts %s in %s, expected %s", c.template, got, c.header, c.want)
		}
		if got := fmt.Sprint(columns.Repeated(c.template, found)); got != cmp.Or(c.repeated, c.want) {
			t.Errorf("%q counts %s in %s with those without a number, expected %s", c.template, got, c.header, c.repeated)
		}
	}
}

func TestColumnLetters(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", 16383: "XFD"} {
		if got := ColumnLetter(n); got != want {
			t.Errorf("column %d is %s", n, got)
		}
		back, ok := ColumnNumber(want)
		if !ok || back != n {
			t.Errorf("%s is column %d", want, back)
		}
	}
}
