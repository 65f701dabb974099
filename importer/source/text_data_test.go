package source

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextFilesOfTheDataFolder(t *testing.T) {
	t.Parallel()
	root := dataFolder(t)
	for _, name := range manifest(t, root, ".csv", ".txt", ".psv") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, known := textExpectations[name]
			if !known {
				t.Error("the table has no expectation for this file")
			}
			got := readFile(t, filepath.Join(root, filepath.FromSlash(name)), Options{})
			if diff := cmp.Diff(want, asExpectation(got), cmp.AllowUnexported(textExpectation{})); diff != "" {
				t.Errorf("%s\n%#v", diff, asExpectation(got))
			}
			if got.fault != "" && got.hint == "" {
				t.Error("there is no hint what to do")
			}
		})
	}
}

func asExpectation(r reading) textExpectation {
	if r.fault != "" {
		return textExpectation{fault: r.fault}
	}
	e := textExpectation{encoding: r.detected.Encoding, delimiter: r.detected.Delimiter, header: r.detected.HeaderRow,
		rows: len(r.rows), columns: len(r.header), codes: codes(r.detected.Warnings)}
	if len(r.rows) > 0 {
		e.first, e.last = r.rows[0], r.rows[len(r.rows)-1]
	}
	return e
}

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

// dataFolder finds the folder of files from elsewhere that reading is checked against. It is not part of the module: a
// test that needs it is skipped where it is missing, unless DOCKETSYNC_REQUIRE says that it may not be.
func dataFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("DOCKETSYNC_TEST_DATA")
	if folder == "" {
		folder = filepath.Join(moduleRoot(t), "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(folder, "MANIFEST.tsv")); err == nil {
		return folder
	}
	message := fmt.Sprintf("no data folder at %s (set DOCKETSYNC_TEST_DATA)", folder)
	if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "data") {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod above the test")
		}
		folder = parent
	}
}

// manifest lists the files of the data folder with one of the extensions.
func manifest(t *testing.T, root string, extensions ...string) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(root, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var names []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, _, _ := strings.Cut(lines.Text(), "\t")
		for _, extension := range extensions {
			if strings.HasSuffix(name, extension) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("the manifest lists no such file")
	}
	return names
}
