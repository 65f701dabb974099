//go:build unix

package ledger

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged makes the commands of the server. It refuses to run as root, so when the tests do, the server runs as
// somebody else, to whom its folder is given.
func (s *server) unprivileged() (func(string, ...string) *exec.Cmd, error) {
	as := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir = s.dir
		return c
	}
	if os.Geteuid() != 0 {
		return as, nil
	}
	var account *user.User
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			account = u
			break
		}
	}
	if account == nil {
		return nil, fmt.Errorf("skipped: PostgreSQL does not run as root, and there is no user postgres or nobody")
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(s.dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return func(name string, args ...string) *exec.Cmd {
		c := as(name, args...)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return c
	}, nil
}
