package proposing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that comes into being between the look and the writing is not written over, and nothing else stays.
func TestWriteNewNeverWritesOverAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lookups", "a.csv")
	err := writeNew([]newFile{{path, []byte("first")}, {path, []byte("second")}})
	if err == nil || !strings.Contains(err.Error(), "was created in the meantime") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the first file stayed")
	}
}

func TestJobNamesAreNamesThatCommandsTake(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"Matters 2024 (final).xlsx": "matters-2024-final",
		"Señas.csv":                 "senas",
		"日付.csv":                    "import",
		strings.Repeat("x", 99):     strings.Repeat("x", 64),
		"docket_v1.2.csv":           "docket_v1.2",
	} {
		if got := jobNamed(file); got != want {
			t.Errorf("the job of %s is called %q, want %q", file, got, want)
		}
	}
}
