package webwork_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/cmd/docketsync/internal/webwork"
	"docketsync/config"
	"docketsync/importer/console/pagetest"
)

// firstStart is a console in an empty folder, with the browser that opened the printed address.
type firstStart struct {
	t       *testing.T
	dir     string
	first   *webwork.FirstStart
	door    webwork.Door
	base    string
	browser *http.Client
	token   string
	ended   chan error
}

func newFirstStart(t *testing.T) *firstStart {
	t.Helper()
	dir := t.TempDir()
	settings := config.Default().Console
	settings.Listen = "127.0.0.1:0"
	door, err := webwork.Listen(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	f := &firstStart{t: t, dir: dir, door: door, base: door.Address(), ended: make(chan error, 1)}
	f.first = &webwork.FirstStart{Setup: &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard}, ConfigFile: filepath.Join(dir, "docketsync.yaml"),
		Env: func(string) (string, bool) { return "", false }}}
	keys := make(chan string, 9)
	go func() { f.ended <- f.first.Serve(t.Context(), door, func(key string) { keys <- key }) }()
	jar, _ := cookiejar.New(nil) // never fails
	f.browser = &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.Path, "/import") {
			return http.ErrUseLastResponse // nobody answers there yet
		}
		return nil
	}}
	_, page, _ := f.get(f.browser, "/?token="+<-keys)
	f.token = pagetest.Token(t, page)
	return f
}

func (f *firstStart) get(as *http.Client, path string) (int, string, http.Header) {
	f.t.Helper()
	return f.read(as.Get(f.base + path))
}

func (f *firstStart) post(as *http.Client, fields map[string]string) (int, string, http.Header) {
	f.t.Helper()
	form := url.Values{"token": {f.token}, "service": {"sandbox"}, "access": {"printed"}, "update_case": {"/v1/firms/file"}, "update_trademark": {"/v1/firms/trademark"}}
	for name, value := range fields {
		form.Set(name, value)
	}
	return f.read(as.PostForm(f.base+"/", form))
}

func (f *firstStart) read(answer *http.Response, err error) (int, string, http.Header) {
	f.t.Helper()
	text := pagetest.Text(f.t, answer, err)
	return answer.StatusCode, text, answer.Header
}

func (f *firstStart) empty(when string) {
	f.t.Helper()
	if left, _ := os.ReadDir(f.dir); len(left) > 0 {
		f.t.Errorf("%s, the folder holds %v", when, left)
	}
}

