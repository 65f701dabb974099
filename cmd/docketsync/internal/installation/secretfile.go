package installation

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// OpenToAll tells the mode of a file that every user of this machine can read or write, 0 of one that they cannot; it is a
// config.opener. What matters is the way to the file too: behind a folder that others cannot enter, such as systemd's for
// credentials, any mode is safe. Groups are left alone: whoever gives a file to one (0640 root:ssl-cert, 0440 and fsGroup) means
// it. Windows has no modes.
func OpenToAll(path string) fs.FileMode {
	const othersOpen, othersEnter = 0o006, 0o001
	path, err := filepath.EvalSymlinks(path)
	if path, err2 := filepath.Abs(path); err == nil && err2 == nil && runtime.GOOS != "windows" && !givenToContainer(path) {
		info, err := os.Stat(path)
		if err != nil || info.Mode()&othersOpen == 0 {
			return 0 // who reads it says what is wrong with it
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

// givenToContainer tells whether a file is a secret that Docker, Podman or Kubernetes put into this container. They make such files
// readable for everybody in it (0444, 0644), as it has one user, and nobody can change that from within.
func givenToContainer(path string) bool {
	return strings.HasPrefix(path, "/run/secrets/") || inFixedMemory(path)
}
