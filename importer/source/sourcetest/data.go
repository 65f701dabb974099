package sourcetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Workbooks lists the workbooks of the folder of files from elsewhere, as seeds: none when it is not there, or when only a short
// test is asked for, since the test of that folder reads them all.
func Workbooks(tb testing.TB) []string {
	folder := os.Getenv("DOCKETSYNC_TEST_DATA")
	if folder == "" || !Long() {
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
