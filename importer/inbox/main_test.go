package inbox_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets the tests start the process that fills the folder, which is this test binary.
func TestMain(m *testing.M) {
	if os.Getenv("INBOX_TEST_WRITER") != "" {
		writerProcess()
		return
	}
	os.Exit(m.Run())
}

// startWriter starts a process that fills a folder. The function returned has it do one step, and returns when it is done.
func startWriter(t *testing.T, dir string) func(step []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "INBOX_TEST_WRITER=1"), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the writer ended with %v", err)
		}
	})
	answers := bufio.NewReader(out)
	return func(step []string) {
		t.Helper()
		if _, err := io.WriteString(in, strings.Join(step, " ")+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil || answer != "<nil>\n" {
			t.Fatalf("the writer could not %v: %s (%v)", step, answer, err)
		}
	}
}
