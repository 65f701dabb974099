//go:build unix

package inbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// unfollowed opens neither what a link leads to nor a pipe that nobody writes to.
const unfollowed = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ours tells whether this user or the system's made something.
func ours(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && (owner.Uid == 0 || int(owner.Uid) == os.Geteuid())
}

// otherDevice tells whether a rename failed because it would lead to another filesystem.
func otherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }
