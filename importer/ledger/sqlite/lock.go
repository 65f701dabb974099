package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// Lock takes a lock on a file beside the database, which the system releases when the process is gone. The file stays
// and names its last holder.
func (e *Engine) Lock(ctx context.Context, name string, how store.Locking) (release func() error, lost <-chan struct{}, err error) {
	path := e.Path
	// A ledger that is reached by two paths is still one.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	path += "." + FileName(name) + ".lock"
	file := flock.New(path)
	var taken bool
	if how == store.AwaitLock {
		taken, err = file.TryLockContext(ctx, 20*time.Millisecond)
	} else {
		taken, err = file.TryLock()
	}
	if err != nil {
		return nil, nil, err
	}
	if !taken {
		return nil, nil, &fault.BusyError{Name: name, Holder: readHolder(path)}
	}
	writeHolder(path)
	return file.Unlock, nil, nil
}

// FileName makes a name fit for a file.
func FileName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return -1
	}, name)
	if plain == name && len(name) <= 60 {
		return plain
	}
	sum := fnv.New64a()
	sum.Write([]byte(name))
	return fmt.Sprintf("%.40s-%x", plain, sum.Sum64())
}

// The holder comes after the first byte of the lock file, which is the locked one: Windows lets nobody read a locked
// byte.

func writeHolder(path string) {
	host, _ := os.Hostname()
	data, err := json.Marshal(fault.Holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt(append(data, '\n'), 1)
	}
}

func readHolder(path string) (h fault.Holder) {
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()
	data := make([]byte, 1024)
	n, _ := f.ReadAt(data, 1)
	_ = json.Unmarshal([]byte(strings.TrimSpace(string(data[:n]))), &h)
	return h
}
