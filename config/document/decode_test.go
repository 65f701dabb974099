package document_test

import (
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
	Later   *document.Node    `yaml:"later"`
	Hidden  string            `yaml:"-"`
	Common  string            `yaml:"common"`
	Fields  map[string]field  `yaml:"fields"`
}

// shortened may be written as its text alone, and has defaults.
type shortened struct {
	Text  string   `yaml:"text,short"`
	Times int      `yaml:"times" default:"3"`
	Words []string `yaml:"words" default:"[a, b]"`
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

func TestDecodeFillsEveryKind(t *testing.T) {
	t.Parallel()
	f := parse(t, `name: 007
numbers: [1, -2]
names: {a: 2024-03-01, NO: "yes", 12: x}
inner: {count: 3, sure: yes}
pointer: {sure: off}
wait: 1m30s
rate: 2.5
later: [x]
common: c
fields: {short: Mark, long: {column: Mark, max: 3}}
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
		Inner: inner{3, true}, Pointer: &inner{0, false}, Wait: 90 * time.Second, Rate: 2.5,
		Hidden: "kept", Common: "c",
		Fields: map[string]field{"short": {Column: "Mark"}, "long": {Column: "Mark", Max: 3}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(field{}), cmp.Comparer(func(a, b *document.Node) bool { return a == b })); diff != "" {
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
	if diff := cmp.Diff(outer{Name: "default", Numbers: []int{7}, Inner: inner{1, true}}, got); diff != "" {
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
common: c
common: d
fields: {a: {colum: Mark, max: {}}}
hidden: x
sure: true
? [list, as key]
: x
`)
	var got outer
	want := []string{
		`1:1: unknown key "nmae" | did you mean "name"?`,
		`2:10: expected a list, found text | write it in brackets: [one]`,
		`3:8: expected a block of keys, found a list`,
		`4:16: expected a whole number, found text "many"`,
		`4:28: expected true or false, found text "perhaps"`,
		`4:37: unknown key "cuont" | did you mean "count"?`,
		`5:10: expected a block of keys, found text | write key: value on the lines below, indented by two spaces`,
		`6:7: expected a duration, such as "30s" or "5m", found the number "30"`,
		`7:7: expected a number, found text "fast"`,
		`9:1: duplicate key "common"; first used in line 8 | remove one of them`,
		`10:14: unknown key "colum" | did you mean "column"?`,
		`10:32: expected a whole number, found a block of keys`,
		`11:1: unknown key "hidden" | expected one of: name, numbers, names, inner, pointer, wait, rate, later, common, fields`,
		`12:1: unknown key "sure" | it belongs under inner: write inner: {sure: …}`,
		`13:3: expected a key, found a list`,
	}
	if diff := cmp.Diff(want, short(f.Decode(f.Root(), &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if got.Inner.Count != 0 || got.Common != "c" {
		t.Errorf("a refused value was kept: %+v", got)
	}
}

// TestDefaultsAreTags shows that whatever Decode makes has the defaults of its tags, and that one word stands for a block.
func TestDefaultsAreTags(t *testing.T) {
	t.Parallel()
	var got struct {
		List    []shortened          `yaml:"list"`
		Named   map[string]shortened `yaml:"named"`
		Pointer *shortened           `yaml:"pointer"`
		None    *shortened           `yaml:"none"`
	}
	f := parse(t, "list: [x, {text: y, times: 0}]\nnamed: {z: {words: [c]}}\npointer: p\n")
	if faults := f.Decode(f.Root(), &got); faults != nil {
		t.Fatal(faults)
	}
	words := []string{"a", "b"}
	if diff := cmp.Diff([]shortened{{"x", 3, words}, {"y", 0, words}}, got.List); diff != "" {
		t.Errorf("a list (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]shortened{"z": {"", 3, []string{"c"}}}, got.Named); diff != "" {
		t.Errorf("a map (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&shortened{"p", 3, words}, got.Pointer); diff != "" || got.None != nil {
		t.Errorf("pointers (-want +got):\n%s%v", diff, got.None)
	}
}

func TestDuplicatesAreReportedOnceForThePartDecoded(t *testing.T) {
	t.Parallel()
	f := parse(t, "a: {x: 1, x: 2}\nb: {y: 1, y: 2}\n")
	var into map[string]string
	want := []string{`1:11: duplicate key "x"; first used in line 1 | remove one of them`}
	if diff := cmp.Diff(want, short(f.Decode(f.Node("a"), &into))); diff != "" {
		t.Errorf("first part (-want +got):\n%s", diff)
	}
	var all map[string]map[string]string
	want = []string{`2:11: duplicate key "y"; first used in line 2 | remove one of them`}
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
	for name, into := range map[string]any{"not a pointer": outer{}, "nil": nil, "channel": new(struct {
		A chan int `yaml:"a"`
	}), "map": new(map[int]int)} {
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
	if diff := cmp.Diff([]string{"count", "sure"}, document.Keys(inner{})); diff != "" {
		t.Errorf("Keys (-want +got):\n%s", diff)
	}
}
