package jobs

import (
	"strings"
	"testing"
)

func TestNamesOfUploadsLeadNowhere(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"rejects.xlsx": "rejects.xlsx", "Zürich 1.xlsx": "Z_rich_1.xlsx", "../../etc/passwd.csv": "passwd.csv", `C:\a\b.csv`: "b.csv",
		".csv": "file.csv", "..": "file.", "": "file", "...hidden.csv": "hidden.csv", "a\x00b.csv": "a_b.csv", "a.csv/": "file",
		strings.Repeat("x", 300) + ".csv": strings.Repeat("x", 100) + ".csv", "<script>.csv": "_script_.csv",
	} {
		if got := uploadName(given); got != want {
			t.Errorf("%q is kept as %q, want %q", given, got, want)
		}
	}
}
