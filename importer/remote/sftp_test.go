package remote_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"docketsync/importer/remote"
	"docketsync/importer/remote/servertest"
)

func sftp(s *servertest.SSH) remote.SFTP {
	return remote.SFTP{Host: s.Host, Port: s.Port, User: s.User, Key: s.Key, Fingerprint: s.Fingerprint}
}

func courier(server remote.Server) *remote.Courier {
	return &remote.Courier{Name: "bank", Server: server, Limit: 64 << 20, Tries: 3, FirstDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond}
}

// put writes a file that was last written at a time, and makes it readable for the server.
func put(t *testing.T, path, text string, modified time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

// holds checks that a folder holds these files with their contents, and nothing else.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the folder holds (-want +got)\n%s", shortened(diff))
	}
}

func shortened(s string) string { return s[:min(len(s), 600)] }

var march = time.Date(2024, 3, 1, 2, 0, 0, 0, time.UTC)

func TestSFTPFetchesTheNewestOfAPattern(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	out := filepath.Join(s.Dir, "out")
	put(t, filepath.Join(out, "matters-1.csv"), "old", march)
	put(t, filepath.Join(out, "matters-2.csv"), "new", march.AddDate(0, 0, 1))
	put(t, filepath.Join(out, "matters-3.csv.part"), "half", march.AddDate(0, 0, 2))
	put(t, filepath.Join(out, "marks-3.csv"), "other", march.AddDate(0, 0, 2))
	spool := t.TempDir()
	put(t, filepath.Join(spool, "matters-0.csv"), "what an earlier fetch left", march)

	got, err := courier(sftp(s)).Fetch(t.Context(), out+"/matters*.csv*", spool)
	if err != nil {
		t.Fatal(err)
	}
	want := remote.Fetched{Path: filepath.Join(spool, "matters-2.csv"), Address: "bank:" + out + "/matters-2.csv", Size: 3, Modified: march.AddDate(0, 0, 1)}
	if diff := cmp.Diff(want, got, cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Errorf("fetched (-want +got)\n%s", diff)
	}
	holds(t, spool, map[string]string{"matters-2.csv": "new"})
	if info, err := os.Stat(got.Path); err != nil || !info.ModTime().Equal(want.Modified) {
		t.Errorf("the fetched file is of %v, want the time of the original (%v)", info.ModTime(), err)
	}
}

// Of copies that were written at the same time one is taken, whichever it is.
func TestSFTPTakesOneOfEqualFiles(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "matters-0.csv"), "old", march.AddDate(0, 0, -1))
	for _, n := range []string{"1", "2", "3"} {
		put(t, filepath.Join(s.Dir, "matters-"+n+".csv"), "new", march)
	}
	spool := t.TempDir()
	if _, err := courier(sftp(s)).Fetch(t.Context(), s.Dir+"/matters*.csv", spool); err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"matters-3.csv": "new"})
	put(t, filepath.Join(s.Dir, "matters-1.csv"), "newer", march)
	if _, err := courier(sftp(s)).Look(t.Context(), s.Dir+"/matters*.csv"); err == nil || !strings.Contains(err.Error(), "matters-1.csv and matters-3.csv were last written") {
		t.Errorf("of another size: %v", err)
	}
}

