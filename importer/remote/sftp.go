package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// SFTP is an SFTP server. Either KnownHosts or Fingerprint proves its identity; Password or Key proves ours.
type SFTP struct {
	Host string
	Port int
	User string
	// Password, if not empty, is offered as a password and as the answer to a prompt for one.
	Password string
	// Key, if not empty, is a private key in PEM or OpenSSH form; Passphrase opens it.
	Key, Passphrase string
	// KnownHosts is the path of a file in the format of OpenSSH.
	KnownHosts string
	// Fingerprint is the server's key as ssh-keygen -l shows it: SHA256:…
	Fingerprint string
}

// stall is how long a connection may be silent before it counts as broken.
const stall = 2 * time.Minute

func (s SFTP) address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

func (s SFTP) connect(ctx context.Context) (store, error) {
	methods, err := s.methods()
	if err != nil {
		return nil, err
	}
	check, families, err := s.identity()
	if err != nil {
		return nil, err
	}
	conn, err := s.signIn(ctx, ssh.ClientConfig{User: s.User, Auth: methods, HostKeyCallback: check}, families)
	if err != nil {
		return nil, refusal(err)
	}
	client, err := sftp.NewClient(conn)
	if err != nil {
		_ = conn.Close()
		if strings.Contains(err.Error(), "subsystem request failed") {
			return nil, &Error{What: "this SSH server offers no SFTP", Err: err, Hint: "Ask the server's operator to allow SFTP for this user, or check host and port of the remote."}
		}
		return nil, err
	}
	return &sftpStore{client: client, conn: conn, release: context.AfterFunc(ctx, func() { _ = conn.Close() })}, nil
}

func (s SFTP) methods() ([]ssh.AuthMethod, error) {
	var methods []ssh.AuthMethod
	if s.Key != "" {
		signer, err := ssh.ParsePrivateKey([]byte(s.Key))
		if s.Passphrase != "" {
			signer, err = ssh.ParsePrivateKeyWithPassphrase([]byte(s.Key), []byte(s.Passphrase))
		}
		if err != nil {
			return nil, &Error{What: "the private key cannot be used", Err: err, Hint: "Check the key, and its passphrase where it has one."}
		}
		methods = append(methods, ssh.PublicKeys(signer))
	}
	if s.Password != "" {
		answer := func(_, _ string, questions []string, _ []bool) ([]string, error) {
			answers := make([]string, len(questions))
			for n := range answers {
				answers[n] = s.Password
			}
			return answers, nil
		}
		methods = append(methods, ssh.Password(s.Password), ssh.KeyboardInteractive(answer))
	}
	return methods, nil
}

// signIn asks the server for one key after the other until it shows the right one.
func (s SFTP) signIn(ctx context.Context, config ssh.ClientConfig, families [][]string) (conn *ssh.Client, err error) {
	var other error // the error about a key that is not the right one
	for _, config.HostKeyAlgorithms = range families {
		conn, err = s.dial(ctx, &config)
		switch _, none := errors.AsType[*ssh.AlgorithmNegotiationError](err); {
		case errors.Is(err, errOtherKey):
			other = err
		case !none:
			return conn, err
		}
	}
	if other != nil {
		err = other
	}
	return nil, err
}

// dial connects and signs in; every wait ends with ctx.
func (s SFTP) dial(ctx context.Context, config *ssh.ClientConfig) (*ssh.Client, error) {
	raw, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, "tcp", s.address())
	if err != nil {
		return nil, err
	}
	release := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer release()
	conn, channels, requests, err := ssh.NewClientConn(&lively{raw, stall}, s.address(), config)
	if err != nil {
		_ = raw.Close() // if the handshake has not closed it
		return nil, err
	}
	return ssh.NewClient(conn, channels, requests), nil
}

// lively is a connection that breaks when nothing arrives or leaves for too long. What leaves counts too, because the
// answer to an upload comes only after its last byte.
type lively struct {
	net.Conn
	stall time.Duration
}

