//go:build !unix

package ledger

import (
	"errors"
	"os/exec"
)

func (s *server) unprivileged() (func(string, ...string) *exec.Cmd, error) {
	return nil, errors.New("skipped: the tests start PostgreSQL on Unix only")
}
