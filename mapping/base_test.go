package mapping

import (
	"strings"
	"testing"

	"docketsync/mapping/table"
)

// extended parses a mapping with its base.
func extended(t *testing.T, own, base string) (*Mapping, error) {
	t.Helper()
	text, err := Extend("acme/m.yaml", []byte(own), func(string) ([]byte, error) { return []byte(base), nil })
	if err != nil {
		t.Fatal(err)
	}
	return Parse("acme/m.yaml", text, Options{})
}

const baseOfMarks = "operation: create_case\nkey: {column: Ref, number_format: ignore, join: '-'}\nfields:\n  name: Name\n  number: Ref\n" +
	"  active: {value: true}\n  user_id: {value: 7b4a78ea-edbd-5e59-97ce-fb39c3302daa}\n  file_template_id: {value: 5f880ee9-416f-5091-9333-62a8c050b228}\n"

// What the parts of a base's key say is about its own columns: with those of another key it would give other keys, and everything would be new.
func TestAKeyTakesThePlaceOfTheBasesAsAWhole(t *testing.T) {
	t.Parallel()
	const own = "extends: base.yaml\nkey: {columns: [Family, Number]}\n"
	m, err := extended(t, own, baseOfMarks)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Parse("alone.yaml", []byte(strings.Replace(baseOfMarks, "{column: Ref, number_format: ignore, join: '-'}", "{columns: [Family, Number]}", 1)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	header := headerOf("Family, Number, Ref, Name")
	var keys []string
	for _, m := range []*Mapping{m, alone} {
		mapper, err := m.Bind(header, nil)
		if err != nil {
			t.Fatal(err)
		}
		record, reasons := mapper.Map([]table.Row{textRow(2, "F", "1", "R", "N")})
		if len(reasons) > 0 {
			t.Fatal(reasons)
		}
		keys = append(keys, record.Key)
	}
	if keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("the key is %q, and %q where the base has none", keys[0], keys[1])
	}
}

func TestAnEmptyEntryMayOutliveTheBasesField(t *testing.T) {
	t.Parallel()
	if _, err := extended(t, "extends: base.yaml\nfields:\n  client_id:\n", baseOfMarks); err != nil {
		t.Error(err)
	}
	for own, want := range map[string]string{
		"extends: base.yaml\nfields:\n  cleint_id:\n": "acme/m.yaml:3:3: ",        // nothing of the base is taken away by a name misspelt
		"extends: base.yaml\nfields:\n  name:\n":      "field name is not mapped", // which the operation requires
	} {
		if _, err := extended(t, own, baseOfMarks); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", own, err)
		}
	}
	if _, err := extended(t, "extends: base.yaml\n", baseOfMarks+"  client_id:\n"); err == nil {
		t.Error("the base itself says nothing about a field, and nobody is told")
	}
}

func TestAListOfBasesIsOneMistake(t *testing.T) {
	t.Parallel()
	_, err := Parse("m.yaml", []byte("extends: [b.yaml]\n"), Options{})
	if err == nil || strings.Contains(err.Error(), "not read here") {
		t.Error(err)
	}
}

func TestATestOfTheBaseIsNamedInItsFile(t *testing.T) {
	t.Parallel()
	m, err := extended(t, "extends: base.yaml\n", baseOfMarks+"tests:\n  - {row: {Ref: 1}, skipped: true}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.RunTests(nil)[0]; got.File != "acme/base.yaml" || got.Line != 10 {
		t.Errorf("%s:%d", got.File, got.Line)
	}
}
