package config

import "time"

// Job is one import: a source, and the mapping that turns its rows into payloads.
type Job struct {
	Name     string `yaml:"name" jsonschema:"required"`
	Source   Source `yaml:"source" jsonschema:"required"`
	Mapping  string `yaml:"mapping" path:"true" jsonschema:"required"`
	Guards   Guards `yaml:"guards"` // those of the installation, overridden by the job's own
	Vanished string `yaml:"vanished" oneof:"list inactive"`
	After    Names  `yaml:"after"` // jobs that must have ended completely before this one is sent
	When     *When  `yaml:"when"`  // nil for a job that only people run
}

// Deactivates reports whether cases whose rows are gone from the export are made inactive.
func (j Job) Deactivates() bool { return j.Vanished == "inactive" }

// Source is one file, or several with the same columns, and the settings for reading them. What is left out is detected
// from the file.
type Source struct {
	Files      Names  `yaml:"file,short" path:"remote"` // read in this order; RemotePath recognizes those on remotes
	Inbox      *Inbox `yaml:"inbox"`                    // instead of Files
	Format     string `yaml:"format" oneof:"csv xlsx ods xls"`
	Encoding   string `yaml:"encoding"`
	Delimiter  string `yaml:"delimiter"`
	Quote      string `yaml:"quote"`
	Escape     string `yaml:"escape" oneof:"double backslash"`
	Lenient    bool   `yaml:"lenient"`
	Ragged     string `yaml:"ragged"`
	Cut        string `yaml:"cut"`
	Totals     string `yaml:"totals"`
	Covered    string `yaml:"covered"`
	Sheet      string `yaml:"sheet"`
	Merged     string `yaml:"merged"`
	Hidden     string `yaml:"hidden"`
	Ignore     bool   `yaml:"ignore_hidden"` // the former name of hidden: skip
	Header     int    `yaml:"header"`        // as a spreadsheet numbers its rows; 0 to detect it
	HeaderRows int    `yaml:"header_rows"`   // 0 to detect it
	NoHeader   bool   `yaml:"no_header"`
	FooterRows int    `yaml:"footer_rows"` // blank rows are not counted
	Footer     string `yaml:"footer"`
	Password   Secret `yaml:"password"`
}

// Inbox is a folder that files arrive in; each file is run when it has arrived. Archive and Rejected are relative to
// Folder until the configuration is loaded.
type Inbox struct {
	Folder   string        `yaml:"folder,short" path:"true" jsonschema:"required"`
	Files    Names         `yaml:"files" default:"'*'"` // case is ignored
	Holds    string        `yaml:"holds" default:"export" oneof:"export changes"`
	Take     string        `yaml:"take" default:"all" oneof:"all newest"`
	Order    string        `yaml:"order" default:"time" oneof:"time name"`
	Poll     time.Duration `yaml:"poll" default:"30s" least:"1s"`
	Still    time.Duration `yaml:"still" default:"1m" least:"1s"`
	Patience time.Duration `yaml:"patience" default:"1h" least:"1s"`
	Marker   string        `yaml:"marker"`
	Archive  string        `yaml:"archive" default:"archive"`
	Rejected string        `yaml:"rejected" default:"rejected"`
}

// When says when docketsync schedule runs a job: by a cron expression, or after another job.
type When struct {
	Cron    string        `yaml:"cron,short"`
	Zone    string        `yaml:"zone"`
	After   string        `yaml:"after"`
	Delay   time.Duration `yaml:"delay"`
	CatchUp string        `yaml:"catch_up" oneof:"once never"`
}

// Guards are the limits within which a nightly export may differ from that of the job's last finished run. An export
// that differs more stops the run before anything is sent, until somebody has looked at it. The first run of a job has
// nothing to be compared with, so a migration is not guarded. As long as no run has finished, an export is compared
// with the one of a run that was begun, to find what is missing, and with what was accepted of each record.
//
// The defaults are for an export of which a few percent change from one night to the next. A file's age and an
// unchanged file are not guarded by default: only the firm knows when its exports are due, and an old one sends nothing
// new.
type Guards struct {
	Changes        percent       `yaml:"changes" default:"20%"`
	MaxChanges     int           `yaml:"max_changes" least:"0"`
	RowsFell       percent       `yaml:"rows_fell" default:"20%"`
	Vanished       percent       `yaml:"vanished" default:"10%"`
	Rejects        percent       `yaml:"rejects" default:"10%"`
	DatesShifted   percent       `yaml:"dates_shifted" default:"5%"`
	DaysSwapped    int           `yaml:"days_swapped" default:"3" least:"0"`
	CharactersLost int           `yaml:"characters_lost" default:"3" least:"0"`
	IDsChanged     int           `yaml:"ids_changed" default:"1" least:"0"`
	Scope          string        `yaml:"scope" default:"stop" oneof:"stop ignore"`
	Empty          string        `yaml:"empty" default:"stop" oneof:"stop ignore"`
	Header         string        `yaml:"header" default:"stop" oneof:"stop ignore"`
	Columns        string        `yaml:"columns" default:"stop" oneof:"stop ignore"`
	SameFile       string        `yaml:"same_file" default:"ignore" oneof:"stop ignore"`
	Listed         string        `yaml:"listed" default:"stop" oneof:"stop ignore"`
	OlderThan      time.Duration `yaml:"older_than"`
	Least          int           `yaml:"least" default:"10"` // minimum number of rows, records or cells for a share to count
}

// Stops reports whether the word of a guard is stop.
func Stops(word string) bool { return word == "stop" }

// inherit gives each job the guards of the installation, overridden by those in its own block. The faults of that block
// have already been reported.
func (c *Config) inherit() {
	for n := range c.Jobs {
		own := c.Guards
		if path := []any{"jobs", n, "guards"}; c.written(path) {
			_ = c.place.file.Decode(c.place.file.Node(path...), &own)
		}
		c.Jobs[n].Guards = own
	}
}
