package diagnostic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500) + "Y" + strings.Repeat("z", 500)
	tests := map[string]struct {
		line   string
		column int
		want   string
	}{
		"first column":                  {"abc", 1, "abc\n^"},
		"behind the end":                {"abc", 9, "abc\n   ^"},
		"tabs stay tabs":                {"\ta\tb", 4, "\ta\tb\n\t \t^"},
		"wide characters are two":       {"日本x", 3, "日本x\n    ^"},
		"combining marks are none":      {"e\u0301x", 3, "e\u0301x\n ^"},
		"escape sequences do not steer": {"\x1b[31mred", 6, "·[31mred\n     ^"},
		"direction marks are shown":     {"a\u202eb", 3, "a·b\n  ^"},
		"long line is cut on both sides": {long, 501,
			"…" + strings.Repeat("x", 60) + "Y" + strings.Repeat("z", 59) + "…\n" + strings.Repeat(" ", 61) + "^"},
		"long line is cut behind": {long, 1, strings.Repeat("x", 120) + "…\n^"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Excerpt(test.line, test.column)); diff != "" {
				t.Errorf("Excerpt (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		word  string
		among []string
		want  string
	}{
		"one letter too many":            {"retrys", []string{"pace", "retry"}, "retry"},
		"punctuation only":               {"base-url", []string{"base_url"}, "base_url"},
		"two letters swapped":            {"jbos", []string{"job", "jobs"}, "jobs"},
		"accents and case":               {"NÚMERO", []string{"numero"}, "numero"},
		"order of words":                 {"Date Filing", []string{"Mark", "Filing Date"}, "Filing Date"},
		"nothing near":                   {"colour", []string{"name", "key"}, ""},
		"short words need to fit":        {"id", []string{"no", "at"}, ""},
		"first of equals":                {"cat", []string{"bat", "rat"}, "bat"},
		"nothing known":                  {"x", nil, ""},
		"blank headers never near":       {"ab", []string{"", "ac"}, "ac"},
		"another letter is another word": {"a", []string{"b", "ab"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Nearest(test.word, test.among); got != test.want {
				t.Errorf("Nearest(%q) = %q, want %q", test.word, got, test.want)
			}
		})
	}
}

func TestFaultsErr(t *testing.T) {
	t.Parallel()
	if err := (Faults{}).Err(); err != nil {
		t.Errorf("Err of no faults = %v", err)
	}
	a := Fault{File: "f", Line: 2, Column: 1, Message: "later"}
	b := Fault{File: "f", Line: 1, Column: 9, Message: "sooner", Hint: "h"}
	want := "f:1:9: sooner\n  h\nf:2:1: later"
	if got := (Faults{a, b, a}).Err().Error(); got != want {
		t.Errorf("Err() = %q, want %q", got, want)
	}
}
