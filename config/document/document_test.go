package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

func parse(t *testing.T, text string) *document.File {
	t.Helper()
	f, err := document.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return f
}

// short gives faults as "line:column: message | hint".
func short(faults diagnostic.Faults) []string {
	var lines []string
	var ordered diagnostic.Faults
	if errors.As(faults.Err(), &ordered) {
		for _, f := range ordered {
			line := strings.TrimPrefix(strings.SplitN(f.Error(), "\n", 2)[0], "x.yaml:")
			if f.Hint != "" {
				line += " | " + f.Hint
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		before := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+before+", ", 9) + "*" + before + "]\n"
	}
	tests := map[string]struct{ text, want string }{
		"colon in plain text":       {"a: b: c", "1:5: unexpected colon"},
		"indented too far":          {"a: 1\n  b: 2", "2:4: unexpected colon"},
		"tab as indentation":        {"a:\n\t- x", "2:1: the line is indented with a tab"},
		"quote left open":           {"a: \"x\nb: 1", "1:4: this quote is not closed"},
		"path in double quotes":     {"a: \"C:\\data\"", "1:4: a backslash in double quotes begins an escape"},
		"bracket left open":         {"a: [1,\nb: 2", "1:4: this bracket [ is not closed"},
		"brace left open":           {"x: {a: 1\ny: 2\n", "1:4: this brace { is not closed"},
		"text beginning with %":     {"a: %x\n", "1:4: text cannot start with this character"},
		"list on the key's line":    {"key: - a", "1:6: a list cannot start on the line of its key"},
		"no colon":                  {"a: 1\nb 2\nc: 3", "2:1: a colon is missing after this key"},
		"text after a quoted text":  {"a: 'x' y", "1:8: this line does not fit its block"},
		"asterisk as text":          {"a: *x", "1:4: unknown anchor &x"},
		"schedule without quotes":   {"a: */5 * * * *", "1:9: text that begins with an asterisk or an ampersand must be quoted"},
		"anchor inside itself":      {"a: &x [1, *x]", "1:11: *x refers to a value that contains it"},
		"two documents":             {"a: 1\n---\nb: 2", "2:1: a second YAML document starts here; only one per file is supported"},
		"second document broken":    {"a: 1\n---\nb: [", "4:1: a value or a closing bracket is missing before this point"},
		"Latin-1":                   {"a: 1\nb: Stra\xdfe", "2:8: this character is not valid UTF-8"},
		"control character":         {"ä: 1\nb: ü\x01", "2:5: control characters are not allowed in YAML"},
		"nested too deeply":         {"a: " + deep, "1:67: values are nested too deeply here"},
		"aliases that explode":      {bomb, "1:1: the file has too many values after its aliases are expanded"},
		"merge of a text":           {"<<: x\n", "1:5: << requires a block of keys or a list of them"},
		"merge of a list of texts":  {"<<: [x]\n", "1:5: << requires a block of keys or a list of them"},
		"larger than a person's":    {strings.Repeat("# comment\n", 500_000), "1:1: the file is larger than 4 MiB"},
		"something never explained": {"%YAML 9.9\n---\na: 1", "1:1: invalid YAML: found incompatible YAML document"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := document.Parse("x.yaml", []byte(test.text))
			var faults diagnostic.Faults
			if !errors.As(err, &faults) || f != nil {
				t.Fatalf("Parse = %v, %v; want faults", f, err)
			}
			if got := strings.SplitN(short(faults)[0], " | ", 2)[0]; len(faults) != 1 || got != test.want {
				t.Errorf("faults = %q, want %q", short(faults), test.want)
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	utf16 := []byte{0xff, 0xfe}
	for _, r := range "a: ü\n" {
		utf16 = append(utf16, byte(r), byte(r>>8))
	}
	tests := map[string]struct{ text, want string }{
		"byte order mark":         {"\ufeffa: ü\n", "ü"},
		"UTF-16":                  {string(utf16), "ü"},
		"Windows line ends":       {"# c\r\na: ü\r\n", "ü"},
		"explicit document start": {"---\na: ü\n...\n", "ü"},
		"alias":                   {"b: &x ü\na: *x\n", "ü"},
		"merge":                   {"b: &x {a: ü, c: 1}\n<<: *x\n", "ü"},
		"own key before a merge":  {"b: &x {a: no}\n<<: *x\na: ü\n", "ü"},
		"first of several merges": {"b: &x {a: ü}\nd: &y {a: no}\n<<: [*x, *y]\n", "ü"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, test.text)
			var got map[string]*document.Node
			if faults := f.Decode(f.Root(), &got); faults != nil {
				t.Fatal(faults)
			}
			if got["a"] == nil || got["a"].Value != test.want {
				t.Errorf("a = %+v, want %q", got["a"], test.want)
			}
		})
	}
}

func TestEmptyFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n", "\ufeff", "~"} {
		f := parse(t, text)
		if f.Root() != nil {
			t.Errorf("Root of %q = %v, want nil", text, f.Root())
		}
		var into struct{}
		if got := short(f.Decode(f.Root(), &into)); !cmp.Equal(got, []string{"1:1: the file is empty"}) {
			t.Errorf("Decode of %q: %q", text, got)
		}
	}
}

func TestNodeFollowsAPathAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	f := parse(t, "jobs:\n  - name: a\n  - name: b\n")
	if got := f.Node("jobs", 1, "name"); got.Value != "b" {
		t.Errorf("Node = %q, want b", got.Value)
	}
	if got := f.Node("jobs", 1, "mapping"); got.Line != 3 || got.Column != 5 {
		t.Errorf("Node of a missing key is at %d:%d, want the block at 3:5", got.Line, got.Column)
	}
	if f.Has("jobs", 1, "mapping") || f.Has("jobs", 2) || !f.Has("jobs", 0, "name") {
		t.Error("Has does not tell what is written from what is not")
	}
}

func TestFaultShowsTheLineAndACaret(t *testing.T) {
	t.Parallel()
	f := parse(t, "a:\n  日本 é: [ü, x]\n")
	var into struct {
		A map[string]string `yaml:"a"`
	}
	got := f.Decode(f.Root(), &into).Error()
	want := "x.yaml:2:9: expected text, found a list\n" +
		"      日本 é: [ü, x]\n" +
		"            " + "  ^"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Error() (-want +got):\n%s", diff)
	}
}

func TestAtOffset(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		at   string // the character of the value to find
		want string
	}{
		"plain":                     {"k: row > 1", ">", "1:8"},
		"single quoted":             {"k: 'row > 1'", ">", "1:9"},
		"behind a doubled quote":    {"k: 'it''s > 1'", ">", "1:11"},
		"double quoted":             {`k: "row > 1"`, ">", "1:9"},
		"behind escapes":            {`k: "\"ü\" \\ > 1"`, ">", "1:14"},
		"behind an anchor":          {"k: &x 'a > 1'", ">", "1:10"},
		"second line of a literal":  {"k: |\n  a\n  ü > 1\n", ">", "3:5"},
		"literal with a blank line": {"k: |\n    a\n\n    > 1\nl: 1\n", ">", "4:5"},
		"quoted over two lines":     {"k: 'a\n  b > 1'", ">", "2:5"},
		"folded falls back":         {"k: >\n  a\n  > 1\n", ">", "1:4"},
		"unknown escape falls back": {`k: "\u00fc > 1"`, ">", "1:4"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, test.text)
			n := f.Node("k")
			before, _, found := strings.Cut(n.Value, test.at)
			if !found {
				t.Fatalf("no %q in %q", test.at, n.Value)
			}
			got := short(diagnostic.Faults{f.AtOffset(n, len([]rune(before)), "m", "")})[0]
			if want := test.want + ": m"; got != want {
				t.Errorf("AtOffset = %q, want %q", got, want)
			}
		})
	}
	f := parse(t, "k: abc")
	for offset, want := range map[int]string{0: "1:4: m", 3: "1:7: m", 4: "1:4: m", -1: "1:4: m"} {
		if got := short(diagnostic.Faults{f.AtOffset(f.Node("k"), offset, "m", "")})[0]; got != want {
			t.Errorf("AtOffset(%d) = %q, want %q", offset, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: b: c", "a: &x [*x]", "<<: {a: 1}", "a: |\n  x\n", "\xff\xfea\x00", "? [a]\n: b", "a: 'it''s'"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := document.Parse("x.yaml", data)
		if err != nil {
			var faults diagnostic.Faults
			if !errors.As(err, &faults) || len(faults) == 0 || faults[0].Line < 1 || faults[0].Column < 1 {
				t.Fatalf("error without a position: %#v", err)
			}
			return
		}
		var into outer
		for _, fault := range file.Decode(file.Root(), &into) {
			if fault.Line < 1 || fault.Message == "" {
				t.Fatalf("fault without a position: %#v", fault)
			}
		}
	})
}
