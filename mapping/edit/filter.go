package edit

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"docketsync/config/document"
)

// Filter is a rule for which rows are imported.
type Filter struct {
	Name string // its name in reports
	Only bool   // import only rows that match; otherwise leave them out
	// Column must equal one of Values, where an empty value stands for an empty cell. Column is "" for a rule in
	// another form, which Text holds.
	Column string
	Values []string
	Begins bool // the column begins with the only one of Values
	Text   string
}

// The rules that a form can write, in its notation.
var (
	quotedText   = `"((?:[^"\\]|\\["\\])*)"`
	filterRule   = regexp.MustCompile(`^row\[` + quotedText + `\] (?:(==|startsWith) ` + quotedText + `|in \[(` + quotedText + `(?:, ` + quotedText + `)*)\])$`)
	filterValue  = regexp.MustCompile(quotedText)
	unquoteRule  = strings.NewReplacer(`\\`, `\`, `\"`, `"`)
	quoteForRule = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
)

// Filters returns the named rules. ok is false if there are others, which only the text shows.
func (d *File) Filters() (filters []Filter, ok bool) {
	for _, kind := range []string{"skip", "only"} {
		n := at(d.root, "rows", kind)
		if n == nil || document.IsNull(n) {
			continue
		}
		if n.Kind != document.Block {
			return nil, false
		}
		for name, rule := range document.Pairs(n) {
			if rule.Kind != document.Scalar {
				return nil, false
			}
			filters = append(filters, filterOf(name.Value, kind == "only", rule.Value))
		}
	}
	return filters, true
}

func filterOf(name string, only bool, rule string) Filter {
	f := Filter{Name: name, Only: only, Text: rule}
	found := filterRule.FindStringSubmatch(rule)
	if found == nil {
		return f
	}
	f.Column, f.Begins = unquoteRule.Replace(found[1]), found[2] == "startsWith"
	if found[2] != "" {
		f.Values = []string{unquoteRule.Replace(found[3])}
		return f
	}
	for _, value := range filterValue.FindAllStringSubmatch(found[4], -1) {
		f.Values = append(f.Values, unquoteRule.Replace(value[1]))
	}
	return f
}

// rule returns the expression of a filter.
func (f Filter) rule() string {
	if f.Column == "" {
		return f.Text
	}
	var values []string
	for _, value := range f.Values {
		values = append(values, `"`+quoteForRule.Replace(value)+`"`)
	}
	column := `row["` + quoteForRule.Replace(f.Column) + `"]`
	switch {
	case f.Begins:
		return column + " startsWith " + values[0]
	case len(values) == 1:
		return column + " == " + values[0]
	}
	return column + " in [" + strings.Join(values, ", ") + "]"
}

// named gives an unnamed filter the name that reports show: "Status is Dead or Lapsed".
func (f Filter) named() Filter {
	if f.Name != "" {
		return f
	}
	var words []string
	for _, value := range f.Values {
		words = append(words, strings.Join(strings.Fields(cmp.Or(value, "empty")), " "))
	}
	verb := " is "
	if f.Begins {
		verb = " begins with "
	}
	f.Name = f.Column + verb + strings.Join(words, " or ")
	return f
}

func (f Filter) kind() string {
	if f.Only {
		return "only"
	}
	return "skip"
}

// is reports whether two filters are written the same way.
func (f Filter) is(other Filter) bool { return f.kind() == other.kind() && f.rule() == other.rule() }

// ChooseFilters writes the rules for rows: it removes those that are not in the list and adds new ones. A rule in
// another form stays if it is in the list.
func (d *File) ChooseFilters(filters []Filter) (*File, error) {
	now, ok := d.Filters()
	if !ok {
		return nil, byHand([]string{"rows"})
	}
	next := d
	var err error
	for _, f := range filters {
		if slices.ContainsFunc(now, f.is) {
			continue
		}
		if next, err = next.addFilter(f.named()); err != nil {
			return nil, err
		}
	}
	for _, f := range now {
		if f.Column == "" || slices.ContainsFunc(filters, f.is) {
			continue
		}
		if next, err = next.prune([]string{"rows", f.kind(), f.Name}); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func (d *File) addFilter(f Filter) (*File, error) {
	kind := []string{"rows", f.kind()}
	rule := braces([]option{{scalar(f.Name), scalar(f.rule())}})
	switch rows, rules := at(d.root, "rows"), at(d.root, kind...); {
	case rows == nil || document.IsNull(rows):
		return d.set([]string{"rows"}, "\n  "+f.kind()+": "+rule, topRank, true)
	case rules == nil || document.IsNull(rules):
		return d.set(kind, rule, nil, true)
	}
	return d.set(append(kind, f.Name), scalar(f.rule()), nil, true)
}

// Numbers returns how numbers in texts are written, or "" if the file does not say.
func (d *File) Numbers() (form string, ok bool) {
	forms, ok := texts(at(d.root, "numbers"))
	return strings.Join(forms, ""), ok && len(forms) < 2
}

// ChooseNumbers writes how numbers in texts are written; "" removes the line.
func (d *File) ChooseNumbers(form string) (*File, error) {
	switch now, ok := d.Numbers(); {
	case ok && now == form:
		return d, nil
	case form == "":
		return d.remove([]string{"numbers"})
	}
	return d.set([]string{"numbers"}, `"`+form+`"`, topRank, true)
}