func TestSFTPFollowsLinks(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "out", "matters-1.csv"), "old", march)
	put(t, filepath.Join(s.Dir, "out", "marks-1.csv"), "new", march)
	put(t, filepath.Join(s.Dir, "kept", "2.csv"), "new", march.AddDate(0, 0, 1))
	for name, to := range map[string]string{"matters-0.csv": s.Dir, "matters-2.csv": "../kept/2.csv", "matters-latest.csv": "../kept/2.csv", "gone-2.csv": "../kept/3.csv", "marks-latest.csv": "marks-1.csv"} {
		if err := os.Symlink(to, filepath.Join(s.Dir, "out", name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"/out/matters-*.csv": "matters-latest.csv", "/out/matters-2*": "matters-2.csv", "/out/marks*": "marks-latest.csv"} {
		spool := t.TempDir()
		if _, err := courier(sftp(s)).Fetch(t.Context(), s.Dir+path, spool); err != nil {
			t.Fatal(err)
		}
		holds(t, spool, map[string]string{want: "new"})
	}
	put(t, filepath.Join(s.Dir, "out", "gone-1.csv"), "old", march)
	_, err := courier(sftp(s)).Look(t.Context(), s.Dir+"/out/gone-*")
	if err == nil || !strings.Contains(err.Error(), "gone-2.csv matches, but is neither a file nor a folder: file does not exist") {
		t.Errorf("the error is %v", err)
	}
}

func TestSFTPTakesNamesAsTheyAre(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	for _, name := range []string{"a [final].csv", "a f.csv", `b\[1].csv`, "c\n\x1b[1m.csv"} {
		put(t, filepath.Join(s.Dir, name), name, march)
	}
	for path, want := range map[string]string{"a [final].csv": "a [final].csv", "a [final]*": "a [final].csv", `b\[?].csv`: `b\[1].csv`, "c*": "c\n\x1b[1m.csv"} {
		got, err := courier(sftp(s)).Fetch(t.Context(), s.Dir+"/"+path, t.TempDir())
		if err != nil || strings.ContainsAny(got.Address, "\n\x1b") {
			t.Errorf("%q: %q, %v", path, got.Address, err)
			continue
		}
		if text, err := os.ReadFile(got.Path); err != nil || string(text) != want {
			t.Errorf("%q fetched %q (%v), want %q", path, text, err, want)
		}
	}
}

func TestSFTPSignsInWithAKeyThatHasAPassphraseAndKnownHosts(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "a.csv"), "a", march)
	server := sftp(s)
	server.Key, server.Passphrase = s.LockedKey, s.Passphrase
	server.Fingerprint, server.KnownHosts = "", s.KnownHosts(t, s.Port)
	if _, err := courier(server).Fetch(t.Context(), s.Dir+"/a.csv", t.TempDir()); err != nil {
		t.Error(err)
	}
}

func TestSFTPSaysWhatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "a.csv"), "a", march)
	put(t, filepath.Join(s.Dir, "closed.csv"), "a", march)
	put(t, filepath.Join(s.Dir, "future-1.csv"), "a", march.AddDate(75, 0, 0))
	put(t, filepath.Join(s.Dir, "future-2.csv"), "a", march)
	if err := os.Chmod(filepath.Join(s.Dir, "closed.csv"), 0o200); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Join(s.Dir, "closed.csv"), os.Geteuid(), os.Getegid()); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", filepath.Join(s.Dir, "pipe-2.csv")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	put(t, filepath.Join(s.Dir, "pipe-1.csv"), "a", march)
	put(t, filepath.Join(s.Dir, "same-9.csv"), "a", march)
	put(t, filepath.Join(s.Dir, "same-8.csv"), "a", march)
	put(t, filepath.Join(s.Dir, "same-10.csv"), "b", march)
	elsewhere := s.KnownHosts(t, s.Port+1)
	wrong := filepath.Join(t.TempDir(), "known_hosts")
	another := servertest.StartSSH(t)
	another.Host = s.Host // its key, as if it were the server's
	other, err := os.ReadFile(another.KnownHosts(t, s.Port))
	if err != nil {
		t.Fatal(err)
	}
	put(t, wrong, string(other), march)
	const secret = "hunter2-hunter2"
	for name, c := range map[string]struct {
		change func(*remote.SFTP)
		path   string
		limit  int64
		want   string
	}{
		"another key than the pinned one": {change: func(s *remote.SFTP) { s.Fingerprint = servertest.NewFingerprint(t) }, want: "that is not the fingerprint in the configuration; nothing was asked of it and no password given"},
		"another key than the known one":  {change: func(s *remote.SFTP) { s.Fingerprint, s.KnownHosts = "", wrong }, want: "confirm it with the server's operator"},
		"a host that is not known":        {change: func(s *remote.SFTP) { s.Fingerprint, s.KnownHosts = "", elsewhere }, want: "is not known, so its identity cannot be verified"},
		"no file of known hosts":          {change: func(s *remote.SFTP) { s.Fingerprint, s.KnownHosts = "", "/nowhere" }, want: "the known_hosts file cannot be read"},
		"a password that is not taken":    {change: func(s *remote.SFTP) { s.Key, s.Password = "", secret }, want: "the server rejected the sign-in"},
		"a passphrase that is wrong":      {change: func(k *remote.SFTP) { k.Key, k.Passphrase = s.LockedKey, secret }, want: "the private key cannot be used"},
		"a file that is missing":          {path: "/b.csv", want: "there is no such file"},
		"a folder that is missing":        {path: "/nowhere/*.csv", want: "there is no such file"},
		"a pattern that fits nothing":     {path: "/b*.csv", want: "no file there matches b*.csv"},
		"a file from the future":          {path: "/future*.csv", want: "which is in the future, so which file is the newest is not known"},
		"a pipe":                          {path: "/pipe*.csv", want: "pipe-2.csv matches, but is neither a file nor a folder"},
		"two files of the same time":      {path: "/same*.csv", want: "same-10.csv and same-9.csv were last written at the same time, on 1 Mar 2024, 02:00:00 UTC, and differ"},
		"a folder":                        {path: "/", want: "this is not a file"},
		"a file without permission":       {path: "/closed.csv", want: "the server denied permission"},
		"a file beyond the limit":         {limit: -1, want: "larger than the limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sftp(s)
			if c.change != nil {
				c.change(&server)
			}
			if c.path == "" {
				c.path = "/a.csv"
			}
			carrier, spool := courier(server), t.TempDir()
			carrier.FirstDelay, carrier.MaxDelay = time.Hour, time.Hour // whoever waits fails by the test's time limit
			carrier.Limit += c.limit * carrier.Limit
			_, err := carrier.Fetch(t.Context(), s.Dir+c.path, spool)
			var told *remote.Error
			if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("the error is %v\nwant one that says %q", err, c.want)
			}
			if !strings.HasPrefix(err.Error(), "bank:"+s.Dir) {
				t.Errorf("the error does not begin with the address: %v", err)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the secret is in the error: %v", err)
			}
			holds(t, spool, map[string]string{})
		})
	}
}

