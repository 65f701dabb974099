package console

import (
	"context"

	"docketsync/importer/intake"
	"docketsync/importer/source"
)

// IntakeWork is what the first import of a file does beyond its own folder.
type IntakeWork struct {
	// Store keeps what is uploaded.
	Store *intake.Store
	// Tables makes the lookups of a draft.
	Tables intake.Tables
	// Lists are the names of the lists that the configuration says the service has; List is one of them.
	Lists func() ([]string, error)
	List  func(ctx context.Context, name string) ([]ListItem, error)
	// Plan says what AddJob would write, and what stands in its way.
	Plan func(job NewJob) (Planned, error)
	// AddJob writes the files of a job and adds it to the configuration. Files that are there already, and hold something else,
	// are replaced only where job says so, and kept beside under another name. Either all is done or nothing.
	AddJob func(job NewJob) (Planned, error)
	// Saved reads the files of a job that AddJob wrote: what they hold by now, by their paths from the mapping's folder.
	Saved func(job NewJob) (map[string][]byte, error)
}

// savedMapping is what Saved calls the mapping.
const savedMapping = "mapping.yaml"

// ListItem is an entry of a list of the service.
type ListItem struct{ ID, Name string }

// NewJob is a job to be added to the configuration, or one that was added and whose mapping has changed since.
type NewJob struct {
	Name    string
	Source  string // the file that it reads
	Options source.Options
	Mapping string            // the text of the mapping
	Files   map[string][]byte // the lookups, by their paths from the mapping's folder
	Known   bool              // the job was added before: its lines in the configuration stay
	Replace bool
}

// Planned is what is written for a job.
type Planned struct {
	Config string   // the configuration file
	Lines  string   // that are added to it, under jobs:; "" where it has the job
	Files  []string // the mapping first
	Taken  []string // of these, those that are there and hold something else
	Wrong  string   // why it cannot be done, "" where it can
	Backup string   // of the configuration as it was, once it is done
}
