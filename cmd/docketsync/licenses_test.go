package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicensesAreThoseOfTheModules compares the list in the program with the modules that it is linked with, and what their files say.
func TestLicensesAreThoseOfTheModules(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "run", "./.ci/parts", "-list")
	cmd.Dir, cmd.Stderr = filepath.Join("..", ".."), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != licenses {
		t.Errorf("go run ./.ci/parts -list >cmd/docketsync/licenses.txt\nit is\n%s\nthe sources have\n%s", licenses, out)
	}
	if list := licensedModules(); len(list) != strings.Count(licenses, "\n")+1 || len(list) < 20 {
		t.Errorf("%d modules", len(list))
	}
}
