package table

import (
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
