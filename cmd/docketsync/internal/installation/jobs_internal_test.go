package installation

import (
	"testing"

	"docketsync/config"
)

func TestHiddenRowsAreLeftOutByTheFormerKeyToo(t *testing.T) {
	t.Parallel()
	for _, s := range []config.Source{{Ignore: true}, {Hidden: "skip"}, {Ignore: true, Hidden: "skip"}} {
		if o := SourceOptions(s, nil); o.Hidden != "skip" {
			t.Errorf("%+v is %q", s, o.Hidden)
		}
	}
}
