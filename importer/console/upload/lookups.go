package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Names is a lookup of the draft with the names in it.
type Names struct {
	Lookup  string
	Service string // the list of the service that it uses, "" for a file
	Ledger  string // the operation whose ids it has
	Lines   []Line
	Missing []Line // for a list of the service: names that it does not have
	Trouble string // why it is not available
}

// Open counts the names without an id.
func (n Names) Open() int {
	open := len(n.Missing)
	for _, line := range n.Lines {
		if line.ID == "" {
			open++
		}
	}
	return open
}

// tables builds the lookups of a draft. It first creates missing lookup files.
func (u *Upload) tables(ctx context.Context, job importer.Job, tables Tables) (map[string]*lookup.Table, error) {
	for _, spec := range job.Mapping.Lookups() {
		if spec.File == "" {
			continue
		}
		if _, err := os.Stat(job.LookupPath(spec)); errors.Is(err, fs.ErrNotExist) {
			if err := u.writeLines(spec.File, nil); err != nil {
				return nil, err
			}
		}
	}
	return tables(ctx, job)
}

// Names lists the lookups of the draft with their names. It adds to a lookup file the names that rows use and the file
// does not have yet. If a lookup is not available, Trouble says so, and its missing names are unknown.
func (u *Upload) Names(ctx context.Context, text string, tables Tables) ([]Names, error) {
	job, err := u.job(text)
	if err != nil {
		return nil, err
	}
	lookups, trouble := u.tables(ctx, job, tables)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var missing map[string][]Line
	if trouble == nil {
		if missing, err = u.missing(ctx, job, lookups); err != nil {
			return nil, u.named(err)
		}
	}
	u.store.writing.Lock()
	defer u.store.writing.Unlock()
	var list []Names
	for _, spec := range job.Mapping.Lookups() {
		names := Names{Lookup: spec.Name, Service: spec.Service, Ledger: spec.Ledger}
		switch {
		case spec.File != "":
			if names.Lines, err = u.lines(spec.File); err != nil {
				return nil, err
			}
			if lacking := missing[spec.Name]; len(lacking) > 0 {
				names.Lines = append(names.Lines, lacking...)
				if err := u.writeLines(spec.File, names.Lines); err != nil {
					return nil, err
				}
			}
		default:
			names.Missing = missing[spec.Name]
			if trouble != nil {
				names.Trouble, _, _ = strings.Cut(trouble.Error(), "\n")
			}
		}
		list = append(list, names)
	}
	return list, nil
}

// missing maps every row to find the names that lookups do not have, as a check of the job finds them.
func (u *Upload) missing(ctx context.Context, job importer.Job, lookups map[string]*lookup.Table) (map[string][]Line, error) {
	names := cause.NewMissing(ledger.Run{}, reason.LookupUnknown, func(field string) string {
		spec, _ := job.Mapping.LookupOf(field)
		return spec.Name
	})
	err := each(ctx, rows.Walk{Inputs: job.Inputs, Mapping: job.Mapping, Lookups: lookups, Absent: u.absent(job)}, func(m *mapping.Mapper, row table.Row) bool {
		if _, skip, _ := m.Key(row); skip == "" {
			_, reasons := m.Map([]table.Row{row})
			names.Add(ledger.Record{Rows: make([]ledger.Row, 1), Reasons: reasons})
		}
		return true
	})
	found := map[string][]Line{}
	for _, spec := range job.Mapping.Lookups() {
		for _, name := range names.Of(spec.Name) {
			found[spec.Name] = append(found[spec.Name], Line{Name: name.Name, Count: name.Rows})
		}
	}
	return found, err
}

