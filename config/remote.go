package config

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Remote is a place on another machine that sources are fetched from and reports are copied to: one of SFTP and S3.
type Remote struct {
	// SFTP is an SFTP server.
	SFTP *SFTP `yaml:"sftp" json:"sftp,omitempty"`
	// S3 is a bucket of an S3-compatible service.
	S3 *S3 `yaml:"s3" json:"s3,omitempty"`
	// MaxSize is how large a file to be fetched may be, in bytes.
	MaxSize Size `yaml:"max_size" json:"max_size"`
}

// SFTP is an SFTP server, how it proves who it is, and how we do.
type SFTP struct {
	// Host is its name or address.
	Host string `yaml:"host" json:"host"`
	// Port is where it listens.
	Port int `yaml:"port" json:"port"`
	// User is the name to sign in with.
	User string `yaml:"user" json:"user"`
	// Password belongs to User, where the server takes one.
	Password Secret `yaml:"password" json:"password,omitzero"`
	// PrivateKey is the key of User in PEM or OpenSSH form, where the server takes one.
	PrivateKey Secret `yaml:"private_key" json:"private_key,omitzero"`
	// Passphrase opens PrivateKey.
	Passphrase Secret `yaml:"passphrase" json:"passphrase,omitzero"`
	// KnownHosts is a file with the keys of servers, as OpenSSH keeps it.
	KnownHosts string `yaml:"known_hosts" json:"known_hosts,omitempty"`
	// Fingerprint is the server's key as ssh-keygen -l shows it, instead of KnownHosts.
	Fingerprint string `yaml:"fingerprint" json:"fingerprint,omitempty"`
}

// S3 is a bucket of an S3-compatible service.
type S3 struct {
	// Endpoint is the address of the service: https://…, or http://… for a loopback address.
	Endpoint string `yaml:"endpoint" json:"endpoint"`
	// Region is the service's region, where it has any.
	Region string `yaml:"region" json:"region,omitempty"`
	// Bucket is the name of the bucket.
	Bucket string `yaml:"bucket" json:"bucket"`
	// AccessKey says who we are.
	AccessKey Secret `yaml:"access_key" json:"access_key"`
	// SecretKey proves it.
	SecretKey Secret `yaml:"secret_key" json:"secret_key"`
}

// UnmarshalNode reads a remote over its defaults.
func (r *Remote) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	r.MaxSize = 1 << 30
	type plain Remote
	return f.Decode(n, (*plain)(r))
}

// UnmarshalNode reads a server over its defaults.
func (s *SFTP) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	s.Port = 22
	type plain SFTP
	return f.Decode(n, (*plain)(s))
}

// secrets are those of a remote by their keys. lines tells of the one that has several lines.
func (r Remote) secrets() (list map[[2]string]Secret, lines [2]string) {
	list, lines = map[[2]string]Secret{}, [2]string{"sftp", "private_key"}
	if s := r.SFTP; s != nil {
		list[[2]string{"sftp", "password"}], list[lines], list[[2]string{"sftp", "passphrase"}] = s.Password, s.PrivateKey, s.Passphrase
	}
	if s := r.S3; s != nil {
		list[[2]string{"s3", "access_key"}], list[[2]string{"s3", "secret_key"}] = s.AccessKey, s.SecretKey
	}
	return list, lines
}

// remoteAddress is bank:/out/matters.csv. One letter is a drive.
var remoteAddress = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]+):(/.*)$`)

// RemotePath splits the address of a file of a remote: bank:/out/matters*.csv. remote is "" for a file of this machine.
func RemotePath(file string) (remote, path string) {
	if match := remoteAddress.FindStringSubmatch(file); match != nil {
		return match[1], match[2]
	}
	return "", file
}

// RemoteNames are the names of the remotes, in order.
func (c *Config) RemoteNames() []string { return slices.Sorted(maps.Keys(c.Remotes)) }

// SpoolFolder is where files of remotes are fetched to, in a folder for each job: beside the ledger's file, or beside the
// configuration where the ledger is a database on a server.
func (c *Config) SpoolFolder() string {
	if c.Ledger.IsFile() {
		return c.Ledger.Reveal() + ".spool"
	}
	return filepath.Join(c.Dir(), "docketsync.spool")
}

// RemoteCredentials returns the faults of a remote's secrets that are named in the file and could not be had; nil when all
// are there. Only who speaks to the remote needs them.
func (c *Config) RemoteCredentials(name string) error {
	if c.place == nil {
		return nil
	}
	return c.place.missingOf[name].Err()
}

var fingerprint = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}=?$`)

