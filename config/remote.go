package config

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
)

// Remote is a place on another machine that sources are fetched from and reports are copied to: one of SFTP and S3. Files are
// addressed with its name: bank:/out/matters.csv.
type Remote struct {
	SFTP    *SFTP `yaml:"sftp"`
	S3      *S3   `yaml:"s3"`
	MaxSize Size  `yaml:"max_size" default:"1GiB"` // of a file to be fetched
}

// SFTP is an SFTP server, how it proves who it is (KnownHosts or Fingerprint), and how we do.
type SFTP struct {
	Host        string `yaml:"host"`
	Port        int    `yaml:"port" default:"22"`
	User        string `yaml:"user"`
	Password    Secret `yaml:"password"`
	PrivateKey  Secret `yaml:"private_key"` // in PEM or OpenSSH form
	Passphrase  Secret `yaml:"passphrase"`
	KnownHosts  string `yaml:"known_hosts" path:"true"`
	Fingerprint string `yaml:"fingerprint"`
}

// S3 is a bucket of an S3-compatible service.
type S3 struct {
	Endpoint  string `yaml:"endpoint"`
	Region    string `yaml:"region"`
	Bucket    string `yaml:"bucket"`
	AccessKey Secret `yaml:"access_key"`
	SecretKey Secret `yaml:"secret_key"`
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

func (c *Config) remoteNames() []string { return slices.Sorted(maps.Keys(c.Remotes)) }

var fingerprint = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}=?$`)

func (v validator) remotes(c *Config) {
	for _, name := range c.remoteNames() {
		r, v := c.Remotes[name], v.in("remotes", name)
		v.require(listName.MatchString(name) && len(name) > 1, fmt.Sprintf("%q cannot be the name of a remote", name),
			"small letters a to z, digits, - and _, two at least: it stands before the colon of bank:/out/matters.csv")
		v.require(r.MaxSize > 0, "a file has at least one byte", "such as 1GiB", "max_size")
		switch {
		case r.SFTP != nil && r.S3 != nil:
			v.fail(fmt.Sprintf("the remote %q is both an SFTP server and a bucket", name), "give each a name of its own", "s3")
		case r.SFTP != nil:
			v.in("sftp").sftp(*r.SFTP)
		case r.S3 != nil:
			v.in("s3").s3(*r.S3)
		default:
			v.fail(fmt.Sprintf("the remote %q says neither sftp nor s3", name), "write sftp: {host: …} or s3: {endpoint: …}")
		}
	}
	if c.CopyReports != "" {
		name, folder := RemotePath(c.CopyReports)
		v.require(name != "", "reports are copied to a remote", "write NAME:/folder, with the name of a remote", "copy_reports")
		v.remoteKnown(c, name, "copy_reports")
		v.require(name == "" || !strings.ContainsAny(folder, "*?"), "reports are copied to one folder", "no * or ? in it", "copy_reports")
	}
}

func (v validator) sftp(s SFTP) {
	v.require(s.Host != "" && !strings.ContainsAny(s.Host, "/: ") || strings.Count(s.Host, ":") > 1, "the host of the SFTP server is missing, or is none",
		"write host: sftp.example, and the port as port: 22", "host")
	v.require(s.Port > 0 && s.Port < 1<<16, "a port is from 1 to 65535", "22 is what SFTP servers listen on", "port")
	v.require(s.User != "", "the user to sign in with is missing", "write user: NAME", "user")
	v.require(v.has("password") || v.has("private_key"), "it is not said how to sign in",
		"write private_key: {file: PATH} or password: {env: NAME}")
	v.require(!v.has("passphrase") || v.has("private_key"), "a passphrase opens a private key, and there is none",
		"write private_key: {file: PATH}, or password for a password", "passphrase")
	switch {
	case s.KnownHosts == "" && s.Fingerprint == "":
		v.fail("it is not said how the server proves who it is", "write fingerprint: SHA256:… as its operator gives it, or known_hosts: FILE")
	case s.KnownHosts != "" && s.Fingerprint != "":
		v.fail("the server's key is given twice", "leave known_hosts or fingerprint", "fingerprint")
	case s.Fingerprint != "":
		v.require(fingerprint.MatchString(s.Fingerprint), "this is not the fingerprint of a key", "SHA256: and 43 characters, as ssh-keygen -l shows it", "fingerprint")
	}
	for key, secret := range map[string]Secret{"password": s.Password, "private_key": s.PrivateKey, "passphrase": s.Passphrase} {
		v.localDefault(secret, s.Host, key)
	}
}

func (v validator) s3(s S3) {
	u, err := url.Parse(s.Endpoint)
	const example = "write it as https://s3.example"
	switch {
	case s.Endpoint == "" || err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		v.fail("the endpoint is missing, or is no address of a service", example, "endpoint")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		v.fail("the endpoint is not encrypted", "write https://; http:// is for this machine alone (localhost, 127.0.0.1, [::1])", "endpoint")
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		v.fail("the endpoint is the address of the service alone", example+" and the bucket as bucket: NAME", "endpoint")
	}
	v.require(s.Bucket != "" && !strings.ContainsAny(s.Bucket, "/ "), "the bucket is missing, or is none", "write bucket: NAME; folders stand in the paths of files", "bucket")
	for key, secret := range map[string]Secret{"access_key": s.AccessKey, "secret_key": s.SecretKey} {
		v.require(v.has(key), key+" is missing, which signs every request", "write "+key+": {env: NAME}", key)
		if err == nil {
			v.localDefault(secret, u.Hostname(), key)
		}
	}
}

// localDefault refuses a default of a secret that is written into the file, unless what it opens is on this machine.
func (v validator) localDefault(secret Secret, host string, path ...any) {
	if secret.kept != nil && secret.kept.local && !loopback(host) {
		v.fail("the default of a secret is used for loopback addresses alone", "set the environment variable", path...)
	}
}

// remoteKnown refuses a remote that there is none of.
func (v validator) remoteKnown(c *Config, name string, path ...any) {
	if _, known := c.Remotes[name]; name == "" || known {
		return
	}
	hint := "describe it under remotes:"
	if len(c.Remotes) > 0 {
		hint = diagnostic.Suggest(name, c.remoteNames())
	}
	v.fail(fmt.Sprintf("there is no remote %q", name), hint, path...)
}

// remoteFiles checks the files of a source that are on remotes.
func (v validator) remoteFiles(c *Config, files []string) {
	for _, file := range files {
		name, remotePath := RemotePath(file)
		if name == "" {
			continue
		}
		v.remoteKnown(c, name, "file")
		dir, base := path.Split(remotePath)
		v.require(base != "", "this is a folder", "name a file, or a pattern of names: "+file+"*.csv", "file")
		v.require(!strings.ContainsAny(dir, "*?[") && !slices.Contains(strings.Split(dir, "/"), ".."), "only the name of a file may hold * and ?, and no folder is ..",
			"the newest of the files that fit is read", "file")
		_, err := path.Match(base, "")
		v.require(err == nil, "this is no pattern of names", "* stands for any characters, ? for one", "file")
	}
}