func TestSFTPSaysWhatTheServerAnswered(t *testing.T) {
	t.Parallel()
	s, mute := servertest.StartSSH(t), servertest.StartSSH(t, "Subsystem sftp internal-sftp")
	reports := t.TempDir()
	put(t, filepath.Join(reports, "report.html"), "<p>new", march)
	put(t, filepath.Join(s.Dir, "in", "report.html", "a.csv"), "a", march)
	if err := os.Chmod(filepath.Join(s.Dir, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	carrier := courier(sftp(s))
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"a folder of the name of a file": {func() error { return carrier.Upload(t.Context(), reports, s.Dir+"/in") }, "the server answered with an error"},
		"a folder that cannot be made":   {func() error { return carrier.Upload(t.Context(), reports, "/proc/reports") }, "there is no such file"},
		"a server without SFTP":          {func() error { _, err := courier(sftp(mute)).Look(t.Context(), ""); return err }, "this SSH server offers no SFTP"},
		"a user whom it does not know": {func() error {
			k := sftp(s)
			k.User = "nobody-of-that-name"
			_, err := courier(k).Look(t.Context(), "")
			return err
		}, "the server rejected the sign-in"},
	} {
		err := c.do()
		var told *remote.Error
		if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "could not be reached") || strings.Contains(err.Error(), "closed network connection") {
			t.Errorf("%s: the error is %v\nwant one that says %q", name, err, c.want)
		}
	}
}

func TestSFTPLooksForAFileThatWasRenamed(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "a-1.csv"), "one", time.Now().Add(time.Minute))
	carrier := courier(sftp(s))
	carrier.Still = time.Millisecond
	renamed := false
	carrier.Log = hearing("waiting", func() {
		if !renamed {
			renamed = os.Rename(filepath.Join(s.Dir, "a-1.csv"), filepath.Join(s.Dir, "a-2.csv")) == nil
		}
	})
	spool := t.TempDir()
	if _, err := carrier.Fetch(t.Context(), s.Dir+"/a-*.csv", spool); err != nil || !renamed {
		t.Fatal(renamed, err)
	}
	holds(t, spool, map[string]string{"a-2.csv": "one"})
}

// hearing is a log that calls a function before a line is written that begins with a word.
func hearing(word string, do func()) *zap.Logger {
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(io.Discard), zap.InfoLevel)
	return zap.New(core, zap.Hooks(func(line zapcore.Entry) error {
		if strings.HasPrefix(line.Message, word) {
			do()
		}
		return nil
	}))
}

// large is more than what is under way on a connection at a time.
var large = strings.Repeat("0123456789abcdef", 8<<20/16)

