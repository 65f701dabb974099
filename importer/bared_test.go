package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer/source/sourcetest"
)

// TestReferencesWhoseDecimalsTheSheetShowsStopTheJob reads references of client and matter with the format 0.00. 1 is
// shown as 1.00, and without the format it is another reference. A column with nothing but whole numbers is read as it
// is.
func TestReferencesWhoseDecimalsTheSheetShowsStopTheJob(t *testing.T) {
	t.Parallel()
	const styles = `<cellXfs><xf numFmtId="0"/><xf numFmtId="2"/></cellXfs>`
	keep := strings.NewReplacer("key: Ref", "key: {column: Ref, rounded: keep}", "number:           Ref", "number: {column: Ref, rounded: keep}").Replace(casesMapping)
	for _, c := range []struct {
		name, mapping string
		style         int
		refs          []string
		keys          string // "" where the job stops
	}{
		{"references", casesMapping, 1, []string{"1", "1.01", "1.1"}, ""},
		{"references that are kept", keep, 1, []string{"1", "1.01", "1.1"}, "1 1.01 1.10"},
		{"whole numbers", casesMapping, 1, []string{"4711", "4712"}, "4711 4712"},
		{"without a format", casesMapping, 0, []string{"1", "1.01", "1.1"}, "1 1.01 1.1"},
		{"no whole number", casesMapping, 1, []string{"1.01", "1.1"}, "1.01 1.10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			text := func(s string) string { return `<c t="str"><v>` + s + `</v></c>` }
			data := "<row>" + text("Ref") + text("Title") + text("Status") + text("Fee") + "</row>"
			for n, ref := range c.refs {
				data += fmt.Sprintf(`<row><c s="%d"><v>%s</v></c>%s%s<c s="1"><v>%d.5</v></c></row>`, c.style, ref, text("One"), text("Open"), n)
			}
			data += strings.Replace(data[strings.LastIndex(data, "<row>"):], ".5</v>", "</v>", 1) // an amount without decimals says nothing about references
			job := w.job("matters", c.mapping, "")
			job.Inputs[0].Path = w.write("matters.xlsx", string(sourcetest.Archive(t, sourcetest.Book(styles, "", "", sourcetest.Sheet{Name: "Data", Data: data}))))
			run, err := w.importer().Run(t.Context(), job)
			if c.keys == "" {
				if err == nil || !strings.Contains(err.Error(), "column A: the sheet shows whole numbers with decimals") || !strings.Contains(err.Error(), "row 2") ||
					!strings.Contains(err.Error(), "rounded: keep") || strings.Contains(err.Error(), "column D") {
					t.Errorf("the job does not stop: %v", err)
				}
				return
			}
			w.must(err)
			var keys []string
			for _, r := range w.records(run) {
				keys = append(keys, r.Key)
			}
			if got := strings.Join(keys, " "); got != c.keys {
				t.Errorf("keys %s, want %s", got, c.keys)
			}
		})
	}
}
