package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/wizard"
	"docketsync/mapping"
)

// uploads keeps what people upload.
func (c *consoleWork) uploads() *upload.Store {
	settings := c.in.Config.Console
	return &upload.Store{Dir: settings.Uploads, Limit: int64(settings.UploadLimit), Switches: c.switches}
}

func (c *consoleWork) switches() (mapping.Options, error) {
	settings, err := c.app.Settings()
	if err != nil {
		return mapping.Options{}, err
	}
	return installation.MappingOptions(settings), nil
}

// Tables makes the lookups of a draft. A list of the service is fetched when it never was.
func (c *consoleWork) Tables(ctx context.Context, job importer.Job) (map[string]*mapping.Lookup, error) {
	in, err := c.installation()
	if err != nil {
		return nil, err
	}
	in.KeptLists(&job)
	if len(job.Unlisted) > 0 {
		err = in.FetchLists(ctx, []importer.Job{job})
	}
	var tables map[string]*mapping.Lookup
	if err == nil {
		tables, err = in.Importer(nil).Lookups(ctx, job)
	}
	return tables, in.End(err)
}

func (c *consoleWork) Lists() ([]string, error) {
	settings, err := c.app.Settings()
	if err != nil {
		return nil, err
	}
	return settings.Service.ListNames(), nil
}

// freshList is how old a list may be that ids are chosen from.
const freshList = time.Hour

func (c *consoleWork) List(ctx context.Context, name string) (items []wizard.ListItem, err error) {
	in, err := c.installation()
	if err != nil {
		return nil, err
	}
	defer func() { err = in.End(err) }()
	list, err := in.Lists().Current(ctx, installation.ListSpec(name, in.Config.Service.Lists.Named[name]), freshList)
	if err != nil {
		return nil, err
	}
	for _, item := range list.Items {
		items = append(items, wizard.ListItem{ID: item.ID, Name: strings.Join(item.Texts, " ")})
	}
	return items, nil
}

// jobFiles are the files of a job, the mapping first: a folder beside the configuration that goes by the job's name.
func (c *consoleWork) jobFiles(job wizard.NewJob) []newFile {
	folder := filepath.Join(filepath.Dir(c.app.ConfigFile), job.Name)
	files := []newFile{{filepath.Join(folder, "mapping.yaml"), []byte(job.Mapping)}}
	for _, name := range slices.Sorted(maps.Keys(job.Files)) {
		files = append(files, newFile{filepath.Join(folder, filepath.FromSlash(name)), job.Files[name]})
	}
	return files
}

// PlanJob says what SaveJob would do.
func (c *consoleWork) PlanJob(job wizard.NewJob) (wizard.Planned, error) {
	planned := wizard.Planned{Config: c.app.ConfigFile}
	if job.Name == "" || upload.JobName(job.Name) != job.Name {
		planned.Wrong = fmt.Sprintf("A job cannot be called %q. Letters a to z, digits and single hyphens make a name, such as %s.", job.Name, upload.JobName(job.Name))
		return planned, nil
	}
	settings, err := c.app.Settings()
	if err != nil {
		return planned, err
	}
	if taken := takenFolder(settings, filepath.Join(filepath.Dir(c.app.ConfigFile), job.Name)); taken != "" && !job.Known {
		planned.Wrong = fmt.Sprintf("A job cannot be called %s: its mapping would be kept among %s. Choose another name.", job.Name, taken)
		return planned, nil
	}
	files := c.jobFiles(job)
	there := slices.ContainsFunc(settings.Jobs, func(j config.Job) bool { return j.Name == job.Name })
	switch {
	case there && !job.Known:
		planned.Wrong = fmt.Sprintf("The configuration has a job %s already. Choose another name.", job.Name)
	case !there:
		configFile := c.app.ConfigFile
		entry := newJob{job: job.Name, file: relative(configFile, job.Source), named: relative(configFile, files[0].path)}
		planned.Lines = entry.jobLines(fileOptions{Options: job.Options})
		if _, err := c.configured(planned.Lines); err != nil {
			planned.Wrong = err.Error()
		}
	}
	for _, f := range files {
		planned.Files = append(planned.Files, f.path)
		switch text, err := os.ReadFile(f.path); {
		case err == nil && !bytes.Equal(text, f.text):
			planned.Taken = append(planned.Taken, f.path)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return planned, err
		}
	}
	return planned, nil
}

