package proposal

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/mapping"
)

// markFields tell a list of trademarks from one of cases.
var markFields = []string{"mark_text", "application_number", "application_date", "registration_number", "registration_date", "publication_date", "expiry_date",
	"trademark_type_id"}

// likeliest is the operation that the columns speak for, and why.
func (t *table) likeliest(o mapping.Options) (mapping.Operation, string) {
	marks := t.fitColumns(mapping.UpdateTrademark, o)
	var found []string
	for _, name := range markFields {
		if c := marks.chosen[name]; c != nil && (t.lettered || c.meaning.fit(names[mapping.UpdateTrademark][name]) >= .6) {
			found = append(found, c.ref)
		}
	}
	switch {
	case marks.goods != nil && len(found) > 0:
		return mapping.UpdateTrademark, fmt.Sprintf("%s holds classes and %s tells of marks", marks.goods.columns[0].ref, found[0])
	case len(found) >= 3:
		return mapping.UpdateTrademark, "columns such as " + strings.Join(found[:3], ", ") + " tell of marks"
	}
	for _, c := range t.columns {
		if c.filled > 0 && slices.Equal(c.meaning.concepts, []string{"folder"}) && !c.meaning.other {
			return mapping.CreateFolder, c.ref + " names folders"
		}
	}
	if c := t.fitColumns(mapping.UpdateCase, o).chosen["id"]; c != nil {
		return mapping.UpdateCase, c.ref + " holds the ids of cases that are there already"
	}
	cases := t.fitColumns(mapping.CreateCase, o)
	found = found[:0]
	for _, name := range []string{"name", "number"} {
		if c := cases.chosen[name]; c != nil {
			found = append(found, c.ref)
		}
	}
	return mapping.CreateCase, strings.TrimPrefix(strings.Join(found, " and ")+" may be those of cases; nothing tells of marks or folders", " ")
}

// context gives columns that are called "value" the meaning of the constant beside them: a docket that keeps several
// kinds of values under one name has a type_code before each.
func (t *table) context() {
	values := words("value values valeur valor wert valore")
	for i, c := range t.columns {
		if len(c.at) > 1 || len(c.meaning.unknown) != 1 || !values[c.meaning.unknown[0]] || len(c.meaning.concepts) > 0 {
			continue
		}
		for j := i - 1; j >= 0 && j >= i-3; j-- {
			if before := t.columns[j]; before.means("type") || before.means("code") {
				if text, ok := before.constant(); ok {
					c.meaning, c.context = meaningOf(text), fmt.Sprintf("%s beside it says %s", before.ref, shown(text))
				}
				break
			}
		}
	}
}
