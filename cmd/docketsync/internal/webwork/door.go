package webwork

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/mapping"
)

// Door is where the console is reached.
type Door struct {
	net.Listener
	certificate *ownCertificate // nil if it has none
}

// Listen opens the door, with the console's certificate if there is one.
func Listen(settings config.Console) (d Door, err error) {
	var own *tls.Config
	if settings.TLS != nil {
		d.certificate = &ownCertificate{files: *settings.TLS}
		if err := d.certificate.read(); err != nil {
			return d, err
		}
		own = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: d.certificate.current, NextProtos: []string{"h2", "http/1.1"}}
	}
	if path := settings.Socket(); path != "" {
		d.Listener, err = listenSocket(path)
		return d, err
	}
	if d.Listener, err = net.Listen("tcp", settings.Listen); err != nil {
		return d, fmt.Errorf("%w\nIs another console running? Choose another address under console.listen", err)
	}
	if own != nil {
		d.Listener = tls.NewListener(d.Listener, own)
	}
	return d, nil
}

// lent is a network listener that a server cannot close: after the server ends, new connections wait for the next one.
type lent struct{ *net.TCPListener }

// Close ends the waiting for whoever comes next.
func (l lent) Close() error { return l.SetDeadline(time.Unix(1, 0)) }

// Lend lets a server answer at the door until the server ends.
func (d Door) Lend(serve func(net.Listener) error) error {
	at, ok := d.Listener.(*net.TCPListener)
	if !ok {
		return fmt.Errorf("the door at %s cannot be lent", d.Addr())
	}
	err := serve(lent{at})
	return errors.Join(err, at.SetDeadline(time.Time{}))
}

// Address is the URL of the door, or unix: and a path.
func (d Door) Address() string {
	switch {
	case d.Addr().Network() == "unix":
		return config.SocketPrefix + d.Addr().String()
	case d.certificate != nil:
		return "https://" + d.Addr().String()
	}
	return "http://" + d.Addr().String()
}

// Shut closes the door if it was opened and nobody serves at it.
func (d Door) Shut() error {
	if d.Listener == nil {
		return nil
	}
	return d.Close()
}

// port returns the port of a network address, "" for a socket.
func (d Door) port() string {
	_, port, _ := net.SplitHostPort(d.Addr().String())
	return port
}

// socket is a socket that only its owner can open.
type socket struct {
	*net.UnixListener
	path string
}

// listenSocket creates a socket in a folder that nobody else can look into, and moves it to its place when its
// permissions are right. It replaces a socket that a console left there, unless somebody answers behind it.
func listenSocket(path string) (net.Listener, error) {
	const advice = "Choose another path under console.listen"
	if runtime.GOOS == "windows" {
		return nil, errors.New("on Windows, permissions do not protect a socket\nListen on 127.0.0.1:8180 under console.listen")
	}
	switch info, err := os.Lstat(path); {
	case err == nil && info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s already exists and is not a socket\n%s", path, advice)
	case err == nil:
		if other, err := net.Dial("unix", path); err == nil {
			_ = other.Close() // nothing was asked
			return nil, fmt.Errorf("%s is already in use\nIs another console running? %s", path, advice)
		}
	}
	private, err := os.MkdirTemp(filepath.Dir(path), ".console-")
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, advice)
	}
	defer os.RemoveAll(private)
	made := filepath.Join(private, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("%w\n%s; a shorter one if it is longer than 80 characters", err, advice)
	}
	listener.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return socket{listener, path}, nil
}

// Addr is where the socket is now.
func (s socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// Close closes and removes the socket.
func (s socket) Close() error { return errors.Join(s.UnixListener.Close(), os.Remove(s.path)) }

// ownCertificate is the console's certificate. It is read again when somebody connects, so that a new one needs no
// restart. If the files do not belong together, as while they are being replaced, the last good one stays in use.
type ownCertificate struct {
	files config.ConsoleTLS

	mu      sync.Mutex
	kept    *tls.Certificate
	looked  time.Time
	trouble error
}

// certificateEvery is how long a certificate is used before its files are checked again.
const certificateEvery = time.Second

func (c *ownCertificate) read() error {
	c.looked = time.Now()
	read, err := tls.LoadX509KeyPair(c.files.Cert, c.files.Key)
	if c.trouble = err; err != nil {
		c.trouble = fmt.Errorf("the certificate of the console: %w\nCheck console.tls in the configuration: it needs a certificate and its matching key, both as PEM files", err)
		return c.trouble
	}
	c.kept = &read
	return nil
}

func (c *ownCertificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) >= certificateEvery {
		_ = c.read() // why reports the error
	}
	return c.kept, nil
}

// why says why the present certificate is not used, nil if it is.
func (c *ownCertificate) why() error {
	_, _ = c.current(nil) // which never fails
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble
}

// hosts returns the names that a console answers to: that of its address, and, if only its own machine can reach it,
// the names of the machine. nil means any.
func hosts(settings config.Console) []string {
	var names []string
	if u, err := url.Parse(settings.URL); err == nil && u.Hostname() != "" {
		names = append(names, strings.ToLower(u.Hostname()))
	}
	if settings.Loopback() {
		names = append(names, "localhost", "127.0.0.1", "::1")
	}
	if host, _, err := net.SplitHostPort(settings.Listen); err == nil && settings.Loopback() && settings.Socket() == "" {
		names = append(names, strings.ToLower(host))
	}
	return names
}

// Apart makes sure that a wall can hold. Records of one scope are the same records in every job, so a job that an
// account sees must not share its scope with a job that it does not see. A mapping that cannot be read has no records
// yet, and is reported elsewhere.
func Apart(settings *config.Config) error {
	lists := [][]string{}
	for _, user := range settings.Console.Users {
		lists = append(lists, user.Jobs)
	}
	if o := settings.Console.OIDC; o != nil {
		for _, seen := range o.Jobs {
			lists = append(lists, seen)
		}
	}
	if lists = slices.DeleteFunc(lists, func(seen []string) bool { return len(seen) == 0 || slices.Contains(seen, config.AllJobs) }); len(lists) == 0 {
		return nil
	}
	scopes := map[string][]string{}
	for _, job := range settings.Jobs {
		text, err := installation.ReadMapping(job.Mapping)
		if err != nil {
			continue
		}
		if m, err := mapping.Parse(job.Mapping, text, installation.MappingOptions(settings)); err == nil {
			scopes[m.Scope()] = append(scopes[m.Scope()], job.Name)
		}
	}
	for scope, jobs := range scopes {
		for _, seen := range lists {
			inside := func(job string) bool { return slices.Contains(seen, job) }
			in, out := slices.IndexFunc(jobs, inside), slices.IndexFunc(jobs, func(job string) bool { return !inside(job) })
			if in >= 0 && out >= 0 {
				return fmt.Errorf("an account of the console sees the job %s and not %s, but both keep the same records (scope %s)\n"+
					"Give each team's jobs a scope of their own in their mappings before their first run, or name both jobs under jobs: of the account", jobs[in], jobs[out], scope)
			}
		}
	}
	return nil
}
