package config

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
)

// remote is a place on another machine that sources are fetched from and reports are copied to: SFTP or S3. Its name is
// part of the addresses of files: bank:/out/matters.csv.
type remote struct {
	SFTP    *sftp `yaml:"sftp"`
	S3      *s3   `yaml:"s3"`
	MaxSize size  `yaml:"max_size" default:"1GiB"` // of a file to fetch
}

// sftp is an SFTP server, how it proves its identity (KnownHosts or Fingerprint), and how we do.
type sftp struct {
	Host        string `yaml:"host"`
	Port        int    `yaml:"port" default:"22"`
	User        string `yaml:"user"`
	Password    Secret `yaml:"password"`
	PrivateKey  Secret `yaml:"private_key"` // in PEM or OpenSSH form
	Passphrase  Secret `yaml:"passphrase"`
	KnownHosts  string `yaml:"known_hosts" path:"true"`
	Fingerprint string `yaml:"fingerprint"`
}

// s3 is a bucket of an S3-compatible service.
type s3 struct {
	Endpoint  string `yaml:"endpoint"`
	Region    string `yaml:"region"`
	Bucket    string `yaml:"bucket"`
	AccessKey Secret `yaml:"access_key"`
	SecretKey Secret `yaml:"secret_key"`
}

// remoteAddress matches bank:/out/matters.csv. A single letter is a drive.
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
		v.require(listName.MatchString(name) && len(name) > 1, fmt.Sprintf("invalid remote name %q", name),
			"use 2 to 41 lowercase letters a to z, digits, - and _, starting with a letter, such as bank in bank:/out/matters.csv")
		v.require(r.MaxSize > 0, "max_size must be at least 1 byte", "for example, 1GiB", "max_size")
		switch {
		case r.SFTP != nil && r.S3 != nil:
			v.fail(fmt.Sprintf("the remote %q has both sftp and s3", name), "use a separate remote for each", "s3")
		case r.SFTP != nil:
			v.in("sftp").sftp(*r.SFTP)
		case r.S3 != nil:
			v.in("s3").s3(*r.S3)
		default:
			v.fail(fmt.Sprintf("the remote %q has neither sftp nor s3", name), "set sftp: {host: …} or s3: {endpoint: …}")
		}
	}
	if c.CopyReports != "" {
		name, folder := RemotePath(c.CopyReports)
		v.require(name != "", "copy_reports must name a remote", "use the form NAME:/folder, with the name of a remote", "copy_reports")
		v.remoteKnown(c, name, "copy_reports")
		v.require(name == "" || !strings.ContainsAny(folder, "*?"), "copy_reports must name a single folder", "* and ? are not allowed", "copy_reports")
	}
}

func (v validator) sftp(s sftp) {
	v.require(s.Host != "" && !strings.ContainsAny(s.Host, "/: ") || strings.Count(s.Host, ":") > 1, "host is missing or invalid",
		"for example, host: sftp.example; set the port with port: 22", "host")
	v.require(s.Port > 0 && s.Port < 1<<16, "port must be between 1 and 65535", "SFTP servers usually listen on 22", "port")
	v.require(s.User != "", "user is required", "set user: NAME", "user")
	v.require(v.has("password") || v.has("private_key"), "private_key or password is required",
		"set private_key: {file: PATH} or password: {env: NAME}")
	v.require(!v.has("passphrase") || v.has("private_key"), "passphrase requires private_key",
		"set private_key: {file: PATH}, or use password to sign in with a password", "passphrase")
	switch {
	case s.KnownHosts == "" && s.Fingerprint == "":
		v.fail("fingerprint or known_hosts is required to verify the server", "set fingerprint: SHA256:… as provided by the server's operator, or known_hosts: FILE")
	case s.KnownHosts != "" && s.Fingerprint != "":
		v.fail("fingerprint and known_hosts cannot be used together", "remove known_hosts or fingerprint", "fingerprint")
	case s.Fingerprint != "":
		v.require(fingerprint.MatchString(s.Fingerprint), "invalid key fingerprint", "use SHA256: and 43 characters, as shown by ssh-keygen -l", "fingerprint")
	}
	for key, secret := range map[string]Secret{"password": s.Password, "private_key": s.PrivateKey, "passphrase": s.Passphrase} {
		v.localDefault(secret, payload.Loopback(s.Host), key)
	}
}

func (v validator) s3(s s3) {
	u, err := url.Parse(s.Endpoint)
	const example = "use the form https://s3.example"
	switch {
	case s.Endpoint == "" || err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		v.fail("endpoint is missing or invalid", example, "endpoint")
	case u.Scheme == "http" && !payload.Loopback(u.Hostname()):
		v.fail("endpoint must use https://", "http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])", "endpoint")
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		v.fail("endpoint must contain only the host of the service", example+" and set the bucket with bucket: NAME", "endpoint")
	}
	v.require(s.Bucket != "" && !strings.ContainsAny(s.Bucket, "/ "), "bucket is missing or invalid", "set bucket: NAME; folders are part of the file paths", "bucket")
	for key, secret := range map[string]Secret{"access_key": s.AccessKey, "secret_key": s.SecretKey} {
		v.require(v.has(key), key+" is required: it signs every request", "write "+key+": {env: NAME}", key)
		if err == nil {
			v.localDefault(secret, payload.Loopback(u.Hostname()), key)
		}
	}
}

// remoteKnown refuses an unknown remote.
func (v validator) remoteKnown(c *Config, name string, path ...any) {
	if _, known := c.Remotes[name]; name == "" || known {
		return
	}
	hint := "define it under remotes:"
	if len(c.Remotes) > 0 {
		hint = diagnostic.Suggest(name, c.remoteNames())
	}
	v.fail(fmt.Sprintf("unknown remote %q", name), hint, path...)
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
		v.require(base != "", "this is a folder", "specify a file or a file name pattern: "+file+"*.csv", "file")
		v.require(!strings.ContainsAny(dir, "*?") && !slices.Contains(strings.Split(dir, "/"), ".."), "* and ? are allowed only in the file name, and .. is not allowed",
			"the newest matching file is read", "file")
	}
}
