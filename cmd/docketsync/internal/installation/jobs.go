package installation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer"
	"docketsync/importer/decide"
	"docketsync/importer/guard"
	"docketsync/importer/lookups"
	"docketsync/importer/rows"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// Choose returns the settings of the named jobs, or of all if none is named. file, if not empty, is read instead of the
// one job's own source.
func (in *Installation) Choose(names []string, file string) ([]config.Job, error) {
	if err := OfOneFirm(in.Config); err != nil {
		return nil, err
	}
	chosen, err := ChooseJobs(in.Config.Jobs, names)
	if err != nil {
		return nil, err
	}
	if file == "" {
		return only(chosen, names, false, "the job %[1]q reads from its inbox\nRun it with 'docketsync inbox %[1]s', or give it a file with --file",
			"all jobs of the configuration read from inboxes; run them with 'docketsync inbox'")
	}
	if len(names) != 1 {
		return nil, exit.Mistakef("--file needs the name of one job, whose mapping is used to read the file")
	}
	// How the job's own source is read says nothing about another file, and records missing from a part have not
	// vanished. The guards are the job's, whatever it reads.
	job := chosen[0]
	job.Source, job.Vanished = in.Named, ""
	job.Source.Files = config.Names{file}
	return []config.Job{job}, nil
}

// InboxJobs returns the named jobs, or all that have an inbox.
func InboxJobs(all []config.Job, names []string) ([]config.Job, error) {
	chosen, err := ChooseJobs(all, names)
	if err != nil {
		return nil, err
	}
	return only(chosen, names, true, "the job %[1]q has no inbox; run it with 'docketsync run %[1]s'",
		"no job of the configuration has an inbox\nGive a job one with source: {inbox: FOLDER}")
}

// only returns the jobs that have an inbox, or those that have none. A named job of the other kind is a mistake, with
// the message wrong; none is the message if nothing is left.
func only(jobs []config.Job, names []string, inbox bool, wrong, none string) (found []config.Job, err error) {
	for _, job := range jobs {
		switch {
		case (job.Source.Inbox != nil) == inbox:
			found = append(found, job)
		case len(names) > 0:
			return nil, exit.Mistakef(wrong, job.Name)
		}
	}
	if len(found) == 0 {
		return nil, exit.Mistakef("%s", none)
	}
	return found, nil
}

// Jobs prepares the chosen jobs. The mistakes of all mappings are reported at once.
func (in *Installation) Jobs(names []string, file string) ([]importer.Job, error) {
	chosen, err := in.Choose(names, file)
	if err != nil {
		return nil, err
	}
	return in.JobsOf(chosen, file != "")
}

// JobsOf prepares jobs from their settings. partial says that their files are a part of what the sources hold, as files
// of an inbox of changes always are.
func (in *Installation) JobsOf(chosen []config.Job, partial bool) (jobs []importer.Job, err error) {
	var faults diagnostic.Faults
	for _, settings := range chosen {
		job, err := in.Job(settings)
		if several, ok := errors.AsType[diagnostic.Faults](err); ok {
			faults = append(faults, several...)
		} else if err != nil {
			return nil, exit.As(exit.Usage, fmt.Errorf("job %s: %w", settings.Name, err))
		}
		job.Partial = job.Partial || partial
		jobs = append(jobs, job)
	}
	return jobs, faults.Err()
}

