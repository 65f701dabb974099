package sqlite

import (
	"errors"
	"syscall"
)

func isNoSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) }

func isReadOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }
