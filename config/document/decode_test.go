package document_test

import (
	"fmt"
	"testing"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	Count int  `yaml:"count"`
	Sure  bool `yaml:"sure"`
}

type outer struct {
	Name    string            `yaml:"name"`
	Numbers []int             `yaml:"numbers"`
	Names   map[string]string `yaml:"names"`
	Inner   inner             `yaml:"inner"`
	Pointer *inner            `yaml:"pointer"`
	Wait    time.Duration     `yaml:"wait"`
	Rate    float64           `yaml:"rate"`
	Size    uint8             `yaml:"size"`
	Any     any               `yaml:"any"`
	Later   *document.Node    `yaml:"later"`
	Hidden  string            `yaml:"-"`
	Shared  `yaml:",inline"`
	Plain   string
	Fields  map[string]field `yaml:"fields"`
	Old     legacy           `yaml:"old"`
	Word    word             `yaml:"word"`
}

type Shared struct {
	Common string `yaml:"common"`
}

// field has a short form, a text, beside the long one.
type field struct {
	Column string
	Max    int
	node   *document.Node
}

func (x *field) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	x.node = n
	if n.Kind == document.Scalar {
		x.Column = n.Value
		return nil
	}
	var long struct {
		Column string `yaml:"column"`
		Max    int    `yaml:"max"`
	}
	faults := f.Decode(n, &long)
	x.Column, x.Max = long.Column, long.Max
	return faults
}

// legacy reads itself by the YAML library's interface and reports at its own node.
type legacy struct{ text string }

func (x *legacy) UnmarshalYAML(n *document.Node) error {
	if n.Kind == document.List {
		return diagnostic.Faults{{Line: n.Content[0].Line, Column: n.Content[0].Column, Message: "no list, please"}}
	}
	if n.Kind == document.Block {
		var strict struct {
			Text int `yaml:"text"`
		}
		return n.Load(&strict)
	}
	x.text = n.Value
	return nil
}

type word string

func (w *word) UnmarshalText(text []byte) error {
	if string(text) != "good" {
		return fmt.Errorf("%q is not a good word", text)
	}
	*w = word(text)
	return nil
}

func TestDecodeFillsEveryKind(t *testing.T) {
	t.Parallel()
	f := parse(t, `name: 007
numbers: [1, -2]
names: {a: 2024-03-01, NO: "yes", 12: x}
inner: {count: 3, sure: yes}
pointer: {sure: off}
wait: 1m30s
rate: 2.5
size: 255
any: {a: [007, 2024-03-01, true, ~, 1e3], b: {c: d}}
later: [x]
common: c
plain: p
fields: {short: Mark, long: {column: Mark, max: 3}}
old: o
word: good
`)
	got := outer{Hidden: "kept"}
	if faults := f.Decode(f.Root(), &got); faults != nil {
		t.Fatal(faults)
	}
	if got.Later != f.Node("later") {
		t.Error("a field of type *Node did not keep its node")
	}
	if got.Fields["short"].node != f.Node("fields", "short") {
		t.Error("a type that reads itself did not get its node")
	}
	got.Later, got.Fields = nil, map[string]field{"short": {Column: got.Fields["short"].Column}, "long": {Column: "Mark", Max: got.Fields["long"].Max}}
	want := outer{
		Name: "007", Numbers: []int{1, -2}, Names: map[string]string{"a": "2024-03-01", "NO": "yes", "12": "x"},
		Inner: inner{3, true}, Pointer: &inner{0, false}, Wait: 90 * time.Second, Rate: 2.5, Size: 255,
		Any:    map[string]any{"a": []any{"007", "2024-03-01", true, nil, "1e3"}, "b": map[string]any{"c": "d"}},
		Hidden: "kept", Shared: Shared{"c"}, Plain: "p",
		Fields: map[string]field{"short": {Column: "Mark"}, "long": {Column: "Mark", Max: 3}}, Old: legacy{"o"}, Word: "good",
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(field{}, legacy{}), cmp.Comparer(func(a, b *document.Node) bool { return a == b })); diff != "" {
		t.Errorf("Decode (-want +got):\n%s", diff)
	}
}

func TestDecodeLeavesWhatIsNotWritten(t *testing.T) {
	t.Parallel()
	f := parse(t, "name:\nnumbers: ~\ninner: {count: 1}\n")
	got := outer{Name: "default", Numbers: []int{7}, Inner: inner{Sure: true}}
	if faults := f.Decode(f.Root(), &got); faults != nil {
		t.Fatal(faults)
	}
	if diff := cmp.Diff(outer{Name: "default", Numbers: []int{7}, Inner: inner{1, true}}, got, cmp.AllowUnexported(legacy{})); diff != "" {
		t.Errorf("Decode (-want +got):\n%s", diff)
	}
}

func TestDecodeFindsEveryMistakeAtOnce(t *testing.T) {
	t.Parallel()
	f := parse(t, `nmae: x
numbers: one
names: [a]
inner: {count: many, sure: perhaps, cuont: 1}
pointer: text
wait: 30
rate: fast
size: 256
common: c
common: d
fields: {a: {colum: Mark, max: {}}}
old: [a]
word: bad
hidden: x
plain: {a: 1}
? [list, as key]
: x
`)
	var got outer
	want := []string{
		`1:1: there is no key "nmae" here | did you mean "name"?`,
		`2:10: expected a list, found text | write it in brackets: [one]`,
		`3:8: expected a block of keys, found a list`,
		`4:16: expected a whole number, found text "many"`,
		`4:28: expected true or false, found text "perhaps"`,
		`4:37: there is no key "cuont" here | did you mean "count"?`,
		`5:10: expected a block of keys, found text | write key: value on the lines below, indented by two spaces`,
		`6:7: expected a time with its unit, such as "30s" or "5m", found the number "30"`,
		`7:7: expected a number, found text "fast"`,
		`8:7: expected a whole number, not below zero, found the number "256"`,
		`10:1: the key "common" stands here for the second time; the first is in line 9 | remove one of them`,
		`11:14: there is no key "colum" here | did you mean "column"?`,
		`11:32: expected a whole number, found a block of keys`,
		`12:7: no list, please`,
		`13:7: "bad" is not a good word`,
		`14:1: there is no key "hidden" here | known here: name, numbers, names, inner, pointer, wait, rate, size, any, later, common, plain, fields, old, word`,
		`15:8: expected text, found a block of keys`,
		`16:3: expected a key, found a list`,
	}
	if diff := cmp.Diff(want, short(f.Decode(f.Root(), &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if got.Inner.Count != 0 || got.Size != 0 || got.Common != "c" {
		t.Errorf("a refused value was kept: %+v", got)
	}
}

func TestDecodeOfWhatTheLibraryRefused(t *testing.T) {
	t.Parallel()
	f := parse(t, "old:\n  text: [1]\n")
	var got outer
	faults := short(f.Decode(f.Root(), &got))
	if len(faults) != 1 || faults[0][:5] != "2:9: " {
		t.Errorf("faults = %q, want one at 2:9", faults)
	}
}

func TestDuplicatesAreReportedOnceForThePartDecoded(t *testing.T) {
	t.Parallel()
	f := parse(t, "a: {x: 1, x: 2}\nb: {y: 1, y: 2}\n")
	var into map[string]string
	want := []string{`1:11: the key "x" stands here for the second time; the first is in line 1 | remove one of them`}
	if diff := cmp.Diff(want, short(f.Decode(f.Node("a"), &into))); diff != "" {
		t.Errorf("first part (-want +got):\n%s", diff)
	}
	var all map[string]map[string]string
	want = []string{`2:11: the key "y" stands here for the second time; the first is in line 2 | remove one of them`}
	if diff := cmp.Diff(want, short(f.Decode(f.Root(), &all))); diff != "" {
		t.Errorf("whole (-want +got):\n%s", diff)
	}
}

func TestAliasesReachTheDecoderWrittenOut(t *testing.T) {
	t.Parallel()
	f := parse(t, "inner: &i {count: 2, sure: true}\npointer:\n  <<: *i\n  count: 5\nname: &n x\ncommon: *n\n")
	var got outer
	if faults := f.Decode(f.Root(), &got); faults != nil {
		t.Fatal(faults)
	}
	if want := (&inner{5, true}); !cmp.Equal(want, got.Pointer) || got.Common != "x" {
		t.Errorf("pointer = %+v, common = %q", got.Pointer, got.Common)
	}
}

func TestDecodeRefusesATargetItCannotFill(t *testing.T) {
	t.Parallel()
	f := parse(t, "a: 1")
	for name, into := range map[string]any{"not a pointer": outer{}, "nil": nil, "channel": new(struct{ A chan int }), "map": new(map[int]int)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("no panic for a programmer's mistake")
				}
			}()
			f.Decode(f.Root(), into)
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"count", "sure"}, document.Keys(&inner{})); diff != "" {
		t.Errorf("Keys (-want +got):\n%s", diff)
	}
}
