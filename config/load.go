package config

import (
	"path/filepath"
	"slices"
	"strings"

	"docketsync/config/document"
)

// place is where a configuration came from.
type place struct {
	file     *document.File
	dir      string
	readFile func(string) ([]byte, error)
}

// resolve makes a path of the file one of the working directory.
func (p *place) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.dir, filepath.FromSlash(path))
}

// Load reads the configuration file at path over the defaults and validates it. It reads neither the environment nor
// files itself: env looks up a variable (an empty one counts as not set), readFile reads the configuration and the files
// of secrets. All mistakes are reported at once, as document.Faults; any other error means that the file could not be
// read.
func Load(path string, env func(string) (string, bool), readFile func(string) ([]byte, error)) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, &unreadable{path, err}
	}
	file, err := document.Parse(path, data)
	if err != nil {
		return nil, veil(data, err.(document.Faults)).Err()
	}
	c := Default()
	c.place = &place{file: file, dir: filepath.Dir(path), readFile: readFile}
	variables := &environment{file: file, lookup: env, names: map[position]string{}}
	variables.resolve(file.Root())
	faults := append(variables.faults, file.Decode(file.Root(), &c)...)
	for _, secret := range c.secrets() {
		faults = append(faults, secret.read(c.place)...)
	}
	faults = append(faults, unsaid(c.problems(), faults)...)
	if len(faults) > 0 {
		return nil, veil(data, variables.explain(faults), c.secrets()...).Err()
	}
	c.normalise()
	return &c, nil
}

// unsaid drops the problems of places that have a fault already: what could not be read is not also missing.
func unsaid(problems, faults document.Faults) document.Faults {
	said := map[position]bool{}
	for _, fault := range faults {
		said[position{fault.Line, fault.Column}] = true
	}
	return slices.DeleteFunc(problems, func(p document.Fault) bool { return said[position{p.Line, p.Column}] })
}

// Dir is the folder of the configuration file, which relative paths in it start from.
func (c *Config) Dir() string {
	if c.place == nil {
		return "."
	}
	return c.place.dir
}

func (c *Config) secrets() []Secret {
	list := []Secret{c.Service.SubscriptionKey, c.Service.AuthCookie}
	if c.Service.SignIn != nil {
		list = append(list, c.Service.SignIn.Password)
	}
	for _, job := range c.Jobs {
		list = append(list, job.Source.Password)
	}
	return list
}

// normalise makes paths of the file paths of the working directory, and takes the slash off the end of the base URL.
func (c *Config) normalise() {
	c.Service.BaseURL = strings.TrimRight(c.Service.BaseURL, "/")
	if c.Ledger.IsFile() {
		c.Ledger = DSN(c.place.resolve(string(c.Ledger)))
	}
	for _, path := range []*string{&c.Reports, &c.Service.CAFile, &c.Sandbox.Data, &c.Sandbox.Directory} {
		*path = c.place.resolve(*path)
	}
	for i := range c.Jobs {
		job := &c.Jobs[i]
		job.Mapping = c.place.resolve(job.Mapping)
		for n, file := range job.Source.Files {
			job.Source.Files[n] = c.place.resolve(file)
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
