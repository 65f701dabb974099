package wizard

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/report/cause"
	"docketsync/mapping"
	"docketsync/mapping/edit"
	"docketsync/mapping/infer"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// read parses a draft.
func (p *Pages) read(up *upload.Upload, text string) (*edit.File, error) {
	proposed, err := up.Proposed()
	if err != nil {
		return nil, err
	}
	switches, err := p.Store.Switches()
	if err != nil {
		return nil, err
	}
	return edit.Read("mapping.yaml", text, proposed, switches)
}

type mappingView struct {
	stepsView
	Text    string
	Seen    string // digest of the draft that the page shows; forms send it back
	Broken  diagnostic.Faults
	Columns []upload.Column
	Key     []string // the selected columns
	KeyOK   bool     // a form can show them
	Dates   []string
	DatesOK bool
	// Filters are the rules for which rows are taken, with an empty one for the next. FiltersOK is false if a form
	// cannot show them.
	Filters   []filterView
	FiltersOK bool
	Numbers   string
	NumbersOK bool
	Checks    []checkView
	ChecksOK  bool
	Goods     goodsView
	Questions []question
	Typed     string            // an entered text that cannot be parsed; "" for none
	Mistakes  diagnostic.Faults // the errors in it
	Fields    []fieldView
	Lookups   []string
	Trial     upload.Trial
	Unused    []string
}

// filterView is a rule for rows in the form.
type filterView struct {
	edit.Filter
	How   string // skip, begins, empty or only
	Words string // the values, one on each line
}

// question is about something that the mapping does not define yet.
type question struct {
	Field string // its path
	Words string
}

// fieldView is a field with its values in the first rows.
type fieldView struct {
	edit.Field
	From    string // the value of the choice
	Text    string // the text beside it
	Words   string
	Usual   string // the usual lookup for it
	Absent  string // its column, if the file does not have it
	Samples []sample
	Locked  bool
}

// sample is the result of the field in one record.
type sample struct {
	Row     int
	Value   string
	Reasons []reason.Reason
	Notes   []reason.Reason
	Skip    string
	Waits   string // the name without an id, if nothing else is wrong
}

// columnPrefix is the prefix of a choice of one column. Other choices are an edit.From; edit.Column stands for several
// columns.
const columnPrefix = "column:"

// betweenColumns separates the names of several columns.
const betweenColumns = " | "

func (p *Pages) showMapping(r *web.Request, up *upload.Upload) error {
	view, err := p.mappingView(r, up)
	if err != nil {
		return unreadable(err)
	}
	return r.Show("importmapping", up.Name, view)
}

func (p *Pages) mappingView(r *web.Request, up *upload.Upload) (view mappingView, err error) {
	view.stepsView = viewOf(up, "/mapping")
	if view.Text, err = up.Text(); err != nil {
		return view, err
	}
	view.Seen = upload.DigestOf(view.Text)
	look, err := up.Glance(r.Context())
	if err != nil {
		return view, err
	}
	view.Columns = look.Columns
	if err := p.typed(up, &view); err != nil {
		return view, err
	}
	d, err := p.read(up, view.Text)
	if errors.As(err, &view.Broken) {
		return view, nil
	}
	if err != nil {
		return view, err
	}
	if view.Trial, err = up.Try(r.Context(), view.Text, p.Work.Tables); err != nil {
		return view, err
	}
	var names []string
	for _, c := range look.Columns {
		names = append(names, c.Name)
	}
	view.describe(d, names)
	var begun edit.Filter
	filters, _ := filtersOf(r)
	for _, f := range filters {
		if unfinished(f) && (f.Column != "" || len(f.Values) > 0) {
			begun = f
		}
	}
	view.describeFilters(d, begun)
	view.describeGoods(r, d, names)
	return view, nil
}

// typed adds an entered text that cannot be parsed to the view, with its errors. The form shows the previous mapping.
func (p *Pages) typed(up *upload.Upload, view *mappingView) error {
	var err error
	if view.Typed, err = up.Typed(); err != nil || view.Typed == "" {
		return err
	}
	if _, err := p.read(up, view.Typed); !errors.As(err, &view.Mistakes) {
		return err
	}
	return nil
}

// ask adds questions about what the mapping does not define yet. A required field without a column is a question, not
// an error.
func (view *mappingView) ask(d *edit.File) {
	if keys, ok := d.Key(); ok && (len(keys) == 0 || slices.Contains(keys, infer.Undecided)) {
		view.Questions = append(view.Questions, question{"key", "Which column tells one record from all others?"})
	}
	for _, f := range view.Fields {
		required := f.Target.Required && f.Depth == 0 && f.Choice.From == edit.Nothing
		if required || slices.Contains(f.Choice.Columns, infer.Undecided) {
			view.Questions = append(view.Questions, question{f.Path, fmt.Sprintf("Which column has the %s?", payload.Label(f.Path))})
		}
	}
	asked := func(field string) bool {
		return slices.ContainsFunc(view.Questions, func(q question) bool { return q.Field == field })
	}
	view.Trial.Troubles = slices.DeleteFunc(slices.Clone(view.Trial.Troubles), func(t upload.Trouble) bool { return asked(t.Field) })
	for n, f := range view.Fields {
		if asked(f.Path) {
			view.Fields[n].Samples = nil
		}
	}
	view.Trial.Faults = slices.DeleteFunc(slices.Clone(view.Trial.Faults), func(f diagnostic.Fault) bool {
		return strings.HasPrefix(f.Message, "key is required") || strings.Contains(f.Message, infer.Undecided) ||
			slices.ContainsFunc(view.Questions, func(q question) bool {
				return strings.HasPrefix(f.Message, "the required field "+q.Field+" is not mapped")
			})
	})
}

