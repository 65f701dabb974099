package installation

import (
	"strings"
	"testing"
)

func TestWhatIsNotConfiguredTellsNothingOfAnAccount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now, kept account
		want      string
	}{
		{account{Key: "k", User: "u"}, account{}, ""},
		{account{Key: "k", User: "u"}, account{Key: "k", User: "u"}, ""},
		{account{Key: "k", User: "v"}, account{Key: "k", User: "u"}, "the user of service.sign_in"},
		{account{Key: "k"}, account{Key: "k", User: "u"}, ""},
		{account{}, account{Key: "k", User: "u"}, ""},
		{account{Key: "l", User: "u"}, account{Key: "k", User: "u"}, "the subscription key"},
		{account{Name: "live", Key: "l"}, account{Key: "k"}, "the subscription key"},
		{account{Name: "live", Key: "l"}, account{Name: "live", Key: "k"}, ""},
		{account{Name: "live", Key: "k"}, account{Name: "trial", Key: "k"}, "service.account"},
		{account{Key: "l"}, account{Name: "live", Key: "k"}, "the subscription key"},
	} {
		if said := c.now.differs(c.kept, "the records in the ledger were sent"); (said == "") != (c.want == "") || !strings.HasPrefix(said, c.want) {
			t.Errorf("%+v after %+v: %q, want %q", c.now, c.kept, said, c.want)
		}
	}
}
