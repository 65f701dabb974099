package source

import (
	"os"
	"path/filepath"
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

// dataWorkbooks lists the workbooks of the data folder, as seeds: none when it is not there, or when only a short test is asked for,
// since the test of that folder reads them all.
func dataWorkbooks(tb testing.TB) []string {
	folder := os.Getenv("DOCKETSYNC_TEST_DATA")
	if folder == "" || !long() {
		return nil
	}
	var all []string
	for _, pattern := range []string{"*/*.xlsx", "*/*/*.xlsx", "*/*.ods", "*/*/*.ods"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// FuzzWorkbook reads files made from the workbooks of the data folder, where that is at hand, and some written here.
func FuzzWorkbook(f *testing.F) {
	f.Add(sheetsBytes(f, sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable}, sourcetest.Sheet{Name: "Other", Data: readMe}))
	f.Add(sourcetest.ODS(f, sourcetest.ODSTable("Data", `<table:table-row>`+sourcetest.ODSFive+sourcetest.ODSFive+`</table:table-row>`)))
	for _, path := range dataWorkbooks(f) {
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
