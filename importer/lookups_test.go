package importer_test

import (
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
)

// Lookup files come out of spreadsheets like any other: the columns that the mapping names tell the header from the titles
// above it.
func TestLookupFilesMayHaveTitlesAboveTheHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.write("registries.csv", "Our registries,\nas of May,\n\nOffice,Key\nEUIPO,"+registry+"\n")
	text := strings.Replace(marksMapping, "fields:", "lookups:\n  offices: {file: registries.csv, name: Office, id: key}\nfields:", 1)
	text = strings.Replace(text, "{value: "+registry+"}", "{column: Office, lookup: offices}", 1)
	w.expect(w.run(w.job("marks", text, "Ref,Id,Mark,App,Office\nT1,"+mark1+",A,018,euipo\n")), "accepted 1")
}
