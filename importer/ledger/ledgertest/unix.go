//go:build unix

package ledgertest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// unprivileged makes the commands of a server. The server refuses to run as root, so if the tests do, it runs as
// another user, who is given its folder.
func unprivileged(dir string) (func(string, ...string) *exec.Cmd, error) {
	var attributes *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			account, err = user.Lookup("nobody")
		}
		if err != nil {
			return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
		}
		uid, _ := strconv.ParseUint(account.Uid, 10, 32)
		gid, _ := strconv.ParseUint(account.Gid, 10, 32)
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			return nil, err
		}
		attributes = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir, c.SysProcAttr = dir, attributes
		return c
	}, nil
}

// CPUTime returns the processor time that the process has used so far: a measure that other programs disturb less than
// time. 0 means unknown.
func CPUTime() time.Duration {
	used := usage()
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// PeakMemory returns the most memory that the process has had so far, in bytes. 0 means unknown.
func PeakMemory() int64 {
	used := usage()
	return resident(&used)
}

// PeakMemoryOf returns the most memory that an ended process had.
func PeakMemoryOf(ended *os.ProcessState) int64 {
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return resident(used)
}

func usage() (used syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used
}

func resident(used *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(used.Maxrss)
	}
	return int64(used.Maxrss) << 10
}
