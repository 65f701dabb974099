package remedy_test

import (
	"errors"
	"testing"

	"docketsync/importer/report/remedy"
)

// TestWhatToDoAboutAFirm: an error that says what to do says it better than what is true of all.
func TestWhatToDoAboutAFirm(t *testing.T) {
	t.Parallel()
	const any = "Correct its files, its schema or its secrets. It is tried again every minute, and at once when its files change."
	for text, want := range map[string]string{
		"no running node has the labels region=eu\nStart one that has them: docketsync node --label region=eu": "Start one that has them: docketsync node --label region=eu",
		"docketsync.yaml:1:1: unknown key \"jobz\"\n    jobz: []\n    ^":                                       any,
		"the database is away": any,
	} {
		got := (remedy.Site{}).Steps([]remedy.Remedy{remedy.NotServed(errors.New(text))})
		if len(got) != 1 || got[0].Do != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
