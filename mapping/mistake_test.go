package mapping

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/mapping/table"
)

// mistake is a way in which people get a mapping wrong. It changes one place of a text that matches, and names returns the
// words of which the first message must have one.
type mistake struct {
	kind   string
	where  *regexp.Regexp // its first group is what is changed
	change func(r *rand.Rand, text string) string
	names  func(before, after string) []string
}

func misspell(r *rand.Rand, word string) string {
	letters := []rune(word)
	i := r.IntN(len(letters))
	switch r.IntN(3) {
	case 0:
		return string(letters[:i]) + string(letters[i]) + string(letters[i:])
	case 1:
		return string(letters[:i]) + "q" + string(letters[i:])
	}
	return string(letters[:i]) + string(letters[min(i+1, len(letters)):])
}

func always(text string) func(*rand.Rand, string) string {
	return func(*rand.Rand, string) string { return text }
}

func after(_, after string) []string { return []string{after} }

func words1(list ...string) func(string, string) []string {
	return func(string, string) []string { return list }
}

var mistakes = []mistake{
	{"a key of the file misspelt", regexp.MustCompile(`(?m)^(operation|key|dates|lookups|fields|checks|rows|tests|blanks|booleans|pivot|zone):`), misspell, after},
	{"a field misspelt", regexp.MustCompile(`(?m)^  (\w+_\w+):`), misspell, after},
	{"a step misspelt", regexp.MustCompile(`\{(column|value|expr|columns|item|inline|ledger|skip):? `), misspell, after},
	{"a later step misspelt", regexp.MustCompile(`, (lookup|default|values|empty|unknown|required|split|pattern|max|truncate|date_as|type|dates|join):`), misspell, after},
	{"a lookup misspelt", regexp.MustCompile(`lookup: (\w+)`), misspell, after},
	{"an operation misspelt", regexp.MustCompile(`operation: (\w+)`), misspell, after},
	{"a check misspelt", regexp.MustCompile(`checks: \{(\w+):`), misspell, after},
	{"a level of a check", regexp.MustCompile(`checks: \{\w+: (\w+)`), always("loud"), after},
	{"a date pattern without a year", regexp.MustCompile(`(?m)^dates: \[(\S+?)[,\]]`), always("DD/MM"), after},
	{"a date pattern with a strange letter", regexp.MustCompile(`(?m)^dates: \[(\S+?)[,\]]`), always("DD/MM/JJJJ"), after},
	{"two digits without a century", regexp.MustCompile(`(?m)^(pivot: 50)$`), always("# no pivot"), words1("pivot")},
	{"no such zone", regexp.MustCompile(`zone: (Europe/Madrid)`), misspell, after},
	{"a policy of empty", regexp.MustCompile(`empty: (keep|null|omit)`), always("nothing"), after},
	{"no GUID", regexp.MustCompile(`: (0{8}-0000-4000-8000-\d{12})\}`), always("12345"), after},
	{"a letter lost in a GUID", regexp.MustCompile(`value: (\w{8}-\w{4}-\w{4}-\w{4}-\w{12})`), func(_ *rand.Rand, s string) string { return s[1:] }, after},
	{"an assignment in an expression", regexp.MustCompile(`row\["Status"\] (==|!=) `), always("="), words1("= is not a comparison")},
	{"an unknown function", regexp.MustCompile(`(addYears|fullName|before|date)\(`), misspell, after},
	{"a quote lost in an expression", regexp.MustCompile(`row\["\w+("\])`), always("]"), words1("quote", "ends too early", "unexpected")},
	{"a bracket lost in an expression", regexp.MustCompile(`(?:before\(row\["Reference"\], "/")(\))`), always(""), words1("too early", "unexpected")},
	{"text compared with a number", regexp.MustCompile(`row\["Status"\] [!=]= ("\w+")`), always("1"), words1("mismatched")},
	{"a list in place of a column", regexp.MustCompile(`(?m)^  name: +(\w+)$`), always("[A, B]"), words1("expected")},
	{"a block in place of a text", regexp.MustCompile(`(?m)^  mark_feature: +(\{.*\})$`), always("{value: {a: b}}"), words1("expected a value")},
	{"nothing behind the colon", regexp.MustCompile(`(?m)^  application_number: +(.*)$`), always(""), words1("application_number")},
	{"a required field left out", regexp.MustCompile(`(?m)^(  (?:file_client_id|user_id|client_id|registry_id):.*)$`), always("#"), words1("required field")},
	{"a key given twice", regexp.MustCompile(`(?m)^(operation: \w+)$`), func(_ *rand.Rand, s string) string { return s + "\n" + s }, words1("duplicate key")},
	{"a tab in front", regexp.MustCompile(`(?m)^(  )\w+:`), always("\t"), words1("tab")},
	{"a closing brace lost", regexp.MustCompile(`(?m)\{column: \w+(\})$`), always(""), words1("brace", "}", "closed", "comma")},
	{"two sources of a field", regexp.MustCompile(`\{(column: )\w+`), func(_ *rand.Rand, s string) string { return "value: x, " + s }, words1("has both", "expects", "is not", "both")},
	{"a pattern that is none", regexp.MustCompile(`pattern: '(\S+)'`), always("("), words1("regular expression")},
	{"a number that is none", regexp.MustCompile(`max: (\d+)`), always("many"), after},
	{"truth that is none", regexp.MustCompile(`(?:truncate|required|fill): (true)`), always("maybe"), after},
}

