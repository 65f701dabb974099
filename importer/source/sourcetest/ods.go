package sourcetest

import "testing"

const odsRoot = `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:style="s" xmlns:calcext="c">`

// ODS packs sheets, written as table elements, into an .ods.
func ODS(tb testing.TB, tables string) []byte {
	return Archive(tb, map[string]string{
		"mimetype":              "application/vnd.oasis.opendocument.spreadsheet",
		"META-INF/manifest.xml": `<manifest:manifest xmlns:manifest="m"><manifest:file-entry/></manifest:manifest>`,
		"content.xml": odsRoot + `<office:automatic-styles><style:style style:name="ta1"><style:table-properties table:display="true"/></style:style>` +
			`<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style></office:automatic-styles>` +
			`<office:body><office:spreadsheet><table:calculation-settings/>` + tables + `</office:spreadsheet></office:body></office:document-content>`,
	})
}

// ODSTable returns a sheet of these rows.
func ODSTable(name, rows string) string {
	return `<table:table table:name="` + name + `" table:style-name="ta1"><table:table-column table:number-columns-repeated="16384"/>` + rows + `</table:table>`
}

// ODSFive is a cell that holds the number 5.
const ODSFive = `<table:table-cell office:value-type="float" office:value="5"/>`
