package xlsx

import "testing"

func TestControlCharactersAreUnescaped(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"plain":               "plain",
		"a_x000D_\nb":         "a\r\nb",
		"_x0009_":             "\t",
		"_x005F_x000D_":       "_x000D_",
		"_x00e9_":             "é",
		"_x20AC_":             "€",
		"_xD800_":             "_xD800_",
		"_x000G_":             "_x000G_",
		"_x000D":              "_x000D",
		"_x_x000D_":           "_x\r",
		"snake_x_case_xyz123": "snake_x_case_xyz123",
		"_x000D__x000A_":      "\r\n",
	}
	for in, want := range tests {
		if got := string(unescapeControl([]byte("_x0041_"+in), len("_x0041_"))); got != "_x0041_"+want {
			t.Errorf("%q is unescaped to %q, want %q", in, got, want)
		}
	}
}
