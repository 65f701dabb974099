//go:build !unix

package servertest

import (
	"errors"
	"os/exec"
	"testing"
)

type runner struct{ name string }

func account() (runner, error) {
	return runner{}, errors.New("the OpenSSH server is started on Unix systems alone")
}

func (r runner) own(testing.TB, string) {}

func (r runner) command(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }
