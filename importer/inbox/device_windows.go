package inbox

import (
	"errors"
	"io/fs"
	"syscall"
)

// unfollowed is nothing here; openPlain compares what it opened instead.
const unfollowed = 0

// ours is always false, because the owner cannot be told.
func ours(fs.FileInfo) bool { return false }

// errNotSameDevice is ERROR_NOT_SAME_DEVICE of Windows.
const errNotSameDevice = syscall.Errno(17)

// otherDevice reports whether a rename failed because it would lead to another volume.
func otherDevice(err error) bool { return errors.Is(err, errNotSameDevice) }
