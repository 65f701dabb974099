package mapping

import (
	"strings"
	"testing"

	"docketsync/mapping/reason"
)

// The time that a pattern takes for a text grows with its size, which repeats multiply.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`.{0,1000}`:                                   "",
		`\p{L}{2}-\d{4}/(?:[A-Z]{1,3}|x{250})`:        "",
		`(((.{0,10}x){0,10}y){0,10}z{99})+`:           "m.yaml:5:30: the pattern has 2641 steps with its repeats expanded; the maximum is 2500",
		strings.Repeat(`(.{0,10}a{0,50}){20}`, 1_000): "the maximum is 2500\n",
		strings.Repeat("a", 2_501):                    "the pattern has 2501 steps",
		`(a`:                                          "invalid regular expression: missing closing )",
	} {
		_, err := Parse("m.yaml", []byte(caseWith("name: {column: A, pattern: '"+pattern+"'}")), Options{})
		if want == "" && err != nil {
			t.Errorf("%s: %v", pattern, err)
		} else if want != "" {
			contains(t, errorText(err), want)
		}
	}
	m := bind(t, strings.Replace(updateWith("{column: A, type: text, pattern: '.*'}"), "key: Ref", "key: {column: Ref}", 1), "Ref, Name, A")
	if got := codes(m, textRow(2, "R", "N", strings.Repeat("é", 32_767))); len(got) > 0 {
		t.Error(got)
	}
	if got := codes(m, textRow(2, "R", "N", strings.Repeat("é", 32_768))); len(got) != 1 || !strings.HasSuffix(got[0], reason.Pattern) {
		t.Error(got)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
