package file

import (
	"os"
	"regexp"
	"testing"

	"docketsync/config/document"
	"docketsync/mapping/rule"
)

// The reference names everything there is to name.
func TestReferenceIsComplete(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	has := func(what, word string) {
		t.Helper()
		if !regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(word) + `(\W|$)`).MatchString(text) {
			t.Errorf("the reference does not name the %s %q", what, word)
		}
	}
	for _, form := range []any{mappingForm{}, rowsForm{}, booleansForm{}, fieldForm{}, itemsForm{}, splitForm{}, pairsForm{}, componentsForm{}, lookupForm{}, keyForm{}, rule.TestForm{}, ownCheckForm{}} {
		for _, key := range document.Keys(form) {
			has("key", key)
		}
	}
	for _, check := range rule.AllChecks() {
		has("check", check.Name)
	}
	for name := range componentTypes {
		has("type", name)
	}
}
