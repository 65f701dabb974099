package remote

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// Reserve returns a folder to fetch into that nobody else reads from until release: the one at path, or, while that is
// in use, one beside it. A run reads its file more than once, and meanwhile another process may fetch a newer one for
// the same job. The reservation ends with the process too. What is fetched into path stays there until the next fetch,
// so that a plan and the run that carries it out read one path; a folder beside it goes with release, or, if its process
// was killed, with the next reservation.
func Reserve(path string) (folder string, release func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", nil, err
	}
	sweep(path)
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

// sweep removes the folders beside a path that no process holds. Their locks stay, because somebody may be about to take
// one. What cannot be removed now is left for the next time.
func sweep(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		number, beside := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if _, err := strconv.Atoi(number); !beside || err != nil || !e.IsDir() {
			continue
		}
		folder := path + "." + number
		lock := flock.New(folder + ".lock")
		if taken, err := lock.TryLock(); err == nil && taken {
			_ = errors.Join(os.RemoveAll(folder), lock.Unlock())
		}
	}
}
