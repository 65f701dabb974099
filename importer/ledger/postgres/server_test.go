package postgres

import "testing"

// A server is known to have all that was acknowledged if it is the same one, or took over from one whose commits waited.
func TestHasAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kept, now string
		want      bool
	}{
		"the same":                                        {"7/00000001", "7/00000001", true},
		"the same, which has got a standby":               {"7/00000001", "7/00000001 waits", true},
		"a standby that commits did not wait for":         {"7/00000001", "7/00000002", false},
		"one whose own commits wait now":                  {"7/00000001", "7/00000002 waits", false},
		"a standby that commits waited for":               {"7/00000001 waits", "7/00000002", true},
		"the next but one":                                {"7/00000009 waits", "7/0000000B waits", true},
		"the one before, back again":                      {"7/00000002 waits", "7/00000001 waits", false},
		"a copy in another place":                         {"7/00000001 waits", "8/00000001", false},
		"a copy whose name begins with that of the first": {"7/00000001 waits", "77/00000002", false},
	} {
		if got := HasAll(c.kept, c.now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOnlySchema(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"acme": "acme", "Acme": "acme", `"acme"`: "acme", `"birch-law"`: "birch-law", ` acme `: "acme", `acme, public`: "", `"acme","public"`: "", `"$user"`: "", "$user": "",
	} {
		if got := onlySchema(path); got != want {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
}
