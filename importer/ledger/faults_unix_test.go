//go:build unix

package ledger

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"docketsync/importer/ledger/fault"
)

// A child process that is not root tries the read-only folder, because root may write everywhere.
func TestReadOnlyFolderIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T) string
	}{
		{"without a ledger", func(t *testing.T) string {
			dir := t.TempDir()
			must(t, os.Chmod(dir, 0o555))
			return filepath.Join(dir, "ledger.db")
		}},
		{"with a ledger in it", func(t *testing.T) string {
			path := ledgerFile(t)
			must(t, os.Chmod(path, 0o444))
			must(t, os.Chmod(filepath.Dir(path), 0o555))
			return path
		}},
		{"in which a folder is to be made", func(t *testing.T) string {
			dir := t.TempDir()
			must(t, os.Chmod(dir, 0o555))
			return filepath.Join(dir, "sub", "ledger.db")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := test.prepare(t)
			t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
			said := asNobody(t, "open", path)
			for _, words := range []string{path, fault.ErrReadOnly.Error(), "writable for the user"} {
				if !strings.Contains(said, words) {
					t.Errorf("%q does not say %q", said, words)
				}
			}
		})
	}
}

// A ledger that this user may not read, without a log beside it, is not an empty one.
func TestAnUnreadableLedgerIsNotEmpty(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	must(t, os.Chmod(path, 0))
	said := asNobody(t, "view", path)
	hint := path + ": permission denied. Give the user that runs docketsync the right to read the ledger"
	if damage, _, _ := strings.Cut(said, "\n"); !strings.Contains(damage, hint) || strings.Count(said, hint) != 2 {
		t.Error(said)
	}
}

// asNobody opens a ledger in a process without privileges and returns the error it ends with.
func asNobody(t *testing.T, how, path string) string {
	t.Helper()
	program := os.Args[0]
	c := exec.Command(program)
	if os.Geteuid() == 0 {
		const nobody = 65534
		c.Path = copyProgram(t, program)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		// The folder that tests get is closed to others.
		for dir := filepath.Dir(path); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o005 != 0o005 {
				must(t, os.Chmod(dir, info.Mode().Perm()|0o055))
			}
		}
	}
	c.Dir, c.Env = os.TempDir(), append(os.Environ(), childEnv+"="+how+" "+path)
	out, err := c.CombinedOutput()
	if _, exited := err.(*exec.ExitError); !exited {
		t.Fatalf("the child ended with %v: %s", err, out)
	}
	return string(out)
}

// copyProgram puts the test binary where anyone may run it.
func copyProgram(t *testing.T, program string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ledger-open")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	path := filepath.Join(dir, "child")
	// Not written here: a process that another test starts meanwhile would inherit the open file, and a file that is
	// open for writing cannot be run.
	must(t, exec.Command("cp", program, path).Run())
	return path
}
