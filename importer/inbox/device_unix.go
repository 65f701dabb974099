//go:build unix

package inbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// unfollowed prevents opening the target of a link, or waiting on a pipe that nobody writes to.
const unfollowed = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ours reports whether this user or root owns a file.
func ours(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && (owner.Uid == 0 || int(owner.Uid) == os.Geteuid())
}

// otherDevice reports whether a rename failed because it would lead to another filesystem.
func otherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }
