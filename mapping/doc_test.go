package mapping

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func reference(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(data), "//\t", "\t"), "// ", "")
}

// The examples of the reference are mappings that load.
func TestReferenceExamplesLoad(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile(`(?m)^\toperation: (?:\w+)\n(?:\t.*\n)+`).FindAllString(reference(t), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, block := range blocks {
		text := strings.ReplaceAll(block, "\n\t", "\n")[1:]
		if strings.Contains(text, "create_folder") {
			text += "lookups: {clients: clients.csv, users: users.csv}\n"
		}
		if _, err := Parse("doc.yaml", []byte(text), Options{}); err != nil {
			t.Error(err)
		}
	}
	fields := regexp.MustCompile(`(?m)^\t(good_and_services):\n(?:\t  .*\n)+`).FindAllString(reference(t), -1)
	if len(fields) != 4 {
		t.Fatalf("%d examples of goods", len(fields))
	}
	for _, field := range fields {
		text := markWith(strings.ReplaceAll(field, "\n\t", "\n")[1:], "lookups: {classes: classes.csv, languages: languages.csv}")
		if _, err := Parse("doc.yaml", []byte(text), Options{}); err != nil {
			t.Error(err)
		}
	}
}
