package upload

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/importer"
	"docketsync/importer/lookups"
	"docketsync/importer/report/cause"
	"docketsync/importer/rows"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Trial is the result of applying a draft to the first rows.
type Trial struct {
	// Faults are the mistakes in the draft. With mistakes other than missing columns there are no records.
	Faults  diagnostic.Faults
	Records []Tried
	// Rows is how many rows were mapped, Made how many records they make, Rejected how many of these would be rejected.
	Rows     int
	Made     int
	Rejected int
	Waiting  int // records that only names without an id keep from being sent
	Skipped  int
	Troubles []Trouble
}

// Tried is one record: the result of each field, and what is wrong with it.
type Tried struct {
	Row     int
	Key     string
	Skip    string // why the mapping leaves it out
	Steps   []mapping.Step
	Reasons []reason.Reason // those that belong to no field
}

// Trouble is a reason with how often it occurs.
type Trouble struct {
	Field   string
	Message string // of the first occurrence
	Rows    int
	Goes    bool // the rows go in as they are: one of the firm's own checks warns about them
}

// Place is where on the mapping's page it is corrected: at its field, or in the text, the only place for a firm's own
// checks.
func (t Trouble) Place() string {
	if strings.HasPrefix(t.Field, "checks.") {
		return "text"
	}
	return t.Field
}

// Tables builds the lookups of a job; importer.Importer has such a method.
type Tables func(ctx context.Context, job importer.Job) (map[string]*lookup.Table, error)

// How many rows a trial maps, and how many of their records it shows.
const (
	triedRows  = 500
	triedShown = 5
)

// job returns the draft as a job, or the faults of the draft.
func (u *Upload) job(text string) (importer.Job, error) {
	switches, err := u.store.Switches()
	if err != nil {
		return importer.Job{}, err
	}
	m, err := mapping.Parse("mapping.yaml", []byte(text), switches)
	if err != nil {
		return importer.Job{}, u.allFaults(text, switches, err)
	}
	if err := ownLookups(m.Lookups()); err != nil {
		return importer.Job{}, err
	}
	options := u.Read.Options()
	options.Columns = m.Columns()
	return importer.Job{Name: u.ID, Mapping: m, MappingText: []byte(text), Sources: lookups.Sources{MappingDir: u.dir()}, Inputs: []rows.Input{{Path: u.Path(), Options: options}}}, nil
}

// allFaults returns the mistakes of a draft, and the columns that the file does not have.
func (u *Upload) allFaults(text string, o mapping.Options, err error) error {
	var faults diagnostic.Faults
	if !errors.As(err, &faults) {
		return err
	}
	from, err := source.Open(context.Background(), u.Path(), u.Read.Options())
	if err != nil {
		return faults
	}
	defer from.Close()
	return append(slices.Clone(faults), mapping.ParseDraft("mapping.yaml", []byte(text), o).Missing(from.Header())...).Err()
}

// ownLookups checks that a draft reads no files but its own.
func ownLookups(specs []mapping.LookupSpec) error {
	var faults diagnostic.Faults
	for _, spec := range specs {
		if spec.File != "" && !ownLookup(spec.File) {
			faults = append(faults, diagnostic.Fault{File: "mapping.yaml", Line: 1, Column: 1, Message: fmt.Sprintf("the lookup %s reads %q", spec.Name, spec.File),
				Hint: "In the browser a lookup is a CSV file of the folder lookups, such as lookups/" + JobName(spec.Name) + ".csv, a list of the service, or stands in the mapping"})
		}
	}
	return faults.Err()
}

// ownLookup reports whether a path is that of a file in the folder of a draft's lookups.
func ownLookup(file string) bool {
	name, ok := strings.CutPrefix(file, "lookups/")
	return ok && path.Base(name) == name && strings.HasSuffix(name, ".csv") && !strings.ContainsAny(name, `\:`) && !strings.HasPrefix(name, ".")
}

// Try maps the first rows with a draft. Mistakes in the draft are part of the trial; the error is for everything else.
func (u *Upload) Try(ctx context.Context, text string, tables Tables) (Trial, error) {
	trial, err := u.try(ctx, text, tables)
	if faults, ok := errors.AsType[diagnostic.Faults](err); ok {
		return Trial{Faults: u.ownNames(faults)}, nil
	}
	return trial, u.named(err)
}

// ownNames replaces the paths of the upload's files by their names in its folder: their place on the server helps
// nobody.
func (u *Upload) ownNames(faults diagnostic.Faults) (named diagnostic.Faults) {
	short := strings.NewReplacer(u.Path(), u.Name, u.dir()+string(filepath.Separator), "")
	for _, f := range faults {
		f.File, f.Message, f.Hint = short.Replace(f.File), short.Replace(f.Message), short.Replace(f.Hint)
		named = append(named, f)
	}
	return named
}

