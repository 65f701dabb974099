package file

import (
	"fmt"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
	"docketsync/mapping/date"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// steps compiles what happens to a text between its column and its type.
func (c *compiler) steps(f *rule.Field, n *document.Node, form *fieldForm) {
	if form.Blanks != nil {
		f.Blanks = value.NewBlanks(form.Blanks.Texts())
	}
	if form.Required != nil {
		if f.Required = *form.Required; f.Required {
			f.Empty = rule.EmptyReject
		} else if f.Target.Required {
			c.fault(document.Member(n, "required"), fmt.Sprintf("%s is required by the service", f.Path), "remove this line")
		}
	}
	if form.Empty != nil {
		f.Empty = c.emptyPolicy(form.Empty)
		c.emptyFits(f, form.Empty)
	}
	if f.Lookup = form.Lookup.Text; form.Lookup.Given() {
		c.lookupKnown(form.Lookup.Node, f.Lookup)
	}
	if form.Default != nil {
		f.Fallback = c.constantOf(form.Default)
		if form.Default.Kind != document.Scalar {
			c.faults = append(c.faults, c.file.Expected(form.Default, "a value"))
		}
	}
	if form.Values != nil {
		f.Values = c.values(form.Values)
	}
	c.unknownPolicy(f, form)
	if f.Split = form.Split.Text; form.Split.Given() && f.Split == "" {
		c.fault(form.Split.Node, "split requires a separator", `use split: ";"`)
	}
}

// roundedPolicy reports whether rounded: says keep; formatPolicy whether number_format: says ignore.
func (c *compiler) roundedPolicy(w rule.Word) bool {
	return c.switched("rounded", w, "keep", "to reject such numbers")
}

func (c *compiler) formatPolicy(w rule.Word) bool {
	return c.switched("number_format", w, "ignore", "to use what the sheet shows")
}

// switched reports whether a key is present, whose only valid word is on. otherwise says what happens without it.
func (c *compiler) switched(key string, w rule.Word, on, otherwise string) bool {
	if w.Given() && w.Text != on {
		c.fault(w.Node, fmt.Sprintf("%s: %q is not valid", key, w.Text), "use "+on+", or remove it "+otherwise)
	}
	return w.Given()
}

// emptyFits reports an empty: that the target cannot take.
func (c *compiler) emptyFits(f *rule.Field, n *document.Node) {
	t := f.Target
	switch {
	case f.Empty == rule.EmptyOmit && (t.Required || t.Always):
		c.fault(n, fmt.Sprintf("%s is required and cannot be omitted", f.Path), "reject is the default")
	case f.Empty == rule.EmptyNull && t.Required && !t.Nullable:
		c.fault(n, fmt.Sprintf("%s is required and cannot be null", f.Path), "reject is the default")
	case f.Empty == rule.EmptyKeep && t.Type != payload.TypeText && t.Type != payload.TypeGUIDs:
		c.fault(n, fmt.Sprintf("%s is a %s, which cannot be sent empty", f.Path, t.Type), "use omit, null or reject")
	case f.Empty != rule.EmptyReject && f.Required && !t.Required:
		c.fault(n, fmt.Sprintf("%s is required: true, so an empty value is rejected", f.Path), "remove one of them")
	}
}

// onlyFor lists the keys that apply only to fields of some types.
var onlyFor = map[string][]payload.Type{
	"split": {payload.TypeGUIDs}, "lookup": {payload.TypeGUID, payload.TypeGUIDs},
	"max": {payload.TypeText, payload.TypeURL}, "trim": {payload.TypeText},
	"pattern":       {payload.TypeText, payload.TypeURL, payload.TypeNumber, payload.TypeInteger},
	"number_format": rule.ShownTypes, "numbers": {payload.TypeNumber, payload.TypeInteger}, "numbers_turned": {payload.TypeNumber, payload.TypeInteger},
	"dates": {payload.TypeDate}, "pivot": {payload.TypeDate}, "zone": {payload.TypeDate},
	"dates_turned": {payload.TypeDate, payload.TypeText, payload.TypeNumber}, // the last two for date_as or date()
	"date_as":      {payload.TypeText, payload.TypeNumber},
	"yes":          {payload.TypeBool}, "no": {payload.TypeBool},
}

// meaningless reports the keys of a field that do not apply to its type.
func (c *compiler) meaningless(f *rule.Field, n *document.Node) {
	for key, value := range document.Pairs(n) {
		if types, limited := onlyFor[key.Value]; limited && !document.IsNull(value) && !slices.Contains(types, f.Target.Type) {
			c.fault(value, fmt.Sprintf("%s is not supported for %s, which is a %s", key.Value, f.Path, f.Target.Type), "remove it")
		}
	}
}

var unknownWords = map[string]rule.UnknownPolicy{"reject": rule.UnknownReject, "keep": rule.UnknownKeep, "default": rule.UnknownDefault, "empty": rule.UnknownEmpty}

func (c *compiler) unknownPolicy(f *rule.Field, form *fieldForm) {
	listed := f.Values != nil || len(form.Yes)+len(form.No) > 0
	if listed && f.Fallback != nil { // without a list, a word that cannot be read is a mistake
		f.Unknown = rule.UnknownDefault
	}
	w := form.Unknown
	if !w.Given() {
		return
	}
	policy, ok := unknownWords[w.Text]
	switch {
	case !ok:
		c.fault(w.Node, fmt.Sprintf("unknown: %q is not valid", w.Text), "use reject, keep, default or empty")
	case !listed:
		c.fault(w.Node, "unknown requires values", "remove it, or list values:")
	case policy == rule.UnknownDefault && f.Fallback == nil:
		c.fault(w.Node, "unknown: default requires a default", "add default:")
	}
	f.Unknown = policy
}

// limits compiles max, truncate, pattern and trim.
func (c *compiler) limits(f *rule.Field, n *document.Node, form *fieldForm) {
	if form.Max != nil {
		f.Max = *form.Max
		at := document.Member(n, "max")
		if f.Max < 1 || f.Target.Max > 0 && f.Max > f.Target.Max {
			c.fault(at, fmt.Sprintf("max: %d is not valid for %s", f.Max, f.Path),
				map[bool]string{true: fmt.Sprintf("the service takes at most %d characters", f.Target.Max), false: "use 1 or more"}[f.Target.Max > 0])
		}
	}
	f.Truncate = form.Truncate
	if f.Truncate && f.Max == 0 {
		c.fault(document.Member(n, "truncate"), fmt.Sprintf("truncate requires max for %s", f.Path), "add max:")
	}
	if form.Pattern.Given() {
		pattern, message, hint := value.ParsePattern(form.Pattern.Text)
		if f.Pattern = pattern; message != "" {
			c.fault(form.Pattern.Node, message, hint)
		}
	}
	f.DigitsAlone = c.formatPolicy(form.Format)
	if f.KeepRounded = c.roundedPolicy(form.Rounded); f.KeepRounded && !f.CanBeRounded() {
		c.fault(form.Rounded.Node, fmt.Sprintf("rounded is not supported for %s", f.Path), "remove it")
	}
	f.KeepTrim = form.Trim != nil && !*form.Trim
}

func (c *compiler) dateForm(f *rule.Field, n *document.Node, form *fieldForm) {
	f.Dates = c.dateReader(form.Dates, form.Pivot, form.Zone, c.dates, n)
	f.Dates.Turned = c.acceptsTurned(form.Turned, c.dates.Turned)
	if form.Numbers.Given() {
		f.Numbers = c.numberConvention(form.Numbers)
	}
	f.NumbersTurned = c.switched("numbers_turned", form.Signs, "accept", "to stop the job")
	if !form.DateAs.Given() {
		return
	}
	pattern, err := date.ParsePattern(form.DateAs.Text)
	if err != nil {
		c.fault(form.DateAs.Node, err.Error(), "use a pattern such as YYYY-MM-DD or DD/MM/YYYY")
	}
	f.DateAs = pattern
}

func (c *compiler) values(n *document.Node) *rule.Values {
	t := &rule.Values{Exact: map[string]rule.Outcome{}, Folded: map[string]rule.Outcome{}}
	for key, value := range c.pairs(n, "a block of words and their values") {
		if key.Kind != document.Scalar || value.Kind != document.Scalar {
			c.faults = append(c.faults, c.file.Expected(value, "one value for each word"))
			continue
		}
		becomes := rule.Outcome{Text: value.Value, Empty: document.IsNull(value) || value.Value == ""}
		word := table.Trim(key.Value)
		if document.IsNull(key) {
			word = ""
		}
		if earlier, twice := t.Folded[table.Fold(word)]; twice && earlier != becomes {
			c.fault(key, fmt.Sprintf("%q matches a word above that has another value", word),
				"case and accents are ignored: keep one of them")
		}
		t.Exact[word], t.Folded[table.Fold(word)] = becomes, becomes
		t.Words = append(t.Words, word)
	}
	return t
}

// numberConvention compiles numbers:.
func (c *compiler) numberConvention(w rule.Word) *value.NumberConvention {
	convention, ok := value.ParseNumberConvention(w.Text)
	if !ok {
		c.fault(w.Node, fmt.Sprintf("numbers: %q is not a number format", w.Text),
			`write 1234.56 with the file's separators: "1.234,56", "1,234.56", "1 234,56", "1'234.56" or "1234,56"`)
	}
	return convention
}

// turnedWords are the valid values of dates_turned.
var turnedWords = []any{"accept", "stop"}

func (c *compiler) acceptsTurned(w rule.Word, above bool) bool {
	if !w.Given() {
		return above
	}
	if !slices.Contains(turnedWords, any(w.Text)) {
		c.fault(w.Node, fmt.Sprintf("dates_turned: %q is not valid", w.Text), "use accept or stop")
	}
	return w.Text == "accept"
}
