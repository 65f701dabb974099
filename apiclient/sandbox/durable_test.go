package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"docketsync/apiclient/sandbox"
)

// serveVariable tells the test program to be a sandbox over that file until it is killed.
const serveVariable = "SANDBOX_TEST_SERVE"

func TestMain(m *testing.M) {
	if path := os.Getenv(serveVariable); path != "" {
		fmt.Fprintln(os.Stderr, serveUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(path string) error {
	server, err := sandbox.Open(sandbox.Options{Data: path, Directory: small(), Faults: sandbox.Faults{Seed: 5, DropAfter: 0.02}})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return server.Serve(context.Background(), l)
}

// TestKilledAtAnyTime kills the server in the middle of eight busy callers, several times over the same data. What was
// answered must be there, once; and the log must tell of exactly the cases that are there.
func TestKilledAtAnyTime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	answered := map[string]bool{}
	for round := range 5 {
		process, url := spawn(t, path)
		for number := range callUntilKilled(t, process, url, round) {
			answered[number] = true
		}
	}
	server, err := sandbox.Open(sandbox.Options{Data: path, Directory: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	held := snapshot(t, server)
	times := map[string]int{}
	for _, c := range held.Cases {
		times[c.FirstNumber]++
	}
	for number := range answered {
		if times[number] != 1 {
			t.Errorf("%s was answered and is there %d times", number, times[number])
		}
	}
	st, err := server.State()
	if err != nil {
		t.Fatal(err)
	}
	acted := 0
	for _, r := range held.Requests {
		if r.Acted && times[r.Key] == 1 {
			acted++
		}
	}
	if int64(acted) != st.Cases || len(st.Repeated) != 0 || len(answered) < 100 {
		t.Errorf("%d answered, %d logged, %d cases, %d repeated", len(answered), acted, st.Cases, len(st.Repeated))
	}
}

func spawn(t *testing.T, path string) (*exec.Cmd, string) {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), serveVariable+"="+path)
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	return process, "http://" + strings.TrimSpace(address)
}

// callUntilKilled creates cases until some number of them was answered, kills the server, and gives those answered.
func callUntilKilled(t *testing.T, process *exec.Cmd, url string, round int) map[string]bool {
	t.Helper()
	s := &service{t: t, url: url, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
		header: http.Header{keyHeader: {"k"}, cookieHeader: {"c"}, "Content-Type": {"application/json"}}}
	defer s.client.CloseIdleConnections()
	var mu sync.Mutex
	answered, killed := map[string]bool{}, atomic.Bool{}
	var group sync.WaitGroup
	for caller := range 8 {
		group.Go(func() {
			for n := 0; !killed.Load(); n++ {
				number := fmt.Sprintf("%d-%d-%d", round, caller, n)
				r, err := s.try("POST", "/v1/firms/file", edit(t, caseA, `number="`+number+`"`))
				if err != nil || r.status != http.StatusCreated {
					continue // dropped, or killed
				}
				mu.Lock()
				if answered[number] = true; len(answered) == 40+13*round {
					_ = process.Process.Kill()
					killed.Store(true)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	_ = process.Wait()
	return answered
}

func TestDataOutlivesTheServer(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{Data: filepath.Join(t.TempDir(), "made", "with space & ünicode?.db"), Directory: small()}
	var id, cookie string
	for round := range 2 {
		server, err := sandbox.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		s := serveWith(t, server)
		s.header = http.Header{keyHeader: {"k"}, "Content-Type": {"application/json"}}
		if round == 0 {
			cookie = s.signIn("bosei", "battery staple")
			id = s.with(cookieHeader, cookie).newCase()
			s.with(cookieHeader, cookie).do("PUT", "/v1/firms/trademark", tmark)
		} else if r := s.with(cookieHeader, cookie).do("PUT", "/v1/firms/file", updateOf(id)); r.status != 200 {
			t.Errorf("update with the old cookie: %d %s", r.status, r.body)
		}
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
	}
	server, err := sandbox.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	log := snapshot(t, server).Requests[2:]
	if len(log) != 1 || log[0].Seq != 3 || log[0].Key != id || log[0].Target != id || log[0].Operation != sandbox.UpdateCase || !log[0].Acted {
		t.Errorf("log after the first requests: %+v", log)
	}
	if st, err := server.State(); err != nil || st.Trademarks != 1 {
		t.Errorf("%d updated trademarks, want 1: %v", st.Trademarks, err)
	}
	if _, err := os.Stat(o.Data); err != nil {
		t.Error(err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    sandbox.Options
		want string
	}{
		{"no database", sandbox.Options{Data: garbage}, "garbage.db: file is not a database"},
		{"path", sandbox.Options{Paths: map[sandbox.Operation]string{sandbox.CreateCase: "v1"}}, `create_case: "v1" must start with /`},
		{"same path twice", sandbox.Options{Paths: map[sandbox.Operation]string{sandbox.CreateFolder: "/v1/firms/file"}}, "sandbox paths"},
		{"directory", sandbox.Options{Directory: sandbox.Directory{Users: []sandbox.User{{ID: "x"}}}}, `users[0].id: "x" is not a GUID`},
	} {
		server, err := sandbox.Open(c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
		if err == nil {
			_ = server.Close()
		}
	}
}

func TestReadDirectory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"not JSON", `{`, "unexpected EOF"},
		{"unknown member", `{"user":[]}`, `unknown field "user"`},
		{"more", `{} {}`, "something follows"},
		{"no GUID", `{"users":[{"id":"1"}]}`, `users[0].id: "1" is not a GUID`},
		{"twice", `{"tags":[{"id":"` + urgent + `"},{"id":"` + strings.ToUpper(urgent) + `"}]}`, "tags[1].id: " + urgent + " is already the id of tags[0]"},
		{"component", `{"templates":[{"id":"` + filing + `","components":[{"id":""}]}]}`, `templates[0].components[0].id: "" is not a GUID`},
		{"registry", `{"trademarks":[{"id":"` + mark + `","registry_id":"` + euipo + `"}]}`, `trademarks[0].registry_id: "` + euipo + `" is not the id of a registry of this directory`},
	} {
		if _, err := sandbox.ReadDirectory(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
	}
	d, err := sandbox.ReadDirectory(strings.NewReader(`{"users":[{"id":"` + strings.ToUpper(ben) + `","user_name":"b"}]}`))
	if err != nil || d.Users[0].ID != ben {
		t.Errorf("%+v %v", d, err)
	}
}
