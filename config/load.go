package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// place is where a configuration came from.
type place struct {
	file     *document.File
	dir      string
	readFile func(string) ([]byte, error)
	open     Opener
	// missing are the faults of the service's secrets that could not be had; see Credentials.
	missing diagnostic.Faults
	// missingOf are the faults of the secrets of remotes, by their names, and of channels (channelSecrets) and of the console
	// (consoleSecrets) that could not be had; see RemoteCredentials, NotifyCredentials and ConsoleCredentials.
	missingOf map[string]diagnostic.Faults
}

// resolve makes a path of the file one of the working directory.
func (p *place) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.dir, filepath.FromSlash(path))
}

// Load reads the configuration file at path over the defaults and validates it. It reads neither the environment nor
// files itself: env looks up a variable (an empty one counts as not set), readFile reads the configuration, the files of jobs
// beside it and the files of secrets, and list names the files of a folder (nil where there is none). All mistakes are reported at once, as document.Faults; any other error means that the file could not be
// read. A secret of the service that is not there is no mistake yet: only who sends needs it, and asks Credentials; so it is with
// those of remotes and channels. open tells which files are open to every user of the machine; nil asks about none.
func Load(path string, env func(string) (string, bool), readFile func(string) ([]byte, error), list Lister, open Opener) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, &unreadable{path, err}
	}
	texts := map[string][]byte{path: data}
	file, err := document.Parse(path, data)
	if err != nil {
		return nil, redact(texts, err.(diagnostic.Faults)).Err()
	}
	broken, err := appendJobs(file, filepath.Dir(path), readFile, list, texts)
	if err != nil {
		return nil, err
	}
	c := Default()
	c.place = &place{file: file, dir: filepath.Dir(path), readFile: readFile, open: open, missingOf: map[string]diagnostic.Faults{}}
	variables := &environment{file: file, lookup: env, names: map[position]string{}}
	variables.resolve(file.Root())
	faults := slices.Concat(broken, variables.faults, file.Decode(file.Root(), &c))
	c.takeNull()
	c.inherit()
	for _, secret := range c.Service.secrets() {
		c.place.missing = append(c.place.missing, secret.fetch(c.place)...)
	}
	for _, told := range c.Notify.placed() {
		c.place.missingOf[channelSecrets] = append(c.place.missingOf[channelSecrets], told.secret.fetch(c.place)...)
	}
	for _, used := range c.Console.placed() {
		c.place.missingOf[consoleSecrets] = append(c.place.missingOf[consoleSecrets], used.secret.fetch(c.place)...)
	}
	for _, job := range c.Jobs {
		faults = append(faults, job.Source.Password.fetch(c.place)...)
	}
	for _, name := range c.RemoteNames() {
		list, _ := c.Remotes[name].secrets()
		for _, secret := range list {
			c.place.missingOf[name] = append(c.place.missingOf[name], secret.fetch(c.place)...)
		}
	}
	faults = append(append(faults, c.checkSecrets()...), c.exposed()...)
	faults = append(faults, c.place.unset(variables, &c)...)
	faults = append(faults, unsaid(c.problems(faults), positions(faults))...)
	if len(faults) > 0 {
		return nil, redact(texts, variables.explain(faults), c.secrets()...).Err()
	}
	c.place.missing = redact(texts, c.place.missing, c.secrets()...)
	for name, missing := range c.place.missingOf {
		c.place.missingOf[name] = redact(texts, missing, c.secrets()...)
	}
	c.normalise()
	return &c, nil
}

// takeNull takes the word null of component_id, which YAML makes nothing of unless it is quoted.
func (c *Config) takeNull() {
	path := []any{"service", "switches", "component_id"}
	if n := c.place.file.Node(path...); c.place.file.Has(path...) && n.Kind == document.Scalar && n.Value == "null" {
		c.Service.Switches.ComponentID = "null"
	}
}

// unsaid drops the problems of places that have a fault already: what could not be read is not also missing.
func unsaid(problems diagnostic.Faults, said map[position]bool) diagnostic.Faults {
	return slices.DeleteFunc(problems, func(p diagnostic.Fault) bool { return said[placed(p)] })
}

func positions(faults diagnostic.Faults) map[position]bool {
	said := map[position]bool{}
	for _, fault := range faults {
		said[placed(fault)] = true
	}
	return said
}

// serviceSecrets are the settings that only who sends needs.
var serviceSecrets = [][]any{{"service", "subscription_key"}, {"service", "auth_cookie"}, {"service", "sign_in", "password"}}

// channelSecrets is whose the secrets of channels and of the ping are, among the names of remotes; no remote has such a name.
const channelSecrets = "notify:"

