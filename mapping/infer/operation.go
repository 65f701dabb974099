package infer

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// markFields tell a list of trademarks from a list of cases.
var markFields = []string{"mark_text", "application_number", "application_date", "registration_number", "registration_date", "publication_date", "expiry_date",
	"trademark_type_id"}

// likeliest returns the operation that the columns suggest, and why.
func (t *survey) likeliest(o mapping.Options) (payload.Operation, string) {
	marks, parties := t.fitColumns(payload.UpdateTrademark, o), t.litigants()
	var found []string
	for _, name := range markFields {
		if c := marks.chosen[name]; c != nil && (t.lettered || c.meaning.fit(names[payload.UpdateTrademark][name]) >= .6) {
			found = append(found, c.ref)
		}
	}
	mark, number := marks.chosen["mark_text"], marks.chosen["application_number"]
	named := mark != nil && mark.means("mark") && number != nil && number.means("application")
	switch {
	case len(parties) > 1: // a lawsuit has filings and numbers, too
	case marks.goods != nil && len(found) > 0:
		return payload.UpdateTrademark, fmt.Sprintf("%s holds classes and %s relates to marks", marks.goods.columns[0].ref, found[0])
	case len(found) >= 3 || len(found) == 2 && named: // a list of marks needs no more than a mark and its number
		return payload.UpdateTrademark, "columns such as " + strings.Join(found[:min(len(found), 3)], ", ") + " relate to marks"
	}
	for _, c := range t.columns {
		if c.filled > 0 && slices.Equal(c.meaning.concepts, []string{"folder"}) && !c.meaning.other {
			return payload.CreateFolder, c.ref + " names folders"
		}
	}
	if c := t.fitColumns(payload.UpdateCase, o).chosen["id"]; c != nil {
		return payload.UpdateCase, c.ref + " holds the ids of cases that are there already"
	}
	cases := t.fitColumns(payload.CreateCase, o)
	found = found[:0]
	for _, name := range []string{"name", "number"} {
		if c := cases.chosen[name]; c != nil {
			found = append(found, c.ref)
		}
	}
	if len(parties) > 1 {
		return payload.CreateCase, parties[0] + " and " + parties[1] + " are the parties of lawsuits"
	}
	return payload.CreateCase, strings.TrimPrefix(strings.Join(found, " and ")+" may belong to cases; no column relates to marks or folders", " ")
}

// litigants returns the words for parties of a lawsuit in the headers.
func (t *survey) litigants() (found []string) {
	for _, c := range t.columns {
		for _, word := range c.meaning.unknown {
			if litigants[word] && !slices.Contains(found, word) {
				found = append(found, word)
			}
		}
	}
	return found
}

// context gives a column called "value" the meaning of the constant beside it: a docket that keeps several kinds of
// values under one name has a type_code before each.
func (t *survey) context() {
	values := table.Words("value values valeur valor wert valore")
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
