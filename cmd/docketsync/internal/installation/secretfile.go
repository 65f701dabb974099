package installation

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// OpenToAll returns the mode of a file that every user of this machine can read or write, 0 for a file that they
// cannot; it is a config.opener. The path counts too: inside a folder that others cannot enter, such as systemd's for
// credentials, any mode is safe. Groups are accepted: whoever gives a file to a group (0640 root:ssl-cert, 0440 and
// fsGroup) means it. Windows has no modes.
func OpenToAll(path string) fs.FileMode {
	const othersOpen, othersEnter = 0o006, 0o001
	path, err := filepath.EvalSymlinks(path)
	if path, err2 := filepath.Abs(path); err == nil && err2 == nil && runtime.GOOS != "windows" && !givenToContainer(path) {
		info, err := os.Stat(path)
		if err != nil || info.Mode()&othersOpen == 0 {
			return 0 // whoever reads it reports the error
		}
		for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
			if way, err := os.Stat(folder); err != nil || way.Mode()&othersEnter == 0 {
				return 0
			}
			if folder == filepath.Dir(folder) {
				return info.Mode()
			}
		}
	}
	return 0
}

// givenToContainer reports whether a file is a secret that Docker, Podman or Kubernetes put into this container. They
// make such files readable for everybody in it (0444, 0644), because it has one user, and nobody can change that from
// inside.
func givenToContainer(path string) bool {
	return strings.HasPrefix(path, "/run/secrets/") || inFixedMemory(path)
}