func (u *Upload) lines(file string) ([]Line, error) {
	text, err := u.text(filepath.FromSlash(file))
	if err != nil {
		return nil, err
	}
	lines, err := linesOf(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return lines, nil
}

func (u *Upload) writeLines(file string, lines []Line) error {
	text, err := CSV(lines)
	if err != nil {
		return err
	}
	return u.write(filepath.FromSlash(file), text)
}

// IDFault is an id that was not saved, with the reason.
type IDFault struct{ Lookup, Name, ID, Message string }

// FillIn writes ids beside the names of a lookup file. ids are by name; other names keep what they have. It reports,
// and does not write, what is not a valid id, and what would replace an id other than the one shown to the person who
// wrote it.
func (u *Upload) FillIn(text, name string, ids, shown map[string]string) (faults []IDFault, err error) {
	err = u.changeLines(text, name, func(lines []Line) []Line {
		for n := range lines {
			id, said := ids[lines[n].Name]
			if !said {
				continue
			}
			if id = strings.TrimSpace(id); id != "" {
				if err := lookup.New(name).Add(lines[n].Name, id); err != nil {
					faults = append(faults, IDFault{name, lines[n].Name, id, err.Error()})
					continue
				}
			}
			if was, known := shown[lines[n].Name]; known && was != lines[n].ID && id != lines[n].ID {
				faults = append(faults, IDFault{name, lines[n].Name, id, "somebody else has set this to " + cmp.Or(lines[n].ID, "nothing") + " in the meantime; save again to replace it"})
				continue
			}
			lines[n].ID = id
		}
		return lines
	})
	return faults, err
}

// Taken says what TakeIDs changed in a lookup file.
type Taken struct {
	Filled   int // names that had no id
	Replaced int // names that had another id
	Added    int // names that the file does not have yet: a later file of the job may use them
}

// TakeIDs adds a table of names and ids to a lookup file. Names match as in lookups: case, accents and the number of
// spaces do not matter.
func (u *Upload) TakeIDs(text, name string, pairs []Pair) (taken Taken, err error) {
	err = u.changeLines(text, name, func(lines []Line) []Line {
		at := map[string]int{}
		for n, line := range lines {
			at[table.Fold(line.Name)] = n
		}
		for _, pair := range pairs {
			n, known := at[table.Fold(pair.Name)]
			switch {
			case !known:
				taken.Added++
				at[table.Fold(pair.Name)] = len(lines)
				lines = append(lines, Line{Name: pair.Name, ID: pair.ID})
				continue
			case lines[n].ID == "":
				taken.Filled++
			case lines[n].ID != pair.ID:
				taken.Replaced++
			}
			lines[n].ID = pair.ID
		}
		return lines
	})
	return taken, err
}

// changeLines changes the lines of a lookup file.
func (u *Upload) changeLines(text, name string, change func([]Line) []Line) error {
	job, err := u.job(text)
	if err != nil {
		return err
	}
	n := slices.IndexFunc(job.Mapping.Lookups(), func(s mapping.LookupSpec) bool { return s.Name == name && s.File != "" })
	if n < 0 {
		return fmt.Errorf("the draft has no lookup %s with a file", name)
	}
	file := job.Mapping.Lookups()[n].File
	u.store.writing.Lock()
	defer u.store.writing.Unlock()
	lines, err := u.lines(file)
	if err != nil {
		return err
	}
	return u.writeLines(file, change(lines))
}

// Files returns the lookup files that the draft needs, by their names within the folder of the mapping.
func (u *Upload) Files(text string) (map[string][]byte, error) {
	job, err := u.job(text)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, spec := range job.Mapping.Lookups() {
		if spec.File == "" {
			continue
		}
		data, err := os.ReadFile(job.LookupPath(spec))
		if err != nil {
			return nil, err
		}
		files[spec.File] = data
	}
	return files, nil
}

// Restore replaces the draft by files of a job, its mapping and its lookups, if the draft still has the digest.
func (u *Upload) Restore(files map[string][]byte, digest string) error {
	u.store.writing.Lock()
	defer u.store.writing.Unlock()
	if err := u.unchanged(digest); err != nil {
		return err
	}
	for name, text := range files {
		if name != "mapping.yaml" && !ownLookup(name) {
			continue
		}
		if err := u.write(filepath.FromSlash(name), text); err != nil {
			return err
		}
	}
	return nil
}
