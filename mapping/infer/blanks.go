package infer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/mapping/table"
)

// fewestBlanks is how often a text such as NULL must occur in a column to mean an empty cell: a mark may have that
// name.
const fewestBlanks = 2

// longestNoValue is the maximum length in bytes of a text that may mean an empty cell.
const longestNoValue = 16

// take adds a non-empty cell. It sets texts aside that may mean an empty cell.
func (c *column) take(row int, cell table.Cell) {
	text, key := table.Trim(cell.Text), ""
	if len(text) <= longestNoValue {
		key = table.Fold(text)
	}
	if !noValues[key] {
		c.add(row, cell)
		return
	}
	if c.blanks[key] == nil {
		c.blanks[key] = &tally{text: strings.Clone(text), row: row, kind: cell.Kind}
	}
	c.blanks[key].count++
}

// keepBlanks decides which of the texts set aside mean an empty cell. It adds the others as values.
func (t *survey) keepBlanks() {
	mean := map[string]bool{}
	for _, c := range t.columns {
		for key, v := range c.blanks {
			mean[key] = mean[key] || v.count >= fewestBlanks
		}
	}
	for _, c := range t.columns {
		for _, key := range slices.Sorted(maps.Keys(c.blanks)) {
			if v := c.blanks[key]; !mean[key] {
				c.add(v.row, table.Cell{Kind: v.kind, Text: v.text})
				delete(c.blanks, key)
			}
		}
	}
}

// composeBlanks writes the texts that mean an empty cell in the columns that fields use.
func (d *draft) composeBlanks() {
	found := map[string]*tally{}
	for i := range d.survey.header.Names {
		for key, v := range d.columns[i].blanks {
			if !d.used[i] {
				continue
			}
			if found[key] == nil {
				found[key] = &tally{text: v.text}
			}
			found[key].count += v.count
		}
	}
	if len(found) == 0 {
		return
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Or(found[b].count-found[a].count, strings.Compare(a, b)) })
	var texts, why []string
	for _, key := range keys {
		texts = append(texts, Scalar(found[key].text))
		why = append(why, fmt.Sprintf("%s in %s", found[key].text, table.Count(found[key].count, "cell", "cells")))
	}
	d.header = append(d.header, line{"blanks: [" + strings.Join(texts, ", ") + "]", strings.Join(why, ", ") + "; they mean an empty cell"})
}
