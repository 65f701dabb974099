package webwork

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
)

// watched are the firms of a folder, without a door.
type watched struct {
	*Several
	t   *testing.T
	dir string
}

func watch(t *testing.T, env func(string) (string, bool)) *watched {
	t.Helper()
	w := &watched{t: t, dir: t.TempDir()}
	setup := &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard}, Env: env}
	settings := config.Default()
	settings.Firms = w.dir
	w.Several = NewSeveral(setup, setup.New(&settings), nil, nil)
	return w
}

// firm writes the configuration of acme, which somebody may see.
func (w *watched) firm(sees, key string) {
	w.t.Helper()
	w.firmNamed("acme", sees, key)
}

func (w *watched) firmNamed(name, sees, key string) {
	w.t.Helper()
	text := "service: {base_url: sandbox, paths: {update_case: /a, update_trademark: /b}, subscription_key: " + key + "}\nconsole: {sign_in: firms, users: [{name: " + sees + ", role: viewer}]}\n"
	path := filepath.Join(w.dir, name, config.FirmFile)
	_ = os.Remove(path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		w.t.Fatal(err)
	}
}

// lose makes the configuration of acme one that cannot be looked at.
func (w *watched) lose() {
	w.t.Helper()
	path := filepath.Join(w.dir, "acme", config.FirmFile)
	if err := os.Remove(path); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(config.FirmFile, path); err != nil {
		w.t.Skip(err) // Windows, without the right to
	}
}

func (w *watched) remove() {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, "acme")); err != nil {
		w.t.Fatal(err)
	}
	w.Scan()
}

// seenBy are those who see acme.
func (w *watched) seenBy(when, want string) {
	w.t.Helper()
	var list []string
	for _, name := range []string{"ines", "olga"} {
		if len(w.Seen(signin.Person{Name: name})) > 0 {
			list = append(list, name)
		}
	}
	if got := strings.Join(list, " "); got != want {
		w.t.Errorf("%s, the firm is seen by %q, not by %q", when, got, want)
	}
}

// TestWhatWasReadLastHolds has a configuration read that changes meanwhile, and read again before the first reading ends.
func TestWhatWasReadLastHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secret := make(chan struct{})
		w := watch(t, func(name string) (string, bool) {
			if name == "SLOW" {
				<-secret
			}
			return "key", name != "NONE"
		})
		w.firm("ines", "{env: SLOW}")
		w.scan()
		synctest.Wait() // until it has read who may see the firm, and reads the key
		w.firm("olga", "{env: FAST}")
		go func() { _, _, _ = w.read(w.firms["acme"]) }() // for whoever enters it
		synctest.Wait()
		close(secret)
		synctest.Wait()
		w.seenBy("after both", "olga")
	})
}

// TestASlowFirmHoldsUpNoOther has the secret of a firm not come while others come and change: the start goes on without it, all others are taken up, and nothing piles up
// behind it.
func TestASlowFirmHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secret, asked := make(chan struct{}), atomic.Int32{}
		w := watch(t, func(name string) (string, bool) {
			if name == "SLOW" {
				asked.Add(1)
				<-secret
			}
			return "key", name != "NONE"
		})
		seen := func(want string) {
			t.Helper()
			list := ""
			for _, firm := range w.Seen(signin.Person{Name: "ines"}) {
				list += firm.Name + " "
			}
			if list != want {
				t.Errorf("Ines sees %q, not %q", list, want)
			}
		}
		w.firm("ines", "{env: SLOW}")
		w.firmNamed("birch", "ines", "{env: FAST}")
		w.Scan()
		seen("birch ")
		w.firmNamed("birch", "olga", "{env: FASTER}") // of another size, as the time of a file is coarse
		w.firmNamed("cedar", "ines", "{env: FAST}")
		<-w.scan() // which leaves out the one that is being read
		seen("cedar ")
		if n := asked.Load(); n != 1 {
			t.Errorf("the secret is asked for %d times at once", n)
		}
		close(secret)
		synctest.Wait()
		seen("acme cedar ")
	})
}

// TestARemovedFirmIsNobodys removes the folder of a firm that somebody is about to enter, and puts another one of that name in its place. Nobody enters the firm that is gone,
// or sees the other one while the console of the first may be open.
func TestARemovedFirmIsNobodys(t *testing.T) {
	t.Parallel()
	w := watch(t, func(string) (string, bool) { return "key", true })
	w.firm("ines", "{env: KEY}")
	w.Scan()
	w.seenBy("at first", "ines")
	first := w.firms["acme"]
	first.turn.Lock() // as whoever enters it or works in it
	w.remove()
	w.seenBy("removed", "")
	w.firm("olga", "{env: KEY}")
	w.Scan()
	w.seenBy("with the first one in use", "")
	first.turn.Unlock()
	w.Scan()
	w.seenBy("with another one of that name", "olga")
	refused := (*web.Refusal)(nil)
	if _, _, err := w.enter(nil, first, 0, signin.Person{Name: "olga"}); !errors.As(err, &refused) || refused.Status != http.StatusNotFound || first.open.console != nil {
		t.Errorf("the firm that is gone is entered with %v", err)
	}
}

// TestAFirmThatNobodyCanGetAtStays puts a link to itself in place of the configuration of a firm that somebody sees, which is neither read nor missing, and has a console find one.
func TestAFirmThatNobodyCanGetAtStays(t *testing.T) {
	t.Parallel()
	env := func(string) (string, bool) { return "key", true }
	w := watch(t, env)
	w.firm("ines", "{env: KEY}")
	w.Scan()
	w.lose()
	w.Scan()
	if seen := w.Seen(signin.Person{Name: "ines"}); len(seen) != 1 || seen[0].Trouble == "" {
		t.Errorf("Ines sees %+v", seen)
	}
	w.firm("ines", "{env: KEY}")
	w.Scan()
	if seen := w.Seen(signin.Person{Name: "ines"}); len(seen) != 1 || seen[0].Trouble != "" {
		t.Errorf("mended, Ines sees %+v", seen)
	}
	w = watch(t, env)
	w.firm("ines", "{env: KEY}")
	w.lose()
	w.Scan()
	if of := w.firms["acme"]; of == nil || of.said.trouble.Err == nil {
		t.Error("nobody is told of a firm that could never be read")
	}
}

// TestWhoWaitedForAFailureDoesNotTryAgain has a firm entered that cannot be opened, by one who came before that was tried and by one who came after it.
func TestWhoWaitedForAFailureDoesNotTryAgain(t *testing.T) {
	t.Parallel()
	read := 0
	w := watch(t, func(name string) (string, bool) {
		read++
		return "key", true
	})
	w.firm("ines", "{env: KEY}")
	w.Scan()
	w.firm("ines", "{env: KEY}, keyz: {}")
	for _, came := range []struct {
		after int
		tries bool
	}{{0, true}, {0, false}, {1, true}} {
		refused, before := (*web.Refusal)(nil), read
		if _, _, err := w.enter(nil, w.firms["acme"], came.after, signin.Person{Name: "ines"}); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || (read > before) != came.tries {
			t.Errorf("who came after %d failures finds %v, and it was tried: %v", came.after, err, read > before)
		}
	}
}
