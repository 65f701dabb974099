package config

import (
	"errors"
	"fmt"
	"io/fs"
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
	open     opener
	// missing holds the faults of secrets that could not be obtained and that only their owners need; see Missing.
	missing map[Owner]diagnostic.Faults
}

// resolve converts a path of the file to one that is valid in the working directory.
func (p *place) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.dir, filepath.FromSlash(path))
}

// Load reads the configuration file at path over the defaults and validates it. It does not access the environment or
// files itself. env looks up a variable (an empty one counts as not set). readFile reads the configuration, the files
// of jobs beside it and the files of secrets. list returns the names of the files in a folder; it may be nil. open says
// which files every user of the machine can open; if it is nil, this is not checked.
//
// All mistakes are reported at once, as diagnostic.Faults; any other error means that the file could not be read. A
// missing secret that only some callers need is not a mistake; see Missing.
func Load(path string, env func(string) (string, bool), readFile func(string) ([]byte, error), list lister, open opener) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, unreadable(path, err)
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
	c.place = place{file: file, dir: filepath.Dir(path), readFile: readFile, open: open, missing: map[Owner]diagnostic.Faults{}}
	variables := &environment{file: file, lookup: env, names: map[position]string{}}
	variables.resolve(file.Root())
	faults := slices.Concat(broken, variables.faults, file.Decode(file.Root(), &c))
	c.takeNull()
	c.inherit()
	faults = append(append(faults, c.takeSchema(path)...), c.unreadableProxy(env)...)
	secrets := c.held()
	for _, secret := range secrets {
		missing := secret.fetch(&c.place)
		if secret.of == "" {
			faults = append(faults, missing...)
		} else {
			c.place.missing[secret.of] = append(c.place.missing[secret.of], missing...)
		}
	}
	faults = append(faults, c.checkSecrets(secrets)...)
	faults = append(append(faults, c.exposed()...), c.place.unset(variables, secrets)...)
	faults = append(faults, c.problems(faults)...)
	if len(faults) > 0 {
		return nil, redact(texts, variables.explain(faults), secrets...).Err()
	}
	for owner, missing := range c.place.missing {
		c.place.missing[owner] = redact(texts, missing, secrets...)
	}
	c.resolvePaths()
	return &c, nil
}

// takeNull accepts the word null for component_id, which YAML reads as no value unless it is quoted.
func (c *Config) takeNull() {
	path := []any{"service", "switches", "component_id"}
	if n := c.place.file.Node(path...); c.place.file.Has(path...) && n.Kind == document.Scalar && n.Value == "null" {
		c.Service.Switches.ComponentID = "null"
	}
}

// unset returns the faults of variables that are not set. It keeps those of variables that hold nothing but secrets for
// the owners of the secrets.
func (p *place) unset(e *environment, secrets []held) (faults diagnostic.Faults) {
	owners := map[position][]Owner{} // several if an alias stands for several secrets
	for _, secret := range secrets {
		if p.file.Has(secret.path...) {
			at := positionOf(p.file, p.file.Node(secret.path...))
			owners[at] = append(owners[at], secret.of)
		}
	}
	for _, fault := range e.unset {
		of := owners[placed(fault)]
		if len(of) == 0 || slices.Contains(of, "") {
			faults = append(faults, fault)
			continue
		}
		for _, owner := range of {
			// A default would be refused, unless the service is on this machine.
			fault.Hint = owner.hint()
			p.missing[owner] = append(p.missing[owner], fault)
		}
	}
	return faults
}

// Missing returns the faults of the secrets that an owner needs and that the file names but that could not be obtained:
// an environment variable that is not set or a file that cannot be read. It returns nil if none is missing. A caller
// that sends checks OfService first, one that notifies people checks OfChannels, and so on; a caller that only reads
// and maps needs none of them.
func (c *Config) Missing(of Owner) error {
	return c.place.missing[of].Err()
}

// JobsFolder is the folder beside the configuration that holds more jobs, each in its own file with the settings of an
// item of jobs:. The web console saves jobs there, so that no program edits the configuration.
const JobsFolder = "jobs.d"

// lister returns the names of the files in a folder, or fs.ErrNotExist if there is no such folder.
type lister func(folder string) ([]string, error)

// isJobFile reports by its name whether a file of the folder is read.
func isJobFile(name string) bool {
	return (strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")) && !strings.HasPrefix(name, ".")
}

// appendJobs adds the jobs of the folder to those of the configuration, in the order of their file names. It adds the
// texts that it reads to texts, and returns the faults of files that are not YAML.
func appendJobs(config *document.File, dir string, readFile func(string) ([]byte, error), list lister, texts map[string][]byte) (faults diagnostic.Faults, err error) {
	if list == nil {
		return nil, nil
	}
	folder := filepath.Join(dir, JobsFolder)
	names, err := list(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the jobs folder: %w\nCheck its permissions", err)
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		if !isJobFile(name) {
			continue
		}
		path := filepath.Join(folder, name)
		text, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read the job file: %w\nCheck its permissions, or remove the file", err)
		}
		texts[path] = text
		file, err := document.Parse(path, text)
		switch {
		case err != nil:
			faults = append(faults, err.(diagnostic.Faults)...)
		case file.Root() == nil:
			faults = append(faults, file.At(nil, "the file contains no job", "add name, source and mapping, or remove the file"))
		default:
			config.Append("jobs", file)
		}
	}
	return faults, nil
}

// unreadable returns the error for a configuration file that cannot be read.
func unreadable(path string, err error) error {
	err = fmt.Errorf("the configuration %s cannot be read: %w", path, err)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; specify it with --config, or run docketsync in the folder that contains docketsync.yaml", err)
	}
	return err
}
