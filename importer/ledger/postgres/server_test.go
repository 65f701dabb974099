package postgres

import (
	"errors"
	"testing"
)

// A server is known to have all that was acknowledged if it is the same one, or took over from one whose commits waited.
func TestMoved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, kept, now string
		want              bool
	}{
		"none is kept":                                    {"", "", "7/00000001", false},
		"none is kept any more":                           {"7/00000001", "", "7/00000002", true},
		"the same":                                        {"", "7/00000001", "7/00000001", false},
		"the same, which has got a standby":               {"", "7/00000001", "7/00000001 waits", false},
		"a standby that commits did not wait for":         {"7/00000001", "7/00000001", "7/00000002", true},
		"one whose own commits wait now":                  {"", "7/00000001", "7/00000002 waits", true},
		"a standby that commits waited for":               {"7/00000001", "7/00000001 waits", "7/00000002", false},
		"one that a person has accepted":                  {"7/00000001", "7/00000002", "7/00000002", false},
		"the next but one":                                {"", "7/00000009 waits", "7/0000000B waits", false},
		"the one before, back again":                      {"", "7/00000002 waits", "7/00000001 waits", true},
		"the one before, back again and accepted":         {"7/00000002", "7/00000001", "7/00000001", true},
		"a copy in another place":                         {"", "7/00000001 waits", "8/00000001", true},
		"a copy whose name begins with that of the first": {"", "7/00000001 waits", "77/00000002", true},
		"a standby, which is only read":                   {"", "7/00000001", "", false},
	} {
		if got := (Standing{Now: c.now, Kept: c.kept}).Moved(c.before); got != c.want {
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

// What sends keeps its server, but not that a standby is away for which every commit waits; and a standby that was waited for and is not any more
// has a copy of the ledger that says it was, so nothing is sent then.
func TestServerThatIsSentFrom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		s        Standing
		accepted bool
		changed  bool
		refused  error
	}{
		"nothing new":             {Standing{Now: "7/00000001", Kept: "7/00000001", Alone: true}, false, false, nil},
		"its first standby":       {Standing{Now: "7/00000001 waits", Kept: "7/00000001"}, false, true, nil},
		"its standby is away":     {Standing{Now: "7/00000001", Kept: "7/00000001 waits", Away: true}, false, false, nil},
		"one that lags has come":  {Standing{Now: "7/00000001", Kept: "7/00000001 waits"}, false, true, nil},
		"it waits for none":       {Standing{Now: "7/00000001", Kept: "7/00000001 waits", Alone: true}, false, true, errAlone},
		"none, which is accepted": {Standing{Now: "7/00000001", Kept: "7/00000001 waits", Alone: true}, true, true, nil},
		"the standby took over":   {Standing{Now: "7/00000002", Kept: "7/00000001 waits", Alone: true}, false, true, nil},
		"another took over":       {Standing{Now: "7/00000002", Kept: "7/00000001", Alone: true}, true, true, errMoved},
		"loaded from a dump":      {Standing{Now: "7/00000001", Kept: "7/00000001", Loaded: true}, true, false, errLoaded},
		"a standby":               {Standing{Kept: "7/00000001"}, true, true, errStandby},
	} {
		if got := c.s.Refused(c.accepted); !errors.Is(got, c.refused) {
			t.Errorf("%s: %v", name, got)
		}
		if got := c.s.Changed(); got != c.changed {
			t.Errorf("%s: changed %v", name, got)
		}
	}
}