// takenFolder is what a folder is for, or one that it is in; "" where a job may have it. Whether the system tells names by their case
// is not asked.
func takenFolder(settings *config.Config, folder string) string {
	taken := [][2]string{{settings.Console.Uploads, "the uploads"}, {settings.Reports, "the reports"}}
	for _, job := range settings.Jobs {
		if in := job.Source.Inbox; in != nil {
			taken = append(taken, [2]string{in.Folder, "the files that arrive for " + job.Name})
		}
	}
	for _, t := range taken {
		of, err1 := filepath.Abs(strings.ToLower(t[0]))
		at, err2 := filepath.Abs(strings.ToLower(folder))
		rel, err := filepath.Rel(of, at)
		if errors.Join(err, err1, err2) == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return t[1]
		}
	}
	return ""
}

// SavedJob reads the files of a job as they are by now.
func (c *consoleWork) SavedJob(job wizard.NewJob) (map[string][]byte, error) {
	files := map[string][]byte{}
	folder := filepath.Join(filepath.Dir(c.app.ConfigFile), job.Name)
	for _, f := range c.jobFiles(job) {
		text, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		name, bad := filepath.Rel(folder, f.path)
		if err := errors.Join(err, bad); err != nil {
			return nil, err
		}
		files[filepath.ToSlash(name)] = text
	}
	return files, nil
}

// configured is the configuration with some lines more, which all of it has been proven to be right with.
func (c *consoleWork) configured(lines string) ([]byte, error) {
	path := c.app.ConfigFile
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if text, err = config.AddJob(path, text, lines); err != nil {
		return nil, err
	}
	changed := func(name string) ([]byte, error) {
		if name == path {
			return text, nil
		}
		return os.ReadFile(name)
	}
	settings, err := config.Load(path, c.app.Env, changed, installation.OpenToAll)
	if err == nil {
		_, err = installation.Timetable(settings)
	}
	return text, err
}

// SaveJob writes the files of a job and then its lines. What is replaced is kept beside under the time of day.
func (c *consoleWork) SaveJob(job wizard.NewJob) (planned wizard.Planned, err error) {
	c.saving.Lock()
	defer c.saving.Unlock()
	planned, err = c.PlanJob(job)
	if err != nil || planned.Wrong != "" || len(planned.Taken) > 0 && !job.Replace {
		return planned, err
	}
	stamp := "." + time.Now().UTC().Format("20060102T150405.000Z")
	var undo []func() error
	defer func() {
		for _, step := range slices.Backward(undo) {
			if err != nil {
				err = errors.Join(err, step())
			}
		}
	}()
	for _, f := range c.jobFiles(job) {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o750); err != nil {
			return planned, err
		}
		if slices.Contains(planned.Taken, f.path) {
			if err := os.Rename(f.path, f.path+stamp); err != nil {
				return planned, err
			}
			undo = append(undo, func() error { return os.Rename(f.path+stamp, f.path) })
		} else if _, err := os.Stat(f.path); err == nil {
			continue // it holds the same
		}
		if err := replaceFile(f.path, f.text, 0o640); err != nil {
			return planned, err
		}
		undo = append(undo, func() error { return os.Remove(f.path) })
	}
	if planned.Lines == "" {
		return planned, nil
	}
	planned.Backup, err = c.addLines(planned.Lines, stamp)
	return planned, err
}

// addLines adds lines to the configuration and keeps the former file.
func (c *consoleWork) addLines(lines, stamp string) (backup string, err error) {
	text, err := c.configured(lines)
	if err != nil {
		return "", err
	}
	path, err := filepath.EvalSymlinks(c.app.ConfigFile)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	former, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	backup = path + stamp
	if err := replaceFile(backup, former, info.Mode().Perm()); err != nil {
		return "", err
	}
	return backup, replaceFile(path, text, info.Mode().Perm())
}

// replaceFile writes a file as a whole or not at all.
func replaceFile(path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
