package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/sourcetest"
)

func TestEncodingLabelUTF16TakesTheMark(t *testing.T) {
	t.Parallel()
	for _, coded := range []string{"utf-16le bom", "utf-16be bom", "utf-16le", "utf-16be"} {
		got := readText(t, sourcetest.Encode("a,b\né,1\n", coded), Options{Encoding: "UTF-16"})
		if diff := cmp.Diff([]string{"2: é|1"}, got.rows); diff != "" {
			t.Errorf("%s: %s\n%s", coded, got.fault, diff)
		}
	}
}
