package config_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
)

// whole is a configuration that says something about most settings.
const whole = `service:
  base_url: https://service.example/api
  paths:
    create_case: /v1/firms/file
    update_case: /v1/firms/file/{id}
    update_trademark: /v1/firms/trademark
  subscription_key: {env: KEY}
  auth_cookie: {file: key.txt}
  cookie_header: .Service.AuthCookie
  folder_cookie: true
  sign_in:
    path: /v1/login
    user: import
    password: {env: PASSWORD}
  create_case_variant: B
  switches:
    active: text
    registration_number: integer
    folder_file_number: text
  timeout: 30s
  answer_limit: 1MiB
  proxy: environment
retry:
  creates: never
  first_delay: 500ms
  max_delay: 30s
pace:
  concurrency: 8
  rate: 12.5
ledger: docketsync.db
reports: reports
log: {level: info, format: console}
jobs:
  - name: matters
    mapping: matters.yaml
    source: {file: exports/matters.xlsx, sheet: Matters, header: 3, footer: ^Total}
  - name: marks
    mapping: marks.yaml
    source:
      file: [a.csv, b.csv]
      format: csv
      delimiter: semicolon
      escape: double
      lenient: true
`

// mistake is a way in which people get a configuration wrong. It changes one place that matches, and names returns the words
// of which the first message must have one.
type mistake struct {
	kind   string
	where  *regexp.Regexp // its first group is what is changed
	change func(r *rand.Rand, text string) string
	names  func(after string) []string
}

func misspell(r *rand.Rand, word string) string {
	letters := []rune(word)
	at := r.IntN(len(letters))
	switch r.IntN(3) {
	case 0:
		return string(letters[:at]) + string(letters[at]) + string(letters[at:])
	case 1:
		return string(letters[:at]) + "q" + string(letters[at:])
	}
	return string(letters[:at]) + string(letters[min(at+1, len(letters)):])
}

func always(texts ...string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, _ string) string { return texts[r.IntN(len(texts))] }
}

func itself(after string) []string { return []string{after} }

func saying(words ...string) func(string) []string {
	return func(string) []string { return words }
}

