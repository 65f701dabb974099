package mapping

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMappingsPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	for name, tests := range map[string]int{"marks": 3, "cases": 2, "folders": 1, "updates": 1} {
		data, err := os.ReadFile(filepath.Join("testdata", "mappings", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(name+".yaml", data, Options{Today: testDay})
		if err != nil {
			t.Fatal(err)
		}
		results := m.RunTests(nil)
		same(t, len(results), tests)
		for _, r := range results {
			if len(r.Faults) > 0 {
				t.Errorf("%s: %v", r.Name, r.Faults)
			}
		}
	}
}

func TestFailedTestSaysWhatItFoundAndWhere(t *testing.T) {
	t.Parallel()
	text := caseWith("client_id: Client", `rows: {skip: 'row["Name"] == "x"'}`) + `tests:
  - {row: {Ref: R, Name: Sol}, payload: {name: Luna, client_id: abc, active: true}}
  - {row: {Ref: R}, payload: {name: Luna}}
  - {row: {Ref: R, Name: Sol}, reasons: [guid_invalid]}
  - {row: {Ref: R, Name: x}, key: R}
  - {row: {Ref: R, Name: y}, skipped: true}
  - {row: {Ref: R, Name: y}, key: Q, notes: [text_truncated]}
`
	m, err := Parse("m.yaml", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	results := m.RunTests(nil)
	for i, want := range []string{`name is "Sol"|client_id is missing`, `the record is rejected: required_empty (name)`, `"guid_invalid" is not among the reasons`,
		`the row is skipped: filtered`, `the row is not skipped`, `the key is "R"|"text_truncated" is not among the notes`} {
		contains(t, results[i].Faults.Error(), strings.Split(want, "|")...)
		same(t, results[i].Faults[0].Line, results[i].Line)
	}
}
