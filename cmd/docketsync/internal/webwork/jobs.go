package webwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	in, err := c.installation()
	if err != nil {
		return nil, err
	}
	in.KeptLists(&job)
	if len(job.Unlisted) > 0 {
		err = in.FetchLists(ctx, []importer.Job{job})
	}
	var tables map[string]*lookup.Table
	if err == nil {
		tables, err = in.Importer(nil).Lookups(ctx, job)
	}
	return tables, in.End(err)
}

func (c *Work) Lists() ([]string, error) {
	return fromSettings(c, func(s *config.Config) []string { return s.Service.ListNames() })
}

func (c *Work) Remotes() ([]string, error) {
	return fromSettings(c, func(s *config.Config) []string { return slices.Sorted(maps.Keys(s.Remotes)) })
}

// freshList is how old a list may be to choose ids from.
const freshList = time.Hour

func (c *Work) List(ctx context.Context, name string) (items []wizard.ListItem, err error) {
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
	if err := c.prove(place.File, place.Text); err != nil {
		place.Wrong = err.Error()
	}
	if place.Inbox = job.Next.Inbox; place.Inbox != "" && !filepath.IsAbs(place.Inbox) {
		place.Inbox = filepath.Join(beside, place.Inbox)
	}
	return place, nil
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
	return err
}

// takenFolder says what a folder, or one that it is in, is used for; "" if a job may have it. It does not ask whether
// the system distinguishes upper and lower case.
func takenFolder(settings *config.Config, folder string) string {
	taken := [][2]string{{settings.Console.Uploads, "the uploads"}, {settings.Reports, "the reports"}, {filepath.Join(settings.Dir(), config.JobsFolder), "the jobs"}}
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