// ChooseJobs returns the settings of the named jobs, or of all if none is named, each after those that it comes after.
func ChooseJobs(all []config.Job, names []string) ([]config.Job, error) {
	if len(all) == 0 {
		return nil, exit.Mistakef("the configuration has no jobs\nList them under jobs:, each with a name, a source and a mapping")
	}
	if len(names) == 0 {
		return config.InOrder(all, all), nil
	}
	known := map[string]config.Job{}
	var order []string
	for _, job := range all {
		known[job.Name] = job
		order = append(order, job.Name)
	}
	var chosen []config.Job
	for _, name := range names {
		job, ok := known[name]
		if !ok {
			advice := "the jobs are " + strings.Join(order, ", ")
			if near := diagnostic.Nearest(name, order); near != "" {
				advice = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, exit.Mistakef("the configuration has no job %q; %s", name, advice)
		}
		chosen = append(chosen, job)
	}
	return config.InOrder(all, chosen), nil
}

// Job reads the mapping of one job.
func (in *Installation) Job(settings config.Job) (importer.Job, error) {
	text, err := in.MappingText(settings.Mapping)
	if err != nil {
		return importer.Job{}, err
	}
	switches := in.Config.Service.Switches
	compiled, err := mapping.Parse(settings.Mapping, text, MappingOptions(in.Config))
	if err != nil {
		return importer.Job{}, err
	}
	if settings.Deactivates() && compiled.Operation() != payload.UpdateCase {
		return importer.Job{}, fmt.Errorf("vanished: inactive works only with update_case, and %s uses %s\n"+
			"Only cases can be made inactive by an update; write vanished: list, or leave it out", settings.Mapping, compiled.Operation())
	}
	if err := TakesNamed(in.Config, settings); err != nil {
		return importer.Job{}, err
	}
	job := importer.Job{
		Name: settings.Name, Mapping: compiled, MappingText: text, Sources: lookups.Sources{MappingDir: filepath.Dir(settings.Mapping)},
		FormerSettings: fmt.Sprintf("%s {Active:%s RegistrationNumber:%s ComponentID:%s DoNotCreateFile:%s FolderFileNumber:%s UpdateAnswer:%s}", in.Config.Service.CreateCaseVariant,
			switches.Active, switches.RegistrationNumber, switches.ComponentID, switches.DoNotCreateFile, switches.FolderFileNumber, switches.UpdateAnswer),
		Policy: decide.Policy{
			RepeatCreates:      in.Config.Retry.Creates == "always",
			Switches:           Spelling(in.Config.Service),
			DeactivateVanished: settings.Deactivates(),
			NotReadBack:        in.Config.Service.NotReadBack,
			RetryRefused:       time.Duration(in.Config.Retry.Refused),
			Target:             in.target(string(compiled.Operation())),
		},
		Jobs: in.NamesOf(nil), Guards: guards(settings.Guards),
	}
	if box := settings.Source.Inbox; box != nil && box.Holds == "changes" { // only a change of scope guards it
		job.Partial, job.Guards = true, guard.Limits{Scope: job.Guards.Scope}
	}
	if compiled.Operation() == payload.CreateCase {
		job.Policy.UpdatedElsewhere = in.updatedElsewhere(compiled.Scope())
	}
	for _, before := range in.Config.Jobs {
		if slices.Contains(config.Before(in.Config.Jobs, settings.Name), before.Name) {
			job.After = append(job.After, importer.Predecessor{Name: before.Name, Inbox: before.Source.Inbox != nil, Changes: before.Source.Inbox != nil && before.Source.Inbox.Holds == "changes"})
		}
	}
	for _, file := range settings.Source.Files {
		job.Inputs = append(job.Inputs, rows.Input{Path: file, Options: SourceOptions(settings.Source, compiled.Columns())})
	}
	in.KeptLists(&job)
	return job, nil
}

// target is a digest of the address to which the payloads of an operation are sent, "" if its path is not known.
func (in *Installation) target(operation string) string {
	path, err := in.Config.Service.Path(operation)
	if err != nil {
		return ""
	}
	return decide.Digest([]byte(in.Config.Service.BaseURL + path))[:8]
}

// Requests returns digests of the settings that decide what a request looks like and whether it is repeated, by name.
// Each setting has a name of its own, and a path is there although the file does not set it: nodes compare what both
// know, and one of another release knows one setting more or less.
func (in *Installation) Requests() map[string]string {
	s := in.Config.Service
	values := map[string]string{"service.cookie_header": s.CookieHeader, "service.folder_cookie": strconv.FormatBool(s.FolderCookie),
		"service.create_case_variant": s.CreateCaseVariant, "retry.creates": in.Config.Retry.Creates}
	for _, operation := range payload.Operations {
		values["service.paths."+string(operation)], _ = s.Path(string(operation)) // "" if it is not known
	}
	for field, value := range reflect.ValueOf(s.Switches).Fields() {
		values["service.switches."+field.Tag.Get("yaml")] = value.String()
	}
	for name, value := range values {
		values[name] = decide.Digest([]byte(value))[:8]
	}
	return values
}

// updatedElsewhere lists the fields that jobs of the configuration update in records that another job creates in a
// scope. A job whose mapping cannot be read counts as updating nothing.
func (in *Installation) updatedElsewhere(scope string) (fields []string) {
	for _, settings := range in.Config.Jobs {
		text, err := in.MappingText(settings.Mapping)
		if err != nil {
			continue
		}
		if m, err := mapping.Parse(settings.Mapping, text, MappingOptions(in.Config)); err == nil && m.Operation() == payload.UpdateCase {
			fields = append(fields, m.Updates(scope)...)
		}
	}
	return fields
}

// MappingOptions are the switches of the service that change what payloads contain, and today's date.
func MappingOptions(c *config.Config) mapping.Options {
	return mapping.Options{
		Switches: Spelling(c.Service),
		Today:    time.Now(),
		Lists:    append([]string{}, c.Service.ListNames()...),
	}
}

func guards(g config.Guards) guard.Limits {
	return guard.Limits{
		Changes: float64(g.Changes), RowsFell: float64(g.RowsFell), Vanished: float64(g.Vanished), Rejects: float64(g.Rejects),
		DatesShifted: float64(g.DatesShifted), DaysSwapped: g.DaysSwapped, CharactersLost: g.CharactersLost, MaxChanges: g.MaxChanges, OlderThan: g.OlderThan, Least: g.Least,
		IDsChanged: g.IDsChanged, Scope: config.Stops(g.Scope),
		Empty: config.Stops(g.Empty), Header: config.Stops(g.Header), Columns: config.Stops(g.Columns), SameFile: config.Stops(g.SameFile),
		Listed: config.Stops(g.Listed),
	}
}

// MappingText returns the text of a mapping file, which may have been read before.
func (in *Installation) MappingText(path string) ([]byte, error) {
	if text, ok := in.Mappings[path]; ok {
		return text, nil
	}
	return ReadMapping(path)
}

// ReadMapping reads a mapping file, and the base that it extends.
func ReadMapping(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return mapping.Extend(path, text, os.ReadFile)
}

// SourceOptions says how to read a source; columns are those that its mapping names.
func SourceOptions(s config.Source, columns []string) source.Options {
	if s.Ignore {
		s.Hidden = "skip"
	}
	return source.Options{
		Format: s.Format, Encoding: s.Encoding, Delimiter: s.Delimiter, Quote: s.Quote, Escape: s.Escape, Lenient: s.Lenient, Ragged: s.Ragged, Cut: s.Cut, Totals: s.Totals, Covered: s.Covered,
		Sheet: s.Sheet, Merged: s.Merged, Hidden: s.Hidden, Password: s.Password.Reveal(),
		Header: s.Header, HeaderRows: s.HeaderRows, NoHeader: s.NoHeader, FooterRows: s.FooterRows, Footer: s.Footer,
		Columns: columns, Certain: true,
	}
}

// NamesOf returns the names of the jobs that a command line means, without those that the configuration does not have:
// nobody is notified of a typing mistake.
func (in *Installation) NamesOf(names []string) []string {
	var meant []string
	for _, job := range in.Config.Jobs {
		if len(names) == 0 || slices.Contains(names, job.Name) {
			meant = append(meant, job.Name)
		}
	}
	return meant
}
