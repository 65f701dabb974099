package table

import (
	"strings"
	"testing"
	"unicode"

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
		{"हिंदी", "हिदी", false}, // a mark behind a mark that takes room
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

// A key is spelled in one way, which is not to make one key of two: zeros, capitals and punctuation stay.
func TestKeysKeepWhatTellsThemApart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, same string }{
		{"00123", "00123"}, {"0", "0"}, {"00", "00"}, {"TM-0042", "TM-0042"}, {"12.50", "12.50"}, {"a/b", "a/b"}, {"AbC", "AbC"},
		{"00 123", "00 123"}, {"00  123", "00 123"}, {" 007\u00a0A ", "007 A"}, {"caf\u0065\u0301 01", "café 01"},
	} {
		if got := SameKey(tt.text); got != tt.same {
			t.Errorf("the key %q is spelled %q, want %q", tt.text, got, tt.same)
		}
	}
	if TwinKey("00123") != TwinKey("123") || TwinKey("TM-0042") != TwinKey("tm 42") || TwinKey("100") == TwinKey("1") {
		t.Error("what looks alike is not what a person would take for one")
	}
}

func TestFoldIsStable(t *testing.T) {
	t.Parallel()
	// Many letters and marks with little between them: that is where one fold leaves something to the next.
	close := rapid.StringOf(rapid.OneOf(rapid.RuneFrom(nil, unicode.M), rapid.RuneFrom(nil, unicode.Lo), rapid.RuneFrom([]rune("?\u00ad\u200b\ufe00 aİς"))))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), close).Draw(t, "text")
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
