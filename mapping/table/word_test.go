package table

import "testing"

func TestReplaceWord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, word, want string }{
		{"TM-7, TM-7 and TM-71", "TM-7", "#, # and TM-71"},
		{"ATM-7 TM-7", "TM-7", "ATM-7 #"},
		{"TM-7TM-7", "TM-7", "TM-7TM-7"},
		{"x(7)y", "(7)", "x#y"},
		{"Söhne-Sö", "Sö", "Söhne-#"},
		{"nothing", "", "nothing"},
	} {
		if got := ReplaceWord(test.text, test.word, "#"); got != test.want {
			t.Errorf("%q without %q is %q, want %q", test.text, test.word, got, test.want)
		}
	}
}
