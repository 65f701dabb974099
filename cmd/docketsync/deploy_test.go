package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docketsync/config"
)

var deploy = filepath.Join("..", "..", "samples", "deploy")

func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestUnitsAreSoundAndHardened has systemd itself look at the units: whether every directive is one, and how much the service could
// do if it were taken over (0 is nothing, 10 everything; an ordinary service has 9.6).
func TestUnitsAreSoundAndHardened(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "systemd") {
			t.Fatal(err)
		}
		t.Skip("skipped: systemd-analyze is not installed (Debian: apt-get install systemd)")
	}
	program, err := os.Executable() // systemd wants what is started to be there
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var units []string
	for _, name := range []string{"docketsync.service", "docketsync-nightly.service", "docketsync-console.service", "docketsync-nightly.timer"} {
		units = append(units, filepath.Join(dir, name))
		write(t, dir, name, strings.ReplaceAll(deployed(t, name), "/usr/local/bin/docketsync", program))
	}
	if out, err := exec.CommandContext(t.Context(), analyze, append([]string{"verify", "--man=no"}, units...)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	for _, unit := range units[:3] {
		if out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--threshold=15", unit).CombinedOutput(); err != nil {
			t.Errorf("%s is exposed to more than 1.5: %v\n%s", filepath.Base(unit), err, out)
		}
	}
}

// TestConsoleUnitLetsJobsBeSaved holds the units to what their services write: the console, and it alone, adds jobs to the
// configuration, which names the credentials of whichever unit it runs in.
func TestConsoleUnitLetsJobsBeSaved(t *testing.T) {
	t.Parallel()
	for name, writes := range map[string]bool{"docketsync.service": false, "docketsync-nightly.service": false, "docketsync-console.service": true} {
		text := deployed(t, name)
		if strings.Contains(text, "\nReadWritePaths=/etc/docketsync\n") != writes || !strings.Contains(text, "\nProtectSystem=strict\n") {
			t.Errorf("%s: writing the configuration is to be %v", name, writes)
		}
	}
	block := regexp.MustCompile(`(?m)^#   (service:\n(?:#     .*\n)+)`).FindStringSubmatch(deployed(t, "docketsync-console.service"))
	text := "service:\n  base_url: https://127.0.0.1\n" + strings.TrimPrefix(strings.ReplaceAll(block[1], "#   ", ""), "service:\n") + "jobs: []\n"
	env := map[string]string{"SUBSCRIPTION_KEY_FILE": "/run/credentials/console/subscription-key", "AUTH_COOKIE_FILE": "/run/credentials/console/auth-cookie"}
	for _, variables := range []map[string]string{env, {}} {
		var read []string
		_, err := config.Load("docketsync.yaml", func(name string) (string, bool) { return variables[name], variables[name] != "" }, func(path string) ([]byte, error) {
			if path == "docketsync.yaml" {
				return []byte(text), nil
			}
			read = append(read, path)
			return []byte("a-secret-of-the-firm"), nil
		}, nil, nil)
		want := "/run/credentials/docketsync.service/subscription-key"
		if len(variables) > 0 {
			want = env["SUBSCRIPTION_KEY_FILE"]
		}
		if err != nil || len(read) != 2 || read[0] != want {
			t.Errorf("read %q, %v", read, err)
		}
	}
}

