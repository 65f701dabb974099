package sourcetest

import (
	"os"
)

// Long tells if tests that read a lot are to read as much as they can (DOCKETSYNC_LONG=1), instead of enough to show the same.
func Long() bool { return os.Getenv("DOCKETSYNC_LONG") == "1" }
