package config

import (
	"maps"
	"strings"
	"testing"
)

// TestASecretAtAnyKeyIsHidden writes a secret in plain text at each key that holds one, in a file that is broken besides.
func TestASecretAtAnyKeyIsHidden(t *testing.T) {
	t.Parallel()
	names := maps.Clone(settingNames())
	maps.DeleteFunc(names, func(_ string, secret bool) bool { return !secret })
	for _, known := range strings.Fields("subscription_key auth_cookie password private_key passphrase access_key secret_key slack teams webhook url client_secret") {
		if !names[known] {
			t.Errorf("%s is not held to be a secret", known)
		}
	}
	for name := range names {
		for _, form := range []string{"KEY: SECRET", "block:\n  KEY: SECRET", "block: {other: 1, KEY: SECRET}", "list:\n- \"KEY\": SECRET"} {
			text := strings.NewReplacer("KEY", name, "SECRET", "hunter2hunter2").Replace(form)
			_, err := Load("docketsync.yaml", func(string) (string, bool) { return "", false },
				func(string) ([]byte, error) { return []byte(text + "\n"), nil }, nil, nil)
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func TestNamesOfSettingsAreNotHidden(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"auth_cookie: {file: cook}": "auth_cookie: {file: [hidden]}",
		"cook auth_cookie cookx":    "[hidden] auth_cookie [hidden]x",
		"folder_cookiecook":         "folder_[hidden]ie[hidden]",
	} {
		if got := hide(text, "cook"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
