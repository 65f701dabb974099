package servertest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// SSH is an OpenSSH server that offers SFTP to one user, by key.
type SSH struct {
	Host        string
	Port        int
	User        string
	Dir         string // that the user may read and write; paths of the server begin with it
	Key         string // the user's private key
	LockedKey   string // the same, with Passphrase
	Passphrase  string
	HostKey     string // the server's public key, as known_hosts has it
	Fingerprint string
}

// StartSSH starts a server that ends with the test. Lines of its configuration can be left out.
func StartSSH(t testing.TB, without ...string) *SSH {
	t.Helper()
	program, err := exec.LookPath("sshd")
	if err != nil {
		program = "/usr/sbin/sshd"
	}
	if _, err := os.Stat(program); err != nil {
		missing(t, "sftp", "there is no OpenSSH server here (Debian package openssh-server)")
	}
	serve := []string{program, "-D", "-e", "-f"}
	owner, err := user.Current()
	if err == nil && owner.Uid == "0" { // to whom permissions mean nothing
		if owner, err = user.Lookup("nobody"); err == nil {
			serve = append([]string{"setpriv", "--reuid=" + owner.Uid, "--regid=" + owner.Gid, "--clear-groups"}, serve...)
		}
	}
	if err != nil {
		missing(t, "sftp", "there is nobody to run the server as: "+err.Error())
	}
	// Not t.TempDir: another user has to get in.
	dir, err := os.MkdirTemp("", "docketsync-sshd-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &SSH{User: owner.Username, Dir: filepath.Join(dir, "files"), Passphrase: "open sesame 4711"}
	if err := os.Mkdir(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	own := newKey(t)
	s.Key, s.LockedKey = private(t, own, ""), private(t, own, s.Passphrase)
	host := newKey(t)
	public := publicOf(t, host)
	s.HostKey, s.Fingerprint = string(ssh.MarshalAuthorizedKey(public)), ssh.FingerprintSHA256(public)
	write(t, filepath.Join(dir, "host_key"), private(t, host, ""))
	write(t, filepath.Join(dir, "authorized_keys"), string(ssh.MarshalAuthorizedKey(publicOf(t, own))))
	s.serve(t, dir, owner.Uid, serve, without)
	return s
}

// serve starts the server on a port that is free, as the owner of the folder with its configuration.
func (s *SSH) serve(t testing.TB, dir, owner string, command, without []string) {
	t.Helper()
	for range 3 {
		s.Host, s.Port = free(t)
		config := fmt.Sprintf(`ListenAddress %s:%d
HostKey %s
PidFile none
AuthorizedKeysFile %s
StrictModes no
UsePAM yes
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
MaxStartups 100
LogLevel ERROR
`, s.Host, s.Port, filepath.Join(dir, "host_key"), filepath.Join(dir, "authorized_keys"))
		for _, line := range without {
			config = strings.Replace(config, line+"\n", "", 1)
		}
		write(t, filepath.Join(dir, "sshd_config"), config)
		if out, err := exec.Command("chown", "-R", owner, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		cmd := exec.Command(command[0], append(command[1:], filepath.Join(dir, "sshd_config"))...)
		if start(t, cmd).listens(t, net.JoinHostPort(s.Host, strconv.Itoa(s.Port))) {
			return
		}
	}
	t.Fatal("the OpenSSH server does not start")
}

// KnownHosts writes a file of known hosts that has the server's key under the port given.
func (s *SSH) KnownHosts(t testing.TB, port int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known_hosts")
	write(t, path, fmt.Sprintf("[%s]:%d %s", s.Host, port, s.HostKey))
	return path
}

// NewFingerprint is the fingerprint of a key that no server has.
func NewFingerprint(t testing.TB) string { return ssh.FingerprintSHA256(publicOf(t, newKey(t))) }

func newKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicOf(t testing.TB, key ed25519.PrivateKey) ssh.PublicKey {
	t.Helper()
	public, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return public
}

func private(t testing.TB, key ed25519.PrivateKey, passphrase string) string {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
