//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// openFile makes a file in a folder below /tmp, which everybody can enter.
func openFile(t *testing.T, mode, folder fs.FileMode) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "exposed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "key.txt")
	for _, err := range []error{os.WriteFile(file, []byte("the-key-of-the-firm\n"), 0o600), os.Chmod(file, mode), os.Chmod(dir, folder)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// TestSecretsOpenToAllAreRefused starts a command with secrets that every user of the machine can open.
func TestSecretsOpenToAllAreRefused(t *testing.T) {
	t.Parallel()
	const service = "service:\n  base_url: https://service.example\n  subscription_key: {env: NO_SUCH}\n"
	for _, c := range []struct{ text, want string }{
		{"service:\n  base_url: https://service.example\n  subscription_key: {file: KEY}\n", "and it contains a secret"},
		{service + "console: {tls: {cert: cert.pem, key: KEY}}\n", "and it contains the key of the console"},
		{service + "console: {users: [{name: Ines, role: viewer, password: '" + viewerHash + "'}]}\n", "and it contains a password hash"},
	} {
		for _, closed := range []bool{true, false} {
			key := openFile(t, 0o644, 0o755)
			configured := filepath.Join(filepath.Dir(key), "docketsync.yaml")
			mode := map[bool]fs.FileMode{true: 0o600, false: 0o644}[closed]
			for _, err := range []error{os.WriteFile(configured, []byte(strings.ReplaceAll(c.text, "KEY", key)), mode), os.Chmod(configured, mode), os.Chmod(key, mode)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			var out, trouble bytes.Buffer
			code := Main([]string{"check", "--config", configured}, &out, &trouble)
			said := trouble.String()
			if refused := strings.Contains(said, c.want); refused == closed || refused && (code != exit.Usage || !strings.Contains(said, "(mode 0644)") || !strings.Contains(said, "run chmod 600 "+filepath.Dir(key))) {
				t.Errorf("%v: exit %d: %s", closed, code, said)
			}
			if strings.Contains(said, "argon2id") || strings.Contains(said, "the-key-of-the-firm") {
				t.Errorf("the secret is shown: %s", said)
			}
			_ = os.WriteFile(configured, []byte(strings.ReplaceAll(c.text, "KEY", key)+"secret_files: {readable: accept}\n"), mode)
			if trouble.Reset(); Main([]string{"check", "--config", configured}, &out, &trouble) == exit.Usage && strings.Contains(trouble.String(), "every user") {
				t.Errorf("accepted: %s", &trouble)
			}
		}
	}
}
