package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The answers of csv-spectrum are for files whose names end in _crlf and whose line ends are CRLF; where a copy has lost
// the CRs, they are put back first.
func TestTextMeetsTheAnswersOfCSVSpectrum(t *testing.T) {
	t.Parallel()
	root := filepath.Join(dataFolder(t), "ugly", "csv-spectrum")
	files, err := filepath.Glob(filepath.Join(root, "csvs", "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := os.ReadFile(filepath.Join(root, "json", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want []map[string]string
			if err := json.Unmarshal(answer, &want); err != nil {
				t.Fatal(err)
			}
			text := string(content)
			if strings.HasSuffix(name, "_crlf") && !strings.Contains(text, "\r") {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			if diff := cmp.Diff(want, objects(t, text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// objects reads a text as rows by column name.
func objects(t *testing.T, text string) []map[string]string {
	t.Helper()
	s, err := Open(t.Context(), textFile(t, "in.csv", text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []map[string]string
	for row, err := range s.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		object := map[string]string{}
		for i, name := range s.Header().Names {
			object[name] = row.Cells[i].Text
		}
		all = append(all, object)
	}
	return all
}
