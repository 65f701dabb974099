package config_test

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"docketsync/config"
)

// loadWith reads a configuration with files of jobs beside it.
func loadWith(text string, jobs map[string]string) (*config.Config, error) {
	texts := map[string]string{"/etc/firm/docketsync.yaml": text}
	for name, job := range jobs {
		texts["/etc/firm/jobs.d/"+name] = job
	}
	list := func(folder string) ([]string, error) {
		if folder != "/etc/firm/jobs.d" || jobs == nil {
			return nil, &fs.PathError{Op: "open", Path: folder, Err: fs.ErrNotExist}
		}
		return slices.Collect(maps.Keys(jobs)), nil
	}
	return config.Load("/etc/firm/docketsync.yaml", environment(key), files(texts), list, nil)
}

// Jobs of the folder come behind those of the configuration, however that writes its own, and are jobs like them.
func TestJobsOfTheFolder(t *testing.T) {
	t.Parallel()
	jobs := map[string]string{
		"b.yml":                       "name: b\nsource: {file: b.csv, header: 3}\nmapping: b/mapping.yaml\nguards: {changes: 5%}\nwhen: {after: a}\n",
		"a.yaml":                      "name: a\nsource: a.csv\nmapping: a/mapping.yaml\nwhen: {cron: '0 3 * * *'}\n",
		"a.yaml.20260301T120000.000Z": "name: a\n", ".new-1.yml": "name", "README": "what this is",
	}
	for name, text := range map[string]string{"no jobs": "", "none yet": "jobs:\n", "an empty list": "jobs: []\n", "one": "jobs:\n  - {name: mine, source: m.csv, mapping: m.yaml}\n"} {
		c, err := loadWith(small+text, jobs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, job := range c.Jobs {
			names = append(names, job.Name)
		}
		if want := strings.TrimPrefix("mine a b", map[bool]string{true: "", false: "mine "}[name == "one"]); strings.Join(names, " ") != want {
			t.Errorf("%s: the jobs are %q", name, names)
		}
		last := c.Jobs[len(c.Jobs)-1]
		if last.Mapping != "/etc/firm/b/mapping.yaml" || last.Source.Files[0] != "/etc/firm/b.csv" || last.Source.Header != 3 || last.Guards.Changes.String() != "5%" || last.Guards.RowsFell != c.Guards.RowsFell {
			t.Errorf("%s: the last job is %+v", name, last)
		}
		if lines := c.Effective(); !slices.ContainsFunc(lines, func(l config.Line) bool {
			return strings.HasSuffix(l.Path, ".source.header") && l.Value == "3" && l.Stated
		}) {
			t.Errorf("%s: the settings in use do not have it", name)
		}
	}
	if c, err := loadWith(small, nil); err != nil || len(c.Jobs) > 0 {
		t.Errorf("without a folder: %v", err)
	}
}

// A mistake in a file of the folder is told with that file, line and column, together with all others.
func TestMistakesInTheFolder(t *testing.T) {
	t.Parallel()
	good := "name: b\nsource: b.csv\nmapping: b.yaml\n"
	for name, c := range map[string]struct {
		text string
		jobs map[string]string
		want []string
	}{
		"several": {small + "retrys: {}\n", map[string]string{"a.yml": "name: a\nsource: {fil: a.csv}\n", "b.yml": "name: [b\n"},
			[]string{`docketsync.yaml:4:1: unknown key "retrys"`, `jobs.d/a.yml:2:10: unknown key "fil"` + "\n    source: {fil: a.csv}\n", "jobs.d/a.yml:1:1: the job requires a mapping", "jobs.d/b.yml:"}},
		"the place of another mistake": {small + "pace:\n  rate: -1\n", map[string]string{"a.yml": good + "\n\nguards:\n  empty: perhaps\n"},
			[]string{"docketsync.yaml:5:9: rate", "jobs.d/a.yml:7:10: empty must be one of"}},
		"twice":        {small + "jobs:\n  - {name: B, source: s, mapping: m}\n", map[string]string{"b.yml": good}, []string{`jobs.d/b.yml:1:7: duplicate job "b"; the first is in /etc/firm/docketsync.yaml, line 5`}},
		"no job":       {small, map[string]string{"b.yml": "# nothing\n"}, []string{"jobs.d/b.yml:1:1: the file contains no job"}},
		"a list":       {small, map[string]string{"b.yml": "- " + strings.ReplaceAll(good, "\n", "\n  ")}, []string{"jobs.d/b.yml:1:1: expected a block of keys, found a list"}},
		"a key twice":  {small, map[string]string{"b.yml": good + "name: c\n"}, []string{`jobs.d/b.yml:4:1: duplicate key "name"`}},
		"two jobs":     {small, map[string]string{"b.yml": good + "---\n" + good}, []string{"jobs.d/b.yml:4:1: a second YAML document starts here; only one per file is supported"}},
		"a secret":     {small, map[string]string{"b.yml": "name: b\nsource: {file: b.xlsx, password: hunter22}\nmapping: b.yaml\n"}, []string{"jobs.d/b.yml:2:34: secrets are not allowed in the configuration"}},
		"not set":      {small, map[string]string{"b.yml": "name: b\nsource: {env: NONE}\nmapping: b.yaml\n"}, []string{"jobs.d/b.yml:2:9: the environment variable NONE is not set"}},
		"jobs no list": {small + "jobs: 7\n", map[string]string{"b.yml": good}, []string{"docketsync.yaml:4:7: expected a list"}},
	} {
		_, err := loadWith(c.text, c.jobs)
		if err == nil {
			t.Errorf("%s: it loads", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is missing in\n%v", name, want, err)
			}
		}
		if strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: the secret is shown\n%v", name, err)
		}
	}
}
