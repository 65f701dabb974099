package table

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAccentsOfLatinAndGreekDoNotCountAndOtherMarksDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		one  bool
	}{
		{"Société Générale", "SOCIETE GENERALE", true},
		{"Nguyễn", "nguyen", true},
		{"Şişli", "sisli", true},
		{"Παπαδόπουλος", "ΠΑΠΑΔΟΠΟΥΛΟΣ", true},
		{"e\u0301te\u0301", "été", true}, // composed and not
		{"ﾊﾞﾗ", "バラ", true},              // half width
		{"한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8", true},
		{"葛\U000e0100城", "葛城", true}, // one character, drawn in another way
		{"バラ", "ハラ", false},
		{"Й", "И", false},
		{"किताब", "कताब", false},
		{"มี", "มา", false},
		{"น้ำ", "นำ", false},
	} {
		for name, fold := range map[string]func(string) string{"lookups": Fold, "headers": FoldName, "keys": TwinKey} {
			if one := fold(tt.a) == fold(tt.b); one != tt.one {
				t.Errorf("%s: %q and %q are one: %t", name, tt.a, tt.b, one)
			}
		}
	}
}

func TestFoldIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		once := Fold(text)
		if again := Fold(once); again != once {
			t.Fatalf("%q folds to %q and then to %q", text, once, again)
		}
		ascii := strings.Map(func(r rune) rune { return r & 0x7f }, text)
		var slow strings.Builder
		foldRunes(ascii, func(r rune) { slow.WriteRune(r) })
		if want := strings.Join(strings.Fields(slow.String()), " "); strings.Join(strings.Fields(Fold(ascii)), " ") != want {
			t.Fatalf("%q folds to %q, expected %q", ascii, Fold(ascii), want)
		}
		if FoldName(FoldName(text)) != FoldName(text) {
			t.Fatalf("%q as a name folds to %q and then to %q", text, FoldName(text), FoldName(FoldName(text)))
		}
	})
}
