package config_test

import (
	"strings"
	"testing"
	"time"

	"docketsync/config"
)

func TestDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Days{"400d": 400, " 1d ": 1, "007d": 7} {
		if got, ok := config.ParseDays(text); !ok || got != want {
			t.Errorf("%q: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "d", "0d", "-1d", "400", "400h", "1.5d", "99999999d", "1 d"} {
		if got, ok := config.ParseDays(text); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	at := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	if got := config.Days(400).Before(at); !got.Equal(time.Date(2025, 1, 25, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("400 days before %v are %v", at, got)
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	c, err := load(small+"retention: {runs: 400d}\n", key)
	if err != nil || c.Retention != (config.Retention{Runs: 400}) {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = load(small+"retention: {runs: 400, reports: 0d, report: 1d}\n", key)
	for _, want := range []string{"docketsync.yaml:4:19", `such as "400d"`, `did you mean "reports"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