var mistakes = []mistake{
	{"a part of the file misspelt", regexp.MustCompile(`(?m)^(service|retry|pace|ledger|reports|log|jobs):`), misspell, itself},
	{"a setting misspelt", regexp.MustCompile(`(?m)^ +(?:- )?(\w{3,}):`), misspell, itself},
	{"a setting of one line misspelt", regexp.MustCompile(`[{,] ?(level|format|sheet|header|footer):`), misspell, itself},
	{"env or file misspelt", regexp.MustCompile(`\{(env|file): (?:KEY|key.txt|PASSWORD)`), always("envv", "fiel", "var"), saying("a secret must use env or file")},
	{"a word of a setting misspelt", regexp.MustCompile(`(?:level|format|creates|active|registration_number|escape|proxy): (\w+)`), misspell, itself},
	{"a time without a unit", regexp.MustCompile(`(?:timeout|first_delay|max_delay): (\w+)`), always("30", "5 minutes", "soon"), saying("a duration, such as")},
	{"a size without a unit", regexp.MustCompile(`answer_limit: (\w+)`), always("1000", "1 mega", "large"), saying("size with its unit")},
	{"a number that is none", regexp.MustCompile(`(?:concurrency|header): (\d+)`), always("many", "8x", "1.5"), saying("whole number")},
	{"a number out of bounds", regexp.MustCompile(`concurrency: (\d+)`), always("0", "-1", "1000"), saying("concurrency must be between 1 and 256")},
	{"truth that is none", regexp.MustCompile(`(?:folder_cookie|lenient): (true)`), always("perhaps", "ja", "1"), saying("true or false")},
	{"a secret written in", regexp.MustCompile(`(?:subscription_key|auth_cookie|password): (\{.*\})`), always("abc123", "'x y'"), saying("not allowed in the configuration")},
	{"an address without encryption", regexp.MustCompile(`base_url: (https)`), always("http"), saying("must use https://")},
	{"an address that is none", regexp.MustCompile(`base_url: (\S+)`), always("service.example", "ftp://x", "https://"), saying("base_url")},
	{"a path without a slash", regexp.MustCompile(`: (/)v1`), always("", "//"), saying("slash")},
	{"a placeholder that cannot be filled", regexp.MustCompile(`(?:create_case: /v1/firms/file|trademark: /v1/firms/trademark)()`), always("/{number}"), saying("placeholder")},
	{"a delay longer than the longest", regexp.MustCompile(`first_delay: (\w+)`), always("10m"), saying("shorter than first_delay")},
	{"a job without a name", regexp.MustCompile(`- (name: \w+)\n`), always("name:"), saying("name of the job is required")},
	{"two jobs of one name", regexp.MustCompile(`- name: (marks)`), always("matters", "Matters"), saying("duplicate job")},
	{"a job with a name of two words", regexp.MustCompile(`- name: (\w+)`), always("old matters", "a/b"), saying("invalid job name")},
	{"a job without a mapping", regexp.MustCompile(`(?m)^    (mapping: \w+\.yaml)$`), always("mapping:"), saying("requires a mapping")},
	{"a source without a file", regexp.MustCompile(`(file: exports/matters.xlsx, )`), always(""), saying("requires a file")},
	{"a pattern that is none", regexp.MustCompile(`footer: (\S+)\}`), always("'('", "'[a'"), saying("regular expression")},
	{"a format of none", regexp.MustCompile(`format: (csv)`), always("excel", "doc"), saying("format must be one of")},
	{"a list in place of a text", regexp.MustCompile(`(?m)^(?:ledger|reports): (\S+)$`), always("[a, b]"), saying("expected")},
	{"a text in place of a block", regexp.MustCompile(`(?m)^log: (\{.*\})$`), always("info"), saying("expected")},
	{"a block in place of a list", regexp.MustCompile(`(?m)^jobs:\n(  - )name: matters`), always("    "), saying("align all keys or dashes of a block; quote the whole text, not part of it")},
	{"a key given twice", regexp.MustCompile(`(?m)^((?:ledger|reports): \S+)$`), func(_ *rand.Rand, s string) string { return s + "\n" + s }, saying("duplicate key")},
	{"a tab in front", regexp.MustCompile(`(?m)^(  )\w+:`), always("\t"), saying("tab")},
	{"a closing brace lost", regexp.MustCompile(`(?m)\{(?:level|env|file).*(\})$`), always(""), saying("brace", "}", "closed", "comma")},
	{"a colon without a blank", regexp.MustCompile(`(?m)^  \w+(: )\w+$`), always(":"), saying("blank", "space", "colon", ":")},
	{"a line indented too far", regexp.MustCompile(`(?m)^(  )(?:timeout|proxy|rate):`), always("      "), saying("quote text that contains a colon and a space, and align the keys of a block")},
}

// Whatever mistake is made in a configuration, the message has a place, and the first one names the mistake.
func TestMistakesAreNamedInTheFirstMessage(t *testing.T) {
	t.Parallel()
	env := map[string]string{"KEY": "the-firm-key", "PASSWORD": "the-password"}
	if _, err := load(whole, env); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	type tally struct{ made, named int }
	tallies, total, missed := map[string]*tally{}, tally{}, []string{}
	for attempt := 0; total.made < 500 && attempt < 5_000; attempt++ {
		m := mistakes[attempt%len(mistakes)]
		places := m.where.FindAllStringSubmatchIndex(whole, -1)
		if len(places) == 0 {
			t.Fatalf("%s: nothing to change", m.kind)
		}
		at := places[r.IntN(len(places))]
		before := whole[at[2]:at[3]]
		changed := m.change(r, before)
		if changed == before {
			continue
		}
		_, err := load(whole[:at[2]]+changed+whole[at[3]:], env)
		if err == nil {
			continue // a word may become another that means something
		}
		if tallies[m.kind] == nil {
			tallies[m.kind] = &tally{}
		}
		tallies[m.kind].made++
		total.made++
		if first := placed(t, err); anyIn(first, m.names(changed)) {
			tallies[m.kind].named++
			total.named++
		} else {
			missed = append(missed, fmt.Sprintf("%s: %q became %q: %v", m.kind, before, changed, first))
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
		t.Errorf("the first message names %d of %d mistakes, want 98 of 100:\n%s", total.named, total.made, strings.Join(missed, "\n"))
	} else {
		t.Log(strings.Join(missed, "\n"))
	}
}

// placed requires a place of every message and returns the first one with its hint.
func placed(t *testing.T, err error) string {
	t.Helper()
	var faults diagnostic.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("an error without a place: %v", err)
	}
	for _, fault := range faults {
		if fault.File == "" || fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
			t.Errorf("a message without a place: %+v", fault)
		}
	}
	return faults[0].Message + " " + faults[0].Hint
}

func anyIn(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			return true
		}
	}
	return false
}