func (u *Upload) try(ctx context.Context, text string, tables Tables) (Trial, error) {
	job, err := u.job(text)
	if err != nil {
		return Trial{}, err
	}
	lookups, err := u.tables(ctx, job, tables)
	if err != nil {
		return Trial{}, told(ctx, err)
	}
	walk := rows.Walk{Inputs: job.Inputs, Mapping: job.Mapping, Lookups: lookups}
	if walk.Mapping, err = walk.InferDates(ctx); err != nil {
		return Trial{}, err
	}
	t := &trier{mapping: walk.Mapping, causes: map[[2]string]int{}}
	try := func(m *mapping.Mapper, row table.Row) bool {
		t.mapper = m
		t.take(row)
		return t.Rows < triedRows
	}
	err = each(ctx, walk, try)
	if faults, ok := errors.AsType[diagnostic.Faults](err); ok {
		// Show what can be shown all the same: treat a missing column as empty.
		if walk.Absent = u.absent(job); len(walk.Absent) > 0 && each(ctx, walk, try) == nil {
			err = nil
			t.Faults = faults
		}
	}
	if err != nil {
		return Trial{}, err
	}
	t.finish(ctx)
	return t.Trial, ctx.Err()
}

// told turns an error about a lookup into a fault that is shown beside the others: a draft whose lookup names a list
// that cannot be fetched can still be changed.
func told(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.As(err, new(diagnostic.Faults)) {
		return err
	}
	message, hint, _ := strings.Cut(err.Error(), "\n")
	return diagnostic.Faults{{File: "mapping.yaml", Message: message, Hint: hint}}
}

// absent lists the columns that a mapping names and the file does not have.
func (u *Upload) absent(job importer.Job) []string {
	from, err := source.Open(context.Background(), u.Path(), job.Inputs[0].Options)
	if err != nil {
		return nil
	}
	defer from.Close()
	columns := table.NewColumns(from.Header())
	return slices.DeleteFunc(job.Mapping.Columns(), func(name string) bool { return len(columns.Find(name)) > 0 })
}

// each visits the rows that are data, in each table until visit returns false. visit may keep the cells of a row.
func each(ctx context.Context, w rows.Walk, visit func(*mapping.Mapper, table.Row) bool) error {
	return w.Each(ctx, func(t *rows.Table) error {
		for row, err := range t.Rows(ctx) {
			if err != nil {
				return err
			}
			if row.Skip != "" {
				continue
			}
			row.Cells = slices.Clone(row.Cells)
			if !visit(t.Mapper, row) {
				break
			}
		}
		return nil
	})
}

// trier groups rows into records and maps them.
type trier struct {
	Trial
	mapping *mapping.Mapping
	mapper  *mapping.Mapper
	order   []string
	groups  map[string][]table.Row
	causes  map[[2]string]int // index in Troubles
}

func (t *trier) take(row table.Row) {
	t.Rows++
	key, skip, reasons := t.mapper.Key(row)
	switch {
	case skip != "":
		t.Skipped++
		if len(t.Records) < triedShown && !t.mapping.Grouped() {
			t.Records = append(t.Records, Tried{Row: row.Number, Skip: skip})
		}
	case len(reasons) > 0 || !t.mapping.Grouped():
		t.record(key, []table.Row{row})
	default:
		if t.groups == nil {
			t.groups = map[string][]table.Row{}
		}
		if t.groups[key] == nil {
			t.order = append(t.order, key)
		}
		t.groups[key] = append(t.groups[key], row)
	}
}

func (t *trier) finish(ctx context.Context) {
	for _, key := range t.order {
		if ctx.Err() != nil {
			return
		}
		t.record(key, t.groups[key])
	}
	slices.SortStableFunc(t.Troubles, func(a, b Trouble) int { return b.Rows - a.Rows })
}

func (t *trier) record(key string, rows []table.Row) {
	record, reasons := t.mapper.Map(rows)
	t.Made++
	waits := !slices.ContainsFunc(reasons, func(r reason.Reason) bool { return !cause.Waits(r.Code) })
	switch {
	case len(reasons) > 0 && waits:
		t.Waiting++
	case len(reasons) > 0:
		t.Rejected++
	}
	for _, r := range reasons {
		if !cause.Waits(r.Code) {
			t.trouble(r, len(rows), false)
		}
	}
	for _, r := range record.Notes {
		if strings.HasPrefix(r.Field, "checks.") {
			t.trouble(r, len(rows), true)
		}
	}
	if len(t.Records) < triedShown {
		tried := Tried{Row: rows[0].Number, Key: key, Steps: t.mapper.Explain(rows)}
		for _, r := range reasons {
			if !explained(tried.Steps, r) {
				tried.Reasons = append(tried.Reasons, r)
			}
		}
		t.Records = append(t.Records, tried)
	}
}

func (t *trier) trouble(r reason.Reason, rows int, goes bool) {
	at := [2]string{r.Field, r.Code}
	n, known := t.causes[at]
	if !known {
		n = len(t.Troubles)
		t.causes[at] = n
		t.Troubles = append(t.Troubles, Trouble{Field: r.Field, Message: r.Message, Goes: goes})
	}
	t.Troubles[n].Rows += rows
}

// explained reports whether a reason is already shown at one of the fields.
func explained(steps []mapping.Step, r reason.Reason) bool {
	return slices.ContainsFunc(steps, func(s mapping.Step) bool {
		return slices.ContainsFunc(s.Reasons, r.Same) || explained(s.Parts, r)
	})
}
