package expr

import (
	"os"
	"regexp"
	"testing"
)

// The reference of mapping files names every function that an expression may call.
func TestReferenceNamesEveryFunction(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	names := allowedBuiltins
	for _, f := range functions {
		if f.name != "concat" {
			names = append(names, f.name)
		}
	}
	for _, name := range names {
		if !regexp.MustCompile(`\W` + name + `\W`).Match(reference) {
			t.Errorf("the reference does not name the function %q", name)
		}
	}
}
