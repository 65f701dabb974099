package mapping

import (
	"fmt"
	"slices"
	"strconv"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/date"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// steps compiles what happens to a text between its column and its type.
func (c *compiler) steps(f *field, n *document.Node, form *fieldForm) {
	if form.Blanks != nil {
		f.blanks = value.NewBlanks(form.Blanks.texts())
	}
	if form.Required != nil {
		if f.required = *form.Required; f.required {
			f.empty = emptyReject
		} else if f.target.Required {
			c.fault(document.Member(n, "required"), fmt.Sprintf("%s is required by the service", f.path), "remove this line")
		}
	}
	if form.Empty != nil {
		f.empty = c.emptyPolicy(form.Empty)
		c.emptyFits(f, form.Empty)
	}
	if f.lookup = form.Lookup.text; form.Lookup.given() {
		c.lookupKnown(form.Lookup.node, f.lookup)
	}
	if form.Default != nil {
		f.fallback = c.constantOf(form.Default)
		if form.Default.Kind != document.Scalar {
			c.faults = append(c.faults, c.file.Expected(form.Default, "a value"))
		}
	}
	if form.Values != nil {
		f.values = c.values(form.Values)
	}
	c.unknownPolicy(f, form)
	if f.split = form.Split.text; form.Split.given() && f.split == "" {
		c.fault(form.Split.node, "split requires a separator", `use split: ";"`)
	}
}

// roundedPolicy tells if rounded: says to keep.
func (c *compiler) roundedPolicy(w word) bool {
	if w.given() && w.text != "keep" {
		c.fault(w.node, fmt.Sprintf("rounded: %q is not valid", w.text), "use keep, or remove it to reject such numbers")
	}
	return w.given()
}

// formatPolicy tells if number_format: says to ignore.
func (c *compiler) formatPolicy(w word) bool {
	if w.given() && w.text != "ignore" {
		c.fault(w.node, fmt.Sprintf("number_format: %q is not valid", w.text), "use ignore, or remove it to use what the sheet shows")
	}
	return w.given()
}

// emptyFits reports an empty: that the target cannot take.
func (c *compiler) emptyFits(f *field, n *document.Node) {
	t := f.target
	switch {
	case f.empty == emptyOmit && (t.Required || t.Always):
		c.fault(n, fmt.Sprintf("%s is required and cannot be omitted", f.path), "reject is the default")
	case f.empty == emptyNull && t.Required && !t.Nullable:
		c.fault(n, fmt.Sprintf("%s is required and cannot be null", f.path), "reject is the default")
	case f.empty == emptyKeep && t.Type != payload.TypeText && t.Type != payload.TypeGUIDs:
		c.fault(n, fmt.Sprintf("%s is a %s, which cannot be sent empty", f.path, t.Type), "use omit, null or reject")
	case f.empty != emptyReject && f.required && !t.Required:
		c.fault(n, fmt.Sprintf("%s is required: true, so an empty value is rejected", f.path), "remove one of them")
	}
}

// onlyFor are the keys that have a meaning for fields of some types alone.
var onlyFor = map[string][]payload.Type{
	"split": {payload.TypeGUIDs}, "lookup": {payload.TypeGUID, payload.TypeGUIDs},
	"max": {payload.TypeText, payload.TypeURL}, "trim": {payload.TypeText},
	"pattern":       {payload.TypeText, payload.TypeURL, payload.TypeNumber, payload.TypeInteger},
	"number_format": shownTypes, "numbers": {payload.TypeNumber, payload.TypeInteger},
	"dates": {payload.TypeDate}, "pivot": {payload.TypeDate}, "zone": {payload.TypeDate},
	"dates_turned": {payload.TypeDate, payload.TypeText, payload.TypeNumber}, // the last two by date_as or date()
	"date_as":      {payload.TypeText, payload.TypeNumber},
	"yes":          {payload.TypeBool}, "no": {payload.TypeBool},
}

// meaningless reports the keys of a field that have no meaning for its type.
func (c *compiler) meaningless(f *field, n *document.Node) {
	for key, value := range document.Pairs(n) {
		if types, limited := onlyFor[key.Value]; limited && !document.IsNull(value) && !slices.Contains(types, f.target.Type) {
			c.fault(value, fmt.Sprintf("%s is not supported for %s, which is a %s", key.Value, f.path, f.target.Type), "remove it")
		}
	}
}

func (c *compiler) unknownPolicy(f *field, form *fieldForm) {
	if f.fallback != nil {
		f.unknown = unknownDefault
	}
	w := form.Unknown
	if !w.given() {
		return
	}
	policy, ok := unknownWords[w.text]
	switch {
	case !ok:
		c.fault(w.node, fmt.Sprintf("unknown: %q is not valid", w.text), "use reject, keep, default or empty")
	case f.values == nil && len(form.Yes)+len(form.No) == 0:
		c.fault(w.node, "unknown requires values", "remove it, or list values:")
	case policy == unknownDefault && f.fallback == nil:
		c.fault(w.node, "unknown: default requires a default", "add default:")
	}
	f.unknown = policy
}

// limits compiles max, truncate, pattern and trim.
func (c *compiler) limits(f *field, n *document.Node, form *fieldForm) {
	if form.Max != nil {
		f.max = *form.Max
		at := document.Member(n, "max")
		if f.max < 1 || f.target.Max > 0 && f.max > f.target.Max {
			c.fault(at, fmt.Sprintf("max: %d is not valid for %s", f.max, f.path),
				map[bool]string{true: fmt.Sprintf("the service takes at most %d characters", f.target.Max), false: "use 1 or more"}[f.target.Max > 0])
		}
	}
	f.truncate = form.Truncate
	if f.truncate && f.max == 0 {
		c.fault(document.Member(n, "truncate"), fmt.Sprintf("truncate requires max for %s", f.path), "add max:")
	}
	if form.Pattern.given() {
		pattern, message, hint := value.ParsePattern(form.Pattern.text)
		if f.pattern = pattern; message != "" {
			c.fault(form.Pattern.node, message, hint)
		}
	}
	f.digitsAlone = c.formatPolicy(form.Format)
	if f.keepRounded = c.roundedPolicy(form.Rounded); f.keepRounded && !f.canBeRounded() {
		c.fault(form.Rounded.node, fmt.Sprintf("rounded is not supported for %s", f.path), "remove it")
	}
	f.keepTrim = form.Trim != nil && !*form.Trim
}

func (c *compiler) dateForm(f *field, n *document.Node, form *fieldForm) {
	f.dates = c.dateReader(form.Dates, form.Pivot, form.Zone, c.dates, n)
	f.dates.Turned = c.acceptsTurned(form.Turned, c.dates.Turned)
	if form.Numbers.given() {
		f.numbers = c.numberConvention(form.Numbers)
	}
	if !form.DateAs.given() {
		return
	}
	pattern, err := date.ParsePattern(form.DateAs.text)
	if err != nil {
		c.fault(form.DateAs.node, err.Error(), "use a pattern such as YYYY-MM-DD or DD/MM/YYYY")
	}
	f.dateAs = pattern
}

// valueTable is the values: of a field: what the words of a column become.
type valueTable struct {
	exact  map[string]outcome
	folded map[string]outcome
	words  []string
}

// outcome is what a word becomes; empty stands for no value.
type outcome struct {
	text  string
	empty bool
}

func (c *compiler) values(n *document.Node) *valueTable {
	t := &valueTable{exact: map[string]outcome{}, folded: map[string]outcome{}}
	if n.Kind != document.Block {
		c.faults = append(c.faults, c.file.Expected(n, "a block of words and their values"))
		return t
	}
	for key, value := range document.Pairs(n) {
		if key.Kind != document.Scalar || value.Kind != document.Scalar {
			c.faults = append(c.faults, c.file.Expected(value, "one value for each word"))
			continue
		}
		becomes := outcome{text: value.Value, empty: document.IsNull(value) || value.Value == ""}
		word := table.Trim(key.Value)
		if document.IsNull(key) {
			word = ""
		}
		if earlier, twice := t.folded[table.Fold(word)]; twice && earlier != becomes {
			c.fault(key, fmt.Sprintf("%q matches a word above that has another value", word),
				"case and accents are ignored: keep one of them")
		}
		t.exact[word], t.folded[table.Fold(word)] = becomes, becomes
		t.words = append(t.words, word)
	}
	return t
}

func (t *valueTable) find(text string) (outcome, bool) {
	if found, ok := t.exact[text]; ok {
		return found, true
	}
	found, ok := t.folded[table.Fold(text)]
	return found, ok
}

func (t *valueTable) unknown(text string) *reason.Problem {
	if near := diagnostic.Nearest(text, t.words); near != "" {
		return reason.New(reason.ValueNear, text, reason.QuoteAll(t.words), strconv.Quote(near))
	}
	return reason.New(reason.ValueUnknown, text, reason.QuoteAll(t.words))
}

// numberConvention compiles numbers:.
func (c *compiler) numberConvention(w word) *value.NumberConvention {
	convention, ok := value.ParseNumberConvention(w.text)
	if !ok {
		c.fault(w.node, fmt.Sprintf("numbers: %q is not a number format", w.text),
			`write 1234.56 with the file's separators: "1.234,56", "1,234.56", "1 234,56", "1'234.56" or "1234,56"`)
	}
	return convention
}