func TestSFTPFetchesAgainAfterTheConnectionWasCut(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "a.csv"), large, march)
	wire := newWire(t, sshAddress(s))
	server := sftp(s)
	server.Port = wire.Port
	wire.Cut(3<<20, 2)
	spool := t.TempDir()
	if _, err := courier(server).Fetch(t.Context(), s.Dir+"/a.csv", spool); err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"a.csv": large})
}

func TestSFTPGivesUpAndKeepsWhatItHad(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "a.csv"), large, march)
	wire := newWire(t, sshAddress(s))
	server := sftp(s)
	server.Port = wire.Port
	wire.Cut(3<<20, 100)
	spool := t.TempDir()
	put(t, filepath.Join(spool, "a.csv"), "of yesterday", march)
	_, err := courier(server).Fetch(t.Context(), s.Dir+"/a.csv", spool)
	var told *remote.Error
	if !errors.As(err, &told) || !strings.Contains(err.Error(), "the connection was lost") {
		t.Errorf("the error is %v", err)
	}
	holds(t, spool, map[string]string{"a.csv": "of yesterday"})
}

func TestSFTPNoticesAFileThatIsReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	path := filepath.Join(s.Dir, "a.csv")
	put(t, path, large, march)
	put(t, path+".new", strings.ToUpper(large), march.Add(time.Minute))
	wire := newWire(t, sshAddress(s))
	server := sftp(s)
	server.Port = wire.Port
	wire.When(1<<20, func() {
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	})
	spool := t.TempDir()
	got, err := courier(server).Fetch(t.Context(), path, spool)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, spool, map[string]string{"a.csv": strings.ToUpper(large)})
	if !got.Modified.Equal(march.Add(time.Minute)) {
		t.Errorf("the file is said to be of %v", got.Modified)
	}
}

func TestSFTPWaitsForAFileThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	for clock, ahead := range map[string]time.Duration{"right": 0, "ahead": 14 * time.Hour, "behind": -11 * time.Hour} {
		t.Run(clock, func(t *testing.T) {
			path := filepath.Join(s.Dir, clock+".csv")
			written := time.Now().Add(ahead)
			put(t, path, "Ref\nM-1\n", written)
			carrier, waits := courier(sftp(s)), 0
			carrier.Still = 300 * time.Millisecond
			carrier.Log = hearing("waiting", func() {
				if waits++; waits == 1 {
					put(t, path, "Ref\nM-1\nM-2\n", written.Add(time.Second))
				}
			})
			spool := t.TempDir()
			for range 2 { // the second time it is here already
				if _, err := carrier.Fetch(t.Context(), path, spool); err != nil || waits != 2 {
					t.Fatalf("waited %d times: %v", waits, err)
				}
				holds(t, spool, map[string]string{clock + ".csv": "Ref\nM-1\nM-2\n"})
			}
			put(t, path, "Ref\n", time.Now().Add(-13*time.Hour))
			if _, err := carrier.Fetch(t.Context(), path, spool); err != nil || waits != 2 {
				t.Errorf("an old file was waited for %d times: %v", waits-2, err)
			}
		})
	}
}

func TestSFTPFetchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	put(t, filepath.Join(s.Dir, "a.csv"), large, march)
	wire := newWire(t, sshAddress(s))
	server := sftp(s)
	server.Port = wire.Port
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wire.When(1<<20, cancel)
	spool := t.TempDir()
	if _, err := courier(server).Fetch(ctx, s.Dir+"/a.csv", spool); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	holds(t, spool, map[string]string{})
}

func TestSFTPTakesCopiesOfReports(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	reports, to := t.TempDir(), s.Dir+"/in/reports/run-1"
	put(t, filepath.Join(reports, "report.html"), "<p>new", march)
	put(t, filepath.Join(reports, "rejects.xlsx"), large, march)
	for range 2 { // the second time replaces
		if err := courier(sftp(s)).Upload(t.Context(), reports, to); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, to, map[string]string{"report.html": "<p>new", "rejects.xlsx": large})
}

func TestSFTPSaysThatReportsCannotBeCopied(t *testing.T) {
	t.Parallel()
	s := servertest.StartSSH(t)
	reports := t.TempDir()
	put(t, filepath.Join(reports, "report.html"), "<p>new", march)
	err := courier(sftp(s)).Upload(t.Context(), reports, "/proc/reports")
	var told *remote.Error
	if !errors.As(err, &told) || !strings.HasPrefix(err.Error(), "bank:/proc/reports/report.html: ") {
		t.Errorf("the error is %v", err)
	}
}