func (c *lively) Read(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *lively) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// refusal turns an error of signing in into one that says why trying again cannot help, if that is so.
func refusal(err error) error {
	switch wrong, is := errors.AsType[*Error](err); {
	case is:
		return wrong
	case strings.Contains(err.Error(), "unable to authenticate"):
		return &Error{What: "the server rejected the sign-in", Err: err, Hint: "Check the user, and the password or key. Was the public key given to the server's operator?"}
	}
	return err
}

// answered turns an error that an SFTP server answered with into one that says what to do; other errors are returned
// unchanged.
func answered(err error) error {
	_, status := errors.AsType[*sftp.StatusError](err)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return noFile(err)
	case errors.Is(err, os.ErrPermission):
		return &Error{What: "the server denied permission", Err: err, Hint: "Ask the server's operator for the permission."}
	case status:
		return &Error{What: "the server answered with an error", Err: err, Hint: askOperator, passes: true}
	}
	return err
}

// sftpStore is a connection to an SFTP server.
type sftpStore struct {
	client  *sftp.Client
	conn    *ssh.Client
	release func() bool
}

func (s *sftpStore) list(ctx context.Context, dir, prefix string) ([]entry, error) {
	infos, err := s.client.ReadDirContext(ctx, dir)
	if err != nil {
		return nil, answered(err)
	}
	var files []entry
	for _, info := range infos {
		if !strings.HasPrefix(info.Name(), prefix) {
			continue
		}
		at := path.Join(dir, info.Name())
		to, leads, err := info, "", error(nil)
		if info.Mode().Type() == os.ModeSymlink {
			leads, _ = s.client.RealPath(at) // servers need not tell
			to, err = s.client.Stat(at)
		}
		_, told := errors.AsType[*Error](answered(err))
		switch {
		case err != nil && !told:
			return nil, err
		case err != nil || !to.Mode().IsRegular() && !to.IsDir():
			files = append(files, entry{path: at, modified: info.ModTime(), fault: &Error{What: shown(path.Base(at)) + " matches, but is neither a file nor a folder", Err: err,
				Hint: "Remove it from the server, or use a pattern that does not match it.", passes: err != nil && !errors.Is(err, fs.ErrNotExist)}})
		case !to.IsDir():
			files = append(files, entry{path: at, size: to.Size(), modified: to.ModTime(), leads: leads})
		}
	}
	return files, nil
}

func (s *sftpStore) stat(_ context.Context, path string) (entry, error) {
	info, err := s.client.Stat(path)
	if err != nil {
		return entry{}, answered(err)
	}
	if !info.Mode().IsRegular() {
		return entry{}, &Error{What: "this is not a file", Hint: "Name a file, or a pattern of names behind the folder: /out/matters*.csv"}
	}
	return entry{path: path, size: info.Size(), modified: info.ModTime()}, nil
}

func (s *sftpStore) fetch(_ context.Context, e entry, to io.Writer) error {
	file, err := s.client.Open(e.path)
	if err != nil {
		return answered(err)
	}
	_, err = file.WriteTo(to) // it asks for many pieces at once, as a distant server requires
	_ = file.Close()          // what arrived is compared
	return answered(err)
}

func (s *sftpStore) put(_ context.Context, to string, from *os.File, _ int64) error {
	if err := s.client.MkdirAll(path.Dir(to)); err != nil {
		return answered(err)
	}
	part := path.Join(path.Dir(to), "."+path.Base(to)+".part")
	file, err := s.client.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return answered(err)
	}
	_, err = file.ReadFrom(from)
	if err = errors.Join(err, file.Close()); err != nil {
		return answered(err)
	}
	if err := s.client.PosixRename(part, to); err == nil {
		return nil
	}
	// Servers other than OpenSSH may be unable to replace a file in one step.
	if err := s.client.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return answered(err)
	}
	return answered(s.client.Rename(part, to))
}

func (s *sftpStore) close() error {
	s.release()
	return errors.Join(s.client.Close(), s.conn.Close())
}
