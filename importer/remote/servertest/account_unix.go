//go:build unix

package servertest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// runner is the user that the server runs as. Permissions mean nothing to root, so when the tests run as root, the server
// runs as somebody else.
type runner struct {
	name     string
	uid, gid uint32
	other    bool
}

func account() (runner, error) {
	if os.Geteuid() != 0 {
		me, err := user.Current()
		if err != nil {
			return runner{}, err
		}
		return runner{name: me.Username}, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return runner{}, fmt.Errorf("the tests run as root, and there is no user nobody to run the server as")
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		return runner{}, err
	}
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	return runner{name: "nobody", uid: uint32(uid), gid: uint32(gid), other: true}, err
}

// own gives a folder and all that is in it to the user.
func (r runner) own(t testing.TB, dir string) {
	t.Helper()
	if !r.other {
		return
	}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, int(r.uid), int(r.gid))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (r runner) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	if r.other {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: r.uid, Gid: r.gid}}
	}
	return cmd
}