// unset returns the faults of the variables that are not set, but for those that hold secrets of the service, of remotes, of
// channels or of the console and nothing else, which it keeps for Credentials and its like.
func (p *place) unset(e *environment, c *Config) diagnostic.Faults {
	later := map[position]string{} // whose secret it is: a remote's by its name, channelSecrets, "" for the service's
	note := func(owner string, path ...any) {
		if n := p.file.Node(path...); n != nil && p.file.Has(path...) {
			later[positionOf(p.file, n)] = owner
		}
	}
	for name, remote := range c.Remotes {
		list, _ := remote.secrets()
		for key := range list {
			note(name, "remotes", name, key[0], key[1])
		}
	}
	for _, told := range c.Notify.placed() {
		note(channelSecrets, told.path...)
	}
	for _, used := range c.Console.placed() {
		note(consoleSecrets, used.path...)
	}
	for _, path := range serviceSecrets {
		note("", path...)
	}
	if jobs := p.file.Node("jobs"); jobs != nil && p.file.Has("jobs") {
		for i := range jobs.Content {
			if path := []any{"jobs", i, "source", "password"}; p.file.Has(path...) {
				n := p.file.Node(path...)
				delete(later, positionOf(p.file, n))
			}
		}
	}
	var faults diagnostic.Faults
	for _, fault := range e.unset {
		owner, waits := later[placed(fault)]
		switch {
		case waits && owner == "":
			// A default would be refused, unless the service is on this machine.
			fault.Hint = "set it before sending; check, plan and preview do not need it"
			p.missing = append(p.missing, fault)
		case owner == channelSecrets:
			fault.Hint = "set it before jobs are run: people could not be told how they fare"
			p.missingOf[owner] = append(p.missingOf[owner], fault)
		case owner == consoleSecrets:
			fault.Hint = "set it before the console is started"
			p.missingOf[owner] = append(p.missingOf[owner], fault)
		case waits:
			fault.Hint = "set it before files of the remote " + owner + " are needed"
			p.missingOf[owner] = append(p.missingOf[owner], fault)
		default:
			faults = append(faults, fault)
		}
	}
	return faults
}

// Credentials returns the faults of the service's secrets that are named in the file and could not be had, an environment
// variable that is not set or a file that cannot be read; nil when all are there. Whoever sends calls it first; what only
// reads and maps does not need them.
func (c *Config) Credentials() error {
	if c.place == nil {
		return nil
	}
	return c.place.missing.Err()
}

// Dir is the folder of the configuration file, which relative paths in it start from.
func (c *Config) Dir() string {
	if c.place == nil {
		return "."
	}
	return c.place.dir
}

func (s Service) secrets() []Secret {
	list := []Secret{s.SubscriptionKey, s.AuthCookie}
	if s.SignIn != nil {
		list = append(list, s.SignIn.Password)
	}
	return list
}

func (c *Config) secrets() []Secret {
	list := c.Service.secrets()
	for _, told := range c.Notify.placed() {
		list = append(list, told.secret)
	}
	for _, used := range c.Console.placed() {
		list = append(list, used.secret)
	}
	for _, job := range c.Jobs {
		list = append(list, job.Source.Password)
	}
	for _, remote := range c.Remotes {
		named, _ := remote.secrets()
		list = append(list, slices.Collect(maps.Values(named))...)
	}
	return list
}

// checkSecrets refuses secrets that cannot be one. A private key alone has several lines.
func (c *Config) checkSecrets() (faults diagnostic.Faults) {
	list := c.Service.secrets()
	for _, job := range c.Jobs {
		list = append(list, job.Source.Password)
	}
	for _, name := range c.RemoteNames() {
		named, lines := c.Remotes[name].secrets()
		for key, secret := range named {
			if key != lines {
				list = append(list, secret)
			}
		}
	}
	for _, told := range c.Notify.placed() {
		list = append(list, told.secret)
	}
	for _, used := range c.Console.placed() {
		list = append(list, used.secret)
	}
	for _, secret := range list {
		faults = append(faults, secret.check(c.place)...)
	}
	if !c.Service.UsesLocal() {
		for _, secret := range c.Service.secrets() {
			faults = append(faults, unsaid(secret.long(c.place), positions(faults))...)
		}
	}
	return faults
}

// Secrets are the values that may stand in no message: those of the service, the channels, the sources, the remotes and
// the database.
func (c *Config) Secrets() []string {
	var list []string
	for _, secret := range c.secrets() {
		if !secret.Empty() {
			list = append(list, secret.Reveal())
		}
	}
	if hidden := c.Ledger.String(); hidden != c.Ledger.Reveal() {
		list = append(list, c.Ledger.Reveal())
	}
	return list
}

// normalise makes paths of the file paths of the working directory, and takes the slash off the end of the base URL.
func (c *Config) normalise() {
	c.Service.BaseURL = strings.TrimRight(c.Service.BaseURL, "/")
	if c.Ledger.IsFile() {
		c.Ledger = DSN(c.place.resolve(string(c.Ledger)))
	}
	for _, path := range []*string{&c.Reports, &c.Service.CAFile, &c.LedgerServer.CAFile, &c.Sandbox.Data, &c.Sandbox.Directory, &c.Notify.CAFile, &c.Metrics.Textfile,
		&c.Console.Uploads} {
		*path = c.place.resolve(*path)
	}
	for i := range c.Jobs {
		job := &c.Jobs[i]
		job.Mapping = c.place.resolve(job.Mapping)
		for n, file := range job.Source.Files {
			if remote, _ := RemotePath(file); remote == "" {
				job.Source.Files[n] = c.place.resolve(file)
			}
		}
		if job.Source.Inbox != nil {
			job.Source.Inbox.normalise(c.place)
		}
	}
	if path := c.Console.Socket(); path != "" {
		c.Console.Listen = SocketPrefix + c.place.resolve(path)
	}
	if c.Console.TLS != nil {
		c.Console.TLS.Cert, c.Console.TLS.Key = c.place.resolve(c.Console.TLS.Cert), c.place.resolve(c.Console.TLS.Key)
	}
	for _, remote := range c.Remotes {
		if remote.SFTP != nil {
			remote.SFTP.KnownHosts = c.place.resolve(remote.SFTP.KnownHosts)
		}
	}
}

// unreadable is the error of a configuration file that cannot be read.
type unreadable struct {
	path string
	err  error
}

// Error says which file and what to do.
func (e *unreadable) Error() string {
	return "the configuration " + e.path + " cannot be read: " + e.err.Error() +
		"; name it with --config, or start docketsync in the folder that holds docketsync.yaml"
}

// Unwrap returns the cause.
func (e *unreadable) Unwrap() error { return e.err }
