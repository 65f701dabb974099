package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/remote/servertest"
)

// firmWithRemotes writes a configuration whose source is on an SFTP server and whose reports go to a bucket.
func firmWithRemotes(t *testing.T, dir string, ssh *servertest.SSH, s3 *servertest.S3) {
	t.Helper()
	writeCrashFirm(t, dir, box{"sandbox"}, 1)
	more := fmt.Sprintf(`  - {name: remote, source: "bank:%s/out/cases-*.csv", mapping: cases.yaml}
remotes:
  bank:
    sftp: {host: %s, port: %d, user: %s, private_key: {file: id}, passphrase: {env: PASSPHRASE}, fingerprint: "%s"}
  store:
    s3: {endpoint: "%s", region: %s, bucket: %s, access_key: {env: ACCESS_KEY}, secret_key: {env: SECRET_KEY}}
copy_reports: store:/reports
`, ssh.Dir, ssh.Host, ssh.Port, ssh.User, ssh.Fingerprint, s3.Endpoint, s3.Region, s3.Bucket)
	config, err := os.OpenFile(filepath.Join(dir, "docketsync.yaml"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.WriteString(more); err != nil {
		t.Fatal(err)
	}
	if err := config.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "id"), []byte(ssh.LockedKey), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(ssh.Dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	for n, text := range []string{"Ref,Title\nM-1,Old\n", "Ref,Title\nM-1,One\nM-2,Two\n"} {
		path, at := filepath.Join(ssh.Dir, "out", fmt.Sprintf("cases-%d.csv", n+1)), time.Date(2024, 3, n+1, 2, 0, 0, 0, time.UTC)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSourceOnAServerAndReportsInABucket(t *testing.T) {
	t.Parallel()
	ssh, s3 := servertest.StartSSH(t), servertest.StartS3(t)
	dir := t.TempDir()
	firmWithRemotes(t, dir, ssh, s3)
	secrets := []string{"PASSPHRASE=" + ssh.Passphrase, "ACCESS_KEY=" + s3.AccessKey, "SECRET_KEY=" + s3.SecretKey}
	start := func(env []string, args ...string) (stdout, stderr string, code int) {
		t.Helper()
		var out, complaints bytes.Buffer
		cmd := exec.Command("docketsync", args...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environment(env...), &out, &complaints
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		for _, secret := range []string{ssh.Passphrase, s3.SecretKey} {
			if strings.Contains(out.String()+complaints.String(), secret) {
				t.Errorf("docketsync %v shows a secret:\n%s%s", args, &out, &complaints)
			}
		}
		return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
	}
	for _, args := range [][]string{{"check", "remote"}, {"plan", "remote"}, {"preview", "remote", "--key", "M-2"}} {
		if out, complaints, code := start(secrets, args...); code != exit.AllIn || !strings.Contains(complaints, "fetched bank:"+ssh.Dir+"/out/cases-2.csv, 26 bytes") {
			t.Errorf("docketsync %v ended with %d:\n%s%s", args, code, out, complaints)
		}
	}
	out, complaints, code := start(secrets, "run", "remote")
	if code != exit.AllIn || !strings.Contains(out, "All 2 matters were imported") {
		t.Errorf("run ended with %d:\n%s%s", code, out, complaints)
	}
	copies, err := filepath.Glob(filepath.Join(s3.Dir, "reports", "remote-*", "report.html"))
	if err != nil || len(copies) != 1 {
		t.Errorf("the reports in the bucket are %v (%v)\n%s", copies, err, complaints)
	}

	// Jobs of this machine do not need the secrets of others.
	if out, complaints, code := start(nil, "check", "cases"); code != exit.AllIn {
		t.Errorf("check ended with %d:\n%s%s", code, out, complaints)
	}
	if _, complaints, code := start(nil, "check", "remote"); code != exit.Usage || !strings.Contains(complaints, "the environment variable PASSPHRASE is not set") {
		t.Errorf("check ended with %d:\n%s", code, complaints)
	}

	// A job whose file cannot be had does not keep the others from running, and reports that cannot be copied are no failure.
	if err := os.RemoveAll(filepath.Join(ssh.Dir, "out")); err != nil {
		t.Fatal(err)
	}
	out, complaints, code = start(append(secrets[:2:2], "SECRET_KEY=no-key-of-anybody"), "run")
	if code != exit.CouldNotRun || !strings.Contains(out, "matter was imported") || !strings.Contains(complaints, "there is no such file") ||
		!strings.Contains(complaints, "could not be copied: store:/reports/") {
		t.Errorf("run ended with %d:\n%s%s", code, out, complaints)
	}
}

// TestAPlanLeavesTheFileThatARunReads has a run hold the file that it fetched. Meanwhile a newer one arrives, and somebody
// looks at the job.
func TestAPlanLeavesTheFileThatARunReads(t *testing.T) {
	t.Parallel()
	ssh, s3 := servertest.StartSSH(t), servertest.StartS3(t)
	dir := t.TempDir()
	firmWithRemotes(t, dir, ssh, s3)
	secrets := map[string]string{"PASSPHRASE": ssh.Passphrase, "ACCESS_KEY": s3.AccessKey, "SECRET_KEY": s3.SecretKey}
	setup := &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard, Quiet: true}, ConfigFile: filepath.Join(dir, "docketsync.yaml"),
		Env: func(name string) (string, bool) { secret, is := secrets[name]; return secret, is }}
	in, err := setup.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	jobs, err := in.Jobs([]string{"remote"}, "")
	if err == nil {
		err = in.FetchSources(t.Context(), jobs[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	read := jobs[0].Inputs[0].Path
	if err := os.WriteFile(filepath.Join(ssh.Dir, "out", "cases-3.csv"), []byte("Ref,Title\nM-3,Three\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	march := time.Date(2024, 3, 9, 2, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(ssh.Dir, "out", "cases-3.csv"), march, march); err != nil {
		t.Fatal(err)
	}
	plan := func() {
		t.Helper()
		cmd := exec.Command("docketsync", "plan", "remote")
		cmd.Dir, cmd.Env = dir, environment("PASSPHRASE="+ssh.Passphrase, "ACCESS_KEY="+s3.AccessKey, "SECRET_KEY="+s3.SecretKey)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "/out/cases-3.csv") {
			t.Errorf("plan ended with %v:\n%s", err, out)
		}
	}
	holds := func(want ...string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(in.Config.SpoolFolder(), "remote", "*", "*"))
		for n := range files {
			files[n], _ = filepath.Rel(in.Config.SpoolFolder(), files[n])
		}
		if diff := cmp.Diff(want, files); diff != "" || err != nil {
			t.Errorf("fetched are (-want +got)\n%s%v", diff, err)
		}
	}
	plan()
	if text, err := os.ReadFile(read); err != nil || string(text) != "Ref,Title\nM-1,One\nM-2,Two\n" {
		t.Errorf("the run reads %q (%v)", text, err)
	}
	holds("remote/1/cases-2.csv")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	plan()
	holds("remote/1/cases-3.csv")
}
