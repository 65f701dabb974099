package source

import (
	"os"
	"testing"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// checkReading reads a workbook and checks what holds for any.
func checkReading(t *testing.T, data []byte, o Options) {
	o.Limits = format.Limits{Unpacked: 32 << 20, Columns: 2000}
	rows, err := readBytes(data, o)
	sourcetest.CheckReading(t, rows, err)
}

// FuzzWorkbook reads files made from the workbooks of the data folder, where that is at hand, and some written here.
func FuzzWorkbook(f *testing.F) {
	f.Add(sheetsBytes(f, sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable}, sourcetest.Sheet{Name: "Other", Data: readMe}))
	f.Add(sourcetest.ODS(f, sourcetest.ODSTable("Data", `<table:table-row>`+sourcetest.ODSFive+sourcetest.ODSFive+`</table:table-row>`)))
	for _, path := range sourcetest.Workbooks(f) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 40_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if containerShape(data) == "compound" {
			t.Skip("decrypting takes its time by design; FuzzCompound has these files")
		}
		checkReading(t, data, Options{})
		checkReading(t, data, Options{Sheet: "*", Merged: "all"})
	})
}
