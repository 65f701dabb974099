//go:build unix

package inbox

import (
	"errors"
	"syscall"
)

// otherDevice tells whether a rename failed because it would lead to another filesystem.
func otherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }
