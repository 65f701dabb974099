package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
)

// A rejection that none of the record's own values explains is one of a check, or of the other records that a check compares it with.
func TestRejectionsThatOtherRecordsMayHaveCaused(t *testing.T) {
	t.Parallel()
	check, others := Cause{Kind: Mapping, Of: "checks.twice"}, Cause{Kind: Others}
	changed := []line{{[]string{"checks", "twice"}, check}}
	for name, test := range map[string]struct {
		suspects suspects
		want     Finding
	}{
		"nothing differs": {suspects{}, Finding{[]Cause{{Kind: Unknown}}, Proven}},
		"another export":  {suspects{sources: true}, Finding{[]Cause{others}, Proven}},
		"another check":   {suspects{lines: changed}, Finding{[]Cause{check}, Proven}},
		"both":            {suspects{sources: true, lines: changed}, Finding{[]Cause{check, others}, Either}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.suspects.old, test.suspects.now = &About{}, &About{}
			c := &comparison{suspects: &test.suspects}
			was, is := ledger.Record{State: ledger.Planned}, ledger.Record{State: ledger.Rejected, Reasons: []ledger.Reason{{Message: "twice"}}}
			if diff := cmp.Diff([]Field{{Reason: "twice", Finding: test.want}}, c.rejections(nil, was, is)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
