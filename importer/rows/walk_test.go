package rows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/source"
	"docketsync/importer/source/sourcetest"
	"docketsync/mapping"
)

// TestAMissingColumnNamesTheHiddenSheetThatHasIt with the setting that reads it.
func TestAMissingColumnNamesTheHiddenSheetThatHasIt(t *testing.T) {
	t.Parallel()
	m, err := mapping.Parse("m.yaml", []byte(strings.Replace(mappingText, "rows: {group: GROUP, skip: {dead: 'row[\"Status\"] == \"Dead\"'}}\n", "", 1)), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "book.xlsx")
	cover := strings.ReplaceAll(sourcetest.SmallTable, "Ref", "Contact")
	book := sourcetest.Archive(t, sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Cover", Data: cover}, sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable, State: "hidden"}))
	if err := os.WriteFile(path, book, 0o600); err != nil {
		t.Fatal(err)
	}
	for sheet, want := range map[string]string{"": `set sheet: "Data"`, "Data": ""} {
		input := Input{Path: path, Options: source.Options{Sheet: sheet, Columns: m.Columns()}}
		err := Walk{Mapping: m, Inputs: []Input{input}}.Each(t.Context(), func(*Table) error { return nil })
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("sheet %q: %v", sheet, err)
		}
	}
}
