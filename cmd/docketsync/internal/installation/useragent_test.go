package installation

import "testing"

func TestUserAgentIsAToken(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"(devel)": "docketsync/devel", "": "docketsync", "v1.2.3": "docketsync/v1.2.3", "v0.0.0-20240301-abc+dirty": "docketsync/v0.0.0-20240301-abc+dirty",
		"1 (x/y)": "docketsync/1xy",
	} {
		if got := userAgent(version); got != want {
			t.Errorf("%q became %q, want %q", version, got, want)
		}
	}
}