func (v *validator) remotes(c *Config) {
	for _, name := range c.RemoteNames() {
		r, at := c.Remotes[name], func(keys ...any) []any { return append([]any{"remotes", name}, keys...) }
		v.require(listName.MatchString(name) && len(name) > 1, fmt.Sprintf("%q cannot be the name of a remote", name),
			"small letters a to z, digits, - and _, two at least: it stands before the colon of bank:/out/matters.csv", at()...)
		v.require(r.MaxSize > 0, "a file has at least one byte", "such as 1GiB", at("max_size")...)
		switch {
		case r.SFTP != nil && r.S3 != nil:
			v.fail(fmt.Sprintf("the remote %q is both an SFTP server and a bucket", name), "give each a name of its own", at("s3")...)
		case r.SFTP != nil:
			v.sftp(*r.SFTP, func(keys ...any) []any { return at(append([]any{"sftp"}, keys...)...) })
		case r.S3 != nil:
			v.s3(*r.S3, func(keys ...any) []any { return at(append([]any{"s3"}, keys...)...) })
		default:
			v.fail(fmt.Sprintf("the remote %q says neither sftp nor s3", name), "write sftp: {host: …} or s3: {endpoint: …}", at()...)
		}
	}
	if c.CopyReports != "" {
		name, folder := RemotePath(c.CopyReports)
		v.require(name != "", "reports are copied to a remote", "write NAME:/folder, with the name of a remote", "copy_reports")
		v.remoteKnown(c, name, "copy_reports")
		v.require(name == "" || !strings.ContainsAny(folder, "*?"), "reports are copied to one folder", "no * or ? in it", "copy_reports")
	}
}

func (v *validator) sftp(s SFTP, at func(...any) []any) {
	v.require(s.Host != "" && !strings.ContainsAny(s.Host, "/: ") || strings.Count(s.Host, ":") > 1, "the host of the SFTP server is missing, or is none",
		"write host: sftp.example, and the port as port: 22", at("host")...)
	v.require(s.Port > 0 && s.Port < 1<<16, "a port is from 1 to 65535", "22 is what SFTP servers listen on", at("port")...)
	v.require(s.User != "", "the user to sign in with is missing", "write user: NAME", at("user")...)
	v.require(v.file.Has(at("password")...) || v.file.Has(at("private_key")...), "it is not said how to sign in",
		"write private_key: {file: PATH} or password: {env: NAME}", at()...)
	v.require(!v.file.Has(at("passphrase")...) || v.file.Has(at("private_key")...), "a passphrase opens a private key, and there is none",
		"write private_key: {file: PATH}, or password for a password", at("passphrase")...)
	switch {
	case s.KnownHosts == "" && s.Fingerprint == "":
		v.fail("it is not said how the server proves who it is", "write fingerprint: SHA256:… as its operator gives it, or known_hosts: FILE", at()...)
	case s.KnownHosts != "" && s.Fingerprint != "":
		v.fail("the server's key is given twice", "leave known_hosts or fingerprint", at("fingerprint")...)
	case s.Fingerprint != "":
		v.require(fingerprint.MatchString(s.Fingerprint), "this is not the fingerprint of a key", "SHA256: and 43 characters, as ssh-keygen -l shows it", at("fingerprint")...)
	}
	for key, secret := range map[string]Secret{"password": s.Password, "private_key": s.PrivateKey, "passphrase": s.Passphrase} {
		v.localDefault(secret, s.Host, at(key)...)
	}
}

func (v *validator) s3(s S3, at func(...any) []any) {
	u, err := url.Parse(s.Endpoint)
	const example = "write it as https://s3.example"
	switch {
	case s.Endpoint == "" || err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		v.fail("the endpoint is missing, or is no address of a service", example, at("endpoint")...)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		v.fail("the endpoint is not encrypted", "write https://; http:// is for this machine alone (localhost, 127.0.0.1, [::1])", at("endpoint")...)
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		v.fail("the endpoint is the address of the service alone", example+" and the bucket as bucket: NAME", at("endpoint")...)
	}
	v.require(s.Bucket != "" && !strings.ContainsAny(s.Bucket, "/ "), "the bucket is missing, or is none", "write bucket: NAME; folders stand in the paths of files", at("bucket")...)
	for key, secret := range map[string]Secret{"access_key": s.AccessKey, "secret_key": s.SecretKey} {
		v.require(v.file.Has(at(key)...), key+" is missing, which signs every request", "write "+key+": {env: NAME}", at(key)...)
		if err == nil {
			v.localDefault(secret, u.Hostname(), at(key)...)
		}
	}
}

// localDefault refuses a default of a secret that is written into the file, unless the remote is on this machine.
func (v *validator) localDefault(secret Secret, host string, at ...any) {
	if secret.kept != nil && secret.kept.local && !loopback(host) {
		v.fail("the default of a secret is used for loopback addresses alone", "set the environment variable", at...)
	}
}

// remoteKnown refuses a remote that there is none of.
func (v *validator) remoteKnown(c *Config, name string, at ...any) {
	if _, known := c.Remotes[name]; name == "" || known {
		return
	}
	hint := "describe it under remotes:"
	if len(c.Remotes) > 0 {
		hint = diagnostic.Suggest(name, c.RemoteNames())
	}
	v.fail(fmt.Sprintf("there is no remote %q", name), hint, at...)
}

// remoteFiles checks the files of a source that are on remotes.
func (v *validator) remoteFiles(c *Config, s Source, at ...any) {
	for _, file := range s.Files {
		name, remotePath := RemotePath(file)
		if name == "" {
			continue
		}
		v.remoteKnown(c, name, at...)
		dir, base := path.Split(remotePath)
		v.require(base != "", "this is a folder", "name a file, or a pattern of names: "+file+"*.csv", at...)
		v.require(!strings.ContainsAny(dir, "*?[") && !slices.Contains(strings.Split(dir, "/"), ".."), "only the name of a file may hold * and ?, and no folder is ..",
			"the newest of the files that fit is read", at...)
		_, err := path.Match(base, "")
		v.require(err == nil, "this is no pattern of names", "* stands for any characters, ? for one", at...)
	}
}
