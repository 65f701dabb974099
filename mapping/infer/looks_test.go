package infer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLooksClass(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"9": 9, "009": 9, "IC 035.": 35, "Klasse 5": 5, "46": 0, "nine": 0, "": 0} {
		if n, ok := looksClass(text); ok != (want > 0) || ok && n != want {
			t.Errorf("looksClass(%q) is %d, %v", text, n, ok)
		}
	}
}

func TestLooksGoods(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, entries, class string
		want                 []string
		texts                bool
	}{
		{"9: software; games; 35: ads", ";", ":", []string{"9", "35"}, true},
		{"IC 009. Software\nIC 042. Design", "\n", ".", []string{"IC 009", "IC 042"}, true},
		{"2,6", ",", ":", []string{"2", "6"}, false},
		{"software", ";", ":", nil, false},
		{"77: cars", ";", ":", nil, false},
	} {
		got, texts := looksGoods(test.text, test.entries, test.class)
		if diff := cmp.Diff(test.want, got); diff != "" || texts != test.texts {
			t.Errorf("looksGoods(%q) has texts %v (-want +got):\n%s", test.text, texts, diff)
		}
	}
}
