package webwork

import (
	"cmp"
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
	"docketsync/mapping/lookup"
)

// bring fetches the files of jobs that were uploaded at another console.
func (c *Work) bring(ctx context.Context, jobs ...importer.Job) error {
	for _, job := range jobs {
		for _, input := range job.Inputs {
			if err := c.store.Bring(ctx, input.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// Tables makes the lookups of a draft. It fetches a list of the service that was never fetched.
func (c *Work) Tables(ctx context.Context, job importer.Job) (map[string]*lookup.Table, error) {
	return using(c, func(in *installation.Installation) (map[string]*lookup.Table, error) {
		if in.KeptLists(&job); len(job.Unlisted) > 0 {
			if err := in.FetchLists(ctx, []importer.Job{job}); err != nil {
				return nil, err
			}
		}
		return in.Importer(nil).Lookups(ctx, job)
	})
}

func (c *Work) Lists() ([]string, error) {
	return fromSettings(c, func(s *config.Config) []string { return s.Service.ListNames() })
}

func (c *Work) Remotes() ([]string, error) {
	return fromSettings(c, func(s *config.Config) []string { return slices.Sorted(maps.Keys(s.Remotes)) })
}

// freshList is how old a list may be to choose ids from.
const freshList = time.Hour

func (c *Work) List(ctx context.Context, name string) ([]wizard.ListItem, error) {
	return using(c, func(in *installation.Installation) (items []wizard.ListItem, err error) {
		list, err := in.Lists().Current(ctx, installation.ListSpec(name, in.Config.Service.Lists.Named[name]), freshList)
		if err != nil {
			return nil, err
		}
		for _, item := range list.Items {
			items = append(items, wizard.ListItem{ID: item.ID, Name: strings.Join(item.Texts, " ")})
		}
		return items, nil
	})
}

// PlaceOf says where to store a job: its mapping in a folder with the job's name beside the configuration, the job
// itself in a file of the folder of jobs. It makes sure that the configuration is valid with the job.
func (c *Work) PlaceOf(job wizard.NewJob) (wizard.Place, error) {
	settings, err := c.setup.Settings()
	if err != nil {
		return wizard.Place{}, err
	}
	beside := filepath.Dir(c.setup.ConfigFile)
	place := wizard.Place{Folder: filepath.Join(beside, job.Name)}
	there := slices.ContainsFunc(settings.Jobs, func(j config.Job) bool { return j.Name == job.Name })
	taken := takenFolder(settings, place.Folder)
	switch {
	case job.Known && there:
		return place, nil
	case taken != "" && !job.Known:
		place.Wrong = fmt.Sprintf("A job cannot be called %s: its mapping would be saved among %s. Choose another name.", job.Name, taken)
		return place, nil
	case there:
		place.Wrong = fmt.Sprintf("The configuration already has a job %s. Choose another name.", job.Name)
		return place, nil
	}
	configFile := c.setup.ConfigFile
	text := upload.JobText{Name: job.Name, Source: cmp.Or(job.Next.File, upload.RelativeTo(configFile, job.Source)), Options: job.Options, Inbox: job.Next.Inbox, When: job.Next.When,
		Mapping: upload.RelativeTo(configFile, filepath.Join(place.Folder, wizard.MappingName))}
	place.File, place.Text = filepath.Join(beside, config.JobsFolder, job.Name+".yml"), []byte(text.File())
	if place.Inbox = job.Next.Inbox; place.Inbox != "" && !filepath.IsAbs(place.Inbox) {
		place.Inbox = filepath.Join(beside, place.Inbox)
	}
	file := job.Next.File
	if remote, _ := config.RemotePath(file); remote == "" && file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(beside, file)
		}
		place.Wrong = mayRead(settings)(file)
	} else if place.Inbox != "" {
		place.Wrong = mayWatch(settings, place.Inbox)
	}
	if place.Wrong != "" {
		return place, nil
	}
	if err := c.prove(place.File, place.Text); err != nil {
		place.Wrong = err.Error()
	}
	return place, nil
}

// Refused returns a function that says why a job made in the console may not read a file, or "" if it may.
func (c *Work) Refused() (func(path string) string, error) { return fromSettings(c, mayRead) }

// mayRead lets a job read tables below the configuration's folder and in folders that jobs read from, but nothing that
// the installation owns. A firm among several may read only below its own folder, because other folders may hold
// another firm's files. The answer does not reveal what other places hold.
func mayRead(settings *config.Config) func(path string) string {
	below, owned := config.Owned{Path: withoutLinks(settings.Dir())}, slices.Concat(settings.Owned(), installation.Named(settings))
	var folders []string
	for _, job := range settings.Jobs {
		if settings.Console.OfFirms() {
			break
		}
		if in := job.Source.Inbox; in != nil {
			folders = append(folders, withoutLinks(in.Folder))
		}
		for _, file := range job.Source.Files {
			folders = append(folders, withoutLinks(filepath.Dir(file)))
		}
	}
	for n := range owned {
		owned[n].Path = withoutLinks(owned[n].Path)
	}
	return func(path string) string {
		at := withoutLinks(path)
		info, err := os.Stat(at) // a file may arrive later
		if err == nil && !info.Mode().IsRegular() || err != nil && !errors.Is(err, fs.ErrNotExist) || !below.Holds(at) && !slices.Contains(folders, filepath.Dir(at)) {
			return fmt.Sprintf("A job of the console cannot read %s: it is not a file in or below the folder of the configuration, or in a folder that a job reads from. Have it exported there, upload it, or have the job written into the configuration.", path)
		}
		if n := slices.IndexFunc(owned, func(o config.Owned) bool { return o.Holds(at) }); n >= 0 {
			return fmt.Sprintf("A job cannot read %s: it belongs to %s. Choose an export.", path, owned[n].What)
		}
		if !upload.Table(at) {
			return fmt.Sprintf("A job cannot read %s: it is not a supported table format. Choose a file such as export.csv or export.xlsx.", path)
		}
		return ""
	}
}

// withoutLinks returns the path with symbolic links resolved, as far as it exists.
func withoutLinks(path string) string {
	abs, _ := filepath.Abs(path)
	if at, err := filepath.EvalSymlinks(abs); err == nil {
		return at
	}
	if dir := filepath.Dir(abs); dir != abs {
		return filepath.Join(withoutLinks(dir), filepath.Base(abs))
	}
	return abs
}

// mayWatch says why a job made in the console may not use a folder as its inbox, or "" if it may. The folder must be
// below that of the configuration and have no other use.
func mayWatch(settings *config.Config, folder string) string {
	dir, at := withoutLinks(settings.Dir()), withoutLinks(folder)
	if at == dir || !(config.Owned{Path: dir}).Holds(at) {
		return fmt.Sprintf("%s cannot be an inbox: it must be below the folder of the configuration. Choose one such as inbox/matters.", folder)
	}
	if taken := takenFolder(settings, folder); taken != "" {
		return fmt.Sprintf("%s cannot be an inbox: it is already used for %s. Choose another one.", folder, taken)
	}
	return ""
}

// prove makes sure that the configuration is valid with one more file.
func (c *Work) prove(path string, text []byte) error {
	list := func(folder string) ([]string, error) {
		names, err := installation.FilesOf(folder)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if name := filepath.Base(path); !slices.Contains(names, name) {
			names = append(names, name)
		}
		return names, err
	}
	settings, err := config.Load(c.setup.ConfigFile, c.setup.Env, installation.ReadWith(path, text), list, installation.OpenToAll)
	if err == nil {
		_, err = installation.Timetable(settings)
	}
	if err == nil {
		for _, job := range settings.Jobs {
			err = cmp.Or(err, installation.TakesNamed(settings, job))
		}
	}
	return err
}

// takenFolder says what a folder, or one that it is in, is already used for, or "" if for nothing.
func takenFolder(settings *config.Config, folder string) string {
	taken := slices.DeleteFunc(settings.Owned(), func(o config.Owned) bool { return !o.Folder })
	for _, job := range settings.Jobs {
		if in := job.Source.Inbox; in != nil {
			taken = append(taken, config.Owned{Path: in.Folder, What: "the files that arrive for " + job.Name})
		}
	}
	for _, t := range taken {
		if t.Path = withoutLinks(t.Path); t.Holds(withoutLinks(folder)) {
			return t.What
		}
	}
	return ""
}
