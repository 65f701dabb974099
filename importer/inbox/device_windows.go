package inbox

import (
	"errors"
	"syscall"
)

// errNotSameDevice is ERROR_NOT_SAME_DEVICE of Windows.
const errNotSameDevice = syscall.Errno(17)

// otherDevice tells whether a rename failed because it would lead to another volume.
func otherDevice(err error) bool { return errors.Is(err, errNotSameDevice) }
