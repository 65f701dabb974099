package remote

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gofrs/flock"
)

// Reserve returns a folder to fetch into that nobody else reads from until release: the one at path, or, while that is
// in use, one beside it. A run reads its file more than once, and meanwhile another process may fetch a newer one for
// the same job. The reservation ends with the process too. What is fetched into path stays there until the next fetch,
// so that a plan and the run that carries it out read one path; a folder beside it goes with release.
func Reserve(path string) (folder string, release func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", nil, err
	}
	for n := 1; ; n++ {
		folder, removed := path, "" // nothing is removed
		if n > 1 {
			folder += "." + strconv.Itoa(n)
			removed = folder
		}
		lock := flock.New(folder + ".lock")
		if taken, err := lock.TryLock(); err != nil {
			return "", nil, err
		} else if taken {
			return folder, func() error { return errors.Join(os.RemoveAll(removed), lock.Unlock()) }, nil
		}
	}
}
