package config

import (
	"path/filepath"
	"strings"
)

// Owned is a file or a folder that belongs to the installation.
type Owned struct {
	Path, What string
	Folder     bool
}

// Owned lists what no job may read as an export: the configuration and its jobs, the ledger and what is kept beside it,
// reports and uploads, the folder lookups beside mappings, and every file that a setting names, including secrets. It
// lists neither the exports of jobs nor what only the mappings name (installation.Named).
func (c *Config) Owned() []Owned { return c.owned(func(path string) string { return path }) }

// owned makes the list. Until the paths of the settings are resolved, resolve is that of the configuration's place.
func (c *Config) owned(resolve func(string) string) []Owned {
	list := []Owned{{c.place.file.Name(), "the configuration", false}, {filepath.Join(c.Dir(), JobsFolder), "the jobs", true}}
	list = append(list, Owned{c.beside(".spool"), "what was fetched for jobs", true}, Owned{c.beside(".lists"), "the lists of the service", true})
	if c.Ledger.IsFile() {
		list = append(list, Owned{resolve(c.Ledger.Reveal()), "the ledger", false})
	}
	for _, secret := range c.held() {
		if secret.kept != nil && secret.kept.file != "" {
			list = append(list, Owned{c.place.resolve(secret.kept.file), "the secret " + dotted(secret.path), false})
		}
	}
	for _, job := range c.Jobs {
		if job.Mapping == "" {
			continue
		}
		mapping := resolve(job.Mapping)
		list = append(list, Owned{mapping, "the mapping of the job " + job.Name, false},
			Owned{filepath.Join(filepath.Dir(mapping), "lookups"), "the lookups of the job " + job.Name, true})
	}
	c.visit(func(s setting) bool {
		if s.tag.Get("path") == "true" && s.value.String() != "" {
			switch what := dotted(s.path); what {
			case "reports", "console.uploads":
				list = append(list, Owned{resolve(s.value.String()), "the " + strings.TrimPrefix(what, "console."), true})
			default:
				list = append(list, Owned{resolve(s.value.String()), "the file of " + what, false})
			}
		}
		return len(s.path) == 0 || s.path[0] != "jobs"
	})
	return list
}

// Holds reports whether a path is o's or lies below it. It ignores case on every system.
func (o Owned) Holds(path string) bool {
	of, err1 := filepath.Abs(o.Path)
	at, err2 := filepath.Abs(path)
	rel, err := filepath.Rel(strings.ToLower(of), strings.ToLower(at))
	return err1 == nil && err2 == nil && err == nil && filepath.IsLocal(rel)
}
