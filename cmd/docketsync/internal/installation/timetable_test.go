package installation_test

import (
	"testing"

	"docketsync/cmd/docketsync/internal/installation"
)

func TestShownSchedule(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"0 2 * * * Local": "0 2 * * * local time", "0 2 * * * Europe/Madrid": "0 2 * * * Europe/Madrid"} {
		if got := installation.ShownSchedule(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
