package firms_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
)

// TestLinksLeadToTheFirm: what tells people of a run of a firm links to its pages, wherever they are.
func TestLinksLeadToTheFirm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared := &config.Config{Firms: dir}
	shared.Console.URL = "https://shared.example/"
	setup := &installation.Setup{Screen: &terminal.Screen{}, Env: func(string) (string, bool) { return "", false }}
	folder := firms.Of(setup, shared, zap.NewNop(), nil)
	for name, c := range map[string]struct{ console, want string }{
		"acme":    {"{sign_in: firms, users: [{name: ines, role: viewer}]}", "https://shared.example/firms/acme/runs/x"},
		"birch":   {"{url: 'http://own.example'}", "http://own.example/runs/x"},
		"cedar":   {"{}", ""},
		"Capital": {"{}", "no firm"},
	} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		text := "service: {base_url: sandbox, paths: {update_case: /a, update_trademark: /b}}\nconsole: " + c.console + "\n"
		if err := os.WriteFile(folder.Path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		settings, err := folder.Settings(name, func(map[string]string) error { return nil })
		if err != nil {
			if c.want != "no firm" {
				t.Error(err)
			}
			continue
		}
		if got := folder.SetupOf(name).Site(settings).Link("/runs/x"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAFirmThatNobodyCanGetAtIsNotGone has links that lead nowhere, to themselves and to a folder in place of configurations and of folders. What cannot be looked at is a
// firm of which it is not known that it is gone, if it may be one; the file system of a volume has folders of its own.
func TestAFirmThatNobodyCanGetAtIsNotGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := &firms.Folder{Dir: dir}
	for name, to := range map[string]string{"acme": config.FirmFile, "birch": "missing", "lost+found": config.FirmFile, "cedar": "."} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, folder.Path(name)); err != nil {
			t.Skip(err) // Windows, without the right to
		}
	}
	for name, to := range map[string]string{"dogwood": "dogwood", "elm": "missing"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "readme"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if names, err := folder.Names(); err != nil || !slices.Equal(names, []string{"acme", "dogwood"}) {
		t.Errorf("the firms are %v, %v", names, err)
	}
}

// TestAFirmThatIsGone asks for a firm whose folder was removed: no option of a command brings it back.
func TestAFirmThatIsGone(t *testing.T) {
	t.Parallel()
	setup := &installation.Setup{Screen: &terminal.Screen{}, Env: func(string) (string, bool) { return "", false }}
	folder := firms.Of(setup, &config.Config{Firms: t.TempDir()}, zap.NewNop(), nil)
	_, err := folder.Settings("acme", func(map[string]string) error { return nil })
	if want := "there is no such firm: " + folder.Path("acme") + " does not exist\nIf the firm was there before, put its folder back to have it synced"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