// describeFilters adds the rules for rows to the view, followed by the unfinished rule in the form or an empty one.
func (view *mappingView) describeFilters(d *edit.File, begun edit.Filter) {
	view.Numbers, view.NumbersOK = d.Numbers()
	filters, ok := d.Filters()
	if view.FiltersOK = ok; !ok {
		return
	}
	for _, f := range append(filters, begun) {
		shown := filterView{Filter: f, How: "skip", Words: strings.Join(f.Values, "\n")}
		switch {
		case f.Only:
			shown.How = "only"
		case f.Begins:
			shown.How = "begins"
		case slices.Equal(f.Values, []string{""}):
			shown.How = "empty"
		}
		view.Filters = append(view.Filters, shown)
	}
}

func (view *mappingView) describe(d *edit.File, names []string) {
	view.Key, view.KeyOK = d.Key()
	view.Dates, view.DatesOK = d.Dates()
	view.Lookups = d.Lookups()
	view.describeChecks(d)
	for _, f := range d.Fields() {
		shown := describeField(f, d.Operation(), names)
		for _, record := range view.Trial.Records {
			shown.Samples = append(shown.Samples, sampleOf(record, f.Path))
		}
		view.Fields = append(view.Fields, shown)
	}
	view.ask(d)
	used := map[string]bool{}
	for _, name := range mapping.ParseDraft("mapping.yaml", []byte(view.Text), mapping.Options{}).Columns() {
		used[table.Fold(name)] = true
	}
	for _, name := range names {
		if !used[table.Fold(name)] && !counted(view.Fields, name) {
			view.Unused = append(view.Unused, name)
		}
	}
}

// digits matches what # stands for in the column names of a mapping: Class # means Class 1, Class 2 and so on.
var digits = regexp.MustCompile(`\d+`)

// counted reports whether a column is one of the numbered columns of a list of entries.
func counted(fields []fieldView, column string) bool {
	sign := table.Fold(digits.ReplaceAllString(column, "#"))
	return sign != table.Fold(column) && slices.ContainsFunc(fields, func(f fieldView) bool {
		return f.Locked && strings.Contains(table.Fold(f.Field.Text), sign)
	})
}

func describeField(f edit.Field, op payload.Operation, columns []string) fieldView {
	c := f.Choice
	shown := fieldView{Field: f, From: string(c.From), Text: originText(c), Words: wordsText(c.Words)}
	if c.From == edit.Column && len(c.Columns) == 1 {
		shown.From, shown.Text = columnPrefix+c.Columns[0], ""
		if !slices.Contains(columns, c.Columns[0]) {
			shown.Absent = c.Columns[0]
		}
	}
	shown.Locked = f.Target.Type == payload.TypeItems || f.Target.Type == payload.TypeComponents
	if f.Target.Type == payload.TypeGUID || f.Target.Type == payload.TypeGUIDs {
		shown.Usual = infer.LookupFor(op, f.Path)
	}
	return shown
}

// originText returns the text that the form shows beside the origin of a value.
func originText(c edit.Choice) string {
	return cmp.Or(c.Value, c.Expression, strings.Join(c.Columns, betweenColumns))
}

// Missing returns what to show for a column that the file does not have.
func (mappingView) Missing(column string) string {
	if column == infer.Undecided {
		return "— choose a column"
	}
	return column + " (not in the file)"
}

// Ids reports whether the field holds ids, into which a lookup turns names.
func (f fieldView) Ids() bool {
	return f.Target.Type == payload.TypeGUID || f.Target.Type == payload.TypeGUIDs || f.Choice.Lookup != ""
}

// Dated reports whether the field is a date.
func (f fieldView) Dated() bool { return f.Target.Type == payload.TypeDate }

// More reports whether any of the rarely needed settings is set.
func (f fieldView) More() bool {
	return f.Choice.Default != "" || f.Words != "" || len(f.Choice.Dates) > 0
}

// sampleOf returns the values of a record in a field, or in the fields of its entries.
func sampleOf(record upload.Tried, path string) sample {
	sample := sample{Row: record.Row, Skip: record.Skip}
	var values []string
	var visit func(steps []mapping.Step)
	visit = func(steps []mapping.Step) {
		for _, step := range steps {
			if step.Field == path {
				if len(step.Value) > 0 && len(step.Parts) == 0 {
					values = append(values, valueWords(step))
				}
				if len(step.Parts) == 0 {
					sample.Reasons = append(sample.Reasons, step.Reasons...)
				}
				sample.Notes = append(sample.Notes, step.Notes...)
			}
			visit(step.Parts)
		}
	}
	visit(record.Steps)
	sample.Value = strings.Join(values, " · ")
	if len(sample.Reasons) > 0 && !slices.ContainsFunc(sample.Reasons, func(r reason.Reason) bool { return !cause.Waits(r.Code) }) {
		sample.Waits = sample.Reasons[0].Value
	}
	return sample
}

// longestValue is the maximum length of a shown value, in characters.
const longestValue = 160

// valueWords formats a value for people: a text without quotes, an id with the name it was looked up by.
func valueWords(step mapping.Step) string {
	text := string(step.Value)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	if step.Name != "" {
		text = step.Name + " → " + text
	}
	if r := []rune(text); len(r) > longestValue {
		text = string(r[:longestValue]) + "…"
	}
	return text
}
