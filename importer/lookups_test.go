package importer_test

import (
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer/console/upload"
	"docketsync/mapping/infer"
)

// Lookup files come from spreadsheets too: the columns that the mapping names tell the header from titles above it.
func TestLookupFilesMayHaveTitlesAboveTheHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.write("registries.csv", "Our registries,\nas of May,\n\nOffice,Key\nEUIPO,"+registry+"\n")
	text := strings.Replace(marksMapping, "fields:", "lookups:\n  offices: {file: registries.csv, name: Office, id: key}\nfields:", 1)
	text = strings.Replace(text, "{value: "+registry+"}", "{column: Office, lookup: offices}", 1)
	w.expect(w.run(w.job("marks", text, "Ref,Id,Mark,App,Office\nT1,"+mark1+",A,018,euipo\n")), "accepted 1")
}

// docketsync writes names so that a spreadsheet takes none for a formula. Read back, they are the names themselves.
func TestANameThatLooksLikeAFormulaIsFoundInItsLookup(t *testing.T) {
	t.Parallel()
	const name = `=cmd|'/C calc'!A0;-1`
	text, err := upload.LookupCSV(infer.Lookup{Name: "offices", Names: []infer.Name{{Text: name, Count: 3}}})
	if err != nil || !strings.Contains(string(text), `'=cmd|'/C calc'!A0;'-1,3,`) {
		t.Fatalf("%q, %v", text, err)
	}
	w := newWorld(t, sandbox.Faults{})
	w.write("offices.csv", strings.Replace(string(text), ",3,", ",3,"+registry, 1))
	mapping := strings.Replace(marksMapping, "fields:", "lookups:\n  offices: {file: offices.csv}\nfields:", 1)
	mapping = strings.Replace(mapping, "{value: "+registry+"}", "{column: Office, lookup: offices}", 1)
	w.expect(w.run(w.job("marks", mapping, "Ref,Id,Mark,App,Office\nT1,"+mark1+",A,018,\""+name+"\"\n")), "accepted 1")
}
