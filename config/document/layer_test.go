package document_test

import (
	"strings"
	"testing"

	"docketsync/config/document"
)

func TestAFileLiesOverItsBase(t *testing.T) {
	t.Parallel()
	const own = "extends: ../base.yaml\ndates: [a]\nfields:\n  name: Own\n  notes:\n  id: null\n"
	const base = "dates: [b, c]\nkey: Ref\nfields:\n  name: Base\n  notes: N\n  id: I\n  text: T\n"
	utf16 := func(text string) []byte {
		out := []byte{0xff, 0xfe}
		for _, r := range text {
			out = append(out, byte(r), 0)
		}
		return out
	}
	for name, data := range map[string][]byte{"utf-8": document.WithBase([]byte(own), []byte(base)), "utf-16": document.WithBase(utf16(own), utf16(base))} {
		f, err := document.Parse("firms/acme/m.yaml", data)
		if err != nil {
			t.Fatal(name, err)
		}
		var got struct {
			Extends string                    `yaml:"extends"`
			Dates   []string                  `yaml:"dates"`
			Key     string                    `yaml:"key"`
			Fields  map[string]*document.Node `yaml:"fields"`
		}
		if faults := f.Decode(f.Root(), &got); len(faults) > 0 {
			t.Fatal(name, faults)
		}
		if !f.HasBase() || got.Key != "Ref" || strings.Join(got.Dates, " ") != "a" || got.Fields["name"].Value != "Own" || got.Fields["text"].Value != "T" ||
			got.Fields["notes"] != nil || got.Fields["id"].Value != "null" {
			t.Errorf("%s: %+v", name, got)
		}
		if at := f.At(got.Fields["text"], "x", "").Error(); !strings.HasPrefix(at, "firms/base.yaml:7:9: x\n") || !strings.Contains(at, "text: T") {
			t.Errorf("%s: a fault in the base is shown as %s", name, at)
		}
		if at := f.At(got.Fields["name"], "x", "").Error(); !strings.HasPrefix(at, "firms/acme/m.yaml:4:9: x\n") {
			t.Errorf("%s: a fault in the file is shown as %s", name, at)
		}
	}
	const twice = "extends: ../base.yaml\nfields:\n  name:\n  name: Own\n"
	if _, err := document.Parse("firms/acme/m.yaml", document.WithBase([]byte(twice), []byte(base))); err == nil || !strings.Contains(err.Error(), `m.yaml:4:3: duplicate key "name"; first used in line 3`) {
		t.Errorf("a key that stands twice, the first time with nothing behind it: %v", err)
	}
	if f, err := document.Parse("m.yaml", []byte(own)); err != nil || f.HasBase() {
		t.Errorf("a text without its base: %v", err)
	}
	if _, err := document.Parse("m.yaml", []byte("a: b\x1d c")); err == nil || !strings.Contains(err.Error(), "control characters") {
		t.Errorf("the character that stands between them, in a file: %v", err)
	}
}