// TestOnlyWhoStartedItSetsItUp has everybody else turned away, and the rest of the console closed.
func TestOnlyWhoStartedItSetsItUp(t *testing.T) {
	t.Parallel()
	f := newFirstStart(t)
	stranger := &http.Client{}
	for what, said := range map[string]int{"looks": first(f.get(stranger, "/")), "guesses": first(f.get(stranger, "/?token=made-up")), "answers": first(f.post(stranger, nil))} {
		if said != http.StatusUnauthorized {
			t.Errorf("a stranger who %s is told %d", what, said)
		}
	}
	if said, _, _ := f.post(f.browser, map[string]string{"token": "made-up"}); said != http.StatusForbidden {
		t.Errorf("a form of another page is told %d", said)
	}
	request, err := http.NewRequest(http.MethodGet, f.base+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "evil.example"
	if said := first(f.read(f.browser.Do(request))); said != http.StatusMisdirectedRequest {
		t.Errorf("a foreign name is answered with %d", said)
	}
	if said, _, _ := f.get(f.browser, "/settings"); said != http.StatusNotFound {
		t.Errorf("another page is answered with %d", said)
	}
	f.empty("after that")
}

func first(status int, _ string, _ http.Header) int { return status }

// TestWhatCannotBeConfiguredIsNotWritten says what is wrong, repeats nothing that may be a secret, and keeps the folder empty.
func TestWhatCannotBeConfiguredIsNotWritten(t *testing.T) {
	t.Parallel()
	f := newFirstStart(t)
	for name, test := range map[string]struct {
		fields map[string]string
		says   string
	}{
		"no address":          {map[string]string{"service": "live", "key": "KEY", "key/kind": "env"}, "This is required."},
		"without encryption":  {map[string]string{"service": "live", "base_url": "http://cases.example.com", "key": "KEY", "key/kind": "env"}, "Enter an address that begins with https://"},
		"a path without root": {map[string]string{"service": "live", "base_url": "https://cases.example.com", "update_case": "v1", "key": "KEY", "key/kind": "env"}, `id="w-update_case">Begin the path with a single slash`},
		"the key itself":      {map[string]string{"service": "live", "base_url": "https://cases.example.com", "key": "4711-the-secret", "key/kind": "env"}, "not the name of an environment variable"},
		"the key as a file":   {map[string]string{"service": "live", "base_url": "https://cases.example.com", "key": "4711-the-secret", "key/kind": "file"}, "not the path of a file"},
		"a short password":    {map[string]string{"access": "account", "account": "Ines", "account_password": "4711-secret", "account_again": "4711-secret"}, "at least 12 are required"},
		"two passwords":       {map[string]string{"access": "account", "account": "Ines", "account_password": "4711-the-secret", "account_again": "4711-the-secre"}, "do not match"},
	} {
		status, page, _ := f.post(f.browser, test.fields)
		if access := test.fields["access"]; access != "" && !strings.Contains(page, `value="`+access+`" checked`) {
			t.Errorf("%s: the form forgets who may open the console", name)
		}
		if status != http.StatusUnprocessableEntity || !strings.Contains(page, test.says) || strings.Contains(page, "4711") {
			t.Errorf("%s is answered with %d:\n%s", name, status, page)
		}
		f.empty(name)
	}
}

// TestTheConsoleBeginsWithTheAnswers writes the configuration, lets in the same browser alone, and gives the door back.
func TestTheConsoleBeginsWithTheAnswers(t *testing.T) {
	t.Parallel()
	f := newFirstStart(t)
	status, _, head := f.post(f.browser, map[string]string{"service": "live", "base_url": "https://cases.example.com", "key/kind": "file", "key": "secrets/key", "sign_in": "login",
		"login_path": "/v1/login", "user": "docket: sync", "password/kind": "env", "password": "PASSWORD", "update_trademark": "", "access": "account", "account": "Ines",
		"account_password": "correct horse battery", "account_again": "correct horse battery"})
	if status != http.StatusSeeOther || head.Get("Location") != "/import" {
		t.Fatalf("it is answered with %d to %s", status, head.Get("Location"))
	}
	if err := <-f.ended; err != nil {
		t.Fatal(err)
	}
	in := f.first.Installation
	if in == nil {
		t.Fatal("there is no installation")
	}
	defer in.Close()
	text, err := os.ReadFile(filepath.Join(f.dir, "docketsync.yaml"))
	if err != nil || strings.Contains(string(text), "horse") {
		t.Fatalf("%v\n%s", err, text)
	}
	s := in.Config.Service
	if s.BaseURL != "https://cases.example.com" || s.SignIn == nil || s.SignIn.User != "docket: sync" || s.Paths["update_case"] != "/v1/firms/file" || s.Paths["update_trademark"] != "" ||
		len(in.Config.Console.Users) != 1 || !in.Config.Console.SignIn() || f.first.FirstKey != "" {
		t.Errorf("%+v of\n%s", s, text)
	}
	said := make(chan error, 1)
	go func() {
		said <- f.door.Lend(func(l net.Listener) error {
			return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot); _ = l.Close() }))
		})
	}()
	if status, _, _ := f.get(&http.Client{}, "/"); status != http.StatusTeapot {
		t.Errorf("behind it, the door is answered with %d", status)
	}
	_ = f.door.Close()
	if err := <-said; err == nil {
		t.Error("the next server did not end")
	}
}

// TestNoConfigurationIsOverwritten leaves alone what somebody else has put there meanwhile.
func TestNoConfigurationIsOverwritten(t *testing.T) {
	t.Parallel()
	f := newFirstStart(t)
	path := filepath.Join(f.dir, "docketsync.yaml")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, page, _ := f.post(f.browser, nil); status != http.StatusUnprocessableEntity || !strings.Contains(page, "was made in the meantime") {
		t.Errorf("it is answered with %d:\n%s", status, page)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("it holds %s, %v", text, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	status, _, head := f.post(f.browser, nil)
	if err := <-f.ended; err != nil || status != http.StatusSeeOther || head.Get("Location") != "/import?token="+f.first.FirstKey {
		t.Errorf("then it is answered with %d to %s, %v", status, head.Get("Location"), err)
	}
	if f.first.Installation != nil {
		_ = f.first.Installation.Close()
	}
}