// TestDeployedCommandsExist holds every command line of the files for machines to the commands that there are.
func TestDeployedCommandsExist(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, name := range []string{"docketsync.service", "docketsync-nightly.service", "docketsync-console.service"} {
		for _, match := range regexp.MustCompile(`(?m)^Exec(?:Start|StartPost)=\S+ (.*)$`).FindAllStringSubmatch(deployed(t, name), -1) {
			lines = append(lines, match[1])
		}
	}
	entry := map[string][]string{}
	for _, match := range regexp.MustCompile(`(?m)^(HEALTHCHECK.* CMD|ENTRYPOINT|CMD) (\[.*\])$`).FindAllStringSubmatch(deployed(t, "Containerfile"), -1) {
		var words []string
		if err := json.Unmarshal([]byte(match[2]), &words); err != nil {
			t.Fatal(err)
		}
		entry[strings.Fields(match[1])[0]] = words
	}
	lines = append(lines, strings.Join(entry["HEALTHCHECK"][1:], " "), strings.Join(append(entry["ENTRYPOINT"][1:], entry["CMD"]...), " "))
	task := regexp.MustCompile(`docketsync\.exe (.*?) 2&gt;`).FindStringSubmatch(deployed(t, "docketsync-task.xml"))
	lines = append(lines, task[1])
	for _, match := range regexp.MustCompile(`(?m)^    docketsync (.*)$`).FindAllStringSubmatch(deployed(t, "README.md"), -1) {
		lines = append(lines, match[1])
	}
	for _, name := range []string{"compose.yaml", "kubernetes-migrate.yaml", "kubernetes.yaml"} {
		for _, match := range regexp.MustCompile(`(?m)^ +(?:args|command|preStop): (?:\{exec: \{command: )?\[(?:/usr/bin/docketsync, )?([^\]]*)\]`).FindAllStringSubmatch(deployed(t, name), -1) {
			lines = append(lines, strings.ReplaceAll(match[1], ",", ""))
		}
	}
	if len(lines) != 13 {
		t.Errorf("found %d command lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		root := newRoot(newApp(nil, nil))
		cmd, rest, err := root.Find(strings.Fields(line))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil && cmd == root {
			err = errors.New("there is no such command")
		}
		if err != nil {
			t.Errorf("docketsync %s: %v", line, err)
		}
	}
}

// TestContainerIsOfDebianPackages holds the container file to what it says of itself: one base image of Debian, the package of a release, nothing that is
// downloaded past apt, commands that a shell can read, and a user without rights.
func TestContainerIsOfDebianPackages(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(deployed(t, "Containerfile"), "")
	if from := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllString(text, -1); len(from) != 1 || from[0] != "FROM ${DEBIAN_IMAGE}" {
		t.Errorf("it is built from %q", from)
	}
	if !regexp.MustCompile(`(?m)^ARG DEBIAN_IMAGE=docker\.io/library/debian:[a-z]+-slim$`).MatchString(text) {
		t.Error("the base image is not one release of Debian")
	}
	if copied := regexp.MustCompile(`(?m)^(?:COPY|ADD) (.*)$`).FindAllStringSubmatch(text, -1); len(copied) != 1 || copied[0][1] != "docketsync_*_${TARGETARCH}.deb /tmp/" {
		t.Errorf("it takes %q", copied)
	}
	if found := regexp.MustCompile(`curl|wget|https?:|git `).FindString(text); found != "" {
		t.Errorf("it downloads past apt: %s", found)
	}
	if regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).FindString(text) == "" {
		t.Error("the container runs as root")
	}
	for _, needed := range []string{"VOLUME /var/lib/docketsync", "HEALTHCHECK ", "ARG TARGETARCH"} {
		if !strings.Contains(text, "\n"+needed) {
			t.Errorf("it has no %s", needed)
		}
	}
	run := regexp.MustCompile(`(?m)^RUN ((?:.*\\\n)*.*)$`).FindStringSubmatch(text)
	if out, err := exec.Command("sh", "-n", "-c", run[1]).CombinedOutput(); err != nil {
		t.Errorf("the shell cannot read its commands: %s", out)
	}
	made, err := os.ReadFile(filepath.Join("..", "..", ".ci", "nfpm.yaml"))
	if err != nil || !strings.Contains(string(made), "dst: /usr/bin/docketsync,") || !strings.Contains(string(made), "depends: [ca-certificates, tzdata]") {
		t.Errorf("the package has not what the container relies on: %v", err)
	}
}

func TestTaskIsReadable(t *testing.T) {
	t.Parallel()
	for decoder := xml.NewDecoder(strings.NewReader(deployed(t, "docketsync-task.xml"))); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
