//go:build unix

package installation

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestFilesOpenToAll asks about real files in a folder that everybody can enter.
func TestFilesOpenToAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode, folder fs.FileMode
		want         fs.FileMode
	}{
		"only its owner":                     {0o600, 0o755, 0},
		"a group, as Debian's ssl-cert":      {0o640, 0o755, 0},
		"a group, as fsGroup of Kubernetes":  {0o440, 0o755, 0},
		"everybody reads":                    {0o644, 0o755, 0o644},
		"everybody reads, the owner does so": {0o444, 0o711, 0o444},
		"everybody writes":                   {0o602, 0o755, 0o602},
		"behind a folder that is closed":     {0o644, 0o700, 0},
		"behind a folder for a group":        {0o666, 0o750, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := openFile(t, c.mode, c.folder)
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{path, link} {
				if got := OpenToAll(path); got != c.want {
					t.Errorf("%v", got)
				}
			}
		})
	}
	if OpenToAll(filepath.Join(t.TempDir(), "none")) != 0 || !givenToContainer("/run/secrets/key") || givenToContainer("/run/secretsof/key") {
		t.Error("a file that is not there, or a container's secret")
	}
}

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