// Whatever mistake is made in a mapping, the message has a place, and the first one names the mistake.
func TestMistakesAreNamedInTheFirstMessage(t *testing.T) {
	t.Parallel()
	var files []string
	for _, name := range []string{"marks", "cases", "folders", "updates"} {
		data, err := os.ReadFile(filepath.Join("testdata", "mappings", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(data))
	}
	r := rand.New(rand.NewPCG(1, 2))
	type tally struct{ made, named int }
	tallies, total, missed := map[string]*tally{}, tally{}, []string{}
	for attempt := 0; total.made < 500 && attempt < 20_000; attempt++ {
		m := mistakes[attempt%len(mistakes)]
		text := files[r.IntN(len(files))]
		places := m.where.FindAllStringSubmatchIndex(text, -1)
		if len(places) == 0 {
			continue
		}
		at := places[r.IntN(len(places))]
		before := text[at[2]:at[3]]
		changed := m.change(r, before)
		if changed == before {
			continue
		}
		_, err := Parse("m.yaml", []byte(text[:at[2]]+changed+text[at[3]:]), Options{Today: testDay})
		if err == nil {
			continue // "lookups" may become another word that means something
		}
		placed(t, err)
		ParseDraft("m.yaml", []byte(text[:at[2]]+changed+text[at[3]:]), Options{Today: testDay}).Missing(table.Header{Names: []string{"A"}})
		var faults diagnostic.Faults
		errors.As(err, &faults)
		if tallies[m.kind] == nil {
			tallies[m.kind] = &tally{}
		}
		tallies[m.kind].made++
		total.made++
		first, named := faults[0].Message+" "+faults[0].Hint, false
		for _, word := range m.names(before, changed) {
			named = named || strings.Contains(strings.ToLower(first), strings.ToLower(word))
		}
		if named {
			tallies[m.kind].named++
			total.named++
		} else {
			missed = append(missed, fmt.Sprintf("%s: %q became %q: %v", m.kind, before, changed, faults[0]))
		}
	}
	for _, m := range mistakes {
		if n := tallies[m.kind]; n == nil {
			t.Errorf("%s: never made", m.kind)
		} else {
			t.Logf("%-40s %3d of %3d", m.kind, n.named, n.made)
		}
	}
	t.Logf("%-40s %3d of %3d", "in all", total.named, total.made)
	if total.made < 500 || total.named*100 < total.made*98 {
		t.Errorf("the first message names %d of %d mistakes:\n%s", total.named, total.made, strings.Join(missed, "\n"))
	} else {
		t.Log(strings.Join(missed, "\n"))
	}
}
